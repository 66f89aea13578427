"""How large the tiles of a launch are without tuning: as large as pays for its data, and no larger than its work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.extent import ItemSize, Number
from transpiler.ir.types import DType, DtypeParameter, Pointer, dtype_text
from transpiler.optimise import shapes
from transpiler.optimise.nests.dependence import reaches
from transpiler.optimise.nests.extents import (
    extent_of_axis,
    greatest,
    least,
    power_of_two,
    rounded_down,
    rounded_up,
    times,
)
from transpiler.optimise.nests.nest import AxisKind
from transpiler.optimise.nests.work import Role, loops
from transpiler.optimise.shapes import by_size, lanes_of
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from transpiler.ir.extent import Extent
    from transpiler.ir.types import ElementType
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Axis
    from transpiler.optimise.nests.work import Work
    from transpiler.optimise.shapes import Shape


class TileSizes(NamedTuple):
    """What the tiles of a work follow from; `dtypes` are those of most of its data."""

    work: Work
    shape: Shape
    dtypes: frozenset[ElementType]
    indices: Indices

    @property
    def item_size(self) -> Extent:
        """The bytes of an element of most of the data."""
        return _item_size(self.dtypes)

    def columns(self, axis: Axis, *, has_rows: bool) -> Extent:
        """The indices of a tile along columns; one that has rows has all of its lanes in one of them at least."""
        columns, lanes = self.shape.columns, self.shape.lanes
        limits = (columns, lanes) if has_rows else (columns,)
        most = by_size(lambda each: min([lanes_of(it, each) for it in limits]), self.item_size)
        return least(most, *self._no_more(axis))

    def rows(self, axis: Axis, columns: Axis, tile: Extent, *, is_shared: bool) -> Extent:
        """The indices of a tile along rows, where it has `tile` along columns."""
        found = [self._most_rows(tile), *self._no_more(axis)]
        if is_shared and self.shape.least > 1:
            others = (it for it in self.work.programs if it not in (axis, columns))
            tiles = (
                self._length(axis),
                rounded_up(self._length(columns), tile),
                *map(self._length, others),
            )
            found.append(self._few(times(*tiles), shapes.TILES_A_SHARE * self.shape.programs))
        return least(*found)

    def _no_more(self, axis: Axis) -> Iterator[Extent]:
        """No more indices than there are, and no more than leave programs enough where each does all of its own."""
        extent = self._length(axis)
        is_whole = self.work.role is Role.WHOLE
        if axis.kind is AxisKind.LOOP or not is_whole:
            # In one launch there are as many tiles of a loop as can be in flight.
            tiles = self.shape.stages if is_whole and self.shape.stages else 1
            yield power_of_two(rounded_up(extent, Number(tiles)))
            return
        programs = times(*map(self._length, self.work.programs))
        if programs != extent or self.shape.least > 1:
            yield power_of_two(extent)
        yield self._few(programs, self.shape.programs)

    def _few(self, indices: Extent, programs: int) -> Extent:
        """As many indices of a tile as leave so many programs something to do, but some in any case."""
        few = power_of_two(rounded_down(indices, Number(programs)))
        return greatest(Number(self.shape.least), few) if self.shape.least > 1 else few

    def _length(self, axis: Axis) -> Extent:
        return extent_of_axis(axis, self.indices)

    def _most_rows(self, tile: Extent) -> Extent:
        """As many rows as have the most lanes, or as there may be where that is said."""
        lanes = self._in_flight() if self.shape.stages else self._lanes()
        if self.shape.rows is None:
            return rounded_down(by_size(lanes.of, lanes.size), tile)
        rows, columns = self.shape.rows, self.shape.columns
        return by_size(
            lambda each: min(lanes_of(rows, each), lanes.of(each) // lanes_of(columns, each)),
            lanes.size,
        )

    def _lanes(self) -> _Lanes:
        return _Lanes(lambda each: lanes_of(self.shape.lanes, each), self.item_size)

    def _in_flight(self) -> _Lanes:
        """The most lanes for the loads of a loop to be in flight together."""
        found = [
            [it.root for it in reaches((loop,), self.indices) if not it.is_store]
            for loop in loops(self.work.items)
        ]
        shift = max(max(map(len, found), default=1) - 1, 0).bit_length()
        roots = {it.type.dtype for each in found for it in each if isinstance(it.type, Pointer)}
        return _Lanes(
            lambda each: min(
                lanes_of(self.shape.lanes, each),
                shapes.IN_REGISTERS >> shift,
                (shapes.IN_FLIGHT >> shift) // each,
            ),
            _item_size(frozenset(roots)),
        )


class _Lanes(NamedTuple):
    """The most lanes of a tile for elements of so many bytes, and how many these have."""

    of: Callable[[int], int]
    size: Extent


def _item_size(dtypes: frozenset[ElementType]) -> Extent:
    """The bytes of the widest of some dtypes."""
    sizes: list[Extent] = []
    for dtype in sorted(dtypes, key=dtype_text):
        match dtype:
            case DtypeParameter(name=name):
                sizes.append(ItemSize(name))
            case DType(bits=bits):
                sizes.append(Number(max(bits // 8, 1)))
            case _:
                sizes.append(Number(_WIDEST))
    match sizes:
        case []:
            return Number(_WIDEST)
        case [only]:
            return only
        case _:
            return greatest(*sizes)


_WIDEST = 8
