"""New symbols for what the optimiser makes of one kernel."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.declared import largest_id
from transpiler.ir.launch_plan import GRID_NAMES
from transpiler.ir.types import I32

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from transpiler.ir.types import Type
    from transpiler.source import Span


def unlike(name: str, taken: Container[str]) -> str:
    """The name, with underscores behind it where it is taken."""
    while name in taken:
        name += "_"
    return name


class Symbols:
    """Makes symbols whose ids no symbol of a kernel has."""

    def __init__(self, kernel: ir.Kernel, ids: Iterator[int] | None = None) -> None:
        """`ids` are what may be taken: without them, all above those of the kernel."""
        self._kernel = kernel
        self._ids = count(1 + largest_id(kernel)) if ids is None else ids
        self._grid: dict[int, ir.Symbol] = {}
        own = (it.name for it in (*kernel.parameters, *kernel.const_generics))
        self._taken = {*own, *GRID_NAMES}

    def of_variant(self) -> Symbols:
        """What makes symbols for a variant of the plan: its parameters may be called like those of another one."""
        made = Symbols(self._kernel, self._ids)
        made._grid = self._grid
        made._taken |= self._taken
        return made

    def new(
        self,
        name: str,
        type_: Type,
        span: Span,
        kind: ir.SymbolKind = ir.SymbolKind.LOCAL,
    ) -> ir.Symbol:
        """A symbol; a parameter has a name of its own: it is how the parts of a plan refer to each other."""
        if kind is ir.SymbolKind.PARAMETER and name not in GRID_NAMES:
            name = self._free(name)
        return ir.Symbol(id=next(self._ids), name=name, kind=kind, type=type_, span=span)

    def extent(self, name: str, span: Span) -> ir.Symbol:
        """A compile-time extent, called like nothing that the kernel has itself."""
        return self.new(unlike(name, self._taken), I32, span, ir.SymbolKind.CONST_GENERIC)

    def _free(self, name: str) -> str:
        free, number = name, 1
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._taken.add(free)
        return free

    def like(self, symbol: ir.Symbol, type_: Type | None = None) -> ir.Symbol:
        """Another symbol of the same name, perhaps of another type."""
        type_ = symbol.type if type_ is None else type_
        return replace(symbol, id=next(self._ids), type=type_)

    def grid(self, place: int, span: Span) -> ir.Symbol:
        """The extent of the caller's grid along an axis: a parameter, one for the kernel."""
        if place not in self._grid:
            name = GRID_NAMES[place]
            self._grid[place] = self.new(name, I32, span, ir.SymbolKind.PARAMETER)
        return self._grid[place]
