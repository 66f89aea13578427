"""Rows that are whole numbers of runs: which kernels have them, what their stage is, and when it is launched."""

from __future__ import annotations

import pytest
import torch

from tests.optimise.nests import LOAD, STORE, dumped, kernel, lifted
from tests.optimise.test_align import ROWS, launched, module
from tests.optimise.test_text_of_stages import PLANES, stage
from transpiler.ir.extent import Alignment, Equal, Named, Number
from transpiler.optimise.flags import OptimiseOptions
from transpiler.optimise.launches.runs import InRuns, in_runs
from transpiler.optimise.launches.stages import Spread, Stages
from transpiler.optimise.nests.nest import Nest, dump_nest
from transpiler.pipeline import Options, transpile_source
from transpiler.source import SourceFile

COLUMN = "let c = T::program_id(Axis::X);"
ROW_OF_COLUMNS = "for i in 0..n {{ {} }}"
FOUR = Number(4)
OPTIMISED = Options(optimise=OptimiseOptions(is_on=True))


def load(address: str, pointer: str = "x") -> str:
    return f"T::load({pointer}.add_offsets(T::arange(0, 1) + ({address})), None, None, {LOAD})"


def store(address: str, value: str) -> str:
    return f"T::store(y.add_offsets(T::arange(0, 1) + ({address})), {value}, None, {STORE});"


def columns(address: str, value: str) -> str:
    """A program for each column `c` of `n` rows."""
    return COLUMN + ROW_OF_COLUMNS.format(store(address, value))


def taken_apart(body: str) -> tuple[Nest, InRuns | None]:
    """A kernel in runs of four."""
    nest, symbols = lifted(body)
    (work,) = Stages(nest, symbols, spread=Spread.ALL).works()
    found = in_runs(work, symbols, "k", FOUR)
    if found is not None:
        nest = Nest(kernel=nest.kernel, programs=found.work.programs, items=found.work.items)
    return nest, found


def test_runs_of_all_rows_are_one_axis_and_their_lanes_another() -> None:
    nest, found = taken_apart(columns("i * a + c", load("i * a + c")))
    assert found is not None
    head, flat, *_ = dump_nest(nest).splitlines()
    assert head == "nest k[run < n * k_runs, lane < RUN_K] {"
    assert flat == "  let flat = (run * RUN_K) + lane"
    assert (found.outer.symbol.name, found.inner.symbol.name) == ("i", "c")
    width, _ = found.work.quantities
    assert (width.name, width.value) == ("RUN_K", FOUR)


def test_rows_have_to_follow_one_another_and_to_be_whole_numbers_of_runs() -> None:
    _, found = taken_apart(columns("i * a + c", load("i * a + c")))
    assert found is not None
    columns_of_grid = Named("grid_x")
    assert found.needs == (
        Equal(left=columns_of_grid, right=Named("a")),
        Equal(left=Alignment(columns_of_grid, FOUR), right=FOUR),
    )
    # Where the extent of a loop is what rows are apart, that needs no asking.
    _, found = taken_apart(COLUMN + ROW_OF_COLUMNS.format(store("c * n + i", load("c * n + i"))))
    assert found is not None
    assert found.needs == (Equal(left=Alignment(Named("n"), FOUR), right=FOUR),)


@pytest.mark.parametrize(
    ("value", "rereads"),
    [(load("i * a + c"), False), (load("i"), False), (load("c"), True)],
    ids=["each its own", "one a row", "one a column"],
)
def test_what_all_rows_have_is_loaded_again_for_each(value: str, *, rereads: bool) -> None:
    _, found = taken_apart(columns("i * a + c", value))
    assert found is not None
    assert found.rereads == rereads


@pytest.mark.parametrize(
    "body",
    [
        columns("i * a * b + c", load("i")),
        columns("i * a + c * 2", load("i")),
        columns("i * a + c", load("c * n + i")),
        columns("c", load("i * a + c")),
        columns("i * a + c", load("i * b + c")),
        COLUMN
        + f"for i in 0..n {{ let mut sum = T::zeros::<D>(&[1]); for k in 0..b {{ sum = sum + {load('k * a + c')}; }}"
        + f"{store('i * a + c', 'sum')} }}",
    ],
    ids=[
        "rows apart by more than one number",
        "every other",
        "transposed",
        "stored once a column",
        "rows of two lengths",
        "reduced inside",
    ],
)
def test_other_rows_have_no_runs(body: str) -> None:
    assert dumped(body)
    assert taken_apart(body)[1] is None


def test_every_loop_that_may_is_spread_and_begins_where_it_did() -> None:
    at = "k * b * n + c * n + i"
    body = (
        COLUMN + f"for k in 2..a {{ for i in 0..n {{ {store(at, load(at) + ' + ' + load(at))} }} }}"
    )
    lines = stage(body, "runs")
    assert "    k_ = pid // run_tiles" in lines
    assert "(2 + k_) * b * n + flat" in " ".join(lines)
    assert not any(it.lstrip().startswith("for ") for it in lines)


def test_the_stage_divides_runs_and_not_lanes() -> None:
    lines = stage(PLANES, "runs")
    assert lines[lines.index("    lane = tl.arange(0, RUN_AT)[None, :]") :] == [
        "    lane = tl.arange(0, RUN_AT)[None, :]",
        "    # collapse-axes: a run is RUN_AT neighbouring at of one c.",
        "    # block-axis: a program does TILE_RUN indices of run.",
        "    run = run_tile * TILE_RUN + tl.arange(0, TILE_RUN)[:, None]",
        "    run_mask = run < grid_x * at_runs",
        "",
        "    flat = run * RUN_AT + lane",
        "    c = run // at_runs",
        "    bias = tl.load(x + c, mask=run_mask).to(D)",
        "    v = tl.load(y + (image * a * n + flat), mask=run_mask).to(D)",
        "    tl.store(y + (image * a * n + flat), v + bias, mask=run_mask)",
    ]


def test_a_kernel_may_have_an_extent_of_that_name() -> None:
    rust = kernel(PLANES).replace("const BLOCK: i32", "const BLOCK: i32, const RUN_AT: i32")
    text = transpile_source(SourceFile("k.rs", rust), OPTIMISED).text
    assert text is not None
    assert "    flat = run * RUN_AT_ + lane" in text.splitlines()


BY_COLUMN = columns("i * a + c", load("i * a + c") + " * " + load("c"))


@pytest.mark.parametrize(
    ("body", "row", "dtype", "name"),
    [
        # Sixteen bytes are a run; rows are whole numbers of them, or share lanes otherwise, or have tiles of their own.
        (ROWS, 12, torch.float32, "k__runs"),
        (ROWS, 14, torch.float32, "k__flat"),
        (ROWS, 1400, torch.float32, "k__runs"),
        (ROWS, 1402, torch.float32, "k__tiled"),
        (ROWS, 12, torch.bfloat16, "k__flat"),
        (ROWS, 24, torch.bfloat16, "k__runs"),
        (ROWS, 6, torch.float64, "k__runs"),
        (ROWS, 1024, torch.float32, "k__runs"),
        (ROWS, 1024, torch.bfloat16, "k__runs"),
        # What all rows have is loaded again for each: halves gain by that where tiles of rows have idle lanes.
        (BY_COLUMN, 1024, torch.float32, "k__runs"),
        (BY_COLUMN, 1024, torch.bfloat16, "k__tiled"),
        (BY_COLUMN, 1000, torch.bfloat16, "k__runs"),
        (BY_COLUMN, 64, torch.float16, "k__tiled"),
        (BY_COLUMN, 72, torch.float16, "k__runs"),
        (BY_COLUMN, 75, torch.float32, "k__tiled"),
    ],
)
def test_a_launch_has_runs_where_they_pay(
    body: str, row: int, dtype: torch.dtype, name: str
) -> None:
    grid = (row,) if body is BY_COLUMN else (33,)
    (found,) = launched(module(body), grid, dtype, a=row, n=33)
    assert found.function.fn.__name__ == name


def test_rows_that_do_not_follow_one_another_have_none() -> None:
    (found,) = launched(module(BY_COLUMN), (1000,), a=1004, n=33)
    assert found.function.fn.__name__ == "k__tiled"


@pytest.mark.parametrize("off", ["collapse-axes", "spread-loop"])
def test_without_its_transforms_there_are_none(off: str) -> None:
    assert not hasattr(module(BY_COLUMN, off), "k__runs")
