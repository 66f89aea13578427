"""Kernels that are no nests compute the same for a tile of programs at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.optimise.widening import (
    CENTRED,
    COLUMN,
    COLUMN_MAX,
    LOOP,
    ROW,
    TILE,
    ZEROS,
    load,
    reasons,
    rust,
    store,
    update,
)
from tests.properties.nest_launches import Memory, NestKernel, NestLaunch
from tests.properties.nest_runs import Nests, Tiling, optimised, shown

if TYPE_CHECKING:
    from tests.interpreter.process import InterpreterProcess


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
        name="branches",
        body=f"""{ROW} let mut y = x; let mut total = T::zeros::<D>(&[1]);
        let mut count: i32 = 0;
        if p % 3 == 1 {{
            y = y + {load("w", "o", "Some(mask)", ZEROS)};
            for k in 0..n {{ if k < p {{ count += 1; }} }}
            total = T::max(x, Some(0), true);
        }} else if p > 3 {{ y = x * x; count = p; }}
        let scale = if count > 2 {{ 2.0_f32 }} else {{ 3.0_f32 }};
        let w = T::cast::<f32, D>(T::full::<f32>(&[1], scale), None, false);
        if p == 2 {{ {store("y", "p * n + o", "y", "Some(mask)")} }} else {{ {store("s", "one", "total * w")} }}
        {store("x", "p * n + o", "y", "Some(mask)")}""",
        bound="Float",
    ),
    Case(
        name="variables_that_branches_begin",
        body=f"""{ROW} let y; let k: i32;
        if p < 2 {{ y = x + x; k = 1; }} else if n > 3 {{ y = x; k = p; }} else {{ y = x * x; k = 2; }}
        {store("y", "p * n + o", "y", "Some(mask)")}
        {store("s", "one", "T::cast::<i32, D>(T::full::<i32>(&[1], k), None, false)")}""",
        bound="Float",
    ),
    Case(name="one_branch", body=f"if p < m {{ {CENTRED} }}", bound="Float"),
    Case(
        name="updates_in_some_programs",
        body=f"{ROW} if p > 2 {{ {update('o', 'x', 'Some(mask)')}; }}",
        bound="Float",
        is_atomic=True,
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
def nests(
    spoiling_interpreter: InterpreterProcess, tmp_path_factory: pytest.TempPathFactory
) -> Nests:
    return Nests(spoiling_interpreter, tmp_path_factory.mktemp("widened"))


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
