"""What each transform of loops, switched off, leaves of the plans of the batch norm kernels."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from transpiler.optimise.flags import TRANSFORMS, OptimiseOptions, Transform
from transpiler.optimise.remarks import applied_flags
from transpiler.pipeline import Options, Result, transpile_source
from transpiler.source import SourceFile

BATCH_NORM = Path(__file__).parents[2] / "kernels/batchnorm.rs"
INFERENCE = "batch_norm_forward_inference"
STATS = "batch_norm_stats_forward"
BACKWARD = "batch_norm_backward"
IMAGES = "batch_norm_2d_nchw_forward_inference"
IMAGES_BACKWARD = "batch_norm_2d_nchw_backward"


@cache
def optimised(*off: str) -> Result:
    source = SourceFile("batchnorm.rs", BATCH_NORM.read_text("utf-8"))
    result = transpile_source(
        source, Options(optimise=OptimiseOptions(is_on=True, off=frozenset(off)))
    )
    assert result.ok
    return result


def launches(kernel: str, *off: str) -> list[list[str]]:
    """The names of the stages of each variant, without the kernel's own; none where it stays as it is."""
    plan = next(it for it in optimised(*off).plans if it.kernel.name == kernel).optimised
    if plan is None:
        return []
    return [
        [stage.kernel.name.removeprefix(f"{kernel}__") for stage in variant.stages]
        for variant in plan.variants
    ]


def test_all_kernels_have_plans() -> None:
    assert all(plan.optimised is not None for plan in optimised().plans)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda it: it.flag)
def test_a_transform_that_is_off_is_not_applied(transform: Transform) -> None:
    flag = transform.flag
    result = optimised(flag)
    for plan in result.plans:
        assert flag not in applied_flags(result.remarks, plan.kernel.name)


def test_columns_are_launched_by_how_many_there_are() -> None:
    # The mean in one loop, the deviations from it in another.
    assert launches(STATS) == [["whole"], ["partial", "final", "partial_2", "final_2"]]
    assert launches(INFERENCE) == [["runs"], ["tiled"]]


def test_without_splitting_reductions_their_kernels_stay() -> None:
    assert launches(STATS, "split-reduction") == []
    assert launches(BACKWARD, "split-reduction") == []
    assert launches(INFERENCE, "split-reduction") == launches(INFERENCE)


def test_without_splitting_kernels_those_of_two_loops_stay() -> None:
    assert len(launches(BACKWARD)[-1]) > 1
    assert launches(BACKWARD, "split-kernel") == []


def test_without_collapsing_axes_none_share_lanes() -> None:
    assert launches(IMAGES) == [["runs"], ["flat"], ["tiled"]]
    assert launches(IMAGES, "collapse-axes") == [["tiled"]]


def test_without_blocking_columns_of_the_grid_nothing_is_contiguous() -> None:
    assert launches(INFERENCE, "block-axis") == []


def test_without_spreading_a_program_keeps_its_loop() -> None:
    def loops(*off: str) -> list[bool]:
        plans = optimised(*off).plans
        plan = next(it for it in plans if it.kernel.name == INFERENCE).optimised
        assert plan is not None
        return [
            any(type(it).__name__ == "For" for it in stage.kernel.body.statements)
            for variant in plan.variants
            for stage in variant.stages
        ]

    assert loops() == [False, False]
    assert loops("spread-loop") == [True]
