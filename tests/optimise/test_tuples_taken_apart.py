"""Variables of tuples, as one for each element."""

from __future__ import annotations

import pytest

from tests.optimise.nests import routine
from transpiler.ir import nodes as ir
from transpiler.ir.dump import dump_routine
from transpiler.ir.types import TupleType
from transpiler.ir.verify import verify
from transpiler.optimise.lifting.tuples import taken_apart
from transpiler.optimise.symbols import Symbols


def lines(body: str) -> list[str]:
    """The statements of the kernel with this body, whose tuples are taken apart."""
    written = routine(body)
    made = taken_apart(written, Symbols(written))
    verify(ir.Module(docs=(), kernels=(made,)), after="tuples")
    text = [line.strip() for line in dump_routine(made).splitlines()]
    return [line for line in text if line.startswith(("let", "t_", "device", "evaluate"))]


def test_a_tuple_of_names_is_names() -> None:
    assert lines("let (p, (_, q)) = (a, (b, n)); let r = p + q;") == [
        "let p: i32 = a",
        "let pair_0: i32 = b",
        "let pair_1: i32 = n",
        "let q: i32 = pair_1",
        "let r: i32 = p + q",
    ]


def test_a_variable_has_one_for_each_element() -> None:
    assert lines("let mut t = (a, b); t.0 = t.0 + n; let r = t.0 * t.1;") == [
        "let mut t_0: i32 = a",
        "let mut t_1: i32 = b",
        "t_0 = t_0 + n",
        "let r: i32 = t_0 * t_1",
    ]


def test_elements_that_change_places_are_read_before() -> None:
    assert lines("let mut t = (a, b); t = (t.1, t.0); let r = t.0;") == [
        "let mut t_0: i32 = a",
        "let mut t_1: i32 = b",
        "let t_0#1: i32 = t_1",
        "let t_1#1: i32 = t_0",
        "t_0 = t_0#1",
        "t_1 = t_1#1",
        "let r: i32 = t_0",
    ]


def test_a_tuple_that_branches_give_is_taken_apart() -> None:
    found = lines("let t = if n > a { let m = a * b; (m, m) } else { (n, a) }; let r = t.0 + t.1;")
    assert found[-1] == "let r: i32 = t_0 + t_1"


@pytest.mark.parametrize(
    "body", ["let r = a + b;", "let t = T::swizzle2d(a, b, n, n, 4); let r = t.0;"]
)
def test_what_is_not_written_as_a_tuple_stays(body: str) -> None:
    written = routine(body)
    made = taken_apart(written, Symbols(written))
    assert dump_routine(made) == dump_routine(written)
    assert all(
        isinstance(it.value.type, TupleType) or it.symbol.name == "r"
        for it in made.body.statements
        if isinstance(it, ir.Let)
    )
