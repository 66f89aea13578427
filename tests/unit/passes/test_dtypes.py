"""Dtypes across the boundary: parameters, half precision, conversions, and NaN in maxima."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import (
    GENERICS,
    LOAD,
    OFFSETS,
    PARAMETERS,
    codes,
    function,
    kernel,
    module,
    signature,
    store,
    translated,
)

_AT = "\nT::store(y_ptr.add_offsets(offsets + {}), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"


def statements(text: str) -> list[str]:
    """The statements, without comments and blank lines."""
    return [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]


# --- Parameters ---------------------------------------------------------------------------------


def test_scalar_arithmetic_on_an_f32_parameter_is_f32() -> None:
    """In the interpreter the argument is a Python double: `1.0 - a` would keep 53 bits."""
    body = LOAD + "let s = T::full::<f32>(&[1], 1.0 - a);\n"
    text = translated(body + store("x * T::cast::<f32, D>(s, None, false)"))
    assert "a = tl.cast(a, tl.float32)" in text


def test_an_f32_parameter_that_only_fills_an_f32_tile_is_rounded_there() -> None:
    body = LOAD + "let s = T::full::<f32>(&[1], a);\n"
    text = translated(body + store("x * T::cast::<f32, D>(s, None, false)"))
    assert "tl.cast(a" not in text
    assert "tl.full([1], a, tl.float32)" in text


def test_an_f32_parameter_widened_to_f64_is_rounded_first() -> None:
    text = translated(LOAD + store("x * D::from_f64(1.0 / a as f64)"))
    assert statements(text)[0] == "a = tl.cast(a, tl.float32)"
    assert "tl.cast(1.0 / tl.cast(a, tl.float64), D)" in text


def test_a_parameter_that_changes_is_a_value_before() -> None:
    """Equal to 1, Triton would hold it as a constant, which cannot be assigned in a loop."""
    text = translated(
        OFFSETS + "n += 1;" + _AT.format("n"), parameters=PARAMETERS.replace("n:", "mut n:")
    )
    assert statements(text)[0] == "n = tl.cast(n, tl.int32)"


def test_an_integer_parameter_as_float() -> None:
    """A parameter equal to 1 has no `.to`."""
    text = translated(LOAD + "let s = 1.0 / (n as f32);\n" + store("x * D::from_f64(s as f64)"))
    assert "s = 1.0 / tl.cast(n, tl.float32)" in text


def test_parameters_of_other_dtypes_are_made_their_dtype() -> None:
    text = translated(
        OFFSETS + _AT.format("(big / 3) as i32 + small as i32"),
        parameters=PARAMETERS + ", big: i64, small: u8",
    )
    assert statements(text)[:2] == [
        "big = tl.cast(big, tl.int64)",
        "small = tl.cast(small, tl.uint8)",
    ]


# --- Conversions ----------------------------------------------------------------------------------


def test_float_to_integer_saturates() -> None:
    text = module(kernel(OFFSETS + "let q = (a * 2.0) as i32;" + _AT.format("q")))
    assert "_to_integer(" in function(text, "k")
    assert "def _to_integer(x, dtype: tl.constexpr):" in text


def test_a_bool_as_integer() -> None:
    text = translated(OFFSETS + "let q = (n < m) as i32;" + _AT.format("q"))
    assert "q = tl.cast(n < m, tl.int32)" in text


def test_a_tile_is_converted_by_cast() -> None:
    text = translated(LOAD + "let q = T::cast::<D, i32>(x, None, false);" + _AT.format("q"))
    assert "q = x.to(tl.int32)" in text


def test_literals_do_not_become_generic_by_themselves() -> None:
    assert codes(LOAD + store("x * 2.0")) == ["E0401"]


# --- Half precision -------------------------------------------------------------------------------


def test_arithmetic_runs_in_f32_where_the_elements_are_half() -> None:
    text = function(module(kernel(LOAD + store("T::exp(x)"))), "k")
    assert "x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32" in text
    assert "x = tl.load(x_ptr + offsets, mask=offsets < n).to(D)" in text
    # Triton narrows what it stores to the elements of the pointer.
    assert "tl.store(y_ptr + offsets, tl.exp(x), mask=offsets < n)" in text


def test_what_an_atomic_update_gives_back_is_widened() -> None:
    body = LOAD + "let old = T::atomic_add(y_ptr.add_offsets(offsets), x, None, None, None);\n"
    text = translated(body + store("old + old"))
    assert "old = tl.atomic_add(y_ptr + offsets, x).to(D)" in text


def test_integers_and_fixed_dtypes_are_not_widened() -> None:
    text = translated(
        OFFSETS
        + "let i = T::load(i_ptr.add_offsets(offsets), None, None, &[], None, None, None, false);\n"
        + "T::store(i_ptr.add_offsets(i), offsets, None, &[], None, None);",
        parameters="i_ptr: T::Pointer<i32>",
        generics="T: Triton, const BLOCK: i32",
    )
    assert "i = tl.load(i_ptr + offsets)\n" in text


def test_a_kernel_of_integers_has_no_half() -> None:
    text = function(
        module(kernel(LOAD + store("x + x"), generics=GENERICS.replace("Float", "Int"))), "k"
    )
    assert "tl.float32" not in text


def test_a_dtype_no_pointer_carries_is_a_constant_of_triton() -> None:
    text = module(
        kernel(
            "let z = T::cast::<D, f32>(T::zeros::<D>(&[BLOCK]), None, false);\n"
            "T::store(y_ptr.add_offsets(T::arange(0, BLOCK)), z, None, &[], None, None);",
            parameters="y_ptr: T::Pointer<f32>",
        )
    )
    assert signature(text) == ["y_ptr", "BLOCK: tl.constexpr", "D: tl.constexpr"]
    assert "k(y_ptr, BLOCK=128, D=tl.float64)" in text


# --- NaN ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_nan_wins_elementwise(name: str) -> None:
    text = translated(LOAD + f"let y = T::{name}(x, x * x);\n" + store("y"))
    assert f"y = tl.{name}(x, x * x, propagate_nan=tl.PropagateNan.ALL)" in text


@pytest.mark.parametrize(("name", "combine"), [("max", "_maximum"), ("min", "_minimum")])
def test_nan_wins_in_a_reduction(name: str, combine: str) -> None:
    text = translated(LOAD + f"let y = T::{name}(x, Some(0), true);\n" + store("x - y"))
    assert f"y = tl.reduce(x, 0, {combine}, keep_dims=True)" in text


@pytest.mark.parametrize(
    ("arguments", "python"),
    [
        ("None, true", "tl.sum(x, keep_dims=True)"),
        ("None, false", "tl.sum(x)"),
        ("Some(0), true", "tl.sum(x, axis=0, keep_dims=True)"),
        ("Some(0), false", "tl.sum(x, axis=0)"),
        ("Some(-1), true", "tl.sum(x, axis=-1, keep_dims=True)"),
    ],
)
def test_axis_and_keep_dims(arguments: str, python: str) -> None:
    text = translated(LOAD + f"let s = T::sum(x, {arguments});\n" + store("x - s"))
    assert f"s = {python}\n" in text
