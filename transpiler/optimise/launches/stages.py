"""Takes a nest apart into launches.

Each loop at the top is a launch of its own, so that its iterations can be shared out among programs; what stands
behind a reduction is a launch that first combines the partial results. Programs are unordered, so that all of them end
one part before any begins the next is one of the orders they may run in. Names a later part needs are computed again
there; what was reduced comes from memory.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.extent import Extent, Named, Number
from transpiler.ir.launch_plan import Scratch
from transpiler.ir.types import I32, Pointer
from transpiler.optimise.build import Build, dtype_of
from transpiler.optimise.launches.parts import Group, groups, joined
from transpiler.optimise.nests.dependence import reaches
from transpiler.optimise.nests.extents import extent_of_axis, times
from transpiler.optimise.nests.nest import Accumulate, Axis, AxisKind, Loop, Reduction, Store
from transpiler.optimise.nests.sharing import may_be_shared
from transpiler.optimise.nests.work import (
    Part,
    Role,
    Work,
    indices_of,
    loops,
    needed,
    substituted,
    symbols_read,
    taken,
)
from transpiler.optimise.paragraphs import below
from transpiler.optimise.refusals import refuse
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.optimise.nests.nest import Item, Nest
    from transpiler.optimise.symbols import Symbols


class _Kept(NamedTuple):
    """Where the result of a reduction lies for the parts that follow: in pieces, or as one.

    There is a piece for each index of `inner`, if that is an axis whose indices are kept apart.
    """

    pointer: ir.Symbol
    reduction: Reduction
    is_partial: bool
    inner: Axis | None = None


class Spread(Enum):
    """Which loops become axes of the grid before it is decided how a launch is laid out."""

    NONE = "none"
    INNERMOST = "the innermost one"
    ALL = "all that may, where nothing is reduced; the innermost one elsewhere"


class Stages:
    """Makes the launches of one nest."""

    def __init__(self, nest: Nest, symbols: Symbols, *, spread: Spread = Spread.NONE) -> None:
        self._nest = nest
        self._spread = spread
        self._symbols = symbols
        self._indices = indices_of(nest.items)
        self._kept: dict[ir.Symbol, _Kept] = {}
        self._pending: list[tuple[Loop, ir.Symbol]] = []
        """Loops whose partial results nobody has combined yet, and the number of their parts."""
        self._positions = {id(item): place for place, item in enumerate(nest.items)}

    def works(self) -> list[Work]:
        """The launches, in order.

        Raises:
            RefusedError: a part would read what an earlier one has changed meanwhile.
        """
        found: list[Work] = []
        items = self._nest.items
        every = joined(groups(items), items, self._indices)
        for place, group in enumerate(every):
            self._check_rereads(group)
            loop = group.loop
            wanted = self._reads(group)
            if loop is not None:
                if any(self._kept[it].is_partial for it in wanted):
                    found.append(self._final((), self._read_later(every[place:])))
                found.append(self._loop(loop))
            elif self._pending:
                found.append(self._final(group.items, self._read_later(every[place + 1 :])))
            else:
                found.append(self._points(group))
        return found

    # --- Parts ------------------------------------------------------------------------------------

    def _loop(self, loop: Loop) -> Work:
        items = self._with_inputs(taken(self._nest.items, (loop,)))
        inner = None if self._spread is Spread.NONE else self._innermost(loop)
        programs = self._nest.programs
        if inner is not None:
            programs, items = _spread(inner, programs, items)
        if not loop.reductions:
            while self._spread is Spread.ALL and (axis := self._next(items)) is not None:
                programs, items = _spread(axis, programs, items)
            return Work(role=Role.APPLY, programs=programs, items=items)
        build = Build(loop.span)
        part = Part(
            number=self._symbols.new("part", I32, loop.span),
            parts=self._symbols.new("parts", I32, loop.span, ir.SymbolKind.PARAMETER),
        )
        slot, index = self._slot(
            build, self._piece(build, part.number, inner), ir.Layout(blank_before=True)
        )
        stored: list[Item] = [*slot]
        scratch: list[Scratch] = []
        for reduction in loop.reductions:
            pointer = self._scratch(reduction, "partials")
            self._kept[reduction.symbol] = _Kept(pointer, reduction, is_partial=True, inner=inner)
            spread = Number(1) if inner is None else self._length(inner)
            count = times(Named(part.parts.name), self._extent(), spread)
            scratch.append(
                Scratch(name=pointer.name, dtype=dtype_of(reduction.symbol), count=count)
            )
            stored.append(self._stored(build, pointer, index, reduction))
        self._pending.append((loop, part.parts))
        return Work(
            role=Role.PARTIAL,
            programs=programs,
            items=(*items, *stored),
            part=part,
            scratch=tuple(scratch),
        )

    def _innermost(self, loop: Loop) -> Axis | None:
        """The axis of the innermost loop, where there is one loop in the other, or nothing is reduced."""
        nested = list(loops((loop,)))
        if loop.reductions and len(nested) == 1:
            return None
        if any(sum(isinstance(it, Loop) for it in each.items) > 1 for each in nested):
            return None
        axis = nested[-1].axis
        return axis if may_be_shared(axis, (loop,)) else None

    def _next(self, items: tuple[Item, ...]) -> Axis | None:
        """The axis of the innermost loop there still is."""
        rest = [it for it in items if isinstance(it, Loop)]
        return self._innermost(rest[0]) if len(rest) == 1 else None

    def _piece(self, build: Build, part: ir.Symbol, inner: Axis | None) -> ir.Expression:
        """Where the piece of a part lies that the program adds to, with an index of the inner axis."""
        index = self._place(build, build.read(part))
        if inner is None:
            return index
        extent = build.subtract(inner.stop, inner.start)
        return build.add(
            build.multiply(index, extent), build.subtract(build.read(inner.symbol), inner.start)
        )

    def _length(self, axis: Axis) -> Extent:
        return extent_of_axis(axis, self._indices)

    def _final(self, stores: tuple[Item, ...], later: set[ir.Symbol]) -> Work:
        """Combine what is partial, do what stands behind, and keep what later parts read."""
        items = self._with_inputs(taken(self._nest.items, stores)) if stores else ()
        own = {it for item in stores for it in self._closure(item)}
        before: list[Item] = []
        behind: list[Item] = []
        scratch: list[Scratch] = []
        for loop, count in self._pending:
            wanted = [it for it in loop.reductions if it.symbol in own or it.symbol in later]
            if wanted:
                before.append(self._combining(loop, count, wanted))
            for reduction in wanted:
                if reduction.symbol in later:
                    memory, total = self._total(reduction, Build(loop.span))
                    scratch.append(memory)
                    behind.append(total)
        self._pending = []
        return Work(
            role=Role.FINAL,
            programs=self._nest.programs,
            items=(*before, *items, *behind),
            scratch=tuple(scratch),
        )

    def _combining(self, loop: Loop, count: ir.Symbol, wanted: list[Reduction]) -> Loop:
        """The loop over the parts of another one that combines their results."""
        build = Build(loop.span)
        axis = Axis(
            symbol=self._symbols.new("part", I32, loop.span),
            kind=AxisKind.LOOP,
            start=build.number(0),
            stop=build.read(count),
            span=loop.span,
        )
        pieces = self._kept[wanted[0].symbol].inner
        inner = None
        if pieces is not None:
            symbol = self._symbols.like(pieces.symbol)
            inner = replace(pieces, symbol=symbol, kind=AxisKind.LOOP)
        slot, index = self._slot(build, self._piece(build, axis.symbol, inner))
        items: list[Item] = [*slot]
        for reduction in wanted:
            pointers = build.pointer(build.read(self._kept[reduction.symbol].pointer), index)
            term = build.load(pointers)
            items.append(Accumulate(symbol=reduction.symbol, term=term, span=reduction.span))
        if inner is not None:
            items = [Loop(axis=inner, items=tuple(items), reductions=(), span=loop.span)]
        # What the reductions start from is in the parts, and what is said of it there.
        reductions = tuple(replace(it, initial=None, layout=ir.PLAIN) for it in wanted)
        return Loop(axis=axis, items=tuple(items), reductions=reductions, span=loop.span)

    def _total(self, reduction: Reduction, build: Build) -> tuple[Scratch, Store]:
        """Memory for what a reduction comes to, from which later parts read it, and its store."""
        pointer = self._scratch(reduction, "total")
        self._kept[reduction.symbol] = _Kept(pointer, reduction, is_partial=False)
        dtype = dtype_of(reduction.symbol)
        memory = Scratch(name=pointer.name, dtype=dtype, count=self._extent())
        return memory, self._stored(build, pointer, self._place(build), reduction)

    def _points(self, group: Group) -> Work:
        return Work(
            role=Role.STORE,
            programs=self._nest.programs,
            items=self._with_inputs(taken(self._nest.items, group.items)),
        )

    # --- What parts read --------------------------------------------------------------------------

    def _closure(self, item: Item) -> set[ir.Symbol]:
        """All symbols an item reads, those in what names stand for included."""
        found: set[ir.Symbol] = set()
        for each in needed(self._nest.items, (item,)):
            found.update(symbols_read(each))
        return found

    def _reads(self, group: Group) -> set[ir.Symbol]:
        """The reductions of earlier parts that a part reads."""
        return {it for item in group.items for it in self._closure(item) if it in self._kept} - {
            it.symbol for it in (group.loop.reductions if group.loop is not None else ())
        }

    def _read_later(self, rest: list[Group]) -> set[ir.Symbol]:
        return {it for group in rest for item in group.items for it in self._closure(item)}

    def _with_inputs(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The items, those of earlier results that they read loaded first."""
        read = {symbol for item in items for symbol in symbols_read(item)}
        own = {it.symbol for loop in loops(items) for it in loop.reductions}
        loads: list[Item] = []
        values: dict[ir.Symbol, ir.Expression] = {}
        for symbol, kept in self._kept.items():
            if symbol not in read or symbol in own or kept.is_partial:
                continue
            build = Build(kept.reduction.span)
            pointer = build.pointer(build.read(kept.pointer), self._place(build))
            loaded = build.load(pointer)
            name = self._symbols.new(kept.reduction.name, loaded.type, build.span)
            loads.append(ir.Let(span=build.span, symbol=name, value=loaded))
            values[symbol] = build.read(name)
        return (*loads, *substituted(items, values)) if loads else items

    def _check_rereads(self, group: Group) -> None:
        """Refuse what is loaded again in a part after it was stored in an earlier one, and loaded before that."""
        first = min(self._positions[id(item)] for item in group.items)
        stored = {
            reach.root: place
            for item, place in ((it, self._positions[id(it)]) for it in self._nest.items)
            if place < first
            for reach in reaches((item,), self._indices)
            if reach.is_store
        }
        loop = () if group.loop is None else (group.loop,)
        written = {reach.root for reach in reaches(loop, self._indices) if reach.is_store}
        if not stored and not written:
            return
        for item in needed(self._nest.items, group.items):
            place = self._positions[id(item)]
            if isinstance(item, ir.Let):
                for reach in reaches((item,), self._indices):
                    if reach.root in written:
                        refuse(
                            f"the loop stores to `{reach.root.name}`, of which this was loaded before",
                            reach.call.span,
                        )
                    if place < stored.get(reach.root, place):
                        refuse(
                            f"`{reach.root.name}` is stored between here and a use of what is loaded",
                            reach.call.span,
                        )

    # --- Memory between parts ---------------------------------------------------------------------

    def _scratch(self, reduction: Reduction, what: str) -> ir.Symbol:
        return self._symbols.new(
            f"{reduction.name}_{what}",
            Pointer(dtype=dtype_of(reduction.symbol)),
            reduction.span,
            ir.SymbolKind.PARAMETER,
        )

    def _stored(
        self, build: Build, pointer: ir.Symbol, index: ir.Expression, reduction: Reduction
    ) -> Store:
        call = build.store(
            build.pointer(build.read(pointer), index),
            build.read(reduction.symbol),
            ir.AbsentArgument(span=build.span),
        )
        return Store(call=call, span=build.span)

    def _slot(
        self, build: Build, index: ir.Expression, layout: ir.Layout = ir.PLAIN
    ) -> tuple[tuple[ir.Let, ...], ir.Expression]:
        """A name for where a piece lies, if it is more than an index itself, and what to read."""
        if isinstance(index, ir.Read):
            return (), index
        slot = self._symbols.new("slot", I32, build.span)
        let = ir.Let(span=build.span, symbol=slot, value=index, layout=layout)
        return (let,), build.read(slot)

    def _place(self, build: Build, part: ir.Expression | None = None) -> ir.Expression:
        """The program's place among all of the grid, x fastest; `part` is the slowest of all."""
        index = build.number(0) if part is None else part
        for axis in reversed(self._nest.programs):
            index = build.add(build.multiply(index, axis.stop), build.read(axis.symbol))
        return index

    def _extent(self) -> Extent:
        return times(*(self._length(axis) for axis in self._nest.programs))


def _spread(
    axis: Axis, programs: tuple[Axis, ...], items: tuple[Item, ...]
) -> tuple[tuple[Axis, ...], tuple[Item, ...]]:
    """The axes of the grid with that of a loop, and the items without the loop."""
    return (*programs, replace(axis, kind=AxisKind.PROGRAM)), _without_loop(items, axis)


def _without_loop(items: tuple[Item, ...], axis: Axis) -> tuple[Item, ...]:
    """The items with those of the loop over an axis in its place."""
    found: list[Item] = []
    for item in items:
        if not isinstance(item, Loop):
            found.append(item)
        elif item.axis.symbol == axis.symbol:
            found.extend(below(item.layout, item.items))
        else:
            found.append(replace(item, items=_without_loop(item.items, axis)))
    return tuple(found)
