"""What the programs leave out, and why: the one list that the generator refers to.

`test_deviations` shows each deviation of Triton's with a kernel of two lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Source(Enum):
    """Whose the reason is."""

    INTERPRETER = "Triton's interpreter computes something else than the compiled kernel"
    DEVICE = "the compiled kernel computes approximately"
    RUST = "Rust leaves it open, or refuses it"
    LANGUAGE = "the compiler refuses it, with a diagnostic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """One thing that programs do not do, or calls that are not compared."""

    source: Source
    what: str
    why: str


COUNTERS = Exclusion(
    source=Source.INTERPRETER,
    what="arithmetic on the i32 counter of a `for` loop itself; programs bind it to a name first",
    why="its counters are Python's numbers, which do not wrap; what is bound to a name is a value",
)
FUSED = Exclusion(
    source=Source.INTERPRETER,
    what="`mul_add`, under Triton 3.4 to 3.6",
    why="its tl.fma rounds the product there",
)
OLD_EXTREMA = Exclusion(
    source=Source.INTERPRETER,
    what="`max` and `min` of NaN, under Triton 3.4 and 3.5",
    why="its tl.maximum gives NaN there; the programs run under the newest Triton in the tests",
)
OLD_BOOLS = Exclusion(
    source=Source.INTERPRETER,
    what="bool parameters, under Triton 3.6",
    why="it refuses bool arguments there, whatever the kernel does with them",
)
DIVISION = Exclusion(
    source=Source.DEVICE,
    what="`/` of f32, and methods that divide",
    why="Triton divides f32 with div.full.f32, which may be 2 units in the last place off",
)
REMAINDER = Exclusion(
    source=Source.DEVICE,
    what="`%` of f32 and f64, `rem_euclid` and `div_euclid`",
    why="Triton computes x - trunc(x / y) * y with a rounded quotient: off by y near a multiple of y, more beyond",
)
SELF_COMPARISON = Exclusion(
    source=Source.DEVICE,
    what="comparisons of an expression with itself",
    why="Triton 3.6 dies of a store where one is false: it finds the branch unreachable, and asks for its layout",
)
PANICS = Exclusion(
    source=Source.RUST,
    what="calls for which Rust panics without overflow checks: division by 0, MIN / -1, ilog of 0",
    why="there is no value to compare with",
)
NAN_BITS = Exclusion(
    source=Source.RUST,
    what="the sign of NaN and its other bits: `copysign`, `signum`, `is_sign_negative`, `to_bits` of NaN",
    why="Rust's reference leaves them open; any NaN is any other in the comparison",
)
ZEROS = Exclusion(
    source=Source.RUST,
    what="which zero `max` and `min` of floats give of two; programs add a positive one",
    why="the documentation of `f32::max` leaves it open",
)
CONSTANT_OVERFLOW = Exclusion(
    source=Source.RUST,
    what="operations that overflow between constants and const generics alone",
    why="rustc refuses them where it sees them (arithmetic_overflow), and E0406 says so here",
)
JUMPS = Exclusion(
    source=Source.LANGUAGE,
    what="`break` and `continue` inside a block that is part of a larger expression",
    why="refused with E0601",
)
EXCLUSIONS = (
    *(COUNTERS, FUSED, OLD_EXTREMA, OLD_BOOLS, DIVISION, REMAINDER, SELF_COMPARISON),
    *(PANICS, NAN_BITS, ZEROS, CONSTANT_OVERFLOW, JUMPS),
)
