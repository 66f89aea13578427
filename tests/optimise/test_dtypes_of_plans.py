"""Dtype parameters of kernels and of stages where no pointer carries them: launches give them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
import torch
import triton.language as tl

from tests.host.interpreted import interpreted
from tests.host.loading import load
from tests.optimise.hand_made import OPTIMISED, planned, prepared
from transpiler.ir.extent import Number, Parameter, Programs
from transpiler.ir.launch_plan import LaunchPlan, Scratch, Stage, Variant
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from types import ModuleType

    from transpiler.ir.nodes import Kernel

_LOAD = "T::load({}_ptr.add_offsets(at), Some(at.lt(n)), None, &[], None, None, None, false)"
_STORE = "T::store({}_ptr.add_offsets(at), {}, Some(at.lt(n)), &[], None, None);"


def kernel(name: str, given: str, body: str) -> str:
    """A kernel of a program for each tile, in Rust."""
    return f"""
#[kernel]
pub fn {name}<T: Triton, D: Float, const BLOCK: i32>({given}, n: i32) {{
    let at = T::program_id(Axis::X) * BLOCK + T::arange(0, BLOCK);
    {body}
}}
"""


IN_D, IN_F32 = "T::cast::<f32, D>({}, None, false)", "T::cast::<D, f32>({}, None, false)"
WIDENED = IN_D.format(_LOAD.format("x"))
SOURCE = SourceFile(
    "squares.rs",
    "".join(
        [
            # D is passed, and a stage has a pointer to it.
            kernel(
                "squares",
                "x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>",
                f"let x = {WIDENED}; {_STORE.format('y', IN_F32.format('x * x'))}",
            ),
            kernel(
                "first",
                "x_ptr: T::Pointer<f32>, mid_ptr: T::Pointer<D>",
                f"let x = {WIDENED}; {_STORE.format('mid', 'x * x')}",
            ),
            kernel(
                "second",
                "mid_ptr: T::Pointer<D>, y_ptr: T::Pointer<f32>",
                _STORE.format("y", IN_F32.format(_LOAD.format("mid"))),
            ),
            # D is carried, and no longer in a stage.
            kernel(
                "carried",
                "x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, one_ptr: T::Pointer<D>",
                f"let x = {WIDENED}; let one = {_LOAD.format('one')}; "
                f"{_STORE.format('y', IN_F32.format('x * x * one'))}",
            ),
        ]
    ),
)


def stage(kernel: Kernel) -> Stage:
    return Stage(
        kernel=replace(kernel, name=f"it__{kernel.name}"),
        grid=(Programs(0),),
        tiles=(),
        warps=Number(4),
    )


@cache
def module(name: str, stages: tuple[str, ...]) -> ModuleType:
    """The module in which these kernels are launched in the place of one."""
    kernels = prepared(SOURCE)
    (dtype,) = kernels[name].dtype_parameters
    scratch = Scratch(
        name="mid_ptr", dtype=dtype, count=Parameter(len(kernels[name].parameters) - 1)
    )
    plan = LaunchPlan(
        kernel=kernels[name],
        requires=(),
        variants=(
            Variant(
                conditions=(),
                quantities=(),
                scratch=(scratch,) if len(stages) > 1 else (),
                stages=tuple(stage(kernels[it]) for it in stages),
            ),
        ),
    )
    text = planned(plan, replace(OPTIMISED, kernels=(name,)), SOURCE).text
    assert text is not None
    return load(text)


X = torch.arange(5.0)


@interpreted
@pytest.mark.parametrize("stages", [("first", "second"), ("squares",)])
def test_a_dtype_that_is_passed_is_that_of_memory_and_of_stages(stages: tuple[str, ...]) -> None:
    for dtype, torch_dtype in ((tl.float32, torch.float32), (tl.float64, torch.float64)):
        y = torch.zeros(5)
        launcher = module("squares", stages).Squares(8, dtype)
        (first, *_) = launcher._stages((1, 1, 1), (X, y, 5))
        assert [it.dtype for it in first.scratch()] == [torch_dtype] * (len(stages) - 1)
        assert first.constants.get("D") is (dtype if stages == ("squares",) else None)
        launcher.launch((1,), X, y, 5)
        assert torch.equal(y, X * X)


@interpreted
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_a_dtype_that_no_stage_carries_is_given(dtype: torch.dtype) -> None:
    y = torch.zeros(5)
    loaded = module("carried", ("squares",))
    loaded.Carried(8).launch((1,), X, y, torch.ones(5, dtype=dtype), 5)
    (only,) = loaded.Carried(8)._stages((1, 1, 1), (X, y, torch.ones(5, dtype=dtype), 5))
    wide = torch.float64 if dtype is torch.float64 else torch.float32
    assert str(only.constants["D"]) == {torch.float64: "fp64", torch.float32: "fp32"}[wide]
    assert torch.equal(y, X * X)
