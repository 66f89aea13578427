"""Numbers of host code where Python's are others: `f32`, bits of negative integers, and the ends of types."""

from __future__ import annotations

import re

import pytest

from tests.host.free_functions import module_with, refusal


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        # In f64 these are 6, 16777217.0, 0.010000000000000002 and 0.30000000000000004.
        ("f(n: i32, x: f32) -> usize { (n as f32 * x) as usize }", (10, 0.7), 7),
        ("f(n: i32) -> f32 { n as f32 }", (2**24 + 1,), 2.0**24),
        ("f(x: f32) -> f32 { x * x }", (0.1,), 0.010000000707805157),
        ("f(x: f32, y: f32) -> f32 { x + y }", (0.1, 0.2), 0.30000001192092896),
        ("f(x: f32) -> f32 { x.sqrt() }", (2.0,), 1.4142135381698608),
        ("f(x: f32) -> f32 { let y = 1.0 / x; y.recip() }", (49.0,), 49.0),
        ("f(x: f32, n: usize) -> bool { x / 3.0 == n as f32 / 3.0 }", (1.00000001, 1), True),
        ("f(x: f64) -> f64 { x * x }", (0.1,), 0.1 * 0.1),
        ("f(x: f32) -> u8 { x as u8 }", (300.5,), 255),
        ("f(a: i32, b: i32) -> usize { (a.abs_diff(b) - 1) as usize }", (-3, 4), 6),
        ("f(a: i32) -> u32 { a.unsigned_abs() / 2 }", (-7,), 3),
        ("f(a: i32) -> u32 { a.leading_zeros() }", (-1,), 0),
        ("f(a: i32) -> u32 { a.count_ones() }", (-1,), 32),
        ("f(a: u32) -> u32 { a.leading_zeros() }", (1,), 31),
        ("f(a: usize, b: usize) -> bool { a.is_multiple_of(b) }", (0, 0), True),
        ("f(a: usize, b: usize) -> bool { a.is_multiple_of(b) }", (3, 0), False),
        ("f(a: u32, b: u32) -> u32 { a.saturating_add(b) }", (2**32 - 2, 9), 2**32 - 1),
        ("f(a: i32, b: i32) -> i32 { a.saturating_sub(b) }", (-(2**31), 9), -(2**31)),
        ("f(a: i32, b: i32) -> i32 { a.saturating_mul(b) }", (2**20, 2**20), 2**31 - 1),
        ("f(a: usize) -> u32 { a.ilog2() }", (9,), 3),
        ("f() -> usize { Some(3usize).or(None).map_or(0, |n| n + 1) }", (), 4),
    ],
)
def test_numbers_are_those_of_rust(
    function: str, arguments: tuple[float, ...], expected: float
) -> None:
    types = re.findall(r"\w: (\w+)", function)
    zeros = ", ".join(f"1{it}" for it in types)
    module = module_with(f"fn {function}\n", [f"f({zeros})"])
    found = module._f(*arguments)
    assert type(found) is type(expected)
    assert found == expected


def test_the_logarithm_of_nothing_is_refused() -> None:
    module = module_with("fn f(a: usize) -> u32 { a.ilog2() }\n", ["f(1)"])
    with pytest.raises(ValueError, match="logarithm of 0"):
        module._f(0)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("f(a: u8, b: u8) -> u8 { a + b }", "`+` of `u8`, which overflows soon"),
        ("f(a: i16) -> i16 { a.pow(2) }", "a power of `i16`, which overflows soon"),
        ("f(a: f32, b: f32) -> f32 { [a, b].iter().sum::<f32>() }", "`sum` of floats"),
    ],
)
def test_numbers_that_would_be_others_are_refused(function: str, reason: str) -> None:
    types = re.findall(r"\w: (\w+)", function)
    zeros = ", ".join(f"1{it}" for it in types)
    found = refusal(f"fn {function}\n", [f"f({zeros})"])
    assert found is not None
    assert reason in found
