"""The import lines of a generated module, computed from the names it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_STANDARD_LIBRARY = {"dataclass": "from dataclasses import dataclass"}
_THIRD_PARTY = {
    "triton": "import triton",
    "tl": "import triton.language as tl",
    "libdevice": "from triton.language.extra import libdevice",
}


def import_lines(names: Iterable[str]) -> tuple[str, ...]:
    """The imports that bind `names`, the standard library's first, as import sorters order them."""
    wanted = frozenset(names)
    groups = [
        [line for name, line in table.items() if name in wanted]
        for table in (_STANDARD_LIBRARY, _THIRD_PARTY)
    ]
    lines: list[str] = []
    for group in groups:
        if lines and group:
            lines.append("")
        lines += group
    return tuple(lines)
