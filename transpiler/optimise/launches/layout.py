"""How a launch is laid out: which axes are lanes of its tiles, which are programs, which stay loops.

Tiles have two dimensions where there are two axes for them. The columns, whose lanes are neighbours in memory, are the
axis along which the addresses of most accesses are contiguous. The rows are a loop, or another axis of the grid. Of an
axis that is taken apart into runs, the lanes of a run are the columns, and the runs the rows.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import constant
from transpiler.ir.extent import Number
from transpiler.ir.types import Pointer
from transpiler.optimise import shapes
from transpiler.optimise.flags import BLOCK_AXIS, SPREAD_LOOP, VECTORISE_LOOP
from transpiler.optimise.launches.collapse import is_one
from transpiler.optimise.launches.tile_sizes import TileSizes
from transpiler.optimise.nests.dependence import reaches
from transpiler.optimise.nests.extents import (
    extent_of_axis,
    greatest,
    least,
    rounded_down,
    rounded_up,
    times,
)
from transpiler.optimise.nests.nest import AxisKind, Loop
from transpiler.optimise.nests.sharing import may_be_shared
from transpiler.optimise.nests.work import Role, indices_of, loops
from transpiler.optimise.symbols import unlike
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.analysis.polynomial import Polynomial
    from transpiler.ir import nodes as ir
    from transpiler.ir.extent import Extent
    from transpiler.ir.types import ElementType
    from transpiler.optimise.flags import OptimiseOptions
    from transpiler.optimise.nests.dependence import Reach
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Axis
    from transpiler.optimise.nests.work import Work
    from transpiler.optimise.shapes import Shape


class Execution(Enum):
    """What runs through the tiles of an axis, or through its indices where it has none."""

    PROGRAMS = "a program a tile"
    SHARED = "a loop over the tiles of a part, a program a part"
    LOOP = "a loop over all tiles"
    RUN = "nothing: there is one tile, all of whose lanes exist"


class Lanes(NamedTuple):
    """Axes whose indices are the lanes of tiles along one dimension: several where loops follow one another.

    `extent` is that of the first. `label` is what names are made of, `block` what the extent of tiles is called,
    `default` what it is without tuning.
    """

    axes: tuple[Axis, ...]
    execution: Execution
    extent: Extent
    label: str
    block: str
    default: Extent
    choices: tuple[int, ...]

    @property
    def axis(self) -> Axis:
        """The axis, or the first of them."""
        return self.axes[0]


class Layout(NamedTuple):
    """The layout of a work: `columns` and `rows`, the other axes of the grid; `reduced` are the axes of reductions.

    `item_size` is how many bytes elements of most of its data have.
    """

    columns: Lanes
    rows: Lanes | None
    programs: tuple[Axis, ...]
    reduced: frozenset[ir.Symbol]
    shape: Shape
    item_size: Extent

    @property
    def lanes(self) -> tuple[Lanes, ...]:
        """The lanes by the dimensions of tiles."""
        return (self.columns,) if self.rows is None else (self.rows, self.columns)


def layout(work: Work, options: OptimiseOptions, taken: frozenset[str]) -> Layout | None:
    """The layout; None where no axis is contiguous in memory. `taken` are the names the kernel has itself."""
    indices = indices_of(work.items)
    every = list(reaches(work.items, indices))
    nested = list(loops(work.items))
    axes = tuple(
        axis
        for axis in (*work.programs, *(loop.axis for loop in nested))
        if _may_be_lanes(axis, work, options)
    )
    if not axes:
        return None
    innermost = [it for it in every if it.axes] or every
    scores = {axis.symbol: _contiguity(axis, axes, innermost, indices) for axis in axes}
    columns = max(axes, key=lambda axis: scores[axis.symbol])
    if not any(scores[columns.symbol]):
        return None
    along = _along(work, columns)
    if not all(axis in axes and any(scores[axis.symbol]) for axis in along):
        return None
    rows = _rows(work, axes, along, every, indices)
    crossing = any(_crosses(axis, columns, innermost, indices) for axis in rows)
    reduced = frozenset(loop.axis.symbol for loop in nested if _is_reduced(loop, nested))
    stores = any(it.is_store and it.axes for it in every)
    is_along = any(axis.symbol in reduced for axis in along)
    shape = _shape(work, is_along=is_along, has_store=stores)
    if columns.kind is AxisKind.RUN:
        shape = shapes.APPLIED_IN_RUNS
    elif shape is shapes.APPLIED and crossing:
        shape = shapes.CROSSED
    elif shape is shapes.APPLIED and any(_is_by_column(it, columns, rows, indices) for it in every):
        shape = (
            shapes.APPLIED_FAR_APART
            if rows[0].kind is AxisKind.PROGRAM
            else shapes.APPLIED_BY_COLUMN
        )
    sizes = TileSizes(work, shape, _most_varied(every, axes, indices), indices)
    every_axis = (*work.programs, *(loop.axis for loop in nested))
    first = _lanes_of_run(columns, indices)
    if first is None:
        label = _label(along[0], every_axis)
        first = Lanes(
            axes=along,
            execution=_execution(along[0], work, reduced, options, is_rows=False),
            extent=extent_of_axis(along[0], indices),
            label=label,
            block=_block(label, taken),
            default=sizes.columns(along[0], has_rows=bool(rows)),
            choices=shape.column_choices,
        )
    second = None
    if rows:
        label = _label(rows[0], every_axis)
        execution = _execution(rows[0], work, reduced, options, is_rows=True)
        second = Lanes(
            axes=rows,
            execution=execution,
            extent=extent_of_axis(rows[0], indices),
            label=label,
            block=_block(label, taken | {first.block}),
            default=sizes.rows(
                rows[0], along[0], first.default, is_shared=execution is Execution.SHARED
            ),
            choices=shape.row_choices,
        )
    others = tuple(it for it in work.programs if it not in along and it not in rows)
    return Layout(first, second, others, reduced, shape, sizes.item_size)


def _lanes_of_run(axis: Axis, indices: Indices) -> Lanes | None:
    """The lanes of a run; None for another axis."""
    if axis.kind is not AxisKind.RUN or axis.tile is None:
        return None
    extent = extent_of_axis(axis, indices)
    return Lanes((axis,), Execution.RUN, extent, axis.symbol.name, axis.tile.name, extent, ())


def _is_by_column(reach: Reach, columns: Axis, rows: tuple[Axis, ...], indices: Indices) -> bool:
    """Whether something is loaded that all rows of a tile share."""
    inside = _inside(indices, reach.offsets)
    along_rows = any(axis.symbol in inside for axis in rows)
    return bool(rows) and not reach.is_store and columns.symbol in inside and not along_rows


def _crosses(axis: Axis, columns: Axis, found: list[Reach], indices: Indices) -> bool:
    """Whether something that varies along columns is contiguous along another axis."""
    return any(
        indices.coefficient(it.offsets, axis.symbol) == constant(1)
        and columns.symbol in _inside(indices, it.offsets)
        for it in found
    )


def _most_varied(
    found: list[Reach], axes: tuple[Axis, ...], indices: Indices
) -> frozenset[ElementType]:
    """The dtypes of what varies along most axes, which is most of the data."""
    counts = [
        sum(axis.symbol in _inside(indices, reach.offsets) for axis in axes) for reach in found
    ]
    most = max(counts, default=0)
    return frozenset(
        reach.root.type.dtype
        for reach, varies in zip(found, counts, strict=True)
        if varies == most and isinstance(reach.root.type, Pointer)
    )


def _contiguity(
    axis: Axis, axes: tuple[Axis, ...], found: list[Reach], indices: Indices
) -> tuple[int, ...]:
    """How many accesses are contiguous along an axis: first those that vary along most axes, whose data is most.

    Behind them come those whose elements share sectors of memory at least, such as every other one, or backwards.
    """
    contiguous, near = [0] * (len(axes) + 1), [0] * (len(axes) + 1)
    for reach in found:
        stride = indices.coefficient(reach.offsets, axis.symbol)
        step = 0 if stride is None else stride.constant
        if step is not None and 0 < abs(step) <= _NEAR:
            inside = _inside(indices, reach.offsets)
            counts = contiguous if step == 1 else near
            counts[sum(it.symbol in inside for it in axes)] += 1
    return (*reversed(contiguous), *reversed(near))


_NEAR = 4
"""Elements that lie further apart share too little of a sector of 32 bytes."""


def _shape(work: Work, *, is_along: bool, has_store: bool) -> Shape:
    """The shape of tiles; `is_along` tells that columns are reduced, `has_store` that loops store."""
    match work.role:
        case Role.FINAL:
            return shapes.COMBINED_ALONG if is_along else shapes.COMBINED
        case Role.PARTIAL:
            if is_along:
                return shapes.ALONG
            return shapes.STORED if has_store else shapes.STREAMED
        case Role.WHOLE:
            return shapes.WHOLE_ROWS if is_along else shapes.WHOLE
        case Role.APPLY | Role.STORE:
            return shapes.APPLIED


def _may_be_lanes(axis: Axis, work: Work, options: OptimiseOptions) -> bool:
    if axis.kind is not AxisKind.LOOP:
        return options.has(BLOCK_AXIS)
    return axis.tile is not None or work.role is Role.FINAL or options.has(VECTORISE_LOOP)


def _along(work: Work, columns: Axis) -> tuple[Axis, ...]:
    """The axes for columns: an axis alone, or all loops at the top where one launch does everything."""
    top = _top(work)
    return top if work.role is Role.WHOLE and columns in top else (columns,)


def _top(work: Work) -> tuple[Axis, ...]:
    return tuple(item.axis for item in work.items if isinstance(item, Loop))


def _rows(
    work: Work,
    axes: tuple[Axis, ...],
    columns: tuple[Axis, ...],
    found: list[Reach],
    indices: Indices,
) -> tuple[Axis, ...]:
    """The axes for rows: the loops at the top, else one of the grid that all stores vary along.

    That pays where some loads do not, or are contiguous along it; and where all loops run along columns, whose ends
    would leave lanes without anything to do.
    """
    if columns[0].kind is AxisKind.RUN:
        return _runs(work, columns[0], found, indices)
    top = tuple(axis for axis in _top(work) if axis not in columns)
    if top:
        return top if all(axis in axes for axis in top) else ()
    for axis in axes:
        if axis.kind is AxisKind.LOOP and axis not in columns:
            return (axis,)
    for axis in axes:
        if axis in columns:
            continue
        varies = [axis.symbol in _inside(indices, it.offsets) for it in found]
        stored = [flag for flag, it in zip(varies, found, strict=True) if it.is_store]
        if not stored or not all(stored):
            continue
        pays = not all(varies) or _crosses(axis, columns[0], found, indices)
        if pays or work.role is Role.WHOLE:
            return (axis,)
    return ()


def _runs(work: Work, lanes: Axis, found: list[Reach], indices: Indices) -> tuple[Axis, ...]:
    """The axis of the grid that counts runs of some lanes."""
    length = indices.polynomial(lanes.stop)
    return tuple(
        axis
        for axis in work.programs
        if any(is_one(indices, it.offsets, axis, lanes, length) for it in found)
    )


def _inside(indices: Indices, polynomial: Polynomial) -> frozenset[ir.Symbol]:
    return frozenset().union(*(indices.inside(atom) for atom in polynomial.atoms))


def _is_reduced(loop: Loop, nested: list[Loop]) -> bool:
    """Whether iterations of a loop are combined: by itself, or by a loop around it."""
    return any(
        outer.reductions and (outer is loop or loop in list(loops(outer.items))) for outer in nested
    )


def _execution(
    axis: Axis,
    work: Work,
    reduced: frozenset[ir.Symbol],
    options: OptimiseOptions,
    *,
    is_rows: bool,
) -> Execution:
    if axis.kind is AxisKind.PROGRAM:
        return Execution.PROGRAMS
    if work.role is Role.WHOLE or not may_be_shared(axis, work.items):
        return Execution.LOOP
    if axis.symbol not in reduced:
        return Execution.PROGRAMS if options.has(SPREAD_LOOP) else Execution.LOOP
    if work.part is None:
        return Execution.LOOP
    return Execution.SHARED if is_rows else Execution.PROGRAMS


def _label(axis: Axis, others: Iterable[Axis]) -> str:
    """What names of what belongs to an axis are made of: `n` for what the kernel has `BLOCK_N` lanes of at a time.

    That is the name of its index where the kernel says less, or means another axis by it.
    """
    if axis.tile is None:
        return axis.symbol.name
    words = (it for it in axis.tile.name.lower().split("_") if it not in _SAY_NO_AXIS)
    label = "_".join(words)
    means_other = any(
        it.symbol.name == label and it.symbol is not axis.symbol and it.tile is not axis.tile
        for it in others
    )
    return axis.symbol.name if not label or means_other else label


_SAY_NO_AXIS = frozenset({"", "block", "tile", "size"})
"""The words in names of extents of tiles that do not tell along what."""


def _block(label: str, taken: frozenset[str]) -> str:
    """What the extent of tiles along an axis is called."""
    return unlike(f"TILE_{label.upper()}", taken)


def shared_parts(layout: Layout, others: tuple[Extent, ...]) -> Extent:
    """How many parts the rows are shared out in: enough programs, of some tiles each."""
    rows = layout.rows
    if rows is None:
        return Number(1)
    programs = times(rounded_up(layout.columns.extent, layout.columns.default), *others)
    share = times(Number(shapes.TILES_A_SHARE), rows.default)
    return greatest(
        Number(1),
        least(
            rounded_up(rows.extent, share), rounded_down(Number(layout.shape.programs), programs)
        ),
    )
