"""Where a program of a stage stands: which tiles, which indices and which share of a loop are its own.

All of these are digits of its id. How many there are of each is said of the grid; what no argument says of that is a
quantity of the plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.extent import Named
from transpiler.ir.launch_plan import Quantity
from transpiler.ir.types import I32
from transpiler.optimise.build import Build
from transpiler.optimise.launches.digits import Digit, decoded
from transpiler.optimise.launches.layout import Execution, shared_parts
from transpiler.optimise.nests.extents import extent_of_axis, rounded_up, times
from transpiler.optimise.nests.indices import Inlined
from transpiler.optimise.nests.work import indices_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.ir.extent import Extent
    from transpiler.optimise.launches.layout import Lanes, Layout
    from transpiler.optimise.nests.nest import Axis
    from transpiler.optimise.nests.work import Work
    from transpiler.optimise.symbols import Symbols
    from transpiler.source import Span


class Place:
    """The place of a program that does a part of `work`.

    `statements` take its id apart, `values` are what axes of the grid and the number of the part stand for then. `grid`
    is how many programs there are, `quantities` what that and the kernel have to be given.
    """

    def __init__(
        self,
        work: Work,
        layout: Layout,
        blocks: Mapping[str, ir.Symbol],
        symbols: Symbols,
        span: Span,
    ) -> None:
        """`blocks` are the extents of tiles by their names."""
        self._work = work
        self._layout = layout
        self._blocks = blocks
        self._symbols = symbols
        self._build = Build(span)
        self._indices = indices_of(work.items)
        self._numbers: dict[str, ir.Symbol] = {}
        """The numbers of tiles, by the names of these tiles' extents."""
        self._share: tuple[ir.Symbol, ir.Symbol] | None = None
        """The number of the program's share of a loop, and how many iterations each share has."""
        self.quantities: list[Quantity] = []
        self.values: dict[ir.Symbol, ir.Expression] = {}
        digits = list(self._digits())
        found = decoded(digits, symbols, self._build)
        self.statements = found.statements
        self.grid = times(*(it.extent for it in digits))
        self._number_part(digits, found.limits)

    # --- Digits -----------------------------------------------------------------------------------

    def _digits(self) -> Iterator[Digit]:
        columns, rows = self._layout.columns, self._layout.rows
        if columns.execution is Execution.PROGRAMS:
            yield self._tile(columns)
        if columns.execution is Execution.RUN and rows is not None:
            yield self._tile(rows)
            rows = None
        for axis in self._layout.programs:
            symbol = self._symbols.like(axis.symbol)
            start, stop = self._outright(axis.start), self._outright(axis.stop)
            self.values[axis.symbol] = self._build.add(start, self._build.read(symbol))
            count = self._build.subtract(stop, start)
            yield Digit(symbol, count, extent_of_axis(axis, self._indices))
        if rows is not None and rows.execution is Execution.PROGRAMS:
            yield self._tile(rows)
        if rows is not None and rows.execution is Execution.SHARED:
            yield self._shared(rows)

    def _tile(self, lanes: Lanes) -> Digit:
        axis, name = lanes.axis, lanes.label
        build = Build(axis.span)
        block = self._blocks[lanes.block]
        start, stop = self._outright(axis.start), self._outright(axis.stop)
        count = build.rounded_up(build.subtract(stop, start), build.read(block))
        symbol = self._symbols.new(f"{name}_tile", I32, axis.span)
        self._numbers[lanes.block] = symbol
        return Digit(symbol, count, rounded_up(lanes.extent, Named(block.name)), f"{name}_tiles")

    def _shared(self, rows: Lanes) -> Digit:
        """The share of the rows a program does; how many there are is worked out at the launch."""
        axis, name = rows.axis, rows.label
        others = tuple(extent_of_axis(it, self._indices) for it in self._layout.programs)
        shares = self._parameter(f"{name}_shares", axis)
        each = self._parameter(f"{name}_per_share", axis)
        if self._work.part is None or self._has_reduced_tiles():
            parts = self._parameter(f"{name}_parts", axis)
        else:
            parts = self._work.part.parts
        self.quantities += [
            Quantity(
                name=shares.name,
                value=shared_parts(self._layout, others),
                why=f"{self._layout.shape.programs} programs share {axis.symbol.name}, each at least four tiles of it.",
            ),
            Quantity(name=each.name, value=rounded_up(rows.extent, Named(shares.name))),
            Quantity(name=parts.name, value=rounded_up(rows.extent, Named(each.name))),
        ]
        symbol = self._symbols.new("share", I32, axis.span)
        self._share = (symbol, each)
        return Digit(symbol, self._build.read(parts), Named(parts.name))

    def _has_reduced_tiles(self) -> bool:
        """Whether tiles of columns are programs, each of which reduces its own."""
        columns = self._layout.columns
        is_spread = columns.execution is Execution.PROGRAMS
        return is_spread and columns.axis.symbol in self._layout.reduced

    def _parameter(self, name: str, axis: Axis) -> ir.Symbol:
        return self._symbols.new(name, I32, axis.span, ir.SymbolKind.PARAMETER)

    def _number_part(self, digits: list[Digit], limits: tuple[ir.Expression, ...]) -> None:
        """The number of the program's part, and how many parts there are."""
        part, build = self._work.part, self._build
        if part is None:
            return
        index: ir.Expression = build.number(0)
        extents: list[Extent] = []
        if self._share is not None:
            index = build.read(self._share[0])
            extents.append(digits[-1].extent)
        if self._has_reduced_tiles():
            digit, *others = digits
            if others:
                index = build.multiply(index, limits[0])
            index = build.add(index, build.read(digit.symbol))
            # The tile is not known among quantities, so it is settled here.
            extents.append(digit.extent)
        count = times(*extents)
        if count != Named(part.parts.name):
            self.quantities.append(Quantity(name=part.parts.name, value=count))
        self.values[part.number] = index

    # --- What is the program's own ----------------------------------------------------------------

    def first_of_tile(self, lanes: Lanes) -> ir.Expression:
        """The first index of the program's tile."""
        build = Build(lanes.axis.span)
        number, block = build.read(self._numbers[lanes.block]), self._blocks[lanes.block]
        return build.add(
            self._outright(lanes.axis.start), build.multiply(number, build.read(block))
        )

    def first_of_share(self, axis: Axis) -> ir.Expression:
        """The first index of the program's share of a loop."""
        build = Build(axis.span)
        share, each = self._shares()
        first = build.multiply(build.read(share), build.read(each))
        return build.add(self._outright(axis.start), first)

    def end_of_share(self, axis: Axis, first: ir.Expression) -> ir.Expression:
        """The end of the program's share of a loop, which begins at `first`."""
        build = Build(axis.span)
        _, each = self._shares()
        return build.least(build.add(first, build.read(each)), self._outright(axis.stop))

    def end_of(self, axis: Axis) -> ir.Expression:
        """The end of an axis, in words of arguments."""
        return self._outright(axis.stop)

    def _shares(self) -> tuple[ir.Symbol, ir.Symbol]:
        if self._share is None:
            raise ValueError("no loop is shared out")
        return self._share

    def _outright(self, bound: ir.Expression) -> ir.Expression:
        """A bound at the top of the stage, where what the kernel calls it has no value yet."""
        return Inlined(self._indices).expression(bound)
