"""Contraction: a remark for each sum with a product, and no change."""

from __future__ import annotations

from tests.optimise.classics import changed
from tests.unit.passes.kernels import LOAD, store
from transpiler.optimise.flags import CONTRACT


def test_a_sum_with_a_product_is_left_to_the_backend() -> None:
    made = changed(CONTRACT, LOAD + store("x * x + x - x * x"))
    assert made.is_same
    assert made.applied == []
    assert [text for text, _ in made.missed] == ["x * x + x - x * x", "x * x + x"]
    assert made.missed[0][1].startswith("the backend contracts this")


def test_sums_of_integers_are_not_meant() -> None:
    made = changed(CONTRACT, LOAD + "let at = n * m + 1;\n" + store("x + x"))
    assert made.is_same
    assert made.missed == [("k", "it adds nothing to a product of floats")]
