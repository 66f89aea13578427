"""Kernels that are no nests, for a tile of programs at a time: their text, refusals, and results."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.properties.nest_launches import Memory, NestKernel, NestLaunch
from tests.properties.nest_runs import Nests, Tiling, optimised, shown, spoiling_interpreter
from transpiler.ir.plan_dump import dump_plan
from transpiler.optimise.flags import BLOCK_AXIS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.pipeline import Result

LOAD = "T::load({}_ptr.add_offsets({}), {}, {}, &[], None, None, None, false)"
ZEROS = "Some(T::zeros::<D>(&[BLOCK]))"


def load(pointer: str, offsets: str, mask: str = "None", fill: str = "None") -> str:
    """A load."""
    return LOAD.format(pointer, offsets, mask, fill)


def store(pointer: str, offsets: str, value: str, mask: str = "None") -> str:
    """A store."""
    return f"T::store({pointer}_ptr.add_offsets({offsets}), {value}, {mask}, &[], None, None);"


def update(offsets: str, value: str, mask: str = "None") -> str:
    """An atomic sum."""
    return f"T::atomic_add(s_ptr.add_offsets({offsets}), {value}, {mask}, None, None)"


def rust(body: str, bound: str = "Float") -> str:
    """A kernel of these statements: pointers `x_ptr`, `w_ptr`, `y_ptr`, `s_ptr`, and a program for each `p`."""
    return (
        f"#[kernel]\npub fn k<T: Triton, D: {bound}, const BLOCK: i32>(x_ptr: T::Pointer<D>, "
        "w_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, s_ptr: T::Pointer<D>, n: i32, m: i32) {\n"
        f"let p = T::program_id(Axis::X);\nlet one = T::arange(0, 1) + p;\n{body}\n}}\n"
    )


STORE_TILES = f"""let t = T::expand_dims(T::arange(0, BLOCK), 0) + T::expand_dims(T::arange(0, BLOCK), 1) * n + p;
let x = {load("x", "t")}; {store("y", "t", "x")}"""
TILE = "let o = T::arange(0, BLOCK); let mask = o.lt(n);"
ROW = f"{TILE} let x = {load('x', 'p * n + o', 'Some(mask)', ZEROS)};"
COLUMN = f"{TILE} let x = {load('x', 'o * m + p', 'Some(mask)', ZEROS)};"
LOOP = "let mut i: i32 = 0; while i < n { let o = T::arange(0, BLOCK) + i; let mask = o.lt(n);"

CENTRED = f"""{ROW}
let mean = T::sum(x, Some(0), true) * T::full::<D>(&[1], D::from_f64(0.5));
let d = T::where_(mask, x - T::broadcast_to(mean, &[BLOCK]), T::zeros::<D>(&[BLOCK]));
{store("y", "p * n + o", "d * x", "Some(mask)")}
{store("s", "one", "mean")}"""

COLUMN_MAX = f"""{COLUMN}
{store("s", "one", "T::max(x, Some(0), true)")}"""


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


def reasons(result: Result) -> list[str]:
    """Why a transform over an axis of the grid was not applied."""
    return [it.message for it in result.remarks if it.transform is BLOCK_AXIS and not it.is_applied]


# --- Text -----------------------------------------------------------------------------------------


def test_rows_are_a_dimension_in_front() -> None:
    text = optimised(rust(CENTRED)).text
    assert text is not None
    assert stage(text) == [
        "# block-axis: a program does TILE_P indices of p.",
        "p = tl.program_id(0) * TILE_P + tl.arange(0, TILE_P)[:, None]",
        "p_mask = p < grid_x",
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
    assert planned(CENTRED).splitlines()[1:5] == [
        "  variant where 512 >= BLOCK {",
        "    launch k__tiled[cdiv(grid_x, TILE_P), grid_y, grid_z] with 4 warps",
        "      tile TILE_P = min(1024 / BLOCK, power_of_two(grid_x)) of 1, 2, 4, 8, 16, 32, 64 up to grid_x",
        "  }",
    ]


def test_columns_are_at_least_a_sector() -> None:
    tile = "min(64, 8192 / BLOCK, max(8, power_of_two(cdiv(grid_x, 528))))"
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
            f"{ROW} if p > 3 {{ {store('y', 'p * n + o', 'x', 'Some(mask)')} }}",
            "a branch is decided by program",
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
    assert reasons(result) == [reason]


def test_where_it_does_not_pay_the_kernel_is_launched_with_what_pays_alone() -> None:
    body = f"""let mut acc = T::full::<D>(&[BLOCK], D::from_f64(1.0));
    {LOOP} acc = acc * acc + {load("x", "p * n + o", "Some(mask)", ZEROS)}; i += BLOCK; }}
    let top = T::broadcast_to(T::max(acc, Some(0), true), &[BLOCK]);
    i = 0;
    while i < n {{ let o = T::arange(0, BLOCK) + i; let mask = o.lt(n);
    {store("y", "p * n + o", load("x", "p * n + o", "Some(mask)", ZEROS) + " - top", "Some(mask)")}
    i += BLOCK; }}"""
    assert planned(body).count("launch k__") == 2


# --- Results --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A kernel, by its statements; Triton's interpreter has no atomic updates of bf16."""

    name: str
    body: str
    bound: str = "Num"
    is_atomic: bool = False


CASES = (
    Case(name="rows", body=CENTRED, bound="Float"),
    Case(name="columns", body=COLUMN_MAX),
    Case(name="guarded_rows", body=f"if p >= m {{ return; }} {CENTRED}", bound="Float"),
    Case(
        name="rows_without_masks",
        body=f"""let o = T::arange(0, BLOCK); let x = {load("x", "p * 16 + o")};
        {store("y", "p * 16 + o", "x - T::broadcast_to(T::min(x, Some(0), true), &[BLOCK])")}""",
    ),
    Case(
        name="in_place",
        body=f"{ROW} {store('x', 'p * n + o', 'x - T::max(x, None, false)', 'Some(mask)')}",
    ),
    Case(
        name="in_place_in_columns",
        body=f"{COLUMN} {store('x', 'o * m + p', 'x - T::max(x, None, false)', 'Some(mask)')}",
    ),
    Case(
        name="a_number_for_each_program",
        body=f"""{ROW} let w = {load("w", "one")};
        {store("y", "p * n + o", "x * T::broadcast_to(w, &[BLOCK])", "Some(mask)")}""",
    ),
    Case(
        name="rows_that_lie_apart",
        body=f"""{TILE} let x = {load("x", "p * (n + 3) + o", "Some(mask)", ZEROS)};
        {store("y", "p * (n + 1) + o", "T::cumsum(x, 0, false)", "Some(mask)")}""",
    ),
    Case(
        name="lengths_of_programs",
        body=f"""{TILE} let mine = o.lt(p % 7);
        let w = {load("w", "o", "Some(mine)", ZEROS)}; let x = {load("x", "p * n + o", "Some(mine)", ZEROS)};
        {store("y", "p * n + o", "x + w", "Some(mask)")} {store("s", "one", "T::sum(x * w, None, true)")}""",
    ),
    Case(
        name="carried_through_loops",
        body=f"""let mut acc = T::full::<D>(&[BLOCK], D::from_f64(1.0)); let mut k: i32 = 0;
        {LOOP} acc = T::where_(mask, {load("x", "p * n + o", "Some(mask)", ZEROS)} - acc, acc);
        i += BLOCK; k += 1; }}
        {store("s", "one", "T::max(acc, Some(0), true) + T::full::<D>(&[1], D::from_f64(2.0))")}""",
        bound="Float",
    ),
    Case(
        name="a_prefix_of_columns",
        body=f"""let mut state = T::zeros::<D>(&[1]);
        for i in 0..n {{ let at = T::arange(0, 1) + (i * m + p);
        state = T::maximum(state, {load("x", "at")} - state); {store("y", "at", "state")} }}""",
    ),
    Case(
        name="where_the_largest_stands",
        body=f"""{ROW} let at = T::argmax(x, 0, true, true);
        {store("s", "one", "T::cast::<i32, D>(at, None, false)")}""",
    ),
    Case(
        name="updates_of_all_programs",
        body=f"""{ROW} {update("o", "x", "Some(mask)")};
        {update("T::arange(0, 1) + 20", "T::sum(x, Some(0), true)")};
        {update("T::arange(0, 1) + 22", "T::full::<D>(&[1], D::from_f64(1.0))")};""",
        bound="Float",
        is_atomic=True,
    ),
    Case(
        name="updates_by_programs_of_their_own",
        body=f"""{TILE} let mine = o.lt(p % 7); let x = {load("x", "p * n + o", "Some(mine)", ZEROS)};
        {update("o", "x", "Some(mine)")}; {update("p % 3 + T::arange(0, 1) + 20", load("w", "one"))};""",
        bound="Float",
        is_atomic=True,
    ),
    Case(
        name="numbers_of_programs",
        body=f"""{ROW} let low = p & 3; let high = (p >> 1) as f32;
        let scale = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], high * 0.5), None, false);
        let low = T::cast::<i32, D>(T::full::<i32>(&[BLOCK], low), None, false);
        {store("y", "p * n + o", "x * scale + low", "Some(mask)")}""",
        bound="Float",
    ),
)

FLOATS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
TILINGS = {
    "default": None,
    "small": Tiling(columns=4, lanes=16, programs=16, flat_below=3),
}


@pytest.fixture(scope="module")
def nests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nests]:
    process = spoiling_interpreter()
    yield Nests(process, tmp_path_factory.mktemp("widened"))
    process.close()


def kernel_of(case: Case, dtype: torch.dtype) -> NestKernel:
    memory = tuple(
        Memory(
            name=f"{name}_ptr",
            dtype="D",
            extents=(),
            scale=1,
            shift=0,
            is_written=name in "xys",
        )
        for name in "xwys"
    )
    return NestKernel(
        rust=rust(case.body, case.bound),
        memory=memory,
        numbers=("n", "m"),
        blocks={"BLOCK": 16},
        axes=("m",),
        is_float=dtype.is_floating_point,
    )


def launch_of(dtype: torch.dtype, programs: int, n: int) -> NestLaunch:
    count = 16 * (programs + 2) + programs * (n + 3)
    tensors = [((torch.arange(count) * 7 + place) % 11 - 5).to(dtype) for place in range(4)]
    return NestLaunch(tensors=tuple(tensors), numbers=(n, programs), grid=(programs,))


@pytest.mark.parametrize("tiling", TILINGS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_same_is_left(nests: Nests, case: Case, tiling: str) -> None:
    dtypes: tuple[torch.dtype, ...] = FLOATS if case.bound == "Float" else (*FLOATS, torch.int32)
    if case.is_atomic:
        dtypes = tuple(it for it in dtypes if it is not torch.bfloat16)
    source = rust(case.body, case.bound)
    plain, made = transpiler.transpile(source), optimised(source, (), TILINGS[tiling])
    assert plain.text is not None, [it.message for it in plain.diagnostics]
    assert made.text is not None
    assert made.plans[0].optimised is not None, reasons(made)
    modules = {"plain": plain.text, "-O": made.text}
    launches = [(torch.float32, 1, 5), (torch.float32, 3, 16), (torch.float32, 33, 1)]
    launches += [(dtype, 100 if dtype is torch.float64 else 7, 13) for dtype in dtypes]
    for dtype, programs, n in launches:
        kernel, launch = kernel_of(case, dtype), launch_of(dtype, programs, n)
        differing = nests.differing(kernel, modules, launch)
        assert not differing, shown(kernel, launch, differing)


def test_a_grid_larger_than_what_is_to_do_does_nothing_more(nests: Nests) -> None:
    case = next(it for it in CASES if it.name == "guarded_rows")
    source = rust(case.body, case.bound)
    plain, made = transpiler.transpile(source), optimised(source, (), TILINGS["small"])
    assert plain.text is not None
    assert made.text is not None
    for rows in (0, 1, 6):
        full = launch_of(torch.float32, 9, 5)
        launch = NestLaunch(tensors=full.tensors, numbers=(5, rows), grid=(9,))
        kernel = kernel_of(case, torch.float32)
        differing = nests.differing(kernel, {"plain": plain.text, "-O": made.text}, launch)
        assert not differing, shown(kernel, launch, differing)
