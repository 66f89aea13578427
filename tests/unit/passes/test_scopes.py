"""Block scopes become one scope a function: a variable is renamed only where another still needs the name."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import (
    LOAD,
    OFFSETS,
    codes,
    kernel,
    module,
    signature,
    store,
    translated,
)


def test_shadowing_in_the_same_scope_reuses_the_name() -> None:
    assert translated(LOAD + "let x = x + x;\n" + store("x")).splitlines()[-2:] == [
        "x = x + x",
        "tl.store(y_ptr + offsets, x, mask=offsets < n)",
    ]


def test_the_name_is_reused_with_another_shape_too() -> None:
    body = LOAD + "let x = T::sum(x, Some(0), true);\nlet x = T::broadcast_to(x, &[BLOCK]);\n"
    assert translated(body + store("x")).splitlines()[2:4] == [
        "x = tl.sum(x, axis=0, keep_dims=True)",
        "x = tl.broadcast_to(x, [BLOCK])",
    ]


def test_an_inner_variable_is_renamed_where_the_outer_one_is_read_later() -> None:
    body = LOAD + "if n > 0 {\n    let x = x + x;\n    " + store("x") + "}\n" + store("x")
    assert translated(body).splitlines()[2:] == [
        "if n > 0:",
        "    x_1 = x + x",
        "    tl.store(y_ptr + offsets, x_1, mask=offsets < n)",
        "tl.store(y_ptr + offsets, x, mask=offsets < n)",
    ]


def test_a_new_name_differs_from_every_other() -> None:
    body = LOAD + "let x_1 = x;\n{\n    let x = x + x_1;\n    " + store("x") + "}\n"
    text = translated(body + store("x + x_1"))
    assert "x_2 = x + x_1" in text
    assert text.endswith("tl.store(y_ptr + offsets, x + x_1, mask=offsets < n)")


def test_two_arms_with_variables_of_one_name_and_different_types() -> None:
    """Triton merges a name assigned in both arms, and refuses it where the types differ."""
    body = OFFSETS + (
        "let mut s = 0;\n"
        "if n > 1 { let t = n; s = t; } else { let t = 0.5_f32; s = t as i32; }\n"
        "T::store(y_ptr.add_offsets(offsets + s), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
    )
    lines = [line.strip() for line in translated(body).splitlines()]
    assert "t = n" in lines
    assert "t_1 = 0.5" in lines


def test_a_variable_of_a_loop_body_does_not_become_carried() -> None:
    body = (
        LOAD
        + "for i in 0..m {\n    let x = T::sum(x, Some(0), true);\n"
        + "    T::store(y_ptr.add_offsets(T::arange(0, 1)), x, None, &[], None, None);\n}\n"
        + store("x")
    )
    assert "    x_1 = tl.sum(x, axis=0, keep_dims=True)" in translated(body)


def test_a_block_is_a_scope_and_nothing_more() -> None:
    body = LOAD + "{\n    let x = x * x;\n    " + store("x") + "}"
    assert translated(body).splitlines()[2:] == [
        "x = x * x",
        "tl.store(y_ptr + offsets, x, mask=offsets < n)",
    ]


@pytest.mark.parametrize("name", ["lambda", "is", "tl", "triton", "range", "int"])
def test_a_reserved_name_gets_an_underscore(name: str) -> None:
    body = f"let {name} = n + 1;\n" + OFFSETS
    body += f"T::store(y_ptr.add_offsets(offsets + {name}), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
    assert translated(body).startswith(f"{name}_ = n + 1")


@pytest.mark.parametrize("name", ["max", "sum", "id", "print", "iter"])
def test_a_builtin_nobody_uses_stays_as_it_is(name: str) -> None:
    body = f"let {name} = n + 1;\n" + OFFSETS
    body += f"T::store(y_ptr.add_offsets(offsets + {name}), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
    assert translated(body).startswith(f"{name} = n + 1")


def test_a_parameter_with_a_reserved_name_keeps_its_place() -> None:
    rust = kernel(
        "let offsets = T::arange(0, BLOCK) + lambda;\n"
        "T::store(y_ptr.add_offsets(offsets), T::zeros::<D>(&[BLOCK]), None, &[], None, None);",
        parameters="y_ptr: T::Pointer<D>, lambda: i32, n: i32",
    )
    assert signature(module(rust)) == ["y_ptr", "lambda_", "n", "BLOCK: tl.constexpr"]


def test_names_that_differ_in_case_only_stay_apart() -> None:
    rust = kernel(
        "let c = T::program_id(Axis::X);\nlet kh = c / KH;\n"
        "T::store(y_ptr.add_offsets(T::arange(0, 1) + c * C + kh), T::zeros::<D>(&[1]), "
        "None, &[], None, None);",
        generics="T: Triton, D: Float, const KH: i32",
        parameters="y_ptr: T::Pointer<D>, C: i32",
    )
    text = module(rust)
    assert signature(text) == ["y_ptr", "C", "KH: tl.constexpr"]
    assert "c = tl.program_id(0)" in text
    assert "c * C + kh" in text


def test_const_generics_nobody_reads_stay_in_the_signature() -> None:
    rust = kernel(
        "T::store(y_ptr.add_offsets(T::arange(0, BLOCK)), T::zeros::<D>(&[BLOCK]), None, &[], None, None);",
        generics="T: Triton, D: Float, const PAD_RIGHT: i32, const BLOCK: i32, const FLIP: bool",
        parameters="y_ptr: T::Pointer<D>, _rows: i32",
    )
    assert signature(module(rust)) == [
        "y_ptr",
        "_rows",
        "PAD_RIGHT: tl.constexpr",
        "BLOCK: tl.constexpr",
        "FLIP: tl.constexpr",
    ]


def test_let_underscore_keeps_the_effect_alone() -> None:
    body = LOAD + "let _ = T::atomic_add(y_ptr.add_offsets(offsets), x, None, None, None);"
    assert translated(body).splitlines()[-1] == "tl.atomic_add(y_ptr + offsets, x)"


def test_attributes_on_statements_say_nothing() -> None:
    plain = LOAD + store("x")
    with_attribute = LOAD + "#[allow(clippy::erasing_op)]\n" + store("x")
    assert translated(with_attribute) == translated(plain)


def test_comments_inside_an_argument_list_stand_above_the_statement() -> None:
    body = (
        "let offsets = T::arange(0, // the first lane\n    BLOCK, // beyond the last\n);\n"
        "T::store(y_ptr.add_offsets(offsets), T::zeros::<D>(&[BLOCK]), None, &[], None, None); // all\n"
    )
    assert translated(body).splitlines() == [
        "# the first lane",
        "# beyond the last",
        "offsets = tl.arange(0, BLOCK)",
        "tl.store(y_ptr + offsets, tl.zeros([BLOCK], D))  # all",
    ]


def test_an_early_return() -> None:
    assert translated("if n < 1 {\n    return;\n}\n" + LOAD + store("x")).splitlines()[:2] == [
        "if n < 1:",
        "    return",
    ]


def test_a_name_ends_with_its_block() -> None:
    assert codes(LOAD + "{ let inner = x; " + store("inner") + "}\n" + store("inner")) == ["E0201"]
