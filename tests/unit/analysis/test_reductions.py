"""Reductions over lanes and over iterations, and what is neutral in them."""

from __future__ import annotations

import math

import pytest

from tests.unit.analysis.elaborated import Analysed
from transpiler.analysis.reductions import (
    has_no_negative_value,
    is_nonnegative,
    neutral_element,
    reduction_of,
)
from transpiler.ops.table import OPS

LOOP = """\
let zeros = T::zeros::<D>(&[BLOCK]);
let mut total = zeros;
for i in 0..n {{
    let x = T::load(x_ptr.add_offsets(T::arange(0, BLOCK) + i), None, None, &[], None, None, None, false);
    {statement}
}}
let y = T::sum(total, Some(0), true);
let z = y;
"""


def accumulated(statement: str) -> list[tuple[str, float]]:
    """What iterations combine into `total`, and the identity of what combines them."""
    kernel = Analysed(LOOP.format(statement=statement))
    return [
        (kernel.source.slice(each.term.span), each.identity) for each in kernel.facts.accumulations
    ]


@pytest.mark.parametrize(
    ("statement", "terms"),
    [
        ("total = total + x;", [("x", 0.0)]),
        ("total = x * x + total;", [("x * x", 0.0)]),
        ("let more = total + x;\n    total = more + T::exp(x);", [("x", 0.0), ("T::exp(x)", 0.0)]),
        ("total = total * T::exp(x) + x;", [("x", 0.0)]),
        ("total = T::maximum(total, x);", [("x", -math.inf)]),
        ("total = T::minimum(x, total);", [("x", math.inf)]),
        ("total = total + (x - total);", []),
        ("total = x - total;", []),
        ("total = x;", []),
    ],
)
def test_accumulations(statement: str, terms: list[tuple[str, float]]) -> None:
    assert accumulated(statement) == terms


def test_what_is_neutral_follows_from_the_values_of_an_operation() -> None:
    assert neutral_element(OPS["maximum"]) == -math.inf
    assert neutral_element(OPS["minimum"]) == math.inf


def test_identities_of_the_table() -> None:
    identities = {name: op.identity for name, op in OPS.items() if op.identity is not None}
    assert identities == {
        "sum": 0.0,
        "xor_sum": 0.0,
        "max": -math.inf,
        "argmax": -math.inf,
        "max_with_indices": -math.inf,
        "min": math.inf,
        "argmin": math.inf,
        "min_with_indices": math.inf,
        "softmax": -math.inf,
    }


@pytest.mark.parametrize("name", ["exp", "exp2", "abs", "sigmoid", "sqrt", "rsqrt"])
def test_a_function_without_negative_values(name: str) -> None:
    assert has_no_negative_value(OPS[name])


@pytest.mark.parametrize("name", ["sin", "cos", "log", "floor", "erf", "atan"])
def test_a_function_with_negative_values(name: str) -> None:
    assert not has_no_negative_value(OPS[name])


def test_signs() -> None:
    kernel = Analysed(
        LOOP.format(statement="total = total + x;")
        + "let s = y * y;\nlet t = T::abs(y) + s;\nlet u = T::sin(y);\nlet v = s + t + u;\n"
    )
    values = kernel.facts.values
    assert is_nonnegative(values, kernel.last("s"))
    assert is_nonnegative(values, kernel.last("t"))
    assert not is_nonnegative(values, kernel.last("u"))


@pytest.mark.parametrize(
    ("call", "dimensions"),
    [
        ("T::sum(x, None, true)", (-2, -1)),
        ("T::sum(x, Some(0), true)", (-2,)),
        ("T::max(x, Some(1), false)", (-1,)),
        ("T::softmax(x, None, false, false)", (-1,)),
        ("T::softmax(x, Some(0), false, false)", (-2,)),
    ],
)
def test_the_dimensions_that_are_reduced(call: str, dimensions: tuple[int, ...]) -> None:
    kernel = Analysed(f"let x = T::zeros::<D>(&[BLOCK, BLOCK]);\nlet y = {call};\n")
    (site,) = kernel.facts.flow.reductions
    reduction = reduction_of(site.call)
    assert reduction is not None
    assert reduction.dimensions == dimensions
