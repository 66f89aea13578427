"""How the launches of small kernels are laid out: columns, rows, programs, and what runs through each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.optimise.nests import COLUMN_SUM, LOAD, SCALAR_LOOP, STORE, lifted, taken_apart
from transpiler.ir.extent import Division, ItemSize, Lookup, Number
from transpiler.optimise.flags import OptimiseOptions
from transpiler.optimise.launches.layout import Layout, layout
from transpiler.optimise.launches.stages import Spread, Stages
from transpiler.optimise.nests.extents import least
from transpiler.optimise.nests.work import Role, Work
from transpiler.optimise.shapes import by_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from transpiler.ir.extent import Extent
    from transpiler.optimise.nests.nest import Nest

TAKEN = frozenset({"a", "b", "n", "BLOCK"})


def laid_out(work: Work, off: Iterable[str] = (), taken: frozenset[str] = TAKEN) -> Layout | None:
    return layout(work, OptimiseOptions(is_on=True, off=frozenset(off)), taken)


def shown(chosen: Layout | None) -> list[str]:
    """A layout by the names of its axes: columns, rows if there are any, and the programs besides."""
    if chosen is None:
        return []
    lines = [
        f"{name} {lanes.axis.symbol.name}: {lanes.execution.name}"
        for name, lanes in (("columns", chosen.columns), ("rows", chosen.rows))
        if lanes is not None
    ]
    return [*lines, *(f"program {axis.symbol.name}" for axis in chosen.programs)]


def layouts(body: str, off: Iterable[str] = (), *, spreads: bool = False) -> list[list[str]]:
    """The layouts of the launches of a kernel, whose indices are taken apart where they can be."""
    nest, symbols = taken_apart(body)
    works = Stages(nest, symbols, spread=Spread.INNERMOST if spreads else Spread.NONE).works()
    return [shown(laid_out(work, off)) for work in works]


def one(address: str, value: str) -> str:
    """A loop over `i` that stores a value to an address, with a program for each `c` and `d`."""
    return f"""
    let c = T::program_id(Axis::X);
    let d = T::program_id(Axis::Y);
    for i in 0..n {{ T::store(y.add_offsets(T::arange(0, 1) + ({address})), {value}, None, {STORE}); }}
    """


def read(address: str) -> str:
    return f"T::load(x.add_offsets(T::arange(0, 1) + ({address})), None, None, {LOAD})"


def test_a_sum_of_columns_shares_out_its_rows() -> None:
    assert layouts(COLUMN_SUM) == [
        ["columns c: PROGRAMS", "rows rows: SHARED"],
        ["columns c: PROGRAMS", "rows part: LOOP"],
    ]


def test_a_sum_along_memory_has_a_program_for_each_tile() -> None:
    row = COLUMN_SUM.replace("rows * a + c", "c * n + rows")
    partial, _ = layouts(row)
    assert partial == ["columns rows: PROGRAMS", "program c"]


def test_a_sum_of_planes_has_tiles_of_both_loops() -> None:
    assert layouts(SCALAR_LOOP) == [
        ["columns low: PROGRAMS", "rows high: SHARED", "program c"],
        ["columns c: PROGRAMS", "rows part: LOOP"],
    ]


def test_an_inner_loop_that_is_spread_is_an_axis_of_the_grid() -> None:
    nest, symbols = taken_apart(SCALAR_LOOP)
    partial, final = Stages(nest, symbols, spread=Spread.INNERMOST).works()
    assert [axis.symbol.name for axis in partial.programs] == ["c", "low"]
    assert shown(laid_out(partial)) == ["columns low: PROGRAMS", "rows high: SHARED", "program c"]
    assert shown(laid_out(final)) == ["columns low: LOOP", "rows part: LOOP", "program c"]


def test_independent_iterations_are_programs() -> None:
    body = one("(i * a + d) * b + c", read("(i * a + d) * b + c"))
    assert layouts(body) == [["columns c: PROGRAMS", "rows i: PROGRAMS", "program d"]]


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        ("spread-loop", ["columns c: PROGRAMS", "rows i: LOOP", "program d"]),
        ("vectorise-loop", ["columns c: PROGRAMS", "program d"]),
        ("block-axis", []),
    ],
)
def test_what_a_flag_leaves(flag: str, expected: list[str]) -> None:
    body = one("(i * a + d) * b + c", read("(i * a + d) * b + c"))
    assert layouts(body, [flag]) == [expected]


def test_the_columns_are_those_of_the_accesses_that_vary_most() -> None:
    body = one(
        "(c * a + d) * n + i",
        f"{read('(c * a + d) * n + i')} * {read('d')} + {read('d + a')} * {read('d + b')}",
    )
    assert layouts(body) == [["columns i: PROGRAMS", "rows c: PROGRAMS", "program d"]]


def test_programs_that_share_what_they_load_are_rows() -> None:
    body = f"""
    let c = T::program_id(Axis::X);
    let d = T::program_id(Axis::Y);
    T::store(y.add_offsets(T::arange(0, 1) + (d * a + c)), {read("c")}, None, {STORE});
    """
    assert layouts(body) == [["columns c: PROGRAMS", "rows d: PROGRAMS"]]
    alone = body.replace(read("c"), read("d * b + c"))
    assert layouts(alone) == [["columns c: PROGRAMS", "program d"]]


def test_where_no_axis_is_contiguous_there_is_no_layout() -> None:
    assert layouts(one("(i * a + d) * b + c * 8", read("i * a"))) == [[]]


def test_every_other_element_is_better_than_none() -> None:
    (found,) = layouts(one("(i * a + d) * b + c * 2", read("i * a")))
    assert found == ["columns c: PROGRAMS", "rows i: PROGRAMS", "program d"]


def whole(nest: Nest) -> Work:
    """All of a nest in one launch."""
    return Work(role=Role.WHOLE, programs=nest.programs, items=nest.items)


def test_a_whole_nest_shares_out_nothing() -> None:
    nest, _ = lifted(COLUMN_SUM)
    assert shown(laid_out(whole(nest))) == ["columns c: PROGRAMS", "rows rows: LOOP"]


def test_what_is_reduced_is_known() -> None:
    nest, symbols = taken_apart(SCALAR_LOOP)
    partial, _ = Stages(nest, symbols).works()
    chosen = laid_out(partial)
    assert chosen is not None
    assert sorted(it.name for it in chosen.reduced) == ["high", "low"]
    apply = lifted(one("(i * a + d) * b + c", read("c")))[0]
    independent = laid_out(replace(whole(apply), role=Role.APPLY))
    assert independent is not None
    assert independent.reduced == frozenset()


def test_tiles_are_called_after_their_axes_or_the_tiles_there_were() -> None:
    nest, _ = lifted(COLUMN_SUM)
    for taken, names in (
        (TAKEN, ["TILE_C", "TILE_ROWS"]),
        (TAKEN | {"TILE_C"}, ["TILE_C_", "TILE_ROWS"]),
    ):
        chosen = laid_out(whole(nest), taken=taken)
        assert chosen is not None
        assert chosen.rows is not None
        assert [chosen.columns.block, chosen.rows.block] == names


@pytest.mark.parametrize(
    ("lanes", "said"),
    [
        (lambda _: 64, Number(64)),
        (lambda size: 512 // size, Division(Number(512), ItemSize("D"), is_up=False)),
        (
            lambda size: min(64, 256 // size),
            least(Number(64), Division(Number(256), ItemSize("D"), is_up=False)),
        ),
        (
            lambda size: {1: 64, 2: 16, 4: 16, 8: 8}[size],
            Lookup(ItemSize("D"), ((1, 64), (2, 16), (4, 16), (8, 8))),
        ),
    ],
)
def test_what_depends_on_the_size_of_elements_is_said_in_the_simplest_way(
    lanes: Callable[[int], int], said: Extent
) -> None:
    assert by_size(lanes, ItemSize("D")) == said
    assert by_size(lanes, Number(4)) == Number(lanes(4))
