"""Methods of scalars on constants: what they give, with the rounding and wrapping Rust gives them."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from transpiler.ir.types import DType
from transpiler.passes.integer import integer_range, wrap
from transpiler.passes.rounding import round_to, smallest_normal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Number: TypeAlias = "bool | int | float"


def folded_method(name: str, dtype: DType, operands: Sequence[Number]) -> Number | None:
    """The value of a method of scalars of `dtype`; None where it is left to run time.

    An unsigned result of a signed receiver is given as the bits in the receiver's dtype, as Triton computes it.
    """
    if dtype.is_float:
        return _float_method(name, dtype, [float(operand) for operand in operands])
    return _integer_method(name, dtype, [int(operand) for operand in operands])


# --- Integers -------------------------------------------------------------------------------------


def _integer_method(name: str, dtype: DType, operands: Sequence[int]) -> Number | None:
    values, (x, *rest) = integer_range(dtype), operands
    exact = _EXACT.get(name)
    if exact is not None:
        found = exact(x, *rest)
        return None if found is None else wrap(found, dtype)
    if name.startswith("saturating_"):
        found = _EXACT[_SATURATED[name]](x, *rest)
        return None if found is None else min(max(found, values[0]), values[-1])
    bits = x & ((1 << dtype.bits) - 1)
    if name in _OF_BITS:
        found = _OF_BITS[name](bits, dtype.bits, *rest)
        return found if name in _COUNTS else wrap(found, dtype)
    match name:
        case "is_positive":
            return x > 0
        case "is_negative":
            return x < 0
        case "is_power_of_two":
            return x.bit_count() == 1
        case "ilog2" | "ilog10" | "ilog":
            base = rest[0] if rest else int(name.removeprefix("ilog"))
            return _integer_logarithm(x, base)
        case _:
            return None


def _quotient(x: int, y: int) -> int | None:
    """The quotient that leaves a remainder that is not negative."""
    return None if y == 0 else (x - x % abs(y)) // y


def _power(x: int, n: int) -> int | None:
    return x**n if n < 4096 else None


def _integer_logarithm(x: int, base: int) -> int | None:
    if x <= 0 or base < 2:
        return None
    result = 0
    while x >= base:
        x //= base
        result += 1
    return result


_EXACT: dict[str, Callable[..., int | None]] = {
    "max": max,
    "min": min,
    "clamp": lambda x, low, high: min(max(x, low), high) if low <= high else None,
    "pow": _power,
    "wrapping_pow": _power,
    "abs": abs,
    "wrapping_abs": abs,
    "unsigned_abs": abs,
    "wrapping_neg": lambda x: -x,
    "signum": lambda x: (x > 0) - (x < 0),
    "abs_diff": lambda x, y: abs(x - y),
    "rem_euclid": lambda x, y: None if y == 0 else x % abs(y),
    "div_euclid": _quotient,
    "div_ceil": lambda x, y: None if y == 0 else -(-x // y),
    "next_multiple_of": lambda x, y: None if y == 0 else -(-x // y) * y,
    "next_power_of_two": lambda x: 1 << max(x - 1, 0).bit_length(),
    "isqrt": lambda x: None if x < 0 else math.isqrt(x),
    "wrapping_add_signed": lambda x, y: x + y,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
}
"""Methods by their result before it wraps around."""

_SATURATED = {
    "saturating_add": "add",
    "saturating_sub": "sub",
    "saturating_mul": "mul",
    "saturating_pow": "pow",
    "saturating_abs": "abs",
    "saturating_neg": "wrapping_neg",
}


def _rotated(bits: int, width: int, n: int) -> int:
    n %= width
    return bits << n | bits >> (width - n)


def _trailing_zeros(bits: int, width: int) -> int:
    return (bits & -bits).bit_length() - 1 if bits else width


_OF_BITS: dict[str, Callable[..., int]] = {
    "count_ones": lambda bits, _: bits.bit_count(),
    "count_zeros": lambda bits, width: width - bits.bit_count(),
    "leading_zeros": lambda bits, width: width - bits.bit_length(),
    "leading_ones": lambda bits, width: width - (bits ^ ((1 << width) - 1)).bit_length(),
    "trailing_zeros": _trailing_zeros,
    "trailing_ones": lambda bits, width: _trailing_zeros(bits ^ ((1 << width) - 1), width),
    "rotate_left": _rotated,
    "rotate_right": lambda bits, width, n: _rotated(bits, width, -n),
    "swap_bytes": lambda bits, width: int.from_bytes(bits.to_bytes(width // 8, "little"), "big"),
    "reverse_bits": lambda bits, width: int(f"{bits:0{width}b}"[::-1], 2),
}
_COUNTS = frozenset(name for name in _OF_BITS if "ones" in name or "zeros" in name)


# --- Floats ---------------------------------------------------------------------------------------


def _float_method(name: str, dtype: DType, operands: Sequence[float]) -> Number | None:
    x, *rest = operands
    test = _TESTS.get(name)
    if test is not None:
        return test(x)
    match name:
        case "to_bits":
            layout = "<fI" if dtype is DType.F32 else "<dQ"
            (bits,) = struct.unpack(f"<{layout[2]}", struct.pack(f"<{layout[1]}", x))
            return int(bits)
        case "is_normal":
            return math.isfinite(x) and abs(x) >= smallest_normal(dtype)
        case "is_subnormal":
            return x != 0 and abs(x) < smallest_normal(dtype)
        case "max" | "min":
            if math.isnan(x) or math.isnan(rest[0]):
                return rest[0] if math.isnan(x) else x
            return max(x, rest[0]) if name == "max" else min(x, rest[0])
        case "copysign":
            return math.copysign(x, rest[0])
        case _:
            pass
    compute = _FINITE.get(name)
    if compute is None or not all(map(math.isfinite, operands)):
        return None
    try:
        result = compute(x, *rest)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    rounded = round_to(result, dtype)
    # The exact value of a zero has no sign.
    return math.copysign(rounded, x) if rounded == 0 and name in _SIGNED_ZERO else rounded


_TESTS: dict[str, Callable[[float], bool]] = {
    "is_nan": math.isnan,
    "is_finite": math.isfinite,
    "is_infinite": math.isinf,
    "is_sign_negative": lambda x: math.copysign(1.0, x) < 0,
    "is_sign_positive": lambda x: math.copysign(1.0, x) > 0,
}


def _rounded_away(x: float) -> float:
    return math.copysign(float(math.floor(Fraction(abs(x)) + Fraction(1, 2))), x)


def _clamped(x: float, low: float, high: float) -> float:
    if low > high:
        raise ValueError
    return low if x < low else min(x, high)


_FINITE: dict[str, Callable[..., float | Fraction]] = {
    "abs": abs,
    "clamp": _clamped,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "exp2": math.exp2,
    "exp_m1": math.expm1,
    "ln": math.log,
    "ln_1p": math.log1p,
    "log2": math.log2,
    "log10": math.log10,
    "log": lambda x, base: math.log(x) / math.log(base),
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "hypot": math.hypot,
    "cbrt": math.cbrt,
    "floor": lambda x: float(math.floor(x)),
    "ceil": lambda x: float(math.ceil(x)),
    "trunc": lambda x: float(math.trunc(x)),
    "fract": lambda x: Fraction(x) - math.trunc(x),
    "round": _rounded_away,
    "round_ties_even": lambda x: float(round(x)),
    "powi": lambda x, n: Fraction(x) ** int(n) if x and abs(n) < 1024 else math.pow(x, n),
    "powf": math.pow,
    "recip": lambda x: 1 / Fraction(x),
    "mul_add": lambda x, y, z: Fraction(x) * Fraction(y) + Fraction(z),
    "signum": lambda x: math.copysign(1.0, x),
    "to_radians": math.radians,
    "to_degrees": math.degrees,
}
"""Methods of finite operands by their result before it is rounded to the dtype."""

_SIGNED_ZERO = frozenset(
    {"ceil", "floor", "trunc", "round", "round_ties_even", "sin", "tan", "sinh", "tanh", "asin"}
)
