"""What may fail, and what is costly."""

from __future__ import annotations

import pytest

from tests.unit.analysis.elaborated import Analysed
from transpiler.analysis.costs import Costs
from transpiler.analysis.effects import Failures, effects_in, is_volatile
from transpiler.analysis.ranges import Ranges
from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_block
from transpiler.ops.model import Effect


def value_of(expression: str) -> tuple[Analysed, ir.Expression]:
    """A kernel that gives an expression a name, and the expression."""
    analysed = Analysed(f"let lanes = T::arange(0, BLOCK);\nlet v = {expression};\n")
    let = analysed.facts.routine.body.statements[-1]
    assert isinstance(let, ir.Let)
    return analysed, let.value


@pytest.mark.parametrize(
    ("expression", "may_fail"),
    [
        ("n / 3", False),
        ("n / m", True),
        ("n % BLOCK", False),
        ("n % (m & 7)", True),
        ("n / ((m & 7) + 1)", False),
        ("n << 3", False),
        ("n << m", True),
        ("n << (m & 15)", False),
        ("T::cdiv(n, m)", True),
        ("T::cdiv(n, BLOCK)", False),
        ("n.div_euclid(m)", True),
        ("n.max(m)", False),
        ("a / a", False),
        ("a.sqrt()", False),
        ("T::gather(lanes, lanes, 0)", True),
    ],
)
def test_what_may_fail(expression: str, *, may_fail: bool) -> None:
    analysed, value = value_of(expression)
    routine = analysed.facts.routine
    ranges = Ranges(routine, extents=frozenset({"BLOCK"}), wraps=True)
    assert (Failures({}, ranges.of).first(value) is not None) is may_fail


def test_what_has_been_divided_by_is_not_zero() -> None:
    analysed, value = value_of("n / m")
    ranges = Ranges(analysed.facts.routine, extents=frozenset(), wraps=True)
    assert Failures({}, ranges.of, lambda _: True).first(value) is None


@pytest.mark.parametrize(
    ("expression", "is_costly"),
    [
        ("n + m * 2", False),
        ("n / m", True),
        ("BLOCK / 2", False),
        ("n / BLOCK", True),
        ("n.max(m)", False),
        ("a.exp()", True),
        ("lanes.lt(n)", False),
        ("T::expand_dims(lanes, 1) * n", False),
        ("T::sum(lanes, None, false)", True),
        ("T::reshape(lanes, &[BLOCK], false)", True),
    ],
)
def test_what_is_costly(expression: str, *, is_costly: bool) -> None:
    analysed, value = value_of(expression)
    assert Costs(analysed.facts.routine).is_costly(value) is is_costly


def test_effects_of_statements() -> None:
    read = "T::load(x_ptr.add_offsets(lanes), None, None, &[], None, None, None, {})"
    body = (
        f"let lanes = T::arange(0, BLOCK);\nif n > 1 {{ let x = {read.format('true')};\n"
        "T::store(y_ptr.add_offsets(lanes), x, None, &[], None, None); }\n"
    )
    block = Analysed(body).facts.routine.body
    assert effects_in(block.statements) == {Effect.READS, Effect.WRITES}
    assert effects_in(block.statements[:1]) == frozenset()
    assert [is_volatile(node) for node in walk_block(block)].count(True) == 1
