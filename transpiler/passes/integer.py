"""Integer arithmetic as Rust defines it, on Python's unbounded integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.nodes import BinaryOperator

if TYPE_CHECKING:
    from transpiler.ir.types import DType


def integer_range(dtype: DType) -> range:
    """The values of an integer dtype."""
    if dtype.is_signed:
        return range(-(1 << (dtype.bits - 1)), 1 << (dtype.bits - 1))
    return range(1 << dtype.bits)


def wrap(value: int, dtype: DType) -> int:
    """`value` reduced to the dtype's width, two's complement, as `as` does."""
    value &= (1 << dtype.bits) - 1
    if dtype.is_signed and value >> (dtype.bits - 1):
        value -= 1 << dtype.bits
    return value


def truncating_binary(operator: BinaryOperator, left: int, right: int) -> int | None:
    """The exact result; division truncates. None for division by zero, comparisons and negative shifts."""
    match operator:
        case BinaryOperator.ADD:
            return left + right
        case BinaryOperator.SUBTRACT:
            return left - right
        case BinaryOperator.MULTIPLY:
            return left * right
        case BinaryOperator.DIVIDE | BinaryOperator.REMAINDER if right != 0:
            quotient = abs(left) // abs(right)
            if (left < 0) is not (right < 0):
                quotient = -quotient
            return quotient if operator is BinaryOperator.DIVIDE else left - quotient * right
        case BinaryOperator.BIT_AND:
            return left & right
        case BinaryOperator.BIT_OR:
            return left | right
        case BinaryOperator.BIT_XOR:
            return left ^ right
        case BinaryOperator.SHIFT_LEFT if 0 <= right < 64:
            return left << right
        case BinaryOperator.SHIFT_RIGHT if 0 <= right < 64:
            return left >> right
        case _:
            return None
