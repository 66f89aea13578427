"""How many programs a tile of a widened kernel has, and for which sizes of the kernel's own tiles that pays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.extent import Named, Number
from transpiler.ir.launch_plan import GRID_NAMES, Tile
from transpiler.ir.types import NamedDimension
from transpiler.optimise import shapes
from transpiler.optimise.grid import AXIS_MEMBERS
from transpiler.optimise.nests.extents import (
    at_least,
    greatest,
    least,
    power_of_two,
    rounded_down,
    rounded_up,
    times,
)
from transpiler.optimise.refusals import refuse
from transpiler.optimise.widening.widen_axis import members
from transpiler.optimise.widening.widen_frame import Order
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.extent import AtLeast, Extent
    from transpiler.ir.types import Dimension


class Sizes(NamedTuple):
    """What the numbers of a widened kernel follow from: the axis `member` of its grid, and its `own` tiles' extents."""

    kernel: ir.Kernel
    member: str
    order: Order
    own: tuple[Dimension, ...]

    @property
    def _shape(self) -> shapes.WidenedShape:
        return (shapes.WIDENED_LOOPS if self._has_loops() else shapes.WIDENED)[self.order]

    @property
    def warps(self) -> Extent:
        """The warps of a program: more where the kernel's own tiles are long."""
        fewest, most, lanes = self._shape.warps
        own = self._longest()
        if own is None or fewest == most:
            return Number(fewest)
        if isinstance(own, Number):
            return Number(max(fewest, min(most, own.value // lanes)))
        return greatest(Number(fewest), least(Number(most), rounded_down(own, Number(lanes))))

    def tile(self, name: str, extent: Extent) -> Tile:
        """A tile of as many programs as pay, of `extent` there are."""
        return Tile(
            name=name,
            default=self._default(extent),
            choices=self._shape.choices,
            limit=extent,
        )

    def pays(self, extent: Extent) -> Iterator[AtLeast]:
        """The conditions for several of `extent` programs in a tile to be better than one.

        The kernel's own tiles are short; and where programs run for long, there are so many that not all run at once.

        Raises:
            RefusedError: they are not.
        """
        most = self._shape.own
        if self._shape.enough > 1:
            yield at_least(self._programs(extent), self._shape.enough)
        for dimension in self.own:
            match dimension:
                case NamedDimension(name=name):
                    yield at_least(Number(most), Named(name))
                case int() if dimension > most:
                    refuse("its tiles are long as they are", self.kernel.name_span)
                case _:
                    pass

    def _default(self, extent: Extent) -> Extent:
        """The programs of a tile: long ones, and those that are far apart anyway, are shared out first."""
        shape = self._shape
        own = self._longest()
        most: list[Extent] = [Number(shape.programs)] if shape.programs < shape.lanes else []
        most.append(Number(shape.lanes) if own is None else rounded_down(Number(shape.lanes), own))
        if self.order is Order.OWN and not self._has_loops():
            return least(*most, power_of_two(extent))
        programs = self._programs(extent)
        most.append(power_of_two(rounded_up(programs, Number(2 * shapes.WIDENED_PROGRAMS))))
        chosen = least(*most)
        if shape.least > 1:
            chosen = greatest(Number(shape.least), chosen)
        # No more of them than there are, where other axes of the grid have programs as well.
        return chosen if programs == extent else least(chosen, power_of_two(extent))

    def _programs(self, extent: Extent) -> Extent:
        """All programs of the grid, of which there are `extent` along the axis of the tile."""
        others = (
            Named(name)
            for name, member in zip(GRID_NAMES, AXIS_MEMBERS, strict=True)
            if member != self.member and member in members(self.kernel)
        )
        return times(extent, *others)

    def _longest(self) -> Extent | None:
        """The extent of the longest of the kernel's own tiles."""
        found: list[Extent] = [
            Named(it.name) if isinstance(it, NamedDimension) else Number(it)
            for it in self.own
            if isinstance(it, NamedDimension | int)
        ]
        if not found:
            return None
        return found[0] if len(found) == 1 else greatest(*found)

    def _has_loops(self) -> bool:
        statements = self.kernel.body.contents.statements
        return any(isinstance(it, ir.For | ir.While) for it in statements)
