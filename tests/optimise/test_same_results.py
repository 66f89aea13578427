"""Nests of loops that the optimiser once made something else of: they leave the same as the kernels as written.

Each is a kernel the random ones were reduced to. Elements are small integers, so that sums are exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.properties.nest_launches import Memory, NestKernel, NestLaunch
from tests.properties.nest_runs import Nests, Tiling, optimised, shown

if TYPE_CHECKING:
    from tests.interpreter.process import InterpreterProcess

TILES = (None, Tiling(columns=4, lanes=16, programs=16, flat_below=3))


@pytest.fixture(scope="module")
def nests(
    spoiling_interpreter: InterpreterProcess, tmp_path_factory: pytest.TempPathFactory
) -> Nests:
    return Nests(spoiling_interpreter, tmp_path_factory.mktemp("nests"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Statements of a kernel with pointers `x_ptr`, `w_ptr`, `y_ptr`, `s_ptr` and a program for each channel `c`."""

    name: str
    body: str
    dtype: str = "f32"
    sizes: tuple[int, int, int] = (21, 6, 5)
    is_optimised: bool = True

    @property
    def kernel(self) -> NestKernel:
        """The kernel."""
        memory = tuple(
            Memory(
                name=f"{name}_ptr",
                dtype=self.dtype,
                extents=("N", "M", "C"),
                scale=1,
                shift=0,
                is_written=name in "ys",
            )
            for name in "xwys"
        )
        pointers = ", ".join(f"{it.name}: T::Pointer<{self.dtype}>" for it in memory)
        return NestKernel(
            rust=(
                f"#[kernel]\npub fn k<T: Triton, const BLOCK: i32>({pointers}, N: i32, M: i32, C: i32) {{\n"
                f"let c = T::program_id(Axis::X);\nlet c_idx = T::arange(0, 1) + c;\n{self.body}\n}}\n"
            ),
            memory=memory,
            numbers=("N", "M", "C"),
            blocks={"BLOCK": 8},
            axes=("C",),
            is_float=self.dtype == "f32",
        )

    @property
    def launch(self) -> NestLaunch:
        """A launch; memory is large enough for an index of every axis."""
        n, m, c = self.sizes
        dtype = torch.float32 if self.dtype == "f32" else torch.int32
        count = max(n, 4) * max(m, 4) * c + 8
        tensors = [((torch.arange(count) * 7 + place) % 7 - 3).to(dtype) for place in range(4)]
        return NestLaunch(tensors=tuple(tensors), numbers=self.sizes, grid=(c,))


def load(pointer: str, offsets: str, mask: str = "None", fill: str = "None") -> str:
    """A load."""
    return f"T::load({pointer}_ptr.add_offsets({offsets}), {mask}, {fill}, &[], None, None, None, false)"


def store(pointer: str, offsets: str, value: str, mask: str = "None") -> str:
    """A store."""
    return f"T::store({pointer}_ptr.add_offsets({offsets}), {value}, {mask}, &[], None, None);"


ONE = "T::arange(0, 1) + ({})"
TILE = "let o = T::arange(0, BLOCK) + i; let mask = o.lt(N);"
FIVES = "Some(T::full::<f32>(&[BLOCK], 5.0))"
ZEROS = "Some(T::zeros::<f32>(&[BLOCK]))"

CASES = (
    Case(
        name="stores_beside_an_empty_inner_loop_happen",
        sizes=(0, 3, 5),
        body=f"""
        for m in 0..M {{
            for n in 0..N {{
                {store("y", ONE.format("(m * C + c) * N + n"), load("x", ONE.format("n")))}
            }}
            {store("s", ONE.format("c * M + m"), load("w", ONE.format("c * M")))}
        }}""",
    ),
    Case(
        name="updates_beside_an_inner_loop_of_several_tiles_happen_once",
        body=f"""
        for m in 0..M {{
            for n in 0..N {{
                {store("y", ONE.format("(m * C + c) * N + n"), load("x", ONE.format("n")))}
            }}
            let old = {load("s", ONE.format("c * M + m"))};
            {store("s", ONE.format("c * M + m"), "old + old")}
        }}""",
    ),
    Case(
        name="a_sum_of_squares_of_inner_sums",
        body=f"""
        let mut total = T::zeros::<f32>(&[1]);
        for m in 0..M {{
            let mut inner = T::zeros::<f32>(&[1]);
            for n in 0..N {{ inner = inner + {load("x", ONE.format("(m * C + c) * N + n"))}; }}
            total = total + inner * inner;
        }}
        {store("s", "c_idx", "total")}""",
    ),
    Case(
        name="what_is_summed_beside_an_inner_loop_is_summed_once",
        body=f"""
        let mut a = T::zeros::<f32>(&[1]);
        let mut b = T::zeros::<f32>(&[1]);
        for m in 0..M {{
            a = a + {load("w", ONE.format("m * C + c"))};
            for n in 0..N {{ b = b + {load("x", ONE.format("(m * C + c) * N + n"))}; }}
        }}
        {store("s", "c_idx", "a + b + b")}""",
    ),
    Case(
        name="what_is_summed_beside_an_inner_loop_and_in_it",
        is_optimised=False,
        body=f"""
        let mut a = T::zeros::<f32>(&[1]);
        for m in 0..M {{
            a = a + {load("w", ONE.format("c * M"))};
            for n in 0..N {{ a = a + {load("x", ONE.format("(m * C + c) * N + n"))}; }}
        }}
        {store("s", ONE.format("c * 2"), "a")}""",
    ),
    Case(
        name="a_loop_that_does_not_start_at_0",
        body=f"""
        for n in 2..N {{
            {store("y", ONE.format("c * N + n"), load("x", ONE.format("c * N + n")))}
        }}""",
    ),
    Case(
        name="two_reductions_have_parts_of_their_own",
        body=f"""
        let mut a = T::zeros::<f32>(&[1]);
        for n in 0..N {{ a = a + {load("x", ONE.format("c * N + n"))}; }}
        {store("s", "c_idx", "a")}
        let mut b = T::zeros::<f32>(&[1]);
        for m in 0..M {{ b = b + {load("w", ONE.format("c * M + m"))}; }}
        {store("s", ONE.format("C + c"), "b")}""",
    ),
    *(
        Case(
            name=name,
            sizes=sizes,
            body=f"""
            let mut a = T::zeros::<f32>(&[1]);
            for m in 0..M {{
                for n in 3..N {{ a = a + {load("x", ONE.format("(m * C + c) * N + n"))}; }}
            }}
            {store("s", ONE.format("c * 2"), "a")}""",
        )
        for name, sizes in (
            ("a_loop_that_ends_before_it_starts", (1, 6, 5)),
            ("a_loop_around_that_never_runs", (9, 0, 5)),
        )
    ),
    Case(
        name="the_largest_of_integers",
        dtype="i32",
        body=f"""
        let mut a = T::full::<i32>(&[1], -2147483648);
        for n in 0..N {{ a = T::maximum(a, {load("x", ONE.format("n * C + c"))}); }}
        {store("s", "c_idx", "a")}""",
    ),
    Case(
        name="a_load_whose_loop_stays_one_has_no_mask_and_no_fill",
        body=f"""
        for m in 0..M {{
            let mut i: i32 = 0;
            while i < N {{
                {TILE}
                let x = {load("x", "o * 3", "Some(mask)", ZEROS)};
                {store("y", "(o * M + m) * C + c", "x", "Some(mask)")}
                i += BLOCK;
            }}
            let unused = {load("w", ONE.format("m"))};
        }}""",
    ),
    Case(
        name="what_a_loop_overwrites_is_read_before_it",
        is_optimised=False,
        body=f"""
        let first = {load("y", ONE.format("c * N"))};
        for n in 0..N {{ {store("y", ONE.format("c * N + n"), "first + " + load("x", ONE.format("c * N + n")))} }}""",
    ),
    Case(
        name="what_a_loop_overwrites_is_read_before_it_and_summed",
        is_optimised=False,
        body=f"""
        let first = {load("y", ONE.format("c * N"))};
        let mut a = T::zeros::<f32>(&[1]);
        for n in 0..N {{ a = a + first;
            {store("y", ONE.format("c * N + n"), "first + " + load("x", ONE.format("c * N + n")))} }}
        {store("s", "c_idx", "a")}""",
    ),
    Case(
        name="a_selection_by_the_mask_of_what_is_summed",
        sizes=(29, 6, 5),
        body=f"""
        let mut a = T::zeros::<f32>(&[BLOCK]);
        let mut i: i32 = 0;
        while i < N {{ {TILE}
           let x = {load("x", "o * C + c", "Some(mask)", FIVES)};
           a = a + T::where_(mask, x, T::zeros::<f32>(&[BLOCK]));
           i += BLOCK; }}
        {store("s", "c_idx", "T::sum(a, None, true)")}""",
    ),
    Case(
        name="a_selection_by_the_mask_of_what_is_undefined_elsewhere",
        sizes=(29, 6, 5),
        body=f"""
        let mut a = T::zeros::<f32>(&[BLOCK]);
        let mut i: i32 = 0;
        while i < N {{ {TILE}
           let x = {load("x", "o * C + c", "Some(mask)")};
           a = a + T::where_(mask, x, T::zeros::<f32>(&[BLOCK]));
           i += BLOCK; }}
        {store("s", "c_idx", "T::sum(a, None, true)")}""",
    ),
    Case(
        name="a_sum_of_what_does_not_vary_along_its_loop",
        sizes=(29, 6, 5),
        body=f"""
        let mut a = T::zeros::<f32>(&[BLOCK]);
        let mut i: i32 = 0;
        while i < N {{ {TILE}
           let x = {load("x", "o * 0 + c", "Some(mask)", ZEROS)};
           a = a + x;
           {store("y", "c * N + o", "x", "Some(mask)")}
           i += BLOCK; }}
        {store("s", "c_idx", "T::sum(a, None, true)")}""",
    ),
    Case(
        name="a_loop_as_long_as_the_program_says",
        is_optimised=False,
        body=f"""
        for n in 0..c {{ {store("y", ONE.format("n * C + c"), load("x", ONE.format("n * C + c")))} }}""",
    ),
    Case(
        name="an_inner_loop_as_long_as_the_program_says",
        is_optimised=False,
        body=f"""
        for m in 0..M {{
        let mut a = T::zeros::<f32>(&[1]);
        for n in 0..c {{ a = a + {load("x", ONE.format("(m * N + n) * C + c"))}; }}
        {store("y", ONE.format("m * C + c"), "a")} }}""",
    ),
    Case(
        name="an_inner_loop_as_long_as_the_outer_one_says",
        body=f"""
        for m in 0..M {{
        let mut a = T::zeros::<f32>(&[1]);
        for n in 0..m {{ a = a + {load("x", ONE.format("(m * N + n) * C + c"))}; }}
        {store("y", ONE.format("m * C + c"), "a")} }}""",
    ),
    Case(
        name="a_loop_that_starts_where_the_program_says",
        is_optimised=False,
        body=f"""
        let mut a = T::zeros::<f32>(&[1]);
        for n in c..N {{ a = a + {load("x", ONE.format("n * C + c"))}; }}
        {store("s", "c_idx", "a")}""",
    ),
    Case(
        name="the_largest_starts_from_what_lay_there_before_a_store",
        body=f"""
        let mut a = {load("w", "c_idx")};
        {store("w", "c_idx", "a + T::full::<f32>(&[1], 9.0)")}
        for n in 0..N {{ a = T::maximum(a, {load("x", ONE.format("n * C + c"))}); }}
        {store("s", "c_idx", "a")}""",
    ),
    Case(
        name="the_largest_of_loads_that_starts_from_a_load",
        body=f"""
        let mut a = {load("w", "c_idx")};
        for n in 0..N {{ a = T::maximum(a, {load("x", ONE.format("n * C + c"))}); }}
        {store("s", "c_idx", "a")}""",
    ),
)


@pytest.mark.parametrize("tiling", TILES, ids=["default", "small"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_same_is_left(nests: Nests, case: Case, tiling: Tiling | None) -> None:
    plain = transpiler.transpile(case.kernel.rust)
    made = optimised(case.kernel.rust, (), tiling)
    assert plain.text is not None, [it.message for it in plain.diagnostics]
    assert made.text is not None
    assert (made.plans[0].optimised is not None) == case.is_optimised, made.remarks
    modules = {"plain": plain.text, "-O": made.text}
    differing = nests.differing(case.kernel, modules, case.launch)
    assert not differing, shown(case.kernel, case.launch, differing)
