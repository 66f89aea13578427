"""The ways to launch a nest, in the order in which a launch asks for them, and from which sizes on each pays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.optimise.nests import COLUMN_SUM, LOAD, SCALAR_LOOP, STORE, taken_apart
from transpiler.ir.extent import (
    Alignment,
    AtLeast,
    Division,
    Equal,
    Extreme,
    ItemSize,
    Named,
    Number,
    Product,
)
from transpiler.optimise import shapes
from transpiler.optimise.flags import OptimiseOptions
from transpiler.optimise.launches.alternatives import Alternative, Alternatives
from transpiler.optimise.launches.layout import Execution
from transpiler.optimise.trace import Trace

if TYPE_CHECKING:
    from transpiler.ir.extent import Extent

ROW_SUM = COLUMN_SUM.replace("rows * a + c", "c * n + rows")


def below(value: Extent, bound: int) -> AtLeast:
    return AtLeast(value=Number(bound - 1), bound=value)


def alternatives(body: str, *off: str) -> list[Alternative]:
    """The ways to launch a kernel, whose indices are taken apart where they can be."""
    nest, symbols = taken_apart(body)
    options = OptimiseOptions(is_on=True, off=frozenset(off))
    return list(Alternatives(nest, symbols, options, Trace(nest.kernel, None)))


def shown(found: list[Alternative]) -> list[str]:
    """What each is called by, and the roles of its launches."""
    return [
        " ".join([it.prefix, *(launch.work.role.value for launch in it.launches)]).strip()
        for it in found
    ]


def test_a_sum_of_columns_is_one_launch_where_there_are_few_rows_to_each() -> None:
    found = alternatives(COLUMN_SUM)
    assert shown(found) == ["whole", "partial final"]
    whole, apart = found
    few, each = shapes.COLUMNS_ALONE
    assert each == 1
    most = Extreme((Number(few), Named("grid_x")), is_least=False)
    assert whole.pays == (AtLeast(value=most, bound=Named("n")),)
    assert apart.pays == ()


def test_what_runs_along_memory_as_written_is_taken_apart_where_programs_are_few() -> None:
    *_, apart = alternatives(ROW_SUM)
    tiles = Product((Number(shapes.SPLIT_TILES), Named("BLOCK")))
    assert apart.pays == (
        below(Named("grid_x"), shapes.SPLIT_BELOW),
        AtLeast(value=Named("n"), bound=tiles),
    )


def test_short_rows_are_one_launch_and_share_a_tile() -> None:
    whole, _ = alternatives(ROW_SUM)
    assert shown([whole]) == ["whole"]
    assert whole.pays == (below(Named("n"), shapes.SHORT_BELOW),)
    columns, rows = whole.launches[0].layout.columns, whole.launches[0].layout.rows
    assert rows is not None
    assert (columns.execution, rows.execution) == (Execution.LOOP, Execution.PROGRAMS)


def test_rows_read_one_by_one_are_one_launch_where_programs_are_enough() -> None:
    load = f"T::load(x.add_offsets(T::arange(0, 1) + (c * n + i)), None, None, {LOAD})"
    whole, _ = alternatives(
        f"""let c = T::program_id(Axis::X);
        let mut sum = T::zeros::<D>(&[1]);
        for i in 0..n {{ sum = sum + {load}; }}
        T::store(y.add_offsets(T::arange(0, 1) + c), sum, None, {STORE});"""
    )
    few, each = shapes.ROWS_ALONE
    enough = Product((Number(each), Named("grid_x")))
    most = Extreme((Number(few), enough), is_least=False)
    assert whole.pays == (AtLeast(value=most, bound=Named("n")),)


def test_short_inner_axes_share_lanes_with_the_one_around_them() -> None:
    flat, apart = alternatives(SCALAR_LOOP)
    assert shown([flat, apart]) == ["flat partial final", "partial final"]
    assert flat.pays == (below(Named("b"), shapes.FLAT_BELOW),)
    (note,) = flat.notes
    assert note.message.startswith("`c` and `low` share lanes where `low` has fewer than")


@pytest.mark.parametrize("off", ["collapse-axes", "spread-loop"])
def test_without_its_transforms_no_lanes_are_shared(off: str) -> None:
    assert shown(alternatives(SCALAR_LOOP, off)) == ["partial final"]


def test_where_no_axis_may_be_lanes_there_is_no_way() -> None:
    assert alternatives(COLUMN_SUM, "block-axis") == []


def test_parameters_of_different_ways_may_have_one_name() -> None:
    names = [
        {it.name for launch in way.launches for it in launch.work.scratch}
        for way in alternatives(SCALAR_LOOP)
    ]
    assert names == [{"acc_partials"}] * 2


def test_a_loop_of_independent_iterations_has_runs_or_tiles_of_its_own() -> None:
    load = f"T::load(x.add_offsets(T::arange(0, 1) + (i * a + c)), None, None, {LOAD})"
    store = f"T::store(y.add_offsets(T::arange(0, 1) + (i * a + c)), {load}, None, {STORE});"
    runs, apart = alternatives(f"let c = T::program_id(Axis::X); for i in 0..n {{ {store} }}")
    assert shown([runs, apart]) == ["runs apply", "apply"]
    wide = Division(Number(shapes.WIDEST_ACCESS), ItemSize("D"), is_up=False)
    columns = Named("grid_x")
    assert runs.pays == (
        Equal(left=columns, right=Named("a")),
        Equal(left=Alignment(columns, wide), right=wide),
    )
    assert apart.pays == ()
