"""The inner one of two axes in runs of a few neighbours, and the runs of all indices of the outer one as one axis.

Tiles of rows have lanes beyond the end of each row, wherever their extent does not divide its length. Where a power of
two divides that length, a row is a whole number of runs of so many elements, and tiles of runs end with the last row
alone. Where a row ends is worked out for each run, not for each of its lanes, which are one access of a thread.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import constant
from transpiler.ir import nodes as ir
from transpiler.ir.extent import Alignment, Equal, Named
from transpiler.ir.launch_plan import Quantity
from transpiler.ir.types import I32
from transpiler.optimise.build import Build
from transpiler.optimise.launches.collapse import is_one, pairs, with_one_index
from transpiler.optimise.nests.dependence import reaches
from transpiler.optimise.nests.extents import extent_of, extent_of_axis, rounded_down
from transpiler.optimise.nests.nest import AxisKind
from transpiler.optimise.nests.work import Work, indices_of, loops, without_dead
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.analysis.polynomial import Polynomial
    from transpiler.ir.extent import Extent
    from transpiler.optimise.nests.dependence import Reach
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Axis
    from transpiler.optimise.symbols import Symbols


class InRuns(NamedTuple):
    """A work whose axes `outer` and `inner` are the axes of runs and of their lanes.

    It is the same work where all of `needs` hold: then rows are whole numbers of runs, and follow one another without a
    gap. `rereads` tells that it loads something for each row again, which varies along the inner axis alone.
    """

    work: Work
    outer: Axis
    inner: Axis
    needs: tuple[Equal, ...]
    rereads: bool


class _Rows(NamedTuple):
    """Rows that are one piece of memory together, of which `both` is an index: `outer` counts them, `inner` within."""

    outer: Axis
    inner: Axis
    extent: Extent
    both: ir.Symbol


def in_runs(work: Work, symbols: Symbols, label: str, width: Extent) -> InRuns | None:
    """The work with two of its axes in runs of so many indices, a power of two; None where no two are.

    What all of it stores, and all it loads that varies along both, lies along them as along one. `label` is what names
    of the inner axis are made of.
    """
    if any(loops(work.items)):
        # What they reduce would need lanes of its own.
        return None
    indices = indices_of(work.items)
    found = list(reaches(work.items, indices))
    for outer, inner in pairs(work, indices):
        length = next(_lengths(indices, found, outer, inner), None)
        if length is None or not all(
            _keeps_runs(indices, it, outer, inner, length) for it in found
        ):
            continue
        row = extent_of(length, indices)
        extent = extent_of_axis(inner, indices)
        if row == extent or isinstance(row, Named):
            follow = () if row == extent else (Equal(left=extent, right=row),)
            are_whole = Equal(left=Alignment(extent, width), right=width)
            both = symbols.new("flat", I32, inner.span)
            items = with_one_index(work.items, outer, inner, both, indices, length)
            rows = _Rows(outer, inner, extent, both)
            made = _taken_apart(replace(work, items=items), rows, symbols, label, width)
            rereads = any(_is_by_column(indices, it, outer, inner) for it in found)
            return InRuns(made, outer, inner, (*follow, are_whole), rereads)
    return None


def _lengths(
    indices: Indices, found: Iterable[Reach], outer: Axis, inner: Axis
) -> Iterator[Polynomial]:
    """How far apart rows begin that are contiguous along the inner axis."""
    for reach in found:
        if indices.coefficient(reach.offsets, inner.symbol) == constant(1):
            along = indices.coefficient(reach.offsets, outer.symbol)
            if along is not None and along != constant(0):
                yield along


def _keeps_runs(
    indices: Indices, reach: Reach, outer: Axis, inner: Axis, length: Polynomial
) -> bool:
    """Whether neighbours of a run are neighbours for an access, or it has nothing to do with one of the axes."""
    if is_one(indices, reach.offsets, outer, inner, length):
        return True
    along = (indices.coefficient(reach.offsets, it.symbol) for it in (outer, inner))
    return not reach.is_store and constant(0) in along


def _is_by_column(indices: Indices, reach: Reach, outer: Axis, inner: Axis) -> bool:
    small, large = (indices.coefficient(reach.offsets, it.symbol) for it in (inner, outer))
    return small != constant(0) and large == constant(0)


def _taken_apart(work: Work, rows: _Rows, symbols: Symbols, label: str, width: Extent) -> Work:
    """The work, which has `both` in it, with the axes of runs and of their lanes for those of rows."""
    outer, inner = rows.outer, rows.inner
    build = Build(inner.span)
    lanes = symbols.extent(f"RUN_{label.upper()}", inner.span)
    each = symbols.new(f"{label}_runs", I32, inner.span, ir.SymbolKind.PARAMETER)
    run, lane = (symbols.new(it, I32, inner.span) for it in ("run", "lane"))
    length, index = build.read(lanes), build.read(run)

    def within(number: ir.Expression) -> ir.Expression:
        return build.add(build.multiply(number, length), build.read(lane))

    values = {
        rows.both: within(index),
        outer.symbol: build.divide(index, build.read(each)),
        inner.symbol: within(build.remainder(index, build.read(each))),
    }
    names = (ir.Let(span=inner.span, symbol=it, value=value) for it, value in values.items())
    runs = replace(
        outer,
        symbol=run,
        kind=AxisKind.PROGRAM,
        tile=None,
        stop=build.multiply(outer.stop, build.read(each)),
        note=f"collapse-axes: a run is {lanes.name} neighbouring {inner.symbol.name} of one {outer.symbol.name}.",
    )
    neighbours = replace(
        inner, symbol=lane, kind=AxisKind.RUN, tile=lanes, stop=length, place=outer.place, note=None
    )
    programs = tuple(
        it
        for axis in work.programs
        for it in ((runs, neighbours) if axis is outer else (axis,))
        if it is not inner
    )
    numbers = (
        Quantity(name=lanes.name, value=width),
        Quantity(name=each.name, value=rounded_down(rows.extent, Named(lanes.name))),
    )
    return replace(
        work,
        programs=programs,
        items=without_dead((*names, *work.items)),
        quantities=(*work.quantities, *numbers),
    )
