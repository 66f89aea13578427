"""Products with reciprocals: where they are exact, where not, and that the numbers are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.optimise.classics import changed
from tests.optimise.running import Sample
from tests.unit.passes.kernels import LOAD, store
from transpiler.optimise.flags import RECIPROCAL

if TYPE_CHECKING:
    from tests.optimise.running import Comparison

ROUNDED = "1 / {} is rounded, and the product with it differs"


def of(divisor: str) -> str:
    """A kernel that divides a tile of D."""
    return LOAD + store(f"x / {divisor}")


def missed(body: str) -> list[tuple[str, str]]:
    """Why nothing changes."""
    made = changed(RECIPROCAL, body)
    assert made.applied == []
    assert made.is_same
    return made.missed


@pytest.mark.parametrize(
    ("divisor", "inverse"),
    [("4.0", "0.25"), ("0.5", "2.0"), ("-8.0", "-0.125"), ("16384.0", "6.103515625e-5")],
)
def test_a_power_of_two_has_an_exact_reciprocal(divisor: str, inverse: str) -> None:
    made = changed(RECIPROCAL, of(f"D::from_f64({divisor})"))
    assert made.lines[-1] == f"tl.store(y_ptr + offsets, x * {inverse}, mask=offsets < n)"
    assert made.applied == [
        (
            f"x / D::from_f64({divisor})",
            f"the product with {float(inverse)!r} is the quotient",
        )
    ]


def test_scalars_too() -> None:
    made = changed(RECIPROCAL, "let b1 = a / 2.0;\nlet c1 = b1 / 1.5;\n")
    assert "b1 = a * 0.5" in made.lines
    assert made.missed == [("b1 / 1.5", ROUNDED.format("1.5"))]


@pytest.mark.parametrize("divisor", ["3.0", "0.1", "0.0", "10.0"])
def test_other_reciprocals_are_rounded(divisor: str) -> None:
    body = of(f"D::from_f64({divisor})")
    assert missed(body) == [(f"x / D::from_f64({divisor})", ROUNDED.format(divisor))]


def test_a_reciprocal_must_be_normal_in_half_precision() -> None:
    assert missed(of("D::from_f64(32768.0)")) == [
        (
            "x / D::from_f64(32768.0)",
            "32768.0 or its reciprocal is no normal number of each dtype",
        )
    ]


def test_a_number_of_the_launch_may_be_any() -> None:
    assert missed(of("D::from_f64(a as f64)")) == [
        (
            "x / D::from_f64(a as f64)",
            "the reciprocal of the divisor may be rounded, and the product with it then differs",
        )
    ]


def test_a_division_by_one_is_none() -> None:
    assert missed(of("D::from_f64(1.0)")) == [("k", "it divides no floats by one number")]


def test_integers_and_calls_are_not_meant() -> None:
    body = LOAD + "let q = n / 4;\n" + store("T::fdiv(x, x, false)")
    assert missed(body) == [("k", "it divides no floats by one number")]


@pytest.mark.parametrize("divisor", ["4.0", "-0.25", "8192.0"])
def test_samples_leave_the_same_bytes(comparison: Comparison, divisor: str) -> None:
    body = of(f"D::from_f64({divisor}) / D::from_f64(2.0)")
    assert comparison.is_same(Sample(body=body, n=64), RECIPROCAL)
