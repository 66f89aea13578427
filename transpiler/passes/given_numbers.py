"""Which parameters Triton may hold as numbers of Python's, and between which bounds those lie.

An argument of a kernel is one where it equals 1; a parameter of a function where it is given a constant, or another
such number. All calls of a function count, whatever their shapes: its text is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.interval import exactly
from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, I32

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.analysis.interval import Interval


class GivenNumbers:
    """What the calls seen so far give; those in kernels and functions are seen before what they call."""

    def __init__(self, module: ir.Module) -> None:
        self._places = {function.symbol: function.span.start for function in module.functions}
        self._given: dict[tuple[int, int], Interval] = {}

    def add(self, function: ir.FunctionSymbol, place: int, number: Interval) -> None:
        """Take down that a call gives the parameter at `place` such a number."""
        key = self._places[function], place
        known = self._given.get(key)
        self._given[key] = number if known is None else known.union(number)

    def of(self, routine: ir.Routine) -> Mapping[ir.Symbol, Interval]:
        """The parameters that may be such numbers; others, and mutable ones, are made values of Triton."""
        parameters = [
            (place, symbol)
            for place, symbol in enumerate(routine.parameters)
            if symbol.kind is ir.SymbolKind.PARAMETER
            and not symbol.is_mutable
            and symbol.type in {BOOL, I32}
        ]
        if not isinstance(routine, ir.Function):
            return {symbol: exactly(1) for _, symbol in parameters}
        start = routine.span.start
        return {
            symbol: self._given[start, place]
            for place, symbol in parameters
            if (start, place) in self._given
        }
