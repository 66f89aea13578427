"""Kernels that are no nests, for a tile of programs at a time: their text, their plans, and refusals."""

from __future__ import annotations

import ast
import re

import pytest

from tests.optimise.widening import (
    CENTRED,
    COLUMN_MAX,
    LOOP,
    ROW,
    STORE_TILES,
    TILE,
    ZEROS,
    load,
    reasons,
    rust,
    store,
    update,
)
from tests.properties.nest_runs import optimised
from transpiler.ir.plan_dump import dump_plan
from transpiler.optimise.flags import BLOCK_AXIS


def stage(text: str) -> list[str]:
    """The statements of the stage of `k`."""
    found = re.search(r"^def k__tiled\(.*?\n\):\n(.*?)(?=\n\n\n)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, text
    lines = [line.removeprefix("    ") for line in found[1].splitlines()]
    start = next(at for at, line in enumerate(lines) if line.startswith("# block-axis"))
    return lines[start:]


def planned(body: str, bound: str = "Float") -> str:
    """The plan of a kernel, without the kernels."""
    result = optimised(rust(body, bound))
    plan = result.plans[0].optimised
    assert plan is not None, reasons(result)
    return dump_plan(plan).partition("\n}\n")[0]


# --- Text -----------------------------------------------------------------------------------------


def test_rows_are_a_dimension_in_front() -> None:
    text = optimised(rust(CENTRED)).text
    assert text is not None
    assert stage(text) == [
        "# block-axis: a program does TILE_P indices of p.",
        "p = tl.program_id(0) * TILE_P + tl.arange(0, TILE_P)[:, None]",
        "p_mask = p < grid_x",
        "",
        "o = tl.arange(0, BLOCK)[None, :]",
        "mask = o < n",
        "x = tl.load(x_ptr + (p * n + o), mask=p_mask & mask, other=tl.zeros([1, BLOCK], D)).to(D)",
        "mean = tl.sum(x, axis=1, keep_dims=True) * tl.full([1, 1], 0.5, D)",
        "d = tl.where(mask, x - mean, tl.zeros([1, BLOCK], D))",
        "tl.store(y_ptr + (p * n + o), d * x, mask=p_mask & mask)",
        "tl.store(s_ptr + p, mean, mask=p_mask)",
    ]


def test_columns_are_the_contiguous_dimension() -> None:
    text = optimised(rust(COLUMN_MAX)).text
    assert text is not None
    assert stage(text) == [
        "# block-axis: a program does TILE_P indices of p.",
        "p = tl.program_id(0) * TILE_P + tl.arange(0, TILE_P)[None, :]",
        "p_mask = p < grid_x",
        "",
        "o = tl.arange(0, BLOCK)[:, None]",
        "mask = o < n",
        "x = tl.load(x_ptr + (o * m + p), mask=p_mask & mask, other=tl.zeros([BLOCK, 1], D)).to(D)",
        "tl.store(s_ptr + p, tl.reduce(x, 0, _maximum, keep_dims=True), mask=p_mask)",
    ]


def test_what_has_no_lanes_of_its_own_is_one_dimension() -> None:
    body = f"""let mut state = T::zeros::<D>(&[1]);
    for i in 0..n {{
        let at = T::arange(0, 1) + (i * m + p);
        state = state * state + {load("x", "at")};
        {store("y", "at", "state")}
    }}"""
    text = optimised(rust(body)).text
    assert text is not None
    assert stage(text) == [
        "# block-axis: a program does TILE_P indices of p.",
        "p = tl.program_id(0) * TILE_P + tl.arange(0, TILE_P)",
        "p_mask = p < grid_x",
        "",
        "state = tl.zeros([TILE_P], D)",
        "for i in range(n):",
        "    at = i * m + p",
        "    state = state * state + tl.load(x_ptr + at, mask=p_mask).to(D)",
        "    tl.store(y_ptr + at, state, mask=p_mask)",
    ]


def test_programs_that_return_at_once_are_not_launched() -> None:
    body = f"if p >= m {{ return; }}\n{CENTRED}"
    text = optimised(rust(body)).text
    assert text is not None
    assert stage(text)[2] == "p_mask = p < p_end"
    assert "p_end = min(grid_x, m)" in text
    assert "where 512 >= BLOCK and m >= 1" in planned(body)


def test_a_kernel_that_is_one_branch_is_done_for_the_programs_that_come_to_it() -> None:
    body = f"if m > p {{ {CENTRED} }}"
    text = optimised(rust(body)).text
    assert text is not None
    assert stage(text)[2] == "p_mask = p < p_end"
    assert "p_end = min(grid_x, m)" in text


def test_a_branch_that_programs_decide_is_a_mask() -> None:
    body = f"""{ROW}
    let mut y = x;
    if p == 3 {{ y = y * {load("w", "o", "Some(mask)")}; }} else {{ y = x - y; }}
    {store("y", "p * n + o", "y", "Some(mask)")}"""
    text = optimised(rust(body), ["eviction"]).text
    assert text is not None
    tree = ast.parse("\n".join(stage(text)))
    pointers = "w_ptr + o + tl.zeros([TILE_P, BLOCK], tl.int32)"
    loaded = f"tl.load({pointers}, mask=p_mask & holds & mask).to(D)"
    assert [ast.unparse(it) for it in tree.body][-5:] == [
        "y = x",
        "holds = p == 3",
        f"y = tl.where(holds, y * {loaded}, y)",
        "y = tl.where(~holds, x - y, y)",
        "tl.store(y_ptr + (p * n + o), y, mask=p_mask & mask)",
    ]


def test_what_all_programs_share_is_computed_once() -> None:
    body = f"""{ROW}
    let w = {load("w", "o", "Some(mask)", ZEROS)};
    {store("y", "p * n + o", "x * T::sum(w, Some(0), true)", "Some(mask)")}"""
    text = optimised(rust(body), ["eviction"]).text
    assert text is not None
    assert "w = tl.load(w_ptr + o, mask=mask, other=tl.zeros([1, BLOCK], D)).to(D)" in stage(text)


def test_scans_keep_their_lanes() -> None:
    body = f"{ROW} {store('y', 'p * n + o', 'T::cumsum(x, 0, false)', 'Some(mask)')}"
    text = optimised(rust(body)).text
    assert text is not None
    assert any("tl.cumsum(x, 1)" in line for line in stage(text))


def test_what_programs_add_to_one_element_is_summed_up_before() -> None:
    body = f"{ROW} {update('o', 'x', 'Some(mask)')};"
    text = optimised(rust(body)).text
    assert text is not None
    total = "tl.sum(tl.where(p_mask, x, 0.0), axis=0, keep_dims=True)"
    assert stage(text)[-1] == f"tl.atomic_add(s_ptr + o, {total}, mask=mask)"


def test_pointers_are_as_many_as_lanes_of_their_mask() -> None:
    body = f"""{TILE}
    let mine = o.lt(p);
    let w = {load("w", "o", "Some(mine)", ZEROS)};
    {store("y", "p * n + o", "w", "Some(mask)")}"""
    text = optimised(rust(body)).text
    assert text is not None
    assert any("w_ptr + o + tl.zeros([TILE_P, BLOCK], tl.int32)" in line for line in stage(text))


# --- Numbers of the plan --------------------------------------------------------------------------


def test_short_rows_share_a_tile_of_a_thousand_lanes() -> None:
    assert planned(CENTRED).splitlines()[1:6] == [
        "  variant where 512 >= BLOCK {",
        "    launch k__tiled[cdiv(grid_x, TILE_P), grid_y, grid_z] with 4 warps",
        "      tile TILE_P = min(1024 / BLOCK, power_of_two(grid_x)) of 1, 2, 4, 8, 16, 32, 64 up to grid_x",
        "      tile ALIGN_N = alignment(n, 16)",
        "  }",
    ]


def test_columns_are_at_least_two_sectors() -> None:
    tile = "max(16, min(64, 8192 / BLOCK, power_of_two(cdiv(grid_x, 528))))"
    assert f"tile TILE_P = {tile} of 8, 16, 32, 64, 128 up to grid_x" in planned(COLUMN_MAX)
    assert "where 1024 >= BLOCK" in planned(COLUMN_MAX)


def test_long_rows_are_shared_out_before_tiles_are_made() -> None:
    body = f"""let mut acc = T::full::<D>(&[BLOCK], D::from_f64(1.0));
    {LOOP} acc = acc * acc + {load("x", "p * n + o", "Some(mask)", ZEROS)}; i += BLOCK; }}
    {store("s", "one", "T::max(acc, Some(0), true)")}"""
    tile = "min(1024 / BLOCK, power_of_two(cdiv(grid_x, 528)))"
    assert f"tile TILE_P = {tile} of" in planned(body)


def test_without_the_transform_the_kernel_stays() -> None:
    result = optimised(rust(CENTRED), ["block-axis"])
    assert result.plans[0].optimised is None
    assert BLOCK_AXIS not in {it.transform for it in result.remarks}


# --- Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            f"{ROW} {store('y', 'T::arange(0, 1)', 'T::max(x, Some(0), true)')}",
            "several programs store to one element",
        ),
        (
            f"{ROW} {store('x', 'p * n + o + 1', 'x', 'Some(mask)')}",
            "it loads `x_ptr` elsewhere than where it stores to it",
        ),
        (
            f"{ROW} let old = {update('o', 'x', 'Some(mask)')}; {store('y', 'p * n + o', 'old', 'Some(mask)')}",
            "`atomic_add` updates memory atomically",
        ),
        (
            f"{ROW} {update('o', 'x', 'Some(mask)')}; {store('s', 'p * n + o', 'x', 'Some(mask)')}",
            "what is behind `s_ptr` is updated atomically besides",
        ),
        (
            f"{ROW} if p > 3 {{ return; }} {store('y', 'p * n + o', 'x', 'Some(mask)')}",
            "some programs return here",
        ),
        (
            f"{ROW} if p > 3 {{ {store('y', 'p * n + o / m', 'x', 'Some(mask)')} }}",
            "this may fail, and not all programs come to it",
        ),
        (
            f"{ROW} if p > 3 {{ {store('y', 'o', 'x', 'Some(mask)')} }}",
            "several programs store to one element",
        ),
        (
            f"{ROW} for k in 0..p {{ {store('y', 'p * n + o', 'x', 'Some(mask)')} }}",
            "how often the loop runs is decided by program",
        ),
        (
            f"{TILE} {store('y', 'p * BLOCK + o', load('x', 'p * BLOCK + o', 'Some(mask)'), 'Some(mask)')}",
            "tiles are already parts of longer ones, as long as they are asked for",
        ),
        (
            f"{ROW} {store('y', 'p * n + o % (p + 1)', 'x', 'Some(mask)')}",
            "the divisor differs from program to program",
        ),
        (
            f"{ROW} {store('y', 'p * n + o * 0 + T::num_programs(Axis::X)', 'x', 'Some(mask)')}",
            "the kernel asks how many programs there are",
        ),
        (
            STORE_TILES,
            "tiles have several dimensions",
        ),
    ],
)
def test_a_kernel_that_stays_as_it_is_says_why(body: str, reason: str) -> None:
    result = optimised(rust(body))
    assert result.ok, [it.message for it in result.diagnostics]
    assert reasons(result)[-1] == reason


def test_where_it_does_not_pay_the_kernel_is_launched_with_what_pays_alone() -> None:
    body = f"""let mut acc = T::full::<D>(&[BLOCK], D::from_f64(1.0));
    {LOOP} acc = acc * acc + {load("x", "p * n + o", "Some(mask)", ZEROS)}; i += BLOCK; }}
    let top = T::broadcast_to(T::max(acc, Some(0), true), &[BLOCK]);
    i = 0;
    while i < n {{ let o = T::arange(0, BLOCK) + i; let mask = o.lt(n);
    {store("y", "p * n + o", load("x", "p * n + o", "Some(mask)", ZEROS) + " - top", "Some(mask)")}
    i += BLOCK; }}"""
    assert planned(body).count("launch k__") == 2


def test_columns_that_run_for_long_have_to_be_many() -> None:
    body = f"""let mut acc = T::full::<D>(&[BLOCK], D::from_f64(1.0));
    {LOOP} acc = acc * acc + {load("x", "o * m + p", "Some(mask)", ZEROS)}; i += BLOCK; }}
    {store("s", "one", "T::max(acc, Some(0), true)")}"""
    assert "variant where grid_x >= 512 and 1024 >= BLOCK {" in planned(body)


def test_longer_columns_have_more_warps() -> None:
    assert "with max(4, min(16, BLOCK / 64)) warps" in planned(COLUMN_MAX)
