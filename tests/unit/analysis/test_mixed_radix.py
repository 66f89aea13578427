"""Digits that make one number in one way alone, against all choices of them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transpiler.analysis.mixed_radix import Digit, mixed_radix
from transpiler.analysis.polynomial import Polynomial, constant

N, M = Polynomial((((7,), 1),)), Polynomial((((8,), 1),))


def digits(*pairs: tuple[Polynomial, Polynomial | None]) -> list[Digit]:
    return [Digit(place, weight, extent) for place, (weight, extent) in enumerate(pairs)]


@given(st.lists(st.tuples(st.integers(-12, 12), st.integers(1, 4)), max_size=4))
@settings(max_examples=300, deadline=None)
def test_what_is_proved_is_so(pairs: list[tuple[int, int]]) -> None:
    made = digits(*((constant(weight), constant(extent)) for weight, extent in pairs))
    if mixed_radix(made, may_be_positive=lambda _: False) is not None:
        numbers = [
            sum(weight * value for (weight, _), value in zip(pairs, choice, strict=True))
            for choice in product(*(range(extent) for _, extent in pairs))
        ]
        assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize(
    ("pairs", "positive"),
    [
        ([(constant(1), N), (N, None)], set()),
        ([(N, None), (constant(1), N)], set()),
        ([(constant(1), N), (N.times(M), None)], {8}),
        ([(M, N), (N.times(M), None)], {8}),
        ([(constant(1), N - M), (N - M, None)], set()),
        # Digits may count down, whatever is above them.
        ([(constant(-1), N), (N.times(M), None)], {8}),
        ([(constant(1), N), (-N, M), (N.times(M), None)], set()),
        ([(constant(1), N), (M, None)], None),
        ([(constant(1), None), (N, None)], None),
    ],
)
def test_factors_that_are_left_have_to_be_positive(
    pairs: list[tuple[Polynomial, Polynomial | None]], positive: set[int] | None
) -> None:
    assert mixed_radix(digits(*pairs), may_be_positive=lambda _: True) == positive


def test_a_factor_that_may_not_be_positive_is_none() -> None:
    found = mixed_radix(
        digits((constant(1), N), (N.times(M), None)), may_be_positive=lambda _: False
    )
    assert found is None


def test_a_bound_stands_in_for_an_extent() -> None:
    pairs = digits((constant(1), None), (N, None))
    assert mixed_radix(pairs, may_be_positive=lambda _: False, bounds=lambda _: [N]) is not None


def test_a_bound_of_a_number_that_counts_down_is_none() -> None:
    pairs = digits((constant(-1), None), (N, None))
    assert mixed_radix(pairs, may_be_positive=lambda _: False, bounds=lambda _: [N]) is None
