"""Python names of Rust names: one test for each rule that `transpiler.target.names` states."""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING

import pytest

from transpiler.ir.types import F32, I32, DType, TupleType
from transpiler.target.names import HOST_NAMES, KEYWORDS, name_kernel
from transpiler.target.prelude import PRELUDE
from transpiler.target.usage import analyse

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from tests.unit.building import Build, Value
    from transpiler.ir import nodes as ir

    Bounds: TypeAlias = tuple[Value, Value]


def names(
    build: Build,
    *statements: ir.Statement,
    parameters: Iterable[ir.Symbol] = (),
    constants: Iterable[ir.Symbol] = (),
    module_names: Iterable[str] = (),
) -> list[str]:
    """The names of a kernel's symbols, in the order in which they were made."""
    kernel = build.kernel("k", statements, parameters=parameters, constants=constants)
    result = name_kernel(kernel, analyse(kernel), frozenset(module_names))
    ordered = sorted(result.symbols.items(), key=lambda item: item[0].id)
    return [name for _, name in ordered]


def test_the_keywords_are_those_of_every_python() -> None:
    assert frozenset(keyword.kwlist) == KEYWORDS


@pytest.mark.parametrize(
    ("rust", "python"),
    [
        ("x", "x"),
        ("OH", "OH"),
        ("_unused", "_unused"),
        ("lambda", "lambda_"),
        ("None", "None_"),
        ("is", "is_"),
        ("tl", "tl_"),
        ("triton", "triton_"),
        ("range", "range_"),
        ("KERNELS", "KERNELS_"),
        ("D", "D_"),
        ("relu", "relu_"),
        ("r#type", "type"),
        ("r#yield", "yield_"),
        ("match", "match"),
        ("sum", "sum"),
        ("id", "id"),
        ("ﬁrst", "first"),
    ],
)
def test_a_name_changes_only_where_python_or_the_module_has_taken_it(
    build: Build, rust: str, python: str
) -> None:
    parameter, local = build.parameter(rust), build.symbol("y")
    statements = (build.let(local, parameter),)
    assert names(build, *statements, parameters=[parameter], module_names=["relu"]) == [python, "y"]
    local = build.symbol(rust)
    assert names(build, build.let(local, 1), module_names=["relu"]) == [python]


def test_an_underscore_more_where_the_name_with_one_is_taken(build: Build) -> None:
    parameters = [build.parameter(name) for name in ("lambda", "lambda_", "lambda__")]
    assert names(build, parameters=parameters) == ["lambda___", "lambda_", "lambda__"]


@pytest.mark.parametrize("name", ["grid", "warmup", "options", "backend", "specialize_impl"])
def test_a_parameter_may_not_have_the_name_of_an_argument_of_a_launch(
    build: Build, name: str
) -> None:
    assert names(build, parameters=[build.parameter(name)]) == [name + "_"]
    assert names(build, build.let(build.symbol(name), 1)) == [name]


def test_names_that_differ_in_case_stay_apart(build: Build) -> None:
    parameter, local = build.parameter("C"), build.symbol("c")
    assert names(build, build.let(local, 1), parameters=[parameter]) == ["C", "c"]


def test_a_name_given_again_in_its_block_is_reused_whatever_its_type(build: Build) -> None:
    first = build.symbol("b", build.tile(DType.F32, "N"))
    second = build.symbol("b", build.tile(DType.F32, 1, "N"))
    assert names(build, build.let(first, 1.0), build.let(second, first)) == ["b", "b"]


def test_a_name_given_again_is_not_reused_while_the_first_is_read(build: Build) -> None:
    first, second, third = build.symbol("b"), build.symbol("b"), build.symbol("y")
    statements = (build.let(first, 1), build.let(second, 2), build.let(third, first))
    assert names(build, *statements) == ["b", "b_1", "y"]


def test_a_parameter_may_be_given_again(build: Build) -> None:
    parameter, local = build.parameter("n"), build.symbol("n")
    statements = (build.let(local, build.binary(parameter, "+", 1)),)
    assert names(build, *statements, parameters=[parameter]) == ["n", "n"]


def test_a_const_generic_may_not_because_a_constexpr_cannot_be_assigned(build: Build) -> None:
    constant, local = build.const("N"), build.symbol("N")
    statements = (build.let(local, build.binary(constant, "+", 1)),)
    assert names(build, *statements, constants=[constant]) == ["N", "N_1"]


def test_an_inner_name_that_hides_a_live_outer_one_gets_a_number(build: Build) -> None:
    n, outer, inner = build.parameter("n"), build.symbol("x"), build.symbol("x")
    statements = (
        build.let(outer, 1),
        build.while_(build.binary(outer, "<", n), build.let(inner, 2)),
    )
    assert names(build, *statements, parameters=[n]) == ["n", "x", "x_1"]


def test_a_parameter_hidden_in_a_loop_keeps_its_name(build: Build) -> None:
    n, inner = build.parameter("n"), build.symbol("n")
    statements = (build.while_(build.binary(n, "<", 3), build.let(inner, 2)),)
    assert names(build, *statements, parameters=[n]) == ["n", "n_1"]


def test_a_numbered_name_is_none_the_rust_has(build: Build) -> None:
    taken, outer, inner = build.parameter("x_1"), build.symbol("x"), build.symbol("x")
    statements = (
        build.let(outer, 1),
        build.while_(build.binary(outer, "<", taken), build.let(inner, 2)),
    )
    assert names(build, *statements, parameters=[taken]) == ["x_1", "x", "x_2"]


def test_loops_one_after_the_other_share_names_whatever_their_types(build: Build) -> None:
    n = build.parameter("n")
    first = build.symbol("t", build.tile(DType.F32, "N"))
    second = build.symbol("t", build.tile(DType.F32, 1))
    condition = build.binary(n, "<", 3)
    statements = (
        build.while_(condition, build.let(first, 1.0)),
        build.while_(condition, build.let(second, 1.0)),
    )
    assert names(build, *statements, parameters=[n]) == ["n", "t", "t"]


def test_a_name_before_a_loop_is_shared_in_it_by_its_own_type_only(build: Build) -> None:
    flag, n = build.const("FLAG"), build.parameter("n")
    tile, other = build.tile(DType.F32, "N"), build.tile(DType.F32, 1)
    for type_, expected in ((tile, "t"), (other, "t_1")):
        before, inside = build.symbol("t", tile), build.symbol("t", type_)
        statements = (
            build.if_(build.binary(flag, ">", 0), [build.let(before, 1.0)]),
            build.while_(build.binary(n, "<", 3), build.let(inside, 1.0)),
        )
        found = names(build, *statements, parameters=[n], constants=[flag])
        assert found[-2:] == ["t", expected]


def test_the_arms_of_an_if_share_a_name_where_its_types_agree(build: Build) -> None:
    n = build.parameter("n")
    for dtype, expected in ((DType.I32, "x"), (DType.F32, "x_1")):
        left = build.symbol("x", build.scalar(DType.I32))
        right = build.symbol("x", build.scalar(dtype))
        statements = (
            build.if_(build.binary(n, "<", 3), [build.let(left, 1)], [build.let(right, 2)]),
        )
        assert names(build, *statements, parameters=[n])[-2:] == ["x", expected]


def test_nothing_in_a_loop_has_the_name_of_its_counter(build: Build) -> None:
    counter, hiding = build.symbol("i"), build.symbol("i")
    loop = build.for_(counter, 0, 3, 1, build.let(hiding, build.binary(counter, "*", 4)))
    after = build.symbol("i")
    assert names(build, loop, build.let(after, 1)) == ["i", "i_1", "i"]


def test_counters_share_a_name_where_triton_counts_in_one_type(build: Build) -> None:
    n, start = build.parameter("n"), build.parameter("start", build.scalar(DType.I64))
    size = build.const("SIZE", build.scalar(DType.I64))
    wide = build.scalar(DType.I64)
    cases: list[tuple[tuple[Bounds, Bounds], str]] = [
        (((0, 3), (5, 9)), "i"),
        (((0, 3), (start, 9)), "i_1"),
        (((start, 3), (start, 9)), "i"),
        (((0, 3), (0, 2**40)), "i_1"),
        (((0, size), (0, 3)), "i_1"),
        (((0, size), (0, size)), "i_1"),
    ]
    for bounds, expected in cases:
        left, right = build.symbol("i", wide), build.symbol("i", wide)
        loops = [
            build.for_(counter, *ends, 1)
            for counter, ends in zip((left, right), bounds, strict=True)
        ]
        arms = build.if_(build.binary(n, "<", 3), loops[:1], loops[1:])
        found = names(build, arms, parameters=[n, start], constants=[size])
        assert found[-2:] == ["i", expected], bounds


def test_a_loop_variable_that_hides_another_gets_a_number(build: Build) -> None:
    outer, inner = build.symbol("i"), build.symbol("i")
    loop = build.for_(
        outer, 0, 3, 1, build.for_(inner, 0, 3, 1), build.let(build.symbol("y"), outer)
    )
    assert names(build, loop) == ["i", "i_1", "y"]


def test_a_constant_shares_its_name_with_none(build: Build) -> None:
    size, tile = build.const("SIZE"), build.tile(DType.I32, "SIZE")
    first, second = build.symbol("n"), build.symbol("n")
    statements = (
        build.let(first, build.binary(size, "*", 2)),
        build.let(build.symbol("t", tile), build.call("arange", 0, first, type_=tile)),
        build.let(second, 3),
        build.let(build.symbol("y"), second),
    )
    assert names(build, *statements, constants=[size]) == ["SIZE", "n", "t", "n_1", "y"] or names(
        build, *statements, constants=[size]
    ) == ["SIZE", "n", "n_1", "t", "y"]


def test_what_a_tuple_drops_has_one_type_for_each_name(build: Build) -> None:
    n = build.parameter("n")
    pair = build.call("load", *[None] * 8, type_=TupleType(elements=(I32, F32)), dtypes=[DType.F32])
    left, right = build.symbol("left", I32), build.symbol("right", F32)
    statements = (
        build.let_tuple((left, None), pair),
        build.while_(build.binary(n, "<", 3), build.let_tuple((None, right), pair)),
    )
    text = build.python(*statements, parameters=[n])
    assert "left, _ = " in text
    assert "_1, right = " in text


def test_helpers_of_kernels_and_the_host_side_never_bind_one_name() -> None:
    assert HOST_NAMES.isdisjoint(PRELUDE)
