"""How far a result may be from float64's: every number of the harness's judgement, each with its reason.

Errors are relative to the magnitude that roundings act on. For most elements that is the element itself. Where large
terms cancel it is more: a result is as good as can be if exact arithmetic gives it for inputs that are wrong by a
roundoff, so the magnitude is what the element moves by when the inputs do, divided by how much they did. That is
measured, with the reference itself, and needs no knowledge of what a kernel computes. And no error is a fault that
comes of computing with numbers of the order of 1 in between: `exp(x) - 1` is a fine way to write what is nearly 0.

An error is fine up to

    torch's own error * TORCH_MULTIPLE
    + roundoff of the output's dtype * STORING
    + roundoff of the arithmetic's dtype * (OPERATIONS + sqrt(terms))

where half precision is computed in f32.
"""

from __future__ import annotations

import math
from typing import Final

from transpiler.frozen import dataclass
from transpiler.ir.types import DType

ROUNDOFF: Final = {
    DType.F64: 2.0**-53,
    DType.F32: 2.0**-24,
    DType.F16: 2.0**-11,
    DType.BF16: 2.0**-8,
}
"""Half the distance from 1 to the next number: one correctly rounded operation errs by at most this, relatively."""

SMALLEST_NORMAL: Final = {
    DType.F64: 2.0**-1022,
    DType.F32: 2.0**-126,
    DType.F16: 2.0**-14,
    DType.BF16: 2.0**-126,
}
"""Below it numbers are evenly spaced, or flushed to zero: errors are absolute there."""

TORCH_MULTIPLE: Final = 4.0
"""Our error may be this many times torch's own on the same inputs in the same dtype: both draw from one distribution of
rounding errors, whose extremes differ by small factors only."""

STORING: Final = 1.0
"""An output is rounded once when it is stored, to nearest."""

CHOPPED_STORING: Final = 2.0
"""Triton's interpreter narrows f32 to bfloat16 by a shift (3.4 to 3.9), which loses up to a whole unit."""

OPERATIONS: Final = 16.0
"""Roundings charged to what surrounds a sum: the GPU's `exp`, `rsqrt` and f32 quotient err by 2 units, four roundoffs,
and few kernels have more than four of these behind an element. Without it no multiple of torch's error would do where
torch makes none, for it adds in float64."""

TWO_IN_F64: Final = 2.0
"""In f64 the reference rounds as the kernel does, and both may err, in opposite directions."""

TRIALS: Final = 8
"""How often inputs are moved to measure magnitudes. Two terms that cancel are moved apart by less than a third of the
most in half of the trials, and by so little in all eight once in two hundred."""

MOVE: Final = 2.0**-20
"""How wide, relatively, the range is that inputs are moved in: far above float64's roundoff, and small enough for
results to be linear in it."""


TWO_RESULTS: Final = 2.0
"""Where two results of a kernel are compared, both err, in opposite directions."""

BETWEEN: Final = 0.5
"""The part of the arithmetic's roundings that may act on a number of the order of 1 on the way to a smaller result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounding:
    """The relative errors that come of rounding alone: of arithmetic, and of storing what comes out."""

    arithmetic: float
    storing: float

    @property
    def total(self) -> float:
        """Both."""
        return self.arithmetic + self.storing

    def least_magnitude(self, dtype: DType, largest_input: float, largest_output: float) -> float:
        """What an element's error is relative to, however small the element is.

        Numbers in between are of the order of 1, or of the outputs if these are larger; but where all inputs are
        small, so are they.
        """
        scale = min(largest_input, max(1.0, largest_output))
        return max(SMALLEST_NORMAL[dtype], BETWEEN * scale * self.arithmetic / self.total)


def rounding(dtype: DType, *, terms: float, is_chopped: bool) -> Rounding:
    """That of an output of `dtype` whose elements are sums of so many terms.

    The error of a sum grows with the root of its length, because roundings err to both sides (Higham and Mary, A New
    Approach to Probabilistic Rounding Error Analysis, 2019), also for a kernel that adds one term after another.
    """
    unit = ROUNDOFF[DType.F64 if dtype is DType.F64 else DType.F32]
    storing = CHOPPED_STORING if is_chopped and dtype is DType.BF16 else STORING
    parties = TWO_IN_F64 if dtype is DType.F64 else 1.0
    return Rounding(
        arithmetic=parties * unit * (OPERATIONS + math.sqrt(terms)),
        storing=parties * ROUNDOFF[dtype] * storing,
    )


def allowed(own: Rounding, torch_error: float | None) -> float:
    """The largest relative error, given torch's own, or None where torch has no operator to compare with."""
    return (torch_error or 0.0) * TORCH_MULTIPLE + own.total


def across_blocks(dtype: DType, *, terms: float, is_chopped: bool) -> float:
    """The largest relative difference between two results of one kernel that differ in its block sizes alone.

    Each is off by its own roundings. Nothing says in which dtype they are: a kernel may add in half precision, and the
    order in which it does is what a block size changes.
    """
    storing = CHOPPED_STORING if is_chopped and dtype is DType.BF16 else STORING
    return TWO_RESULTS * ROUNDOFF[dtype] * (storing + OPERATIONS + math.sqrt(terms))
