"""Stages read as if somebody had written them: their names, their masks, and the comments of the Rust."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, kernel
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
        "    pid = tl.program_id(0)",
        "    c_tiles = tl.cdiv(grid_x, TILE_C)",
        "    c_tile = pid % c_tiles",
        "    share = pid // c_tiles",
        "    # block-axis: a program does TILE_C indices of c.",
        "    c = c_tile * TILE_C + tl.arange(0, TILE_C)[None, :]",
        "    c_mask = c < grid_x",
        "",
        "    # What has been added up so far.",
        "    acc = tl.zeros([TILE_BLOCK, TILE_C], D)",
        "    # split-reduction: the program's share of rows.",
        "    share_start = share * rows_per_share",
        "    share_end = tl.minimum(share_start + rows_per_share, n)",
        "    for rows_start in tl.range(share_start, share_end, TILE_BLOCK, num_stages=4):",
        "        rows = rows_start + tl.arange(0, TILE_BLOCK)[:, None]",
        "        mask = c_mask & (rows < share_end)",
        "        v = tl.load(x + (rows * a + c), mask=mask, other=0.0).to(D)",
        "        acc = acc + v",
        "",
        "    # All lanes in one.",
        "    total = tl.sum(acc, axis=0, keep_dims=True)",
        "",
        "    slot = share * grid_x + c",
        "    tl.store(total_partials + slot, total, mask=c_mask)",
    ]


def test_what_may_not_be_the_identity_beyond_the_end_is_selected() -> None:
    squares = COLUMNS.replace("acc = acc + v;", "acc = acc + v * v;")
    assert "        acc = acc + v * v" in stage(squares, "partial")
    # Zero times an infinity is no zero.
    weighted = squares.replace("acc + v * v;", "acc + v * w;").replace(
        "let zeros", f"let w = T::load(x.add_offsets(at), None, None, {LOAD});\n    let zeros"
    )
    assert "        acc = acc + tl.where(rows_mask, v * w, 0.0)" in stage(weighted, "partial")


def test_partial_results_combined() -> None:
    lines = stage(COLUMNS, "final")
    assert lines[lines.index("    for p_start in range(0, parts, TILE_P):") - 1 :] == [
        "    acc = tl.zeros([TILE_P, TILE_C], D)",
        "    for p_start in range(0, parts, TILE_P):",
        "        p = p_start + tl.arange(0, TILE_P)[:, None]",
        "        mask = c_mask & (p < parts)",
        "        slot = p * grid_x + c",
        "        acc = acc + tl.load(total_partials + slot, mask=mask, other=0.0).to(D)",
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
