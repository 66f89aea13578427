"""Where tiles of half precision stay as memory holds them, and where they are widened and narrowed."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import (
    LOAD,
    OFFSETS,
    dumped,
    function,
    kernel,
    module,
    store,
    translated,
)

_STORED = "x_ptr.dtype.element_ty"
_AT = (
    "let lanes = T::arange(0, BLOCK);\n"
    "let at = T::expand_dims(lanes, 1) * BLOCK + T::expand_dims(lanes, 0);\n"
)
_SQUARE = _AT + (
    "let a = T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);\n"
    "let b = T::load(y_ptr.add_offsets(at), None, None, &[], None, None, None, false);\n"
)
_KEEP = "T::store(y_ptr.add_offsets(at), {}, None, &[], None, None);\n"


def product(left: str, right: str, accumulator: str = "None") -> str:
    """A matrix product in D."""
    return f"T::dot::<D, D>({left}, {right}, {accumulator}, InputPrecision::TF32, None)"


def lines(body: str) -> list[str]:
    """The statements of the generated kernel."""
    return translated(body).splitlines()


# --- Operands of a matrix product -----------------------------------------------------------------


def test_what_is_loaded_for_a_product_is_not_widened() -> None:
    text = lines(_SQUARE + _KEEP.format(product("a", "b")))
    assert text[2:] == [
        "a = tl.load(x_ptr + at)",
        "b = tl.load(y_ptr + at)",
        'tl.store(y_ptr + at, _dot(a, b, input_precision="tf32", out_dtype=D))',
    ]


def test_the_sums_of_a_loop_are_in_the_dtype_of_arithmetic() -> None:
    text = translated(
        _SQUARE
        + "let mut acc = T::zeros::<D>(&[BLOCK, BLOCK]);\n"
        + f"for i in 0..n {{\n    acc = {product('a', 'b', 'Some(acc)')};\n}}\n"
        + _KEEP.format("acc")
    )
    assert "acc = tl.zeros([BLOCK, BLOCK], D)" in text
    assert '    acc = _dot(a, b, acc=acc, input_precision="tf32", out_dtype=D)' in text


def test_operations_that_move_elements_about_are_no_arithmetic() -> None:
    text = translated(
        _SQUARE
        + "let turned = T::trans(T::reshape(a, &[BLOCK, BLOCK], false), &[1, 0]);\n"
        + "let kept = T::where_(at.lt(n), b, T::zeros_like(b));\n"
        + _KEEP.format(product("turned", "kept"))
    )
    assert "turned = tl.trans(tl.reshape(a, [BLOCK, BLOCK]), [1, 0])" in text
    assert "kept = tl.where(at < n, b, tl.zeros_like(b))" in text
    assert ".to(" not in text


def test_zeros_beside_what_is_loaded_are_of_its_dtype() -> None:
    text = translated(
        _SQUARE
        + "let kept = T::where_(at.lt(n), b, T::zeros::<D>(&[BLOCK, BLOCK]));\n"
        + _KEEP.format(product("a", "kept"))
    )
    assert f"kept = tl.where(at < n, b, tl.zeros([BLOCK, BLOCK], {_STORED}))" in text


def test_a_variable_of_a_loop_that_is_only_loaded() -> None:
    again = "T::load(x_ptr.add_offsets(at + i), None, None, &[], None, None, None, false)"
    text = translated(
        _SQUARE
        + "let mut next = T::zeros::<D>(&[BLOCK, BLOCK]);\n"
        + "let mut acc = T::zeros::<D>(&[BLOCK, BLOCK]);\n"
        + f"for i in 0..n {{\n    acc = {product('next', 'b', 'Some(acc)')};\n    next = {again};\n}}\n"
        + _KEEP.format("acc")
    )
    assert f"next = tl.zeros([BLOCK, BLOCK], {_STORED})" in text
    assert "tl.load(x_ptr + (at + i))\n" in text


def test_a_computed_operand_is_narrowed() -> None:
    text = translated(_SQUARE + "let p = T::exp(a);\n" + _KEEP.format(product("p", "b")))
    assert "a = tl.load(x_ptr + at).to(D)" in text
    assert "p = tl.exp(a)" in text
    assert f"p.to({_STORED}), b, " in text


def test_what_arithmetic_takes_too_is_widened_where_it_is_loaded() -> None:
    """Narrowing it again for the product is exact."""
    text = translated(_SQUARE + f"let c = {product('a', 'b')};\n" + _KEEP.format("c + T::exp(a)"))
    assert "a = tl.load(x_ptr + at).to(D)" in text
    assert f"c = _dot(a.to({_STORED}), b, " in text


def test_a_conversion_from_f32_goes_to_the_dtype_of_memory_at_once() -> None:
    text = translated(
        _SQUARE
        + f"let s = T::cast::<D, f32>({product('a', 'b')}, None, false);\n"
        + "let p = T::cast::<f32, D>(T::exp(s), None, false);\n"
        + _KEEP.format(product("p", "b"))
    )
    assert f"p = tl.exp(s).to({_STORED})" in text


def test_one_computed_arm_makes_the_whole_choice_computed() -> None:
    text = translated(
        _SQUARE
        + "let c = T::where_(at.lt(n), a, T::exp(b));\n"
        + _KEEP.format(product("c", "T::trans(c, &[1, 0])"))
    )
    assert "a = tl.load(x_ptr + at).to(D)" in text
    assert f" c.to({_STORED})," in text
    assert f" tl.trans(c, [1, 0]).to({_STORED})," in text


def test_tuples_of_moved_tiles() -> None:
    text = translated(
        _AT
        + "let a = T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);\n"
        + "let (left, right) = T::broadcast(a, a);\n"
        + _KEEP.format(product("left", "right"))
    )
    assert "a = tl.load(x_ptr + at)\n" in text
    assert ".to(" not in text


def test_a_fixed_dtype_is_multiplied_by_triton_itself() -> None:
    body = _SQUARE + "T::store(y_ptr.add_offsets(at), T::dot::<f32, f32>(a, b, None, "
    body += "InputPrecision::IEEE, None), None, &[], None, None);\n"
    text = translated(body, parameters="x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>")
    assert 'tl.dot(a, b, input_precision="ieee", out_dtype=tl.float32)' in text


# --- Everything else ------------------------------------------------------------------------------


def test_a_copy_is_not_widened() -> None:
    assert "x = tl.load(x_ptr + offsets, mask=offsets < n)\n" in translated(LOAD + store("x"))


@pytest.mark.parametrize(
    "value",
    [
        "x + x",
        "T::exp(x)",
        "T::where_(T::lt(x, x), x, x)",
        "T::broadcast_to(T::sum(x, None, true), &[BLOCK])",
    ],
)
def test_what_is_computed_with_is_widened(value: str) -> None:
    text = translated(LOAD + store(value))
    assert "x = tl.load(x_ptr + offsets, mask=offsets < n).to(D)" in text


def test_a_variable_that_is_computed_later_is_widened_at_first() -> None:
    body = LOAD + "let mut y = x;\nfor i in 0..m {\n    y = y * x;\n}\n"
    assert "tl.load(x_ptr + offsets, mask=offsets < n).to(D)" in translated(body + store("y"))


def test_zeros_alone_keep_the_dtype_of_arithmetic() -> None:
    text = translated(OFFSETS + "let z = T::zeros::<D>(&[BLOCK]);\n" + store("z"))
    assert "z = tl.zeros([BLOCK], D)" in text


def test_the_types_say_what_is_stored() -> None:
    text = dumped(_SQUARE + "let p = T::exp(a);\n" + _KEEP.format(product("p", "b")))
    assert "let a#1: D[BLOCK, BLOCK] = widen<D>(load<stored D>(" in text
    assert "let b: stored D[BLOCK, BLOCK] = load<stored D>(" in text
    assert "dot<D, D>(narrow<stored D>(p), b, " in text


# --- Conversions ----------------------------------------------------------------------------------


def test_what_is_converted_to_f32_is_widened_by_that() -> None:
    text = lines(
        LOAD
        + "let wide = T::cast::<D, f32>(x, None, false);\n"
        + store("T::cast::<f32, D>(wide * wide, None, false)")
    )
    assert text[1:] == [
        "x = tl.load(x_ptr + offsets, mask=offsets < n)",
        "wide = x.to(tl.float32)",
        "tl.store(y_ptr + offsets, (wide * wide).to(D), mask=offsets < n)",
    ]


@pytest.mark.parametrize("dtype", ["i32", "f64"])
def test_what_is_converted_to_anything_else_is_widened_first(dtype: str) -> None:
    text = lines(
        LOAD
        + f"let other = T::cast::<D, {dtype}>(x, None, false);\n"
        + store(f"T::cast::<{dtype}, D>(other, None, false)")
    )
    assert text[1] == "x = tl.load(x_ptr + offsets, mask=offsets < n).to(D)"


# --- Functions ------------------------------------------------------------------------------------

_FUNCTIONS = """\
fn product<T: Triton, A: Float>(a: T::Tensor<A>, b: T::Tensor<A>, acc: T::Tensor<A>) -> T::Tensor<A> {
    T::dot::<A, A>(a, b, Some(acc), InputPrecision::TF32, None)
}
fn weighted<T: Triton, A: Float>(a: T::Tensor<A>, b: T::Tensor<A>) -> T::Tensor<A> {
    product::<T, A>(T::exp(a), b, a)
}
"""


def test_a_function_that_multiplies_takes_tiles_as_memory_holds_them() -> None:
    body = _SQUARE + _KEEP.format("product::<T, D>(a, b, T::zeros::<D>(&[BLOCK, BLOCK]))")
    text = module(
        _FUNCTIONS + kernel(body, parameters="x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>")
    )
    assert "A: tl.constexpr = acc.dtype" in function(text, "product")
    assert function(text, "k").splitlines()[-3:] == [
        "a = tl.load(x_ptr + at)",
        "b = tl.load(y_ptr + at)",
        "tl.store(y_ptr + at, product(a, b, tl.zeros([BLOCK, BLOCK], D)))",
    ]


def test_a_function_narrows_what_it_computes_to_the_dtype_of_what_it_is_given() -> None:
    text = module(_FUNCTIONS + kernel(_SQUARE + _KEEP.format("weighted::<T, D>(a, b)")))
    assert "return product(tl.exp(a).to(b.dtype), b, a)" in function(text, "weighted")
