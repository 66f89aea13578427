"""What a pass is given besides the module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink
    from transpiler.ir.nodes import Module


@dataclass(frozen=True, slots=True, kw_only=True)
class PassContext:
    """Where a pass reports what it finds."""

    sink: Sink


class Pass(Protocol):
    """A pass: a module in, a module out."""

    __name__: str

    def __call__(self, module: Module, context: PassContext) -> Module:
        """The transformed module; what is wrong goes to the context's sink."""
        ...
