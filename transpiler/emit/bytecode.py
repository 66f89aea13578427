"""Templates as Jinja compiled them: kept, since compiling them takes longer than filling them in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import BytecodeCache

from transpiler import cache

if TYPE_CHECKING:
    from jinja2.bccache import Bucket

_FORMAT = "1"
"""Another one where options of the environment change: Jinja notes the text of a template and the version of Python."""


class StoredBytecode(BytecodeCache):
    """The compiled templates in the user's cache folder."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in a template's code, if it is known."""
        data = cache.load(_name(bucket))
        if data is None:
            return
        try:
            bucket.bytecode_from_string(data)
        except Exception:  # noqa: BLE001 - whatever is wrong with a cache, it is made anew
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template's code."""
        cache.store(_name(bucket), bucket.bytecode_to_string())


def _name(bucket: Bucket) -> str:
    return f"template-{bucket.key[:24]}-{_FORMAT}"
