"""Offsets as numbers in a positional system: which of them have one meaning."""

from __future__ import annotations

import pytest

from tests.unit.analysis.elaborated import Analysed
from transpiler.analysis.accesses import access_of
from transpiler.analysis.injective import is_injective
from transpiler.analysis.quantities import Quantities, Variable

LOOP = "for i in 0..m {{ let x = {}; }}\n"
START = (
    "let pid = T::program_id(Axis::X);\n"
    "let lanes = T::arange(0, BLOCK);\n"
    "let at = lanes + pid * BLOCK;\n"
)


def are_distinct(offsets: str, mask: str = "None", around: str = "let x = {};\n") -> bool:
    """Whether programs, lanes and iterations load elements of their own."""
    load = f"T::load(x_ptr.add_offsets({offsets}), {mask}, None, &[], None, None, None, false)"
    facts = Analysed(START + around.format(load)).facts
    (site,) = facts.flow.loads
    quantities = Quantities(facts.routine)
    access = access_of(facts, quantities, site, narrows=False)
    assert access is not None
    variables = {
        index
        for index, quantity in enumerate(quantities.all)
        if isinstance(quantity, Variable) and quantity.name[0] in {"program", "lane"}
    }
    for loop in site.loops:
        variables |= quantities.trip(loop).atoms
    return is_injective(quantities, access.offsets, access.conditions, frozenset(variables))


@pytest.mark.parametrize(
    "offsets",
    ["at", "at + n", "at * 2", "lanes + (pid * BLOCK + 3)", "lanes + pid * BLOCK * 2", "n - at"],
)
def test_a_digit_weighs_what_the_digits_below_it_count_to(offsets: str) -> None:
    assert are_distinct(offsets)


@pytest.mark.parametrize("offsets", ["lanes + pid", "lanes + pid * 8"])
def test_tiles_may_overlap(offsets: str) -> None:
    assert not are_distinct(offsets)


def test_a_weight_of_the_launch_may_be_zero() -> None:
    assert not are_distinct("at * m")


def test_a_condition_bounds_the_digits_below() -> None:
    assert are_distinct("lanes + pid * n", "Some(lanes.lt(n))")
    assert not are_distinct("lanes + pid * n")
    assert not are_distinct("lanes + pid * m", "Some(lanes.lt(n))")
    assert not are_distinct("pid * n - lanes", "Some((lanes * -1).lt(n))")


def test_iterations_are_digits() -> None:
    assert are_distinct("at * m + i", around=LOOP)
    assert not are_distinct("at", around=LOOP)
    assert not are_distinct("at + i", around=LOOP)
