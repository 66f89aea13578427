"""What is launched in the place of a kernel: stages in order, the numbers they need, and memory between them.

Everything in a plan has a name, and names are how its parts refer to each other: a parameter of a stage's kernel, run
time or compile time, is given what has its name, which is an argument or a constant of the original kernel, a quantity,
a tile, or scratch memory. The extents of the grid the caller asked for are the quantities `grid_x`, `grid_y`, `grid_z`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.ir.description import WideForm
    from transpiler.ir.extent import AtLeast, Condition, Extent
    from transpiler.ir.nodes import Kernel
    from transpiler.ir.types import ElementType

GRID_NAMES = ("grid_x", "grid_y", "grid_z")
"""What the extents of the caller's grid are called among quantities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """An integer that is computed before launching; it may refer to what is named before it.

    `why` tells readers of the plan what it is.
    """

    name: str
    value: Extent
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A compile-time extent of a stage, a power of two: `default` without tuning, `choices` what tuning tries.

    It has no choices where other numbers of the plan depend on it. `limit` is the extent it covers, if it is known:
    a tile needs to be no larger than the next power of two.
    """

    name: str
    default: Extent
    choices: tuple[int, ...] = ()
    limit: Extent | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """Memory for the time of the launches: `count` elements, undefined at first.

    A dtype parameter stands for the dtype in which arithmetic on it runs: f32 for halves.
    """

    name: str
    dtype: ElementType
    count: Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One launch, with a power of two of warps a program. The extents of its grid may refer to its tiles.

    `index64` is the form of its kernel with indices in 64 bits, if it has one.
    """

    kernel: Kernel
    grid: tuple[Extent, ...]
    tiles: tuple[Tile, ...]
    warps: Extent
    index64: WideForm | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Stages that are launched where all `conditions` hold; `why` tells readers of the plan why then."""

    conditions: tuple[Condition, ...]
    quantities: tuple[Quantity, ...]
    scratch: tuple[Scratch, ...]
    stages: tuple[Stage, ...]
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchPlan:
    """What is launched in the place of `kernel`: the first variant whose conditions hold.

    Where not all of `requires` hold, the kernel is launched as written; so it is where offsets need 64 bits and a stage
    has no form with such ones.
    """

    kernel: Kernel
    requires: tuple[AtLeast, ...]
    variants: tuple[Variant, ...]
