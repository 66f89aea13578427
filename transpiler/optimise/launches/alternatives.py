"""The ways to launch a nest, each with the sizes from which on it pays.

They are asked for in order, so each has to pay against those behind it, and the last against the kernel as written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.extent import Alignment, AnyOf, Named, Number
from transpiler.optimise import shapes
from transpiler.optimise.account import Note
from transpiler.optimise.flags import COLLAPSE_AXES, SPLIT_KERNEL, SPREAD_LOOP
from transpiler.optimise.launches.collapse import collapse
from transpiler.optimise.launches.layout import layout
from transpiler.optimise.launches.runs import in_runs
from transpiler.optimise.launches.stages import Spread, Stages
from transpiler.optimise.nests.dependence import passes_memory_on
from transpiler.optimise.nests.extents import (
    at_least,
    below,
    extent_of_axis,
    greatest,
    least,
    rounded_down,
    times,
)
from transpiler.optimise.nests.nest import AxisKind, Loop
from transpiler.optimise.nests.work import Role, Work, indices_of, loops
from transpiler.optimise.shapes import by_size, lanes_of
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.ir.extent import AtLeast, Condition, Extent
    from transpiler.optimise.flags import OptimiseOptions
    from transpiler.optimise.launches.layout import Lanes, Layout
    from transpiler.optimise.nests.nest import Nest
    from transpiler.optimise.symbols import Symbols
    from transpiler.optimise.trace import Trace


class Launch(NamedTuple):
    """What a launch computes, and how that is laid out."""

    work: Work
    layout: Layout


class Alternative(NamedTuple):
    """Launches that do all of a nest, made of `symbols`; they pay where all of `pays` hold.

    What they are called begins with `prefix`. `notes` are what was done for them, beyond what their layouts tell; `why`
    tells readers of the plan why they pay then.
    """

    launches: tuple[Launch, ...]
    symbols: Symbols
    pays: tuple[Condition, ...] = ()
    prefix: str = ""
    notes: tuple[Note, ...] = ()
    why: str | None = None


class Alternatives:
    """The ways to launch a nest that some options allow."""

    def __init__(
        self, nest: Nest, symbols: Symbols, options: OptimiseOptions, trace: Trace
    ) -> None:
        self._nest = nest
        self._symbols = symbols
        self._options = options
        self._trace = trace
        self._indices = indices_of(nest.items)
        self._loops = [item for item in nest.items if isinstance(item, Loop)]

    def __iter__(self) -> Iterator[Alternative]:
        """Each in turn.

        Raises:
            RefusedError: the nest cannot be taken apart.
        """
        for work_out in (self._whole, self._runs, self._flat, self._apart):
            found = work_out(self._symbols.of_variant())
            if found is not None:
                yield found

    def _flat(self, symbols: Symbols) -> Alternative | None:
        """Two axes share the lanes of tiles: short rows would leave most of these without anything to do."""
        if not self._options.has(COLLAPSE_AXES) or not self._options.has(SPREAD_LOOP):
            return None
        works = Stages(self._nest, symbols, spread=Spread.INNERMOST).works()
        collapsed = [collapse(work, symbols) for work in works]
        found = [(work.role, it) for work, it in zip(works, collapsed, strict=True) if it]
        first = next((it for role, it in found if role is not Role.FINAL), None)
        if first is None:
            # Partial results are few.
            return None
        self._trace.works(COLLAPSE_AXES, [it.work for _, it in found])
        launches = self._laid_out(
            work if it is None else it.work for work, it in zip(works, collapsed, strict=True)
        )
        if launches is None:
            return None
        length = extent_of_axis(first.inner, self._indices)
        is_short = below(length, shapes.FLAT_BELOW)
        outer, inner = first.outer.symbol.name, first.inner.symbol.name
        pays: tuple[Condition, ...] = (is_short,)
        when, why = f"has fewer than {shapes.FLAT_BELOW} indices", f"Short {inner} share"
        if all(role is not Role.PARTIAL for role, _ in found):
            both = times(extent_of_axis(first.outer, self._indices), length)
            is_misaligned = _is_misaligned(length, both, launches[0].layout.item_size)
            # What reduces is as it is without sharing lanes.
            pays = (
                AnyOf(conditions=(is_short, is_misaligned)),
                *self._pays_apart(self._laid_out(works)),
            )
            when += ", or starts where accesses are narrow"
            why = f"Short {inner}, and those that start where accesses are narrow, share"
        message = f"`{outer}` and `{inner}` share lanes where `{inner}` {when}"
        note = Note(COLLAPSE_AXES, message, first.inner.span)
        why += f" the lanes of tiles with {outer}."
        return Alternative(launches, symbols, pays, "flat", (note,), why)

    def _runs(self, symbols: Symbols) -> Alternative | None:
        """Runs share tiles, where each row is a whole number of them: tiles of rows have lanes beyond each row."""
        if not self._options.has(COLLAPSE_AXES) or not self._options.has(SPREAD_LOOP):
            return None
        if any(it.reductions for it in self._loops):
            return None
        rows = self._laid_out(Stages(self._nest, symbols).works())
        works = Stages(self._nest, symbols, spread=Spread.ALL).works()
        if rows is None or len(works) > 1:
            return None
        columns, size = rows[0].layout.columns, rows[0].layout.item_size
        wide = rounded_down(Number(shapes.WIDEST_ACCESS), size)
        found = in_runs(works[0], symbols, columns.label, wide)
        if found is None or found.inner.symbol != columns.axis.symbol:
            return None
        self._trace.works(COLLAPSE_AXES, [found.work])
        launches = self._laid_out((found.work,))
        if launches is None:
            return None
        pays: tuple[Condition, ...] = found.needs
        if found.rereads:
            pays = (*pays, _is_worth_rereading(rows[0].layout))
        if launches[0].layout.programs:
            outer_extent = extent_of_axis(found.outer, self._indices)
            pays = (*pays, _has_few_ends(launches[0].layout, times(outer_extent, columns.extent)))
        outer, inner = found.outer.symbol.name, found.inner.symbol.name
        message = f"runs of `{inner}` share tiles, where each `{outer}` is a whole number of them"
        note = Note(COLLAPSE_AXES, message, found.inner.span)
        why = f"Runs of {inner}, an access of a thread each, share tiles, which end with no {outer} but the last."
        return Alternative(launches, symbols, pays, "runs", (note,), why)

    def _whole(self, symbols: Symbols) -> Alternative | None:
        """One launch, where there are columns or rows enough for all of its programs to reduce theirs alone."""
        nest = self._nest
        if not any(it.reductions for it in self._loops):
            return None
        if len(list(loops(nest.items))) > len(self._loops):
            return None
        if passes_memory_on(nest.items, self._indices):
            # Threads of a program do not wait for each other's stores as launches do.
            return None
        work = Work(
            role=Role.WHOLE,
            programs=nest.programs,
            items=nest.items,
        )
        launches = self._laid_out((work,))
        if launches is None:
            return None
        columns, rows = launches[0].layout.columns, launches[0].layout.rows
        if rows is None:
            return None
        if columns.axis.kind is AxisKind.PROGRAM:
            pays = (self._are_few(rows.extent, shapes.COLUMNS_ALONE),)
            return Alternative(launches, symbols, pays, why=_alone(columns))
        if rows.axis.kind is AxisKind.LOOP:
            return None
        pays = (
            self._are_few(columns.extent, shapes.ROWS_ALONE)
            if columns.axis.tile is None
            else below(columns.extent, shapes.SHORT_BELOW),
        )
        return Alternative(launches, symbols, pays, why=_alone(rows))

    def _are_few(self, length: Extent, alone: shapes.Alone) -> AtLeast:
        """That programs do as many indices alone."""
        most = greatest(Number(alone.few), times(Number(alone.each), self._programs()))
        return at_least(most, length)

    def _programs(self) -> Extent:
        """How many programs the kernel as written has."""
        return times(*(extent_of_axis(it, self._indices) for it in self._nest.programs))

    def _apart(self, symbols: Symbols) -> Alternative | None:
        """A launch for each part of the nest."""
        works = Stages(self._nest, symbols).works()
        self._trace.works(SPLIT_KERNEL, works)
        launches = self._laid_out(works)
        if launches is None:
            return None
        pays = self._pays_apart(launches)
        why = "Programs are few: more of them share the loops." if pays else None
        return Alternative(launches, symbols, pays, why=why)

    def _pays_apart(self, launches: tuple[Launch, ...] | None) -> tuple[AtLeast, ...]:
        """Where the loops of a kernel run over contiguous tiles already, they have to be long, and its programs few."""
        if launches is None or not any(it.reductions for it in self._loops):
            return ()
        tiles = [it.layout.columns.axis.tile for it in launches if it.work.role is not Role.FINAL]
        tile = tiles[0] if tiles else None
        if tile is None or None in tiles:
            return ()
        are_long = at_least(
            _length(launches[0].layout), times(Number(shapes.SPLIT_TILES), Named(tile.name))
        )
        programs = self._programs()
        if programs == Number(1):
            return (are_long,)
        return (below(programs, shapes.SPLIT_BELOW), are_long)

    def _laid_out(self, works: Iterable[Work]) -> tuple[Launch, ...] | None:
        """Works with their layouts; None where one has none."""
        kernel = self._nest.kernel
        taken = frozenset(it.name for it in (*kernel.parameters, *kernel.const_generics))
        found: list[Launch] = []
        for work in works:
            chosen = layout(work, self._options, taken)
            if chosen is None:
                return None
            found.append(Launch(work, chosen))
        return tuple(found)


def _is_misaligned(inner: Extent, both: Extent, size: Extent) -> AtLeast:
    """That rows do not start where accesses may be wide, but all of them together do: elements have so many bytes."""
    most = rounded_down(Number(shapes.WIDEST_ACCESS), size)
    return at_least(Alignment(both, most), times(Number(2), Alignment(inner, most)))


def _is_worth_rereading(rows: Layout) -> Condition:
    """Where runs pay that load again what tiles of rows have for all of these: where such tiles had idle lanes.

    Wide elements have few to an access, so that loads are few for each.
    """
    length, size = rows.columns.extent, rows.item_size
    tile = by_size(lambda each: lanes_of(rows.shape.columns, each), size)
    are_idle = at_least(least(tile, length), times(Number(2), Alignment(length, tile)))
    return AnyOf(conditions=(at_least(size, shapes.REREAD_FROM), are_idle))


def _has_few_ends(runs: Layout, elements: Extent) -> Condition:
    """That there are several tiles to so many elements, after which runs end for other axes of the grid."""
    tile = by_size(lambda each: shapes.RUN_TILES * lanes_of(runs.shape.lanes, each), runs.item_size)
    return at_least(elements, tile)


def _length(layout: Layout) -> Extent:
    """How many indices the loops of a launch run over."""
    return times(*(it.extent for it in layout.lanes if it.axis.kind is AxisKind.LOOP))


def _alone(lanes: Lanes) -> str:
    """Why a launch is enough whose programs reduce all of some lanes."""
    name = lanes.axis.symbol.name
    return f"There is little to do for each {name}: programs reduce all of theirs in one launch."
