"""Numerals: constants as Python and Triton read them."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from transpiler.ir.types import DType, Scalar
from transpiler.target.model import Call, Expression, Name, Number, Operator, Text, Unary

if TYPE_CHECKING:
    from transpiler.ir.nodes import Literal


def numeral(literal: Literal) -> Expression:
    """A literal as a Python expression.

    A float keeps the digits of its author where they give its value exactly, and has the fewest that
    do otherwise.
    """
    value = literal.value
    if isinstance(value, int):
        return constant(value)
    is_negative = math.copysign(1.0, value) < 0
    if math.isnan(value):
        return Call(Name("float"), (Text("nan"),))
    if math.isinf(value):
        return _signed(Call(Name("float"), (Text("inf"),)), is_negative=is_negative)
    dtype = literal.type.dtype if isinstance(literal.type, Scalar) else None
    is_single = isinstance(dtype, DType) and dtype is not DType.F64
    return _signed(
        Number(_digits(abs(value), literal.digits, is_single=is_single)), is_negative=is_negative
    )


def constant(value: int) -> Expression:
    """An integer or a truth value as a Python expression."""
    if isinstance(value, bool):
        return Name(str(value))
    return _signed(Number(str(abs(value))), is_negative=value < 0)


def _signed(value: Expression, *, is_negative: bool) -> Expression:
    return Unary(Operator.NEGATE, value) if is_negative else value


def _digits(value: float, written: str | None, *, is_single: bool) -> str:
    if written is not None:
        text = _as_float(written.removeprefix("-"))
        if _rounded(float(text), is_single=is_single) == value:
            return text
    if is_single:
        for precision in range(1, 10):
            text = _as_float(f"{value:.{precision}g}")
            if _rounded(float(text), is_single=True) == value:
                return text
    return _as_float(repr(value))


def _as_float(digits: str) -> str:
    """`digits` so that Python reads a float: `1` and `1.` become `1.0`; `e+05` becomes `e5`."""
    mantissa, mark, exponent = digits.lower().partition("e")
    if mark:
        return f"{mantissa}e{int(exponent)}"
    whole, _, fraction = mantissa.partition(".")
    return f"{whole}.{fraction or '0'}"


def _rounded(value: float, *, is_single: bool) -> float:
    """`value` in single precision."""
    if not is_single:
        return value
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.inf
