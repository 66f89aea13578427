"""Numbers that Triton, its interpreter or Python take otherwise than Rust."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import LOAD, OFFSETS, kernel, module, store, translated

_AT = "\nT::store(y_ptr.add_offsets(offsets + {}), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
_INTEGER = "T: Triton, D: Int, const BLOCK: i32"
_NUMBER = "T: Triton, D: Num, const BLOCK: i32"


@pytest.mark.parametrize(
    "expression", ["n * 65536 * 65536", "(n * 65536) * (m * 32768)", "(n << 31)"]
)
def test_a_parameter_that_is_1_wraps_around(expression: str) -> None:
    """Triton makes a constant of it, and Python's integers do not wrap."""
    assert "n = tl.cast(n, tl.int32)" in translated(OFFSETS + _AT.format(expression))


@pytest.mark.parametrize("expression", ["n * 65536", "n * m * 1024", "n - 2147483647", "(n << 30)"])
def test_what_stays_in_range_is_left_alone(expression: str) -> None:
    assert "tl.cast(n" not in translated(OFFSETS + _AT.format(expression))


def test_the_sign_of_zero() -> None:
    """`tl.full` of Triton 3.4 to 3.6 drops it."""
    text = translated(LOAD + store("x + T::full::<D>(&[BLOCK], D::from_f64(-0.0))"))
    assert "tl.full([BLOCK], tl.full([], 0.0, D) * -1.0, D)" in text


def test_the_bits_of_an_unsigned_number_inverted() -> None:
    """The interpreters of Triton 3.4 to 3.6 have no `~` of it."""
    text = translated(
        OFFSETS + "let q = !small;" + _AT.format("q as i32"),
        parameters="y_ptr: T::Pointer<D>, n: i32, small: u8",
    )
    assert "q = small ^ 255" in text


def test_the_bits_of_a_tile_of_any_integers_inverted() -> None:
    text = module(kernel(LOAD + store("!x"), generics=_INTEGER))
    assert "tl.store(y_ptr + offsets, _invert(x), mask=offsets < n)" in text
    assert "return ~x if x.dtype.is_int_signed() else 0 - x - 1" in text


@pytest.mark.parametrize(
    ("value", "python"),
    [
        ("1.0", "1"),
        ("127.0", "127"),
        ("128.0", "_from_f64(128.0, D)"),
        ("0.5", "_from_f64(0.5, D)"),
        ("-1.0", "_from_f64(-1.0, D)"),
        ("a as f64", "_from_f64(a, D)"),
    ],
)
def test_a_float_in_a_dtype_that_may_be_an_integer(value: str, python: str) -> None:
    """It is rounded toward zero and held in range; a whole number every dtype holds is that number."""
    body = LOAD + store(f"T::full::<D>(&[BLOCK], D::from_f64({value}))")
    assert f"tl.full([BLOCK], {python}, D)" in translated(body, generics=_NUMBER)


def test_a_float_in_a_float_dtype_is_itself() -> None:
    text = translated(LOAD + store("x + T::full::<D>(&[BLOCK], D::from_f64(0.5))"))
    assert "tl.full([BLOCK], 0.5, D)" in text
