"""What is known of the axes of nests, and how they are changed: dependence, indices taken apart, axes made one."""

from __future__ import annotations

import pytest

from tests.optimise.nests import COLUMN_SUM, LOAD, SCALAR_LOOP, STORE, lifted
from transpiler.optimise.launches.collapse import collapse
from transpiler.optimise.launches.split_index import split_index
from transpiler.optimise.launches.stages import Spread, Stages
from transpiler.optimise.nests.dependence import passes_memory_on, reorderable
from transpiler.optimise.nests.indices import Indices
from transpiler.optimise.nests.nest import Loop, Nest, dump_nest
from transpiler.optimise.nests.work import Role, definitions, loops
from transpiler.optimise.refusals import RefusedError


def written(address: str, value: str = "v") -> str:
    """A loop that loads `x[i * a + c]` and stores to an address made of `i` and `c`."""
    return f"""
    let c = T::program_id(Axis::X);
    let mut i: i32 = 0;
    while i < n {{
        let at = T::arange(0, 1) + (i * a + c);
        let v = T::load(x.add_offsets(at), None, None, {LOAD});
        T::store(y.add_offsets(T::arange(0, 1) + ({address})), {value}, None, {STORE});
        i += 1;
    }}
    """


def loop_of(nest: Nest) -> tuple[Loop, Indices]:
    return next(loops(nest.items)), Indices(definitions(nest.items))


@pytest.mark.parametrize(
    ("address", "positive"),
    [
        ("i * a + c", {"a"}),
        ("i", set()),
        ("i * a * b + c", {"a", "b"}),
        ("c - i", set()),
        ("c - i * a", {"a"}),
    ],
)
def test_iterations_that_store_to_elements_of_their_own_may_be_reordered(
    address: str, positive: set[str]
) -> None:
    loop, indices = loop_of(lifted(written(address))[0])
    assert {it.name for it in reorderable(loop, indices)} == positive


@pytest.mark.parametrize("address", ["c", "i / b", "i * i"])
def test_iterations_that_may_store_to_one_element_may_not(address: str) -> None:
    loop, indices = loop_of(lifted(written(address))[0])
    with pytest.raises(RefusedError, match="two iterations may write the same element"):
        reorderable(loop, indices)


def test_iterations_that_read_what_others_write_may_not() -> None:
    before = f"T::load(y.add_offsets(T::arange(0, 1) + ((i + 1) * a + c)), None, None, {LOAD})"
    loop, indices = loop_of(lifted(written("i * a + c", before))[0])
    with pytest.raises(RefusedError, match="an iteration may read what another one writes"):
        reorderable(loop, indices)


def test_an_element_that_an_iteration_updates_is_its_own() -> None:
    before = f"v + T::load(y.add_offsets(T::arange(0, 1) + (i * a + c)), None, None, {LOAD})"
    loop, indices = loop_of(lifted(written("i * a + c", before))[0])
    assert {it.name for it in reorderable(loop, indices)} == {"a"}


@pytest.mark.parametrize(
    ("first", "second", "positive"),
    [
        ("i * 2 + c", "i * 2 + c + 1", set()),
        ("i * 2 + c", "i * 2 + c - 1", set()),
        # Two halves of a row.
        ("i + c", "i + n + c", set()),
        ("i * b * 2 + c", "i * b * 2 + b + c", {"b"}),
    ],
)
def test_elements_that_lie_apart_in_each_iteration_are_none_of_another_one(
    first: str, second: str, positive: set[str]
) -> None:
    other = f"T::load(y.add_offsets(T::arange(0, 1) + ({second})), None, None, {LOAD})"
    loop, indices = loop_of(lifted(written(first, other))[0])
    assert {it.name for it in reorderable(loop, indices)} == positive


@pytest.mark.parametrize(
    ("first", "second"),
    [("i * 2 + c", "i * 2 + c + 2"), ("i + c", "i + a + c"), ("i * 2 + c", "i * 3 + c")],
)
def test_elements_that_another_iteration_may_reach_are_not(first: str, second: str) -> None:
    other = f"T::load(y.add_offsets(T::arange(0, 1) + ({second})), None, None, {LOAD})"
    loop, indices = loop_of(lifted(written(first, other))[0])
    with pytest.raises(RefusedError, match="an iteration may read what another one writes"):
        reorderable(loop, indices)


def test_memory_that_one_part_stores_and_a_loop_reads_is_passed_on() -> None:
    plain, _ = lifted(COLUMN_SUM)
    assert not passes_memory_on(plain.items, Indices(definitions(plain.items)))
    body = COLUMN_SUM.replace("T::store(y.", "T::store(x.")
    changed, _ = lifted(body)
    assert passes_memory_on(changed.items, Indices(definitions(changed.items)))


def test_an_index_is_taken_apart_where_its_quotient_and_remainder_alone_are_used() -> None:
    nest, symbols = lifted(SCALAR_LOOP)
    loop, indices = loop_of(nest)
    split = split_index(loop, indices, symbols)
    assert {it.name for it in split.positive} == {"a", "b"}
    text = dump_nest(Nest(kernel=nest.kernel, programs=nest.programs, items=(split.loop,)))
    assert "for high in 0_i32..a reducing sum acc as acc {" in text
    assert "for low in 0_i32..b {" in text
    assert "/" not in text
    assert "%" not in text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("+ low)", "+ i)"), "used apart from its quotient and remainder"),
        (("i < a * b", "i < a * n"), "not divided by a factor of its bound"),
        (("let mut i: i32 = 0", "let mut i: i32 = 1"), "does not start at 0"),
    ],
)
def test_an_index_that_cannot_be_taken_apart_says_why(change: tuple[str, str], reason: str) -> None:
    nest, symbols = lifted(SCALAR_LOOP.replace(*change))
    with pytest.raises(RefusedError, match=reason):
        split_index(*loop_of(nest), symbols)


def test_a_reduction_is_taken_apart_into_parts_and_what_combines_them() -> None:
    nest, symbols = lifted(COLUMN_SUM)
    partial, final = Stages(nest, symbols).works()
    assert (partial.role, final.role) == (Role.PARTIAL, Role.FINAL)
    assert [it.name for it in partial.scratch] == ["total_partials"]
    assert not final.scratch


def test_axes_that_are_one_piece_of_memory_become_one() -> None:
    body = f"""
    let c = T::program_id(Axis::X);
    let mut s: i32 = 0;
    while s < n {{
        let i = T::arange(0, BLOCK) + s;
        let mask = i.lt(n);
        let v = T::load(x.add_offsets(c * STRIDE + i), Some(mask), None, {LOAD});
        T::store(y.add_offsets(c * STRIDE + i), v, Some(mask), {STORE});
        s += BLOCK;
    }}
    """
    nest, symbols = lifted(body.replace("STRIDE", "n"))
    (work,) = Stages(nest, symbols, spread=Spread.INNERMOST).works()
    collapsed = collapse(work, symbols)
    assert collapsed is not None
    assert [axis.symbol.name for axis in collapsed.work.programs] == ["flat"]
    apart, other_symbols = lifted(body.replace("STRIDE", "a"))
    (work,) = Stages(apart, other_symbols, spread=Spread.INNERMOST).works()
    assert collapse(work, other_symbols) is None
