"""What the transforms of a kernel share: which are on, and where their remarks go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.extents import tile_extents
from transpiler.analysis.ranges import Ranges
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir import nodes as ir
    from transpiler.optimise.flags import OptimiseOptions, Transform
    from transpiler.optimise.remarks import Remarks
    from transpiler.source import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassicContext:
    """Of one kernel: `name` is what remarks call it, which for a stage is the kernel it comes from.

    `functions` are those it may call.
    """

    name: str
    options: OptimiseOptions
    remarks: Remarks
    functions: Mapping[ir.FunctionSymbol, ir.Function]

    def report(self, transform: Transform) -> Report:
        """Where a transform says what it did."""
        return Report(self, transform)


class Report:
    """The remarks of one transform on one kernel."""

    def __init__(self, context: ClassicContext, transform: Transform) -> None:
        self._context = context
        self._transform = transform
        self._is_empty = True

    @property
    def is_on(self) -> bool:
        """Whether the transform may be applied."""
        return self._context.options.has(self._transform)

    def applied(self, message: str, span: Span) -> None:
        """The transform changed something."""
        self._is_empty = False
        self._context.remarks.applied(self._transform, self._context.name, message, span)

    def missed(self, message: str, span: Span) -> None:
        """The transform left something as it is, for this reason."""
        self._is_empty = False
        self._context.remarks.missed(self._transform, self._context.name, message, span)

    def finish(self, message: str, kernel: ir.Kernel) -> None:
        """Say of the kernel as a whole why there was nothing to do, if nothing has been said."""
        if self._is_empty:
            self.missed(message, kernel.name_span)


def ranges_of(kernel: ir.Kernel) -> Ranges:
    """The bounds of the integers of a kernel, in arithmetic that wraps where it leaves its dtype."""
    return Ranges(kernel, extents=tile_extents(kernel), wraps=True)
