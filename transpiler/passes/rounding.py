"""Rounding to the floating-point dtypes: once, to nearest, ties to even, as IEEE 754 and Rust have it."""

from __future__ import annotations

import math
from fractions import Fraction

from transpiler.ir.types import DType
from transpiler.tuples import NamedTuple


class _Format(NamedTuple):
    precision: int  # significant bits, the hidden one included
    max_exponent: int  # of the largest finite value


_FORMATS = {
    DType.F16: _Format(11, 15),
    DType.BF16: _Format(8, 127),
    DType.F32: _Format(24, 127),
    DType.F64: _Format(53, 1023),
}


def round_to(value: float | Fraction, dtype: DType) -> float:
    """The value of float dtype `dtype` nearest to the exact `value`; infinite where it is too large."""
    if isinstance(value, float):
        if not math.isfinite(value) or dtype is DType.F64 or value == 0:
            return value
        value = Fraction(value)
    if value == 0:
        return 0.0
    precision, max_exponent = _FORMATS[dtype]
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    # Below the smallest normal number the spacing stays what it is there.
    quantum = Fraction(2) ** (max(exponent, 1 - max_exponent) - precision + 1)
    rounded = round(magnitude / quantum) * quantum
    result = math.inf if rounded > Fraction(largest_finite(dtype)) else float(rounded)
    return -result if value < 0 else result


def round_digits(digits: str, dtype: DType) -> float:
    """A decimal literal rounded once, not first to f64; `-0.0` keeps its sign."""
    if digits.startswith("-"):
        return -round_digits(digits[1:], dtype)
    return round_to(Fraction(digits), dtype)


def largest_finite(dtype: DType) -> float:
    """The largest finite value of a float dtype."""
    precision, max_exponent = _FORMATS[dtype]
    return float((2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** max_exponent)


def smallest_normal(dtype: DType) -> float:
    """The smallest positive normal value of a float dtype."""
    return float(Fraction(2) ** (1 - _FORMATS[dtype].max_exponent))


def machine_epsilon(dtype: DType) -> float:
    """The distance from 1 to the next larger value."""
    return float(Fraction(2) ** (1 - _FORMATS[dtype].precision))
