"""The transforms by their flags: what each does, and when it is legal. `-O` turns all of them on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.optimise.tuned import TunedChoices


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """A transform: `-f<flag>` and `-fno-<flag>` switch it.

    `summary` says what it does, `condition` when it is legal, both as one sentence for people.
    """

    flag: str
    summary: str
    condition: str


BLOCK_AXIS = Transform(
    flag="block-axis",
    summary="A program handles a tile of indices along an axis of the grid instead of one.",
    condition="Programs are unordered, so running some of them in step is one of their orders; what "
    "varies along the axis may not decide how often a loop runs, and a branch only where masks do the same.",
)
SPLIT_INDEX = Transform(
    flag="split-index",
    summary="A loop over `n` below `a * b` that uses `n / b` and `n % b` alone becomes two loops; an axis of the "
    "grid is taken apart where no other one is contiguous in memory.",
    condition="The loop starts at 0, its bound is the product, and the iterations may be reordered. The grid is a "
    "multiple of `b`, which the launch checks.",
)
VECTORISE_LOOP = Transform(
    flag="vectorise-loop",
    summary="The iterations of a loop become the lanes of tiles.",
    condition="Iterations are independent, but for variables that they combine with sum, "
    "least or greatest, in floats reassociated.",
)
SPREAD_LOOP = Transform(
    flag="spread-loop",
    summary="The iterations of a loop become programs of the grid.",
    condition="No iteration reads or writes what another one writes, and none leaves a value behind.",
)
SPLIT_REDUCTION = Transform(
    flag="split-reduction",
    summary="The iterations of a reduction become programs; a second launch combines their results.",
    condition="What iterations leave behind are reductions alone. The second launch combines in one "
    "fixed order.",
)
SPLIT_KERNEL = Transform(
    flag="split-kernel",
    summary="A kernel becomes several launches, each as wide as its own work allows.",
    condition="No program waits for another one: a barrier between programs is then one of the orders "
    "they may run in.",
)
COLLAPSE_AXES = Transform(
    flag="collapse-axes",
    summary="Axes that are one contiguous piece of memory together share the lanes of a tile, or its rows in runs.",
    condition="The stride of the outer axis is the extent of the inner one times its stride, which the launch checks "
    "where it does not follow.",
)
HOIST = Transform(
    flag="hoist",
    summary="What a loop computes in the same way in each iteration is computed before it.",
    condition="It only computes, or reads what the loop does not write; where it may fail, or reads, the loop "
    "surely runs.",
)
REUSE = Transform(
    flag="reuse",
    summary="What is computed twice is computed once.",
    condition="It only computes, or reads memory that nothing is written to in between.",
)
CONTRACT = Transform(
    flag="contract",
    summary="`a * b + c` is left to the backend, which contracts it by default; a remark says where.",
    condition="It changes nothing: `tl.fma` would round once also where the backend is told not to.",
)
STRENGTH = Transform(
    flag="strength",
    summary="`n % d` becomes `n - q * d` where `q` is `n / d`, a scalar over a power of two is shifted.",
    condition="A variable holds the quotient; for a shift, the dividend is not negative.",
)
RECIPROCAL = Transform(
    flag="reciprocal",
    summary="A division by one number, lane by lane, becomes a product with its reciprocal.",
    condition="The number is a power of two, and its reciprocal a normal number.",
)
HINTS = Transform(
    flag="hints",
    summary="`tl.multiple_of`, `tl.max_contiguous` say what Triton cannot find out itself.",
    condition="The analysis of addresses proves it for every launch the launcher lets through.",
)
EVICTION = Transform(
    flag="eviction",
    summary="Data that is streamed leaves the cache first, data that is read again last, where a kernel has both.",
    condition="Always; it changes no value. Streamed is what no two programs, lanes and iterations read.",
)
ALIGN = Transform(
    flag="align",
    summary="Triton is told what the strides and the ends of rows are multiples of, so that accesses are wide.",
    condition="Each launch works out the power of two that divides an argument.",
)

TRANSFORMS = (
    SPLIT_INDEX,
    SPLIT_KERNEL,
    SPLIT_REDUCTION,
    SPREAD_LOOP,
    VECTORISE_LOOP,
    BLOCK_AXIS,
    COLLAPSE_AXES,
    HOIST,
    REUSE,
    STRENGTH,
    RECIPROCAL,
    CONTRACT,
    HINTS,
    EVICTION,
    ALIGN,
)
"""All of them: those of loops and axes, then those of kernels in the order in which they are applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimiseOptions:
    """Whether to optimise, the flags of the transforms that are off, and what tuning found."""

    is_on: bool = False
    off: frozenset[str] = frozenset()
    tuned: TunedChoices | None = None

    def has(self, transform: Transform) -> bool:
        """Whether a transform may be applied."""
        return self.is_on and transform.flag not in self.off


NO_OPTIMISATION = OptimiseOptions()
