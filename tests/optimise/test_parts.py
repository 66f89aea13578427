"""The parts of a nest that become launches, and the loops that programs may share out."""

from __future__ import annotations

import pytest

from tests.optimise.nests import COLUMN_SUM, LOAD, STORE, lifted
from transpiler.optimise.launches.parts import Group, groups, joined
from transpiler.optimise.nests.nest import Loop, Nest
from transpiler.optimise.nests.sharing import may_be_shared
from transpiler.optimise.nests.work import indices_of, loops


def store(pointer: str, address: str, value: str) -> str:
    return (
        f"T::store({pointer}.add_offsets(T::arange(0, 1) + ({address})), {value}, None, {STORE});"
    )


def load(pointer: str, address: str) -> str:
    return f"T::load({pointer}.add_offsets(T::arange(0, 1) + ({address})), None, None, {LOAD})"


PROGRAM = "let c = T::program_id(Axis::X);"
APPLY = f"for i in 0..n {{ {store('x', 'i * a + c', load('x', 'i * a + c'))} }}"
ZERO = "T::zeros::<D>(&[1])"


def parts(body: str) -> list[str]:
    """What each part is, a loop by its axis, and how many stores."""
    nest, _ = lifted(PROGRAM + body)
    every = joined(groups(nest.items), nest.items, indices_of(nest.items))
    return [_shown(group) for group in every]


def _shown(group: Group) -> str:
    return (
        f"{len(group.items)} stores" if group.loop is None else f"for {group.loop.axis.symbol.name}"
    )


def test_a_loop_is_a_part_and_stores_beside_each_other_are() -> None:
    both = store("y", "c", ZERO) + store("y", "a + c", ZERO)
    assert parts(both + APPLY) == ["2 stores", "for i"]


def test_what_is_stored_of_a_sum_comes_before_a_loop_that_has_nothing_to_do_with_it() -> None:
    summed = f"let mut acc = {ZERO}; for j in 0..b {{ acc = acc + {load('x', 'j * a + c')}; }}"
    stored = store("y", "c", "acc")
    assert parts(summed + APPLY + stored) == ["for j", "1 stores", "for i"]


@pytest.mark.parametrize(
    "value", [ZERO, load("x", "c")], ids=["no store before", "what the loop writes"]
)
def test_other_stores_stay_where_they_are(value: str) -> None:
    before = "" if value == ZERO else store("y", "c", ZERO)
    found = parts(before + APPLY + store("y", "a + c", value))
    assert found[-1] == "1 stores"
    assert "for i" in found[:-1]


def test_stores_of_a_result_stay_behind_its_loop() -> None:
    nest, _ = lifted(COLUMN_SUM)
    assert [group.loop is not None for group in groups(nest.items)] == [True, False]


def shared(inner: str) -> list[bool]:
    """Whether the loops around these statements, and those in them, may be shared out."""
    nest: Nest = lifted(f"{PROGRAM} for i in 0..n {{ {inner} }}")[0]
    return [may_be_shared(loop.axis, nest.items) for loop in loops(nest.items)]


INNER = f"for j in 0..b {{ {store('y', '(i * b + j) * a + c', ZERO)} }}"


def test_a_loop_alone_in_another_one_may_be_shared_out() -> None:
    assert shared(INNER) == [True, True]


def test_a_loop_beside_which_something_is_done_may_not() -> None:
    assert shared(INNER + store("x", "i * a + c", ZERO)) == [True, False]
    assert shared(INNER + INNER.replace("j", "k")) == [True, False, False]


def test_a_loop_that_leaves_something_to_the_one_around_it_may_not() -> None:
    summed = (
        f"let mut acc = {ZERO}; for j in 0..b {{ acc = acc + {load('x', 'j * a + c')}; }}"
        f"{store('y', 'i * a + c', 'acc')}"
    )
    nest = lifted(f"{PROGRAM} for i in 0..n {{ {summed} }}")[0]
    outer, inner = loops(nest.items)
    assert isinstance(outer, Loop)
    assert inner.reductions
    assert not may_be_shared(inner.axis, nest.items)
