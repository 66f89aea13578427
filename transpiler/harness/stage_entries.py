"""The kernels of launch plans as entries to compile, with the tiles that they have for tensors that are large.

Tiles are computed at a launch, of sizes and of the grid. All of these are taken to be `_LARGE` here; what a plan's
conditions ask for is not looked at, so that all stages are there.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from transpiler.harness.aot import Entry, triton_type
from transpiler.ir.extent_fold import ExtentFold
from transpiler.ir.types import DType, Pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from transpiler.ir.description import KernelPlan, Specialisation
    from transpiler.ir.extent import Extent
    from transpiler.ir.launch_plan import LaunchPlan, Stage, Variant

_LARGE = 2**16


def stage_entries(plan: KernelPlan) -> Iterator[Entry]:
    """The stages in the place of a kernel, each for every specialisation of it; those of one name once."""
    known: set[str] = set()
    if plan.optimised is None:
        return
    for specialisation in plan.specialisations:
        ending = specialisation.name.removeprefix(plan.kernel.name)
        for variant in plan.optimised.variants:
            for stage in variant.stages:
                name = f"{stage.kernel.name}{ending}"
                if name not in known and _is_carried(stage):
                    known.add(name)
                    yield _entry(name, plan.optimised, variant, stage, specialisation)


def _is_carried(stage: Stage) -> bool:
    """Whether a launch gives it no dtype."""
    kernel = stage.kernel
    pointers = [it.type.dtype for it in kernel.parameters if isinstance(it.type, Pointer)]
    return all(dtype in pointers for dtype in kernel.dtype_parameters)


def _computed_in(dtype: DType) -> DType:
    """The dtype of arithmetic."""
    return DType.F32 if dtype.is_float and dtype.bits == 16 else dtype


def _entry(
    name: str, plan: LaunchPlan, variant: Variant, stage: Stage, specialisation: Specialisation
) -> Entry:
    kernel = plan.kernel
    constants = zip(
        (it.name for it in kernel.const_generics), specialisation.constants, strict=True
    )
    # Numbers of the variant are computed of the first tile of a name; a later stage may have another one of that name.
    tiles = [tile for each in reversed(variant.stages) for tile in each.tiles]
    extents = {tile.name: tile.default for tile in tiles}
    extents |= {quantity.name: quantity.value for quantity in variant.quantities}
    own = {tile.name: tile.default for tile in stage.tiles}
    places = [it.name for it in (*kernel.parameters, *kernel.const_generics)]
    names = (it.name for it in kernel.dtype_parameters)
    dtypes = dict(zip(names, specialisation.dtypes, strict=True))
    widened = {name: _computed_in(dtype) for name, dtype in dtypes.items()}
    values = _Values(dict(constants), extents, places, dtypes)
    scratch = {it.name for it in variant.scratch}
    return Entry(
        name=name,
        signature=tuple(
            triton_type(it, widened if it.name in scratch else dtypes)
            for it in stage.kernel.parameters
        ),
        function=stage.kernel.name,
        constants=tuple(
            values.of(own[it.name]) if it.name in own else values.named(it.name)
            for it in stage.kernel.const_generics
        ),
        warps=values.of(stage.warps),
    )


class _Values(ExtentFold[int]):
    """The numbers of a launch whose sizes are large."""

    def __init__(
        self,
        constants: Mapping[str, int | bool],
        extents: Mapping[str, Extent],
        places: Sequence[str],
        dtypes: Mapping[str, DType],
    ) -> None:
        """`places` are the names of the kernel's parameters and const generics, `dtypes` are in memory."""
        self._dtypes = dtypes
        self._constants = constants
        self._extents = extents
        self._places = places

    def named(self, name: str) -> int | bool:
        """What a name stands for."""
        if name in self._constants:
            return self._constants[name]
        return self.of(self._extents[name]) if name in self._extents else _LARGE

    def number(self, value: int) -> int:
        return value

    def parameter(self, place: int) -> int:
        return self.named(self._places[place])

    def programs(self, _axis: int) -> int:
        return _LARGE

    def item_size(self, dtype: str) -> int:
        return self._dtypes[dtype].bits // 8

    def lookup(self, key: int, values: tuple[tuple[int, int], ...]) -> int:
        return dict(values)[key]

    def power_of_two(self, value: int) -> int:
        return 1 << max(value - 1, 0).bit_length()

    def alignment(self, value: int, most: int) -> int:
        return min(most, value & -value) if value else most

    def sum(self, added: tuple[int, ...], subtracted: tuple[int, ...]) -> int:
        return sum(added) - sum(subtracted)

    def product(self, factors: tuple[int, ...]) -> int:
        return prod(factors)

    def quotient(self, dividend: int, divisor: int, *, is_up: bool) -> int:
        # A quotient of sizes that are all the same may be 0 where no launch has one.
        divisor = divisor or 1
        return -(-dividend // divisor) if is_up else dividend // divisor

    def extreme(self, parts: tuple[int, ...], *, is_least: bool) -> int:
        return min(parts) if is_least else max(parts)
