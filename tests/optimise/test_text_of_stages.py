"""Stages read as if somebody had written them: their names, their masks, and the comments of the Rust."""

from __future__ import annotations

import re

import pytest

from tests.optimise.nests import LOAD, STORE, kernel
from transpiler.optimise.documentation import documentation
from transpiler.optimise.flags import OptimiseOptions
from transpiler.pipeline import Options, transpile_source
from transpiler.source import SourceFile

COLUMNS = f"""
    let c = T::program_id(Axis::X);
    let at = T::arange(0, 1) + c;
    let zeros = T::zeros::<D>(&[BLOCK]);

    // What has been added up so far.
    let mut acc = zeros;
    let mut s: i32 = 0;
    while s < n {{
        let rows = T::arange(0, BLOCK) + s;
        let mask = rows.lt(n);
        let v = T::load(x.add_offsets(rows * a + c), Some(mask), Some(zeros), {LOAD});
        acc = acc + v;
        s += BLOCK;
    }}

    // All lanes in one.
    let total = T::sum(acc, None, true);
    T::store(y.add_offsets(at), total, None, {STORE});
"""
PLANES = f"""
    let c = T::program_id(Axis::X);
    let image = T::program_id(Axis::Y);
    let bias = T::load(x.add_offsets(T::arange(0, 1) + c), None, None, {LOAD});
    let mut s: i32 = 0;
    while s < n {{
        let at = T::arange(0, BLOCK) + s;
        let mask = at.lt(n);
        let plane = image * a * n + c * n;
        let v = T::load(y.add_offsets(at + plane), Some(mask), None, {LOAD});
        T::store(y.add_offsets(at + plane), v + T::broadcast_to(bias, &[BLOCK]), Some(mask), {STORE});
        s += BLOCK;
    }}
"""


def stage(body: str, name: str) -> list[str]:
    """The lines of a stage of a kernel with this body, those of its head left out."""
    source = SourceFile("k.rs", kernel(body))
    result = transpile_source(source, Options(optimise=OptimiseOptions(is_on=True)))
    assert result.text is not None, result.diagnostics
    _, _, found = result.text.partition(f"\ndef k__{name}(")
    text, _, _ = found.partition("\n\n\n")
    _, _, statements = text.partition("    )\n\n")
    return statements.rstrip().splitlines()


def test_a_share_of_a_reduction() -> None:
    assert stage(COLUMNS, "partial") == [
        "    # align: a launch finds what these are multiples of, so that accesses are wide.",
        "    a = (a // ALIGN_A) * ALIGN_A",
        "    grid_x = (grid_x // ALIGN_GRID_X) * ALIGN_GRID_X",
        "",
        "    pid = tl.program_id(0)",
        "    c_tiles = tl.cdiv(grid_x, TILE_C)",
        "    c_tile = pid % c_tiles",
        "    share = pid // c_tiles",
        "    # block-axis: a program does TILE_C indices of c.",
        "    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]",
        "    c_mask = c < grid_x",
        "    # split-reduction: the program's share of rows.",
        "    share_start = share * rows_per_share",
        "    share_end = tl.minimum(share_start + rows_per_share, n)",
        "",
        "    # What has been added up so far.",
        "    acc = tl.zeros([TILE_ROWS, TILE_C], D)",
        "    for rows_start in tl.range(",
        "        share_start, share_end, TILE_ROWS, num_stages=4 if ALIGN_A > 1 and ALIGN_GRID_X > 1 else 1",
        "    ):",
        "        rows = rows_start + tl.arange(0, TILE_ROWS)[:, None]",
        "        mask = c_mask & (rows < share_end)",
        "        v = tl.load(x + (rows * a + c), mask=mask, other=0.0).to(D)",
        "        acc += v",
        "",
        "    # All lanes in one.",
        "    total = tl.sum(acc, axis=0, keep_dims=True)",
        "",
        "    slot = share * grid_x + c",
        "    tl.store(total_partials + slot, total, mask=c_mask)",
    ]


def test_what_may_not_be_the_identity_beyond_the_end_is_selected() -> None:
    squares = COLUMNS.replace("acc = acc + v;", "acc = acc + v * v;")
    assert "        acc += v * v" in stage(squares, "partial")
    # Zero times an infinity is no zero.
    weighted = squares.replace("acc + v * v;", "acc + v * w;").replace(
        "let zeros", f"let w = T::load(x.add_offsets(at), None, None, {LOAD});\n    let zeros"
    )
    assert "        acc += tl.where(rows_mask, v * w, 0.0)" in stage(weighted, "partial")


def test_partial_results_combined() -> None:
    lines = stage(COLUMNS, "final")
    assert lines[lines.index("    for part_start in range(0, parts, TILE_PART):") - 1 :] == [
        "    acc = tl.zeros([TILE_PART, TILE_C], D)",
        "    for part_start in range(0, parts, TILE_PART):",
        "        part = part_start + tl.arange(0, TILE_PART)[:, None]",
        "        mask = c_mask & (part < parts)",
        "        slot = part * grid_x + c",
        "        acc += tl.load(total_partials + slot, mask=mask, other=0.0)",
        "",
        "    # All lanes in one.",
        "    total = tl.sum(acc, axis=0, keep_dims=True)",
        "    tl.store(y + c, total, mask=c_mask)",
    ]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "flat",
            [
                "    flat_tiles = tl.cdiv(grid_x * n, TILE_FLAT)",
                "    image_tile = pid // flat_tiles",
                "    # collapse-axes: flat counts all at of each c.",
                "    c = flat // n",
            ],
        ),
        (
            "tiled",
            [
                "    c = (pid // at_tiles) % grid_x",
                "    image_tile = pid // (at_tiles * grid_x)",
                "    mask = (at < n) & (image < grid_y)",
            ],
        ),
    ],
)
def test_the_place_of_a_program(name: str, lines: list[str]) -> None:
    found = stage(PLANES, name)
    assert [line for line in found if line in lines] == lines


def test_a_loop_that_leaves_nothing_behind_is_no_launch() -> None:
    loop = PLANES[PLANES.index("    let mut s") : PLANES.index("        T::store")]
    body = COLUMNS + loop.replace("image", "c").replace("y.add", "x.add") + "s += BLOCK; }\n"
    assert stage(body, "final") == stage(COLUMNS, "final")


def test_where_nothing_is_stored_there_is_no_stage() -> None:
    body = PLANES[: PLANES.index("        T::store")] + "        s += BLOCK;\n    }\n"
    assert stage(body, "tiled") == []


def test_comments_above_paragraphs_stay_where_some_of_these_go() -> None:
    body = COLUMNS.replace("    let zeros", "\n    // Zeros, to which all is added.\n    let zeros")
    body = body.replace("\n\n    // What has been added up so far.\n", "\n")
    body = body.replace(
        "    T::store(y", "\n    // What is left.\n    let again = at;\n    T::store(y"
    )
    lines = stage(body, "whole")
    assert lines[lines.index("    # Zeros, to which all is added.") + 1].startswith("    acc = ")
    assert lines[lines.index("    # What is left.") - 1 :] == [
        "",
        "    # What is left.",
        "    tl.store(y + c, total, mask=c_mask)",
    ]


def test_comments_on_the_index_of_an_axis_stay_with_the_kernel_as_written() -> None:
    body = COLUMNS.replace("    let c =", "    // One program a column.\n    let c =")
    assert not any("One program" in line for line in stage(body, "whole"))


ROWS = f"""
    let row = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);

    // The squares of a row.
    let mut acc = zeros;
    let mut s: i32 = 0;
    while s < n {{
        let cols = T::arange(0, BLOCK) + s;
        let v = T::load(x.add_offsets(cols + row * n), Some(cols.lt(n)), None, {LOAD});
        acc = acc + T::where_(cols.lt(n), v * v, zeros);
        s += BLOCK;
    }}
    T::store(y.add_offsets(T::arange(0, 1) + row), T::sum(acc, None, true), None, {STORE});
"""


def test_what_is_combined_once_is_combined_with_nothing() -> None:
    assert stage(ROWS, "partial")[-7:] == [
        "",
        "    # The squares of a row.",
        "    v = tl.load(x + (cols + row * n), mask=cols_mask, other=0.0).to(D)",
        "    acc = tl.sum(v * v)",
        "",
        "    slot = cols_tile * grid_x + row",
        "    tl.store(acc_partials + slot, acc)",
    ]


def test_what_is_stored_after_it_is_combined_keeps_its_variable() -> None:
    store = f"T::store(x.add_offsets(cols + row * n), v, Some(cols.lt(n)), {STORE});"
    body = ROWS.replace("        s += BLOCK", f"        {store}\n        s += BLOCK")
    lines = stage(body, "partial")
    assert "    acc = tl.zeros([TILE_COLS], D)" in lines
    assert "    acc += v * v" in lines


def test_what_selects_the_identity_selects_it_beyond_the_end_too() -> None:
    body = (
        COLUMNS.replace("Some(zeros)", "None")
        .replace(
            "acc + v;",
            "acc + T::where_(mask, T::where_(v.lt(w), v * w, T::zeros::<D>(&[BLOCK])), zeros);",
        )
        .replace(
            "let zeros", f"let w = T::load(x.add_offsets(at), None, None, {LOAD});\n    let zeros"
        )
    )
    assert "        acc += tl.where(rows_mask & (v < w), v * w, 0.0)" in stage(body, "partial")


def test_loops_that_are_shared_out_alike_share_their_numbers() -> None:
    again = COLUMNS[COLUMNS.index("    // What") : COLUMNS.index("    T::store(y")]
    for name in ("acc", "s", "total", "rows"):
        again = re.sub(rf"\b{name}\b", f"{name}_again", again)
    again = again.replace("+ v;", "+ v * total;")
    body = COLUMNS.replace("    T::store(y", f"{again}    T::store(y").replace(
        "total, None, &", "total_again, None, &"
    )
    lines = stage(body, "partial_2")
    assert "    share_start = share * rows_per_share" in lines
    assert "    for part_start in range(0, parts, TILE_PART):" in stage(body, "final_2")


def test_numbers_are_cast_once() -> None:
    mean = (
        "total * T::cast::<f32, D>(T::full::<f32>(&[1], 1.0f32 / (n as f32)), None, false)"
        " / T::cast::<i32, D>(T::full::<i32>(&[1], a), None, false)"
    )
    lines = stage(COLUMNS.replace("total, None", f"{mean}, None"), "whole")
    value = "total * (1.0 / tl.cast(n, tl.float32)).to(D) / tl.cast(a, D)"
    assert lines[-1] == f"    tl.store(y + c, {value}, mask=c_mask)"


def test_the_first_element_is_where_the_pointer_is() -> None:
    body = ROWS.replace("T::program_id(Axis::X)", "0").replace(" + row)", ")")
    assert stage(body, "final")[-1] == "    tl.store(y, acc)"


@pytest.mark.parametrize(
    ("extent", "tile"),
    [("BLOCK_N", "TILE_N"), ("BLOCK_SIZE", "TILE_ROWS"), ("BLOCK_C", "TILE_ROWS")],
)
def test_tiles_are_called_by_what_the_kernel_calls_its_own(extent: str, tile: str) -> None:
    rust = kernel(COLUMNS).replace("BLOCK", extent)
    result = transpile_source(
        SourceFile("k.rs", rust), Options(optimise=OptimiseOptions(is_on=True))
    )
    assert result.text is not None
    name = tile.removeprefix("TILE_").lower()
    assert f"        rows = {name}_start + tl.arange(0, {tile})[:, None]" in result.text


def test_no_dtype_is_passed_that_nothing_is_of() -> None:
    body = COLUMNS.replace("zeros::<D>", "zeros::<f32>").replace("Some(zeros)", "None")
    cast = "T::cast::<D, f32>(v, None, false)"
    body = body.replace("acc + v;", f"acc + T::where_(mask, {cast}, zeros);")
    rust = kernel(body).replace("y: T::Pointer<D>", "y: T::Pointer<f32>")
    result = transpile_source(
        SourceFile("k.rs", rust), Options(optimise=OptimiseOptions(is_on=True))
    )
    assert result.text is not None
    (plan,) = (it.optimised for it in result.plans)
    assert plan is not None
    final = plan.variants[-1].stages[-1].kernel
    assert final.name == "k__final"
    assert final.dtype_parameters == ()


WINDOWS = f"""
    let c = T::program_id(Axis::X);
    for i in 0..n {{
        let mut acc = T::zeros::<D>(&[1]);
        for k in 0..b {{
            let row = T::arange(0, 1) * 0 + (k - 1);
            let inside = row.ge(0) & row.lt(n);
            let v = T::load(x.add_offsets((i * b + row) * a + c), Some(inside), Some(T::zeros::<D>(&[1])), {LOAD});
            acc = acc + v;
        }}
        T::store(y.add_offsets(T::arange(0, 1) + (i * a + c)), acc, None, {STORE});
    }}
"""


@pytest.mark.parametrize(
    ("condition", "mask"),
    [
        ("row.ge(0) & row.lt(n)", "mask=tl.where((row >= 0) & (row < n), mask, False)"),
        (
            "row.ge(0) & T::arange(0, 1).lt(c)",
            "mask=tl.where(row >= 0, mask & (0 < c), False)",
        ),
        (
            "row.ge(0) | T::arange(0, 1).lt(c)",
            "mask=mask & tl.where(row >= 0, True, 0 < c)",
        ),
    ],
)
def test_what_a_mask_says_of_all_lanes_at_once_chooses(condition: str, mask: str) -> None:
    # Triton's interpreter refuses the integers that it makes of such a condition among lanes.
    lines = stage(WINDOWS.replace("row.ge(0) & row.lt(n)", condition), "tiled")
    assert "        row = k_ - 1" in lines
    assert any(f" {mask}," in line for line in lines), lines


def test_a_number_for_each_lane_that_a_loop_has_made_keeps_its_name() -> None:
    lines = stage(WINDOWS, "tiled")
    assert lines[lines.index("        acc += v") + 1 :] == [
        "    tl.store(y + (i * a + c), acc, mask=mask)"
    ]


def test_what_is_said_of_a_launch_fits_into_lines() -> None:
    lines = documentation(" ".join(["Each program reduces a part of something."] * 5), "k", 2, 3)
    assert max(map(len, lines)) <= 90
    assert lines[-2:] == ("", "Launch 2 of 3 in the place of `k`.")
    assert documentation("It computes.", "k") == (
        "It computes.",
        "",
        "Launched in the place of `k`.",
    )


def test_the_head_of_a_module_says_where_its_stages_come_from() -> None:
    source = SourceFile("k.rs", kernel(COLUMNS))
    plain = transpile_source(source).text
    result = transpile_source(source, Options(optimise=OptimiseOptions(is_on=True)))
    assert plain is not None
    assert result.text is not None
    assert "_plan_<kernel>" not in plain
    assert "\n# kernels <kernel>__<what they do>, made by " in result.text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # What is a literal alone is of f32 in Triton, and of i32.
        (
            "T::where_(v.gt(T::zeros::<D>(&[1])), {0.1}, {0.7})",
            "tl.where(v > 0.0, tl.full([], 0.1, D), tl.full([], 0.7, D))",
        ),
        ("T::where_(v.gt(T::zeros::<D>(&[1])), {1.0}, {0.0})", "tl.where(v > 0.0, 1.0, 0.0)"),
        ("v * T::exp({0.5})", "v * tl.exp(tl.full([], 0.5, D))"),
        ("T::maximum(v, {0.1})", "tl.maximum(v, 0.1, propagate_nan=tl.PropagateNan.ALL)"),
        # Python's floats convert nothing.
        (
            "v * T::cast::<f32, D>(T::full::<f32>(&[1], 0.1_f32), None, false)",
            "v * 0.10000000149011612",
        ),
        ("v * T::cast::<i32, D>(T::full::<i32>(&[1], 3), None, false)", "v * 3.0"),
        (
            "v * T::cast::<i32, D>(T::full::<i32>(&[1], 70000), None, false)",
            "v * tl.full([], 70000, tl.int32).to(D)",
        ),
    ],
)
def test_literals_have_the_dtype_they_had(value: str, text: str) -> None:
    for number in ("0.0", "0.1", "0.5", "0.7", "1.0"):
        value = value.replace(f"{{{number}}}", f"T::full::<D>(&[1], D::from_f64({number}))")
    body = f"""
    let c = T::program_id(Axis::X);
    for i in 0..n {{
        let at = T::arange(0, 1) + (i * a + c);
        let v = T::load(x.add_offsets(at), None, None, {LOAD});
        T::store(y.add_offsets(at), {value}, None, {STORE});
    }}
    """
    assert f" {text}, mask=mask)" in " ".join(line.strip() for line in stage(body, "tiled"))


def test_bytes_stay_bytes_in_a_loop_that_adds_literals() -> None:
    # A variable of Triton's loops may not change its dtype.
    value = "T::where_(v.gt(0), T::full::<i8>(&[1], 1), T::full::<i8>(&[1], -1))"
    body = COLUMNS.replace("D>", "i8>").replace("acc + v", "acc + T::where_(mask, V, zeros)")
    body = body.replace("V", value.replace("&[1]", "&[BLOCK]"))
    rust = kernel(body).replace("D: Float, ", "").replace("T::Pointer<D>", "T::Pointer<i8>")
    result = transpile_source(
        SourceFile("k.rs", rust), Options(optimise=OptimiseOptions(is_on=True))
    )
    assert result.text is not None
    assert "tl.where(v > 0, tl.full([], 1, tl.int8), tl.full([], -1, tl.int8))" in result.text
