"""What indexes memory beside loops: the places of programs on the grid, and the lanes of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import I32
from transpiler.optimise.build import Build
from transpiler.optimise.grid import AXIS_MEMBERS, program_name
from transpiler.optimise.nests.nest import Axis, AxisKind
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from transpiler.optimise.symbols import Symbols
    from transpiler.source import Span


class Axes:
    """The axes of the grid that a kernel asks for, and the lanes of its tiles: one symbol for those of each extent."""

    def __init__(self, symbols: Symbols) -> None:
        self.lanes: dict[ir.Symbol, ir.Symbol] = {}
        """By extent. Lanes are parts of the indices of loops: where one is left over, the kernel is no nest."""
        self._programs: dict[int, Axis] = {}
        self._symbols = symbols

    @property
    def programs(self) -> tuple[Axis, ...]:
        """The axes of the grid, in its order."""
        return tuple(axis for _, axis in sorted(self._programs.items()))

    def program(self, node: ir.OpCall) -> ir.Expression:
        """The index that a call asks for, along an axis of the grid.

        Raises:
            RefusedError: along which one is not known.
        """
        axis = node.arguments[0]
        if not isinstance(axis, ir.EnumArgument):
            refuse("the axis of the grid is not known", node.span)
        place = AXIS_MEMBERS.index(axis.member)
        known = self._programs.get(place)
        if known is None:
            extent = self._symbols.grid(place, node.span)
            known = self._programs[place] = Axis(
                symbol=self._symbols.new(program_name(axis.member), I32, node.span),
                kind=AxisKind.PROGRAM,
                start=Build(node.span).number(0),
                stop=Build(node.span).read(extent),
                span=node.span,
                place=place,
            )
        return Build(node.span).read(known.symbol)

    def lane(self, extent: ir.Symbol, span: Span) -> ir.Symbol:
        """The lane of tiles of an extent."""
        lane = self.lanes.get(extent)
        if lane is None:
            lane = self.lanes[extent] = self._symbols.new(f"lane_{extent.name}", I32, span)
        return lane
