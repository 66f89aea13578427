"""From a work and its layout to the kernel of a stage: indices become lanes of tiles again, of other tiles.

A lane beyond the end of its axis loads nothing and stores nothing, and what it would add to a reduction along its axis
is replaced by the identity, by a selection: nothing relies on what a load left there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import operands
from transpiler.ir import nodes as ir
from transpiler.ir.extent import Number
from transpiler.ir.launch_plan import Quantity, Stage, Tile
from transpiler.ir.types import I32, NamedDimension, Pointer
from transpiler.optimise import shapes
from transpiler.optimise.build import Build, shape_of
from transpiler.optimise.launches.accumulators import Accumulators
from transpiler.optimise.launches.beyond import Beyond
from transpiler.optimise.launches.lane_masks import Lane, Scope
from transpiler.optimise.launches.layout import Execution, Lanes, Layout
from transpiler.optimise.launches.place import Place
from transpiler.optimise.launches.tiled import Tiler
from transpiler.optimise.nests.nest import Accumulate, AxisKind, Loop, Store
from transpiler.optimise.nests.work import Role, without_dead
from transpiler.optimise.paragraphs import below
from transpiler.optimise.refusals import refuse
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.optimise.nests.nest import Axis, Item, Reduction
    from transpiler.optimise.nests.work import Work
    from transpiler.optimise.symbols import Symbols


class Materialised(NamedTuple):
    """The stage, and the quantities it needs, in order."""

    stage: Stage
    quantities: tuple[Quantity, ...]


def materialise(
    kernel: ir.Kernel, name: str, work: Work, layout: Layout, symbols: Symbols
) -> Materialised:
    """The stage that does a work.

    Raises:
        RefusedError: something in it has no form for tiles.
    """
    return _Materialiser(kernel, name, work, layout, symbols).stage()


class _Materialiser:
    def __init__(
        self, kernel: ir.Kernel, name: str, work: Work, layout: Layout, symbols: Symbols
    ) -> None:
        self._kernel = kernel
        self._name = name
        self._work = work
        self._layout = layout
        self._symbols = symbols
        self._rank = len(layout.lanes)
        self._blocks: dict[str, ir.Symbol] = {}
        self._values: dict[ir.Symbol, ir.Expression] = {}
        self._scope = Scope(symbols)
        self._beyond = Beyond(self._scope, layout)
        self._lanes: dict[ir.Symbol, Lane] = {}
        self._accumulators = Accumulators(layout, self._scope, self._beyond, symbols, self._blocks)
        self._bounds: dict[ir.Symbol, tuple[ir.Expression, ir.Expression]] = {}
        """The first and the end of the indices that the program has of an axis whose loop is shared out."""

    # --- The whole --------------------------------------------------------------------------------

    def stage(self) -> Materialised:
        for lanes in self._layout.lanes:
            self._blocks[lanes.block] = self._block(lanes)
        span = self._kernel.name_span
        place = Place(self._work, self._layout, self._blocks, self._symbols, span)
        head = list(self._head(place))
        body = [it for item in without_dead(self._work.items) for it in self._item(item)]
        # What the place of the program is stands apart from what is done there.
        body[:1] = [replace(it, layout=replace(it.layout, blank_before=True)) for it in body[:1]]
        statements = (*head, *body)
        block = ir.Block(span=self._kernel.body.span, statements=statements)
        block = self._scope.settled(self._beyond.settled(block))
        read = {it.symbol for it in block.contents.expressions if isinstance(it, ir.Read)}
        made = replace(
            self._kernel,
            name=self._name,
            const_generics=(
                *(it for it in self._kernel.const_generics if it in read),
                *self._blocks.values(),
            ),
            parameters=(
                *(it for it in self._kernel.parameters if it in read),
                *self._added(read),
            ),
            body=block,
            backward=None,
            backward_span=None,
        )
        tiles = tuple(
            Tile(
                name=lanes.block,
                default=lanes.default,
                choices=lanes.choices if self._is_tunable() else (),
                limit=lanes.extent,
            )
            for lanes in reversed(self._layout.lanes)
            if lanes.execution is not Execution.RUN
        )
        return Materialised(
            Stage(kernel=made, grid=(place.grid,), tiles=tiles, warps=Number(shapes.WARPS)),
            tuple(place.quantities),
        )

    def _block(self, lanes: Lanes) -> ir.Symbol:
        """The extent of tiles along some lanes; a run has one that is known in what the program does."""
        if lanes.execution is Execution.RUN and lanes.axis.tile is not None:
            return lanes.axis.tile
        return self._symbols.new(lanes.block, I32, lanes.axis.span, ir.SymbolKind.CONST_GENERIC)

    def _is_tunable(self) -> bool:
        """Whether nothing but the grid depends on the tiles."""
        return self._work.part is None

    def _added(self, read: set[ir.Symbol]) -> Iterator[ir.Symbol]:
        known = {*self._kernel.parameters, *self._kernel.const_generics, *self._blocks.values()}
        added = [it for it in read if it not in known and it.kind is ir.SymbolKind.PARAMETER]
        # Pointers first, as kernels have them; then integers; each kind in the order in which they were made.
        yield from sorted(added, key=lambda it: (not isinstance(it.type, Pointer), it.id))

    # --- Lanes ------------------------------------------------------------------------------------

    def _head(self, place: Place) -> Iterator[ir.Statement]:
        """What is the program's own: of each axis whose tiles are programs, and of a loop that is shared out."""
        yield from place.statements
        self._values |= place.values
        for lanes in (self._layout.columns, self._layout.rows):
            if lanes is not None and lanes.execution is Execution.PROGRAMS:
                axis = lanes.axis
                yield from self._bound(lanes, axis, place.first_of_tile(lanes), place.end_of(axis))
            if lanes is not None and lanes.execution is Execution.SHARED:
                yield from self._share(lanes.axis, place)
            if lanes is not None and lanes.execution is Execution.RUN:
                yield self._index(lanes, lanes.axis, Build(lanes.axis.span).number(0))

    def _share(self, axis: Axis, place: Place) -> Iterator[ir.Statement]:
        """The iterations of a loop that the program has."""
        build = Build(axis.span)
        begin = self._symbols.new("share_start", I32, axis.span)
        note = f"split-reduction: the program's share of {axis.symbol.name}."
        first = place.first_of_share(axis)
        yield ir.Let(span=axis.span, symbol=begin, value=first, layout=_comment(note))
        end = self._symbols.new("share_end", I32, axis.span)
        last = place.end_of_share(axis, build.read(begin))
        yield ir.Let(span=axis.span, symbol=end, value=last)
        self._bounds[axis.symbol] = (build.read(begin), build.read(end))

    def _index(self, lanes: Lanes, axis: Axis, first: ir.Expression) -> ir.Let:
        """The indices that lanes have, from `first` on."""
        build = Build(axis.span)
        place = self._layout.lanes.index(lanes)
        dimension = NamedDimension(name=lanes.block)
        tile = build.lanes(self._blocks[lanes.block], dimension, place, self._rank)
        value = build.add(first, tile)
        index = self._symbols.like(axis.symbol, value.type)
        self._values[axis.symbol] = build.read(index)
        layout = _comment(axis.note, self._origin(lanes, axis))
        return ir.Let(span=axis.span, symbol=index, value=value, layout=layout)

    def _bound(
        self, lanes: Lanes, axis: Axis, first: ir.Expression, stop: ir.Expression
    ) -> Iterator[ir.Statement]:
        """The indices of some lanes, and the mask of those that exist."""
        build = Build(axis.span)
        let = self._index(lanes, axis, first)
        yield let
        exists = build.less(build.read(let.symbol), stop)
        mask = self._scope.named(f"{lanes.label}_mask", exists)
        yield mask
        lane = Lane(lanes, mask.symbol, axis.symbol in self._layout.reduced)
        is_spread = lanes.execution is Execution.PROGRAMS
        # The lanes of programs are in scope in what was their loop, which may be inside of this one.
        others = [
            it
            for it in self._lanes.values()
            if it.lanes is not lanes
            and (it in self._scope.lanes or it.lanes.execution is Execution.PROGRAMS)
        ]
        yield from self._scope.both(lane, others, axis.span, are_beside=is_spread)
        self._lanes[axis.symbol] = lane
        # Lanes of a loop whose tiles are programs are there in what was the loop alone.
        if axis.kind is AxisKind.PROGRAM or not is_spread:
            self._scope.lanes.append(lane)

    def _origin(self, lanes: Lanes, axis: Axis) -> str | None:
        """Which transform made the lanes of an axis, in words for readers of the stage."""
        tile = f"{lanes.block} indices of {axis.symbol.name}"
        if axis.kind is AxisKind.PROGRAM:
            return f"block-axis: a program does {tile}."
        if lanes.execution is Execution.PROGRAMS:
            how = "split-reduction" if axis.symbol in self._layout.reduced else "spread-loop"
            return f"{how}: a program does {tile}."
        if axis.tile is None and self._work.role is not Role.FINAL:
            return f"vectorise-loop: {tile} at a time."
        return None

    def _lanes_of(self, axis: Axis) -> Lanes | None:
        for lanes in self._layout.lanes:
            if any(it.symbol == axis.symbol for it in lanes.axes):
                return lanes
        return None

    # --- Items ------------------------------------------------------------------------------------

    def _item(self, item: Item) -> Iterator[ir.Statement]:
        match item:
            case ir.Let():
                value = self._expression(item.value)
                if isinstance(value, ir.Read):
                    self._values[item.symbol] = value
                    return
                symbol = self._symbols.like(item.symbol, value.type)
                self._values[item.symbol] = ir.Read(span=item.span, type=value.type, symbol=symbol)
                self._beyond.define(symbol, value)
                yield replace(item, symbol=symbol, value=value)
            case Store():
                yield self._store(item)
            case Accumulate():
                yield self._accumulators.combined(item, self._expression(item.term))
            case Loop():
                yield from self._loop(item)

    def _store(self, item: Store) -> ir.Statement:
        call = self._expression(item.call)
        if not isinstance(call, ir.OpCall):
            raise TypeError("a store stays one")
        for lane in self._scope.lanes:
            if shape_of(operands(call)[0].type)[self._dimension(lane) :][:1] in ((), (1,)):
                reason = f"each index of `{lane.lanes.axis.symbol.name}` stores to one element"
                refuse(reason, item.span)
        return ir.Evaluate(span=item.span, value=call, layout=item.layout)

    def _dimension(self, lane: Lane) -> int:
        return self._layout.lanes.index(lane.lanes)

    def _loop(self, item: Loop) -> Iterator[ir.Statement]:
        """A loop, or what is there of one where programs are its iterations, between variables and their results."""
        reductions = item.reductions
        started = [self._accumulators.started(it, item, self._initial(it)) for it in reductions]
        body = list(self._iterated(item))
        for reduction, variable in zip(reductions, started, strict=True):
            place = self._accumulators.only_term(reduction, variable, body)
            if place is None:
                yield variable
            else:
                body = below(variable.layout, [*body[:place], *body[place + 1 :]])
        yield from body
        for reduction in reductions:
            result = self._accumulators.ended(reduction, item)
            if _is_itself(result):
                self._values[reduction.symbol] = result.value
                continue
            self._values[reduction.symbol] = Build(reduction.span).read(result.symbol)
            yield result

    def _initial(self, reduction: Reduction) -> ir.Expression | None:
        return None if reduction.initial is None else self._expression(reduction.initial)

    def _iterated(self, item: Loop) -> Iterator[ir.Statement]:
        lanes = self._lanes_of(item.axis)
        if lanes is not None and lanes.execution is Execution.PROGRAMS:
            self._scope.lanes.append(self._lanes[item.axis.symbol])
            inside = [it for inner in item.items for it in self._item(inner)]
            self._scope.lanes.pop()
            yield from below(item.layout, inside)
            return
        axis = item.axis
        build = Build(item.span)
        depth = len(self._scope.lanes)
        start, stop = self._bounds.get(axis.symbol) or (
            self._expression(axis.start),
            self._expression(axis.stop),
        )
        if shape_of(start.type) or shape_of(stop.type):
            reason = f"how often the loop over `{axis.symbol.name}` runs depends on lanes"
            refuse(reason, item.span)
        step: ir.Expression = build.number(1)
        body: list[ir.Statement] = []
        if lanes is None:
            symbol = self._symbols.like(axis.symbol)
            self._values[axis.symbol] = build.read(symbol)
        else:
            symbol = self._symbols.new(f"{lanes.label}_start", I32, axis.span)
            step = build.read(self._blocks[lanes.block])
            body += self._bound(lanes, axis, build.read(symbol), stop)
        for inner in item.items:
            body += self._item(inner)
        del self._scope.lanes[depth:]
        yield ir.For(
            span=item.span,
            symbol=symbol,
            start=start,
            stop=stop,
            step=step,
            body=ir.Block(span=item.span, statements=tuple(body)),
            layout=item.layout,
            stages=0 if lanes is None else self._layout.shape.stages,
        )

    # --- Expressions ------------------------------------------------------------------------------

    def _expression(self, node: ir.Expression) -> ir.Expression:
        return Tiler(self._values, self._scope, self._layout).expression(node)


def _comment(*lines: str | None) -> ir.Layout:
    return ir.Layout(comments=tuple(it for it in lines if it is not None))


def _is_itself(result: ir.Let) -> bool:
    """Whether a result is its variable, one for each lane, by the same name."""
    value = result.value
    return isinstance(value, ir.Read) and value.symbol.name == result.symbol.name
