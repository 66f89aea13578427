"""Which variants plans have, and what their launchers ask to choose one."""

from __future__ import annotations

import re

from tests.optimise.nests import COLUMN_SUM, LOAD, SCALAR_LOOP, STORE, kernel
from tests.properties.nest_runs import optimised


def variants(body: str) -> list[tuple[str, ...]]:
    """For each variant what it is asked for, then the stages: each by what stands behind the name of the kernel."""
    result = optimised(kernel(body))
    assert result.text is not None, [it.message for it in result.diagnostics]
    (plan,) = (it.optimised for it in result.plans)
    assert plan is not None
    text = result.text[result.text.index("def _plan_k(") :].partition("\n\n\n")[0]
    found = re.findall(r"^    if ([^:]*):\n        (?!return None)", text, re.MULTILINE)
    asked = [re.sub(r"(?<=\() | (?=\))", "", " ".join(it.split())) for it in found]
    # The numbers are measured, and no matter here.
    conditions = [
        re.sub(r"\b\d+ \* | \d+\b(?! \*)|max\(\d+, (.*?)\)(?= >=)", r"\1", it) for it in asked
    ]
    conditions += [""] * (len(plan.variants) - len(asked))
    return [
        (condition, *(it.kernel.name.removeprefix("k__") for it in variant.stages))
        for condition, variant in zip(conditions, plan.variants, strict=True)
    ]


def test_columns_with_few_rows_to_each_need_one_launch() -> None:
    assert variants(COLUMN_SUM) == [("grid_x >= n", "whole"), ("", "partial", "final")]


def test_short_planes_share_lanes() -> None:
    assert variants(SCALAR_LOOP) == [
        ("b <", "flat_partial", "flat_final"),
        ("", "partial", "final"),
    ]


ROWS = f"""
    let row = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut sums = zeros;
    let mut s: i32 = 0;
    while s < n {{
        let i = T::arange(0, BLOCK) + s;
        let mask = i.lt(n);
        sums = sums + T::load(x.add_offsets(i + row * n), Some(mask), Some(zeros), {LOAD});
        s += BLOCK;
    }}
    let total = T::sum(sums, None, true);
    s = 0;
    while s < n {{
        let i = T::arange(0, BLOCK) + s;
        let mask = i.lt(n);
        let v = T::load(x.add_offsets(i + row * n), Some(mask), None, {LOAD});
        T::store(y.add_offsets(i + row * n), v / total, Some(mask), {STORE});
        s += BLOCK;
    }}
"""


def test_short_rows_need_one_launch_and_long_ones_stay_as_written_where_programs_are_enough() -> (
    None
):
    misaligned = "_alignment(grid_x * n, // D.itemsize) >= _alignment(n, // D.itemsize)"
    assert variants(ROWS) == [
        ("n <", "whole"),
        (
            f"((n < or {misaligned}) and grid_x < and n >= BLOCK)",
            *("flat_partial", "flat_final", "flat_apply"),
        ),
        ("grid_x < and n >= BLOCK", "partial", "final", "apply"),
    ]


def test_partial_results_alone_are_no_reason_to_share_lanes() -> None:
    """They lie one behind the other along both axes of the grid, whatever the tensors do."""
    load = f"T::load(x.add_offsets(T::arange(0, 1) + ((d * n + i) * a + c)), None, None, {LOAD})"
    twice = f"""
    let c = T::program_id(Axis::X);
    let d = T::program_id(Axis::Y);
    let mut sum = T::zeros::<D>(&[1]);
    for i in 0..n {{ sum = sum + {load}; }}
    let mut squares = T::zeros::<D>(&[1]);
    for i in 0..n {{ squares = squares + ({load} - sum) * ({load} - sum); }}
    T::store(y.add_offsets(T::arange(0, 1) + (d * a + c)), squares, None, {STORE});
    """
    assert [stages for _, *stages in variants(twice)] == [
        ["whole"],
        ["partial", "final", "partial_2", "final_2"],
    ]


def test_a_grid_of_one_program_is_asked_for_tiles_enough() -> None:
    body = ROWS.replace("let row = T::program_id(Axis::X);", "let row = 0;")
    assert variants(body) == [("n >= BLOCK", "partial", "final", "apply")]


LOADED = f"T::load(x.add_offsets(T::arange(0, 1) + ((c * n + i) * b + d)), None, None, {LOAD})"
SUM = f"""
    let mut sum = T::zeros::<D>(&[1]);
    for i in 0..n {{ sum = sum + {LOADED}; }}
    T::store(y.add_offsets(T::arange(0, 1) + (c * b + d)), sum, None, {STORE});
"""


def test_what_is_asked_is_said_in_terms_of_the_grid() -> None:
    digits = "let pid = T::program_id(Axis::X); let d = pid / a; let c = pid % a;"
    assert [asked for asked, *_ in variants(digits + SUM)] == ["a * (grid_x // a) >= n", ""]
    guard = "let d = T::program_id(Axis::X); let c = T::program_id(Axis::Y); if d >= b { return; }"
    assert [asked for asked, *_ in variants(guard + SUM)] == ["min(grid_x, b) * grid_y >= n", ""]
