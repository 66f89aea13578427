"""Spellings of operations and their holes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from transpiler.ops.table import OPS
from transpiler.target.flat import flat
from transpiler.target.model import Name, Number
from transpiler.target.prelude import PRELUDE, helpers_for
from transpiler.target.spelling import fill, parse_spelling

if TYPE_CHECKING:
    from transpiler.ops.model import Op
    from transpiler.target.spelling import Filling


@pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))
def test_every_row_of_the_table_has_a_spelling_whose_helpers_exist(op: Op) -> None:
    text = flat(parse_spelling(op.triton))
    assert parse_spelling(text) == parse_spelling(op.triton)
    holes = {parameter.name for parameter in op.parsed.parameters}
    helpers = {
        word.rstrip("(),")
        for word in text.replace("(", " ").split()
        if word.startswith("_") and word.rstrip("(),") not in holes
    }
    assert helpers <= PRELUDE.keys()


@pytest.mark.parametrize(
    ("spelling", "holes", "text"),
    [
        ("tl.load(p, mask=m)", {"p": Name("x_ptr"), "m": None}, "tl.load(x_ptr)"),
        ("tl.load(p, mask=m)", {"p": Name("x_ptr"), "m": Name("k")}, "tl.load(x_ptr, mask=k)"),
        ("tl.reduce(x, axis, f)", {"x": Name("t"), "axis": None}, "tl.reduce(t, None, f)"),
        ("x < y", {"x": parse_spelling("a + b"), "y": Number("1")}, "a + b < 1"),
        ("x.to(R)", {"x": parse_spelling("a + b"), "R": Name("D")}, "(a + b).to(D)"),
        ("f(x, flag=not g)", {"x": Name("a"), "g": None}, "f(a, flag=not None)"),
        ("a[0] if c else (b, [1.5, None])", {}, "a[0] if c else (b, [1.5, None])"),
    ],
)
def test_filling(spelling: str, holes: dict[str, Filling], text: str) -> None:
    assert flat(fill(parse_spelling(spelling), holes)) == text


@pytest.mark.parametrize("text", ["lambda: x", "[i for i in x]", "x ** 2"])
def test_a_spelling_outside_the_target_tree_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        parse_spelling(text)


def test_helpers_come_in_the_order_of_the_table_and_only_those_used() -> None:
    assert helpers_for(["_minimum", "_divide", "x", "tl"]) == ("_divide", "_minimum")
    assert helpers_for([]) == ()
