"""What the compiler claims of a launch, computed as the generated host side would."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from transpiler.analysis.footprint import Footprints
from transpiler.analysis.kernel_accesses import Accesses
from transpiler.ir.types import Pointer
from transpiler.target import model
from transpiler.target.extents import ExtentSpelling
from transpiler.target.flat import flat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.nodes import Kernel

GRID = ("grid_x", "grid_y", "grid_z")


class Claim(NamedTuple):
    """The elements a pointer needs, as text, and the conditions of that."""

    size: str
    conditions: tuple[str, ...]
    is_exact: bool


class _Rounding:
    """What the text calls Triton for."""

    @staticmethod
    def cdiv(x: int, y: int) -> int:
        """The quotient rounded up."""
        return (x + y - 1) // y


def claims(kernel: Kernel) -> Mapping[str, Claim | None]:
    """The claims about each pointer of a kernel, None where there is none."""
    found = Footprints(Accesses()).of(kernel)
    symbols = (*kernel.parameters, *kernel.const_generics)
    spelling = ExtentSpelling(
        parameter=lambda place: model.Name(symbols[place].name),
        programs=lambda axis: model.Name(GRID[axis]),
    )
    return {
        symbol.name: Claim(
            flat(spelling.of(footprint.count)),
            tuple(flat(spelling.condition(each)) for each in footprint.conditions),
            footprint.is_exact,
        )
        if (footprint := found.get(symbol)) is not None
        else None
        for symbol in kernel.parameters
        if isinstance(symbol.type, Pointer)
    }


def needed(claim: Claim, numbers: Mapping[str, float], grid: tuple[int, ...]) -> int | None:
    """How many elements a launch needs; None where a condition fails."""
    names = {
        **numbers,
        **dict(zip(GRID, (*grid, 1, 1), strict=False)),
        "triton": _Rounding,
        "min": min,
        "max": max,
    }
    if not all(eval(each, {"__builtins__": {}}, names) for each in claim.conditions):  # noqa: S307 - our own text
        return None
    return int(eval(claim.size, {"__builtins__": {}}, names))  # noqa: S307 - our own text
