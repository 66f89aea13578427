"""Intervals of integers, and the arithmetic of Rust on them."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.nodes import BinaryOperator
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.ir.types import ElementType

_FAR = 1 << 64
"""Bounds beyond the widest dtype say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The integers from `low` to `high`, both included; an infinite bound is none."""

    low: float = -math.inf
    high: float = math.inf

    @property
    def is_never_negative(self) -> bool:
        """Whether all of it is 0 and above."""
        return self.low >= 0

    @property
    def is_never_positive(self) -> bool:
        """Whether all of it is 0 and below."""
        return self.high <= 0

    def union(self, other: Interval) -> Interval:
        """The smallest interval that holds both."""
        return Interval(low=min(self.low, other.low), high=max(self.high, other.high))

    def within(self, other: Interval) -> Interval:
        """What both hold; the interval itself where they have nothing in common."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return self if low > high else Interval(low=low, high=high)

    def is_inside(self, other: Interval) -> bool:
        """Whether the other holds all of it."""
        return other.low <= self.low and self.high <= other.high


ANYTHING = Interval()
TRUTH = Interval(low=0, high=1)


def exactly(value: int) -> Interval:
    """The interval of one number."""
    return Interval(low=value, high=value)


def of_dtype(dtype: ElementType) -> Interval:
    """What values of a dtype may be."""
    match dtype:
        case DType.BOOL:
            return TRUTH
        case DType() if dtype.is_signed:
            half = 1 << (dtype.bits - 1)
            return Interval(low=-half, high=half - 1)
        case DType() if dtype.is_integer:
            return Interval(low=0, high=(1 << dtype.bits) - 1)
        case _:
            return ANYTHING


def negated(operand: Interval) -> Interval:
    """`-x`."""
    return Interval(low=-operand.high, high=-operand.low)


def magnitude(operand: Interval) -> Interval:
    """`|x|`."""
    low = 0 if operand.low <= 0 <= operand.high else min(abs(operand.low), abs(operand.high))
    return Interval(low=low, high=_size(operand))


def larger(left: Interval, right: Interval) -> Interval:
    """The larger of two."""
    return Interval(low=max(left.low, right.low), high=max(left.high, right.high))


def smaller(left: Interval, right: Interval) -> Interval:
    """The smaller of two."""
    return Interval(low=min(left.low, right.low), high=min(left.high, right.high))


def combined(operator: BinaryOperator, left: Interval, right: Interval) -> Interval:
    """`left operator right`, as if no operation overflowed."""
    if operator.is_comparison or operator.is_logical:
        return TRUTH
    rule = _RULES.get(operator)
    return ANYTHING if rule is None else _bounded(rule(left, right))


def rounded_up(left: Interval, right: Interval) -> Interval:
    """`left / right`, rounded towards positive infinity; known for positive divisors alone."""
    if right.low < 1:
        return ANYTHING
    down = _quotient(left, right)
    return Interval(low=down.low, high=down.high + 1)


def _size(interval: Interval) -> float:
    return max(abs(interval.low), abs(interval.high))


def _bounded(interval: Interval) -> Interval:
    low = interval.low if interval.low >= -_FAR else -math.inf
    high = interval.high if interval.high <= _FAR else math.inf
    return Interval(low=low, high=high)


def _sum(left: Interval, right: Interval) -> Interval:
    return Interval(low=left.low + right.low, high=left.high + right.high)


def _difference(left: Interval, right: Interval) -> Interval:
    return _sum(left, negated(right))


def _corners(
    left: Interval, right: Interval, operation: Callable[[float, float], float]
) -> Interval:
    found = [operation(a, b) for a, b in product((left.low, left.high), (right.low, right.high))]
    return Interval(low=min(found), high=max(found))


def _times(left: float, right: float) -> float:
    # Infinity is a bound that no value reaches: none of them times 0 is anything but 0.
    return 0 if left == 0 or right == 0 else left * right


def _product(left: Interval, right: Interval) -> Interval:
    return _corners(left, right, _times)


def _over(left: float, right: float) -> float:
    if math.isinf(right):
        return 0
    if math.isinf(left):
        return left
    size = int(abs(left)) // int(abs(right))
    return size if (left < 0) is (right < 0) else -size


def _quotient(left: Interval, right: Interval) -> Interval:
    """Truncated; a divisor is never 0."""
    if right.low >= 1:
        return _corners(left, right, _over)
    if right.high <= -1:
        return negated(_corners(left, negated(right), _over))
    return Interval(low=-_size(left), high=_size(left))


def _remainder(left: Interval, right: Interval) -> Interval:
    """It has the sign of the dividend and is nearer to 0 than the divisor."""
    most = _size(right) - 1
    return Interval(
        low=max(left.low, -most) if left.low < 0 else 0,
        high=min(left.high, most) if left.high > 0 else 0,
    )


def _shifted_left(left: Interval, right: Interval) -> Interval:
    if right.low < 0 or right.high >= 64:
        return Interval(low=0) if left.is_never_negative else ANYTHING
    factor = Interval(low=1 << int(right.low), high=1 << int(right.high))
    return _product(left, factor)


def _shifted_right(left: Interval, right: Interval) -> Interval:  # noqa: ARG001 - any distance
    return Interval(
        low=0 if left.is_never_negative else left.low,
        high=left.high if left.is_never_negative else max(left.high, -1),
    )


def _common_bits(left: Interval, right: Interval) -> Interval:
    highs = [side.high for side in (left, right) if side.is_never_negative]
    return Interval(low=0, high=min(highs)) if highs else ANYTHING


def _all_bits(left: Interval, right: Interval) -> Interval:
    if not (left.is_never_negative and right.is_never_negative):
        return ANYTHING
    most = max(left.high, right.high)
    return Interval(low=0, high=most if math.isinf(most) else (1 << int(most).bit_length()) - 1)


_RULES: dict[BinaryOperator, Callable[[Interval, Interval], Interval]] = {
    BinaryOperator.ADD: _sum,
    BinaryOperator.SUBTRACT: _difference,
    BinaryOperator.MULTIPLY: _product,
    BinaryOperator.DIVIDE: _quotient,
    BinaryOperator.REMAINDER: _remainder,
    BinaryOperator.SHIFT_LEFT: _shifted_left,
    BinaryOperator.SHIFT_RIGHT: _shifted_right,
    BinaryOperator.BIT_AND: _common_bits,
    BinaryOperator.BIT_OR: _all_bits,
    BinaryOperator.BIT_XOR: _all_bits,
}
