"""Axes of the grid whose index is taken apart by divisions."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, lifted
from transpiler.ir.extent import AtLeast, Division, Named, Product
from transpiler.optimise.launches.split_program import split_programs
from transpiler.optimise.nests.nest import dump_nest


def reads(digits: str, address: str, left: str = "pid") -> str:
    """A kernel whose program reads where its digits say, and stores where `left` does."""
    load = f"T::load(x.add_offsets(T::arange(0, 1) + ({address})), None, None, {LOAD})"
    store = f"T::store(y.add_offsets(T::arange(0, 1) + ({left})), {load}, None, {STORE});"
    return f"let pid = T::program_id(Axis::X); {digits} {store}"


TWO = "let d = pid / a; let c = pid % a;"


def test_a_quotient_and_a_remainder_are_axes() -> None:
    found = split_programs(*lifted(reads(TWO, "d * n + c")))
    assert found is not None
    text = dump_nest(found)
    assert text.startswith("nest k[c < a, d < d_end] {")
    assert "offset(x, (d * n) + c)" in text
    assert "offset(y, (d * a) + c)" in text
    assert {it.name for it in found.positive} == {"a"}


def test_how_long_an_axis_is_and_that_the_grid_is_whole_are_for_the_launch() -> None:
    found = split_programs(*lifted(reads(TWO, "d * n + c")))
    assert found is not None
    quotient = Division(Named("grid_x"), Named("a"), is_up=False)
    assert [(it.name, it.value) for it in found.ends] == [("d_end", quotient)]
    assert found.checks == (AtLeast(value=Product((quotient, Named("a"))), bound=Named("grid_x")),)


def test_numbers_of_three_digits_are_taken_apart_twice() -> None:
    digits = "let e = pid / (a * b); let d = (pid / b) % a; let c = pid % b;"
    found = split_programs(*lifted(reads(digits, "(e * n + d) * n + c", "(e * a + d) * b + c")))
    assert found is not None
    assert next(axis.symbol.name for axis in found.programs) == "c"
    assert len(found.programs) == 3
    assert {axis.place for axis in found.programs} == {0}
    text = dump_nest(found)
    assert "/" not in text
    assert "%" not in text


@pytest.mark.parametrize(
    "digits",
    [
        "let d = pid; let c = pid;",
        "let d = pid / a; let c = pid % b;",
        "let d = pid / (a + 1); let c = pid % (a + 1);",
        "let d = n / a; let c = n % a;",
    ],
)
def test_what_is_not_divided_by_one_number_stays(digits: str) -> None:
    assert split_programs(*lifted(reads(digits, "d * n + c"))) is None
