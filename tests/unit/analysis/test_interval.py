"""The arithmetic of intervals: whatever the operands are, the result lies inside."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transpiler.analysis.interval import (
    ANYTHING,
    Interval,
    combined,
    exactly,
    larger,
    magnitude,
    negated,
    of_dtype,
    rounded_up,
    smaller,
)
from transpiler.ir.nodes import BinaryOperator
from transpiler.ir.types import DType
from transpiler.passes.integer import integer_range, truncating_binary

ARITHMETIC = [
    operator
    for operator in BinaryOperator
    if not operator.is_comparison and not operator.is_logical
]
VALUES = st.one_of(st.integers(-9, 9), st.integers(-(2**63), 2**63 - 1))


@st.composite
def members(draw: st.DrawFn) -> tuple[int, Interval]:
    """A number and an interval it lies in."""
    value = draw(VALUES)
    below, above = (draw(st.one_of(st.none(), st.integers(0, 5))) for _ in range(2))
    return value, Interval(
        low=-math.inf if below is None else value - below,
        high=math.inf if above is None else value + above,
    )


def holds(interval: Interval, value: int) -> bool:
    return interval.low <= value <= interval.high


@given(st.sampled_from(ARITHMETIC), members(), members())
@settings(deadline=None, derandomize=True, max_examples=1500)
def test_a_result_lies_in_the_interval_of_results(
    operator: BinaryOperator, left: tuple[int, Interval], right: tuple[int, Interval]
) -> None:
    if operator in {BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT}:
        right = (right[0] % 20, exactly(right[0] % 20)) if right[0] % 2 else (3, ANYTHING)
    value = truncating_binary(operator, left[0], right[0])
    if value is not None:
        assert holds(combined(operator, left[1], right[1]), value)


@given(members(), members())
@settings(deadline=None, derandomize=True, max_examples=300)
def test_other_functions(left: tuple[int, Interval], right: tuple[int, Interval]) -> None:
    (x, of_x), (y, of_y) = left, right
    assert holds(negated(of_x), -x)
    assert holds(magnitude(of_x), abs(x))
    assert holds(larger(of_x, of_y), max(x, y))
    assert holds(smaller(of_x, of_y), min(x, y))
    assert holds(of_x.union(of_y), x)
    assert holds(of_x.within(of_y), x) or not holds(of_y, x)
    if y != 0:
        assert holds(rounded_up(of_x, of_y), -(-x // y))


@pytest.mark.parametrize(
    ("operator", "left", "right", "low", "high"),
    [
        ("+", (1, 3), (10, 20), 11, 23),
        ("-", (1, 3), (10, 20), -19, -7),
        ("*", (-2, 3), (-5, 7), -15, 21),
        ("/", (-7, 9), (2, 4), -3, 4),
        ("/", (-7, 9), (-4, -2), -4, 3),
        ("%", (0, 100), (1, 8), 0, 7),
        ("%", (0, 3), (1, 8), 0, 3),
        ("%", (-5, 100), (1, 8), -5, 7),
        ("<<", (1, 3), (2, 4), 4, 48),
        (">>", (0, 100), (0, 5), 0, 100),
        ("&", (-9, 9), (0, 7), 0, 7),
        ("|", (0, 5), (0, 2), 0, 7),
    ],
)
def test_bounds_are_as_narrow_as_they_should_be(
    operator: str, left: tuple[int, int], right: tuple[int, int], low: int, high: int
) -> None:
    sides = (Interval(low=side[0], high=side[1]) for side in (left, right))
    assert combined(BinaryOperator(operator), *sides) == Interval(low=low, high=high)


def test_infinite_bounds() -> None:
    natural = Interval(low=0)
    assert combined(BinaryOperator.MULTIPLY, natural, exactly(0)) == exactly(0)
    assert combined(BinaryOperator.DIVIDE, natural, Interval(low=1)) == natural
    assert combined(BinaryOperator.SUBTRACT, natural, natural) == ANYTHING
    # Past 64 bits nothing is kept: bounds never grow without end.
    assert combined(BinaryOperator.ADD, exactly(1 << 64), exactly(1)).high == math.inf


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if dtype.is_integer])
def test_a_dtype_holds_its_values(dtype: DType) -> None:
    values = integer_range(dtype)
    assert of_dtype(dtype) == Interval(low=values[0], high=values[-1])


def test_dtypes_that_are_no_integers() -> None:
    assert of_dtype(DType.BOOL) == Interval(low=0, high=1)
    assert of_dtype(DType.F32) == ANYTHING
