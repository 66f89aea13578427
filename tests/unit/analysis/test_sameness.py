"""Which expressions are written alike."""

from __future__ import annotations

import pytest

from tests.unit.analysis.elaborated import Analysed
from transpiler.analysis.sameness import form, unconditional
from transpiler.ir import nodes as ir


def forms_of(first: str, second: str) -> list[object]:
    """The forms of two values."""
    body = f"let mut k1 = n;\nk1 += 1;\nlet v = {first};\nlet w = {second};\n"
    statements = Analysed(body).facts.routine.body.statements
    return [form(each.value) for each in statements[-2:] if isinstance(each, ir.Let)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("n + m", "m + n"),
        ("n * m % 3", "m * n % 3"),
        ("1.0_f32", "1.00_f32"),
        ("k1 / m", "k1 / m"),
        ("T::cdiv(n, m)", "T::cdiv(n, m)"),
        ("T::arange(0, BLOCK).lt(n)", "T::arange(0, BLOCK).lt(n)"),
        ("-n as i64", "-n as i64"),
    ],
)
def test_alike(first: str, second: str) -> None:
    one, other = forms_of(first, second)
    assert one == other


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("n - m", "m - n"),
        ("n + m + 1", "n + (m + 1)"),
        ("0.0_f32", "-0.0_f32"),
        ("1_i32", "1_i64"),
        ("n as i64", "n as u64"),
        ("T::arange(0, BLOCK).lt(n)", "T::arange(0, BLOCK).le(n)"),
        ("n", "m"),
    ],
)
def test_not_alike(first: str, second: str) -> None:
    """Sums of integers that wrap are one, and yet are told apart: what is written is compared."""
    one, other = forms_of(first, second)
    assert one != other


def test_what_may_not_be_evaluated() -> None:
    (let,) = Analysed("let v = n > 0 && m / n > 1;\n").facts.routine.body.statements
    assert isinstance(let, ir.Let)
    inside = [node for node in unconditional(let.value) if isinstance(node, ir.Binary)]
    assert [node.operator.value for node in inside] == ["&&", ">"]
