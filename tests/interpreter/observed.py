"""A process that tells what Triton's interpreter does with kernels, and with `triton.language` meanwhile."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from tests.child import Child

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from multiprocessing.connection import Connection

    Language = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Of one launch: what the kernel noted, or the error; and the language in and after it, where it was looked for."""

    noted: tuple[object, ...]
    inside: tuple[Language, ...]
    after: Language
    searches: int


class ObservedProcess(Child):
    """The child, ended by `close`; `prepare` is called once Triton is to interpret."""

    def __init__(self, prepare: Callable[[], None] | None = None) -> None:
        super().__init__(_Serving(prepare))

    def launch(self, name: str) -> Observed:
        """What is observed of a kernel of `tests.interpreter.noting_kernels`."""
        self._connection.send(name)
        observed: Observed = self._connection.recv()
        return observed


@dataclass(frozen=True, slots=True)
class _Serving:
    prepare: Callable[[], None] | None

    def __call__(self, connection: Connection) -> None:
        """The child's life."""
        os.environ["TRITON_INTERPRET"] = "1"
        if self.prepare is not None:
            self.prepare()
        while True:
            try:
                name: str = connection.recv()
            except EOFError:
                return
            connection.send(_launched(name))


def _launched(name: str) -> Observed:
    from tests.interpreter import noting_kernels  # noqa: PLC0415 - imports Triton

    noted: list[object] = []
    inside: list[Language] = []

    def note(value: Any, /) -> None:
        noted.append((str(value.type), value.handle.data.tolist()))
        inside.append(dict(_language()))

    noting_kernels.note = note
    with patch.object(inspect, "getmembers", wraps=inspect.getmembers) as search:
        try:
            getattr(noting_kernels, name)[(2,)](2**31 - 1)
        except Exception as error:  # noqa: BLE001 - it is what is observed
            noted.append(repr(error))
    return Observed(
        noted=tuple(noted),
        inside=tuple(inside),
        after=dict(_language()),
        searches=search.call_count,
    )


def _language() -> Iterator[tuple[str, str]]:
    """What the attributes of the language are, those that the interpreter sets among them."""
    from triton import language as tl  # noqa: PLC0415 - imports Triton

    for owner in (tl, tl.core, tl.math, tl.tensor, tl.dtype, tl.condition):
        for name, value in vars(owner).items():
            if callable(value) or isinstance(value, property):
                # Of a builtin that is made to call the interpreter: which one.
                member = (getattr(value, "__kwdefaults__", None) or {}).get("member")
                shown = getattr(value, "__qualname__", type(value).__name__)
                yield f"{owner.__name__}.{name}", f"{shown} {getattr(member, '__qualname__', '')}"
