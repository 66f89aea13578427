"""What a kernel calls the indices of its axes and the results of its reductions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.optimise.nests.nest import Axis, Reduction


class GivenNames:
    """Names for symbols: the one that the kernel gives first counts, with the layout of the statement that gives it."""

    def __init__(self) -> None:
        self._first: dict[ir.Symbol, ir.Let] = {}
        self._named: dict[ir.Symbol, ir.Symbol] = {}

    def note(self, node: ir.Let, symbol: ir.Symbol) -> None:
        """Note a statement that names the value of a symbol."""
        if symbol not in self._first:
            self._first[symbol] = node
            self._named[node.symbol] = symbol

    def named_by(self, node: ir.Let) -> ir.Symbol | None:
        """The symbol that has its name of this statement, if one has."""
        return self._named.get(node.symbol)

    def of_axis(self, axis: Axis) -> Axis:
        """The axis, its index called as the kernel calls it."""
        first = self._first.get(axis.symbol)
        if first is None:
            return axis
        return replace(axis, symbol=replace(axis.symbol, name=first.symbol.name))

    def of_result(self, reduction: Reduction) -> Reduction:
        """The reduction, its result called and laid out as the kernel does."""
        first = self._first.get(reduction.symbol)
        if first is None:
            return reduction
        return replace(reduction, name=first.symbol.name, result_layout=first.layout)
