"""The check accepts results rounded as the kernels round them, and nothing much worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.numerics.algorithms import Algorithm
from tests.numerics.cases import Case, DType, Kernel
from tests.numerics.problems import draw
from tests.numerics.references import Tensors, as_f32, by_torch, expected
from tests.numerics.tolerances import bounds

if TYPE_CHECKING:
    from collections.abc import Mapping


def statistics(case: Case) -> tuple[Mapping[str, torch.Tensor], Tensors]:
    inputs = draw(case)
    return inputs, expected(case, inputs, Algorithm.SOUND)


@pytest.mark.parametrize("dtype", DType)
@pytest.mark.parametrize("kernel", Kernel)
def test_torch_itself_errs_in_the_order_of_the_bounds(kernel: Kernel, dtype: DType) -> None:
    case = Case(
        kernel=kernel,
        outer=129,
        channels=3,
        inner=5 if kernel.is_image else 1,
        block=64,
        dtype=dtype,
    )
    inputs, exact = statistics(case)
    allowed = bounds(case, inputs, exact, Algorithm.SOUND, chopped=False)
    theirs = by_torch(case, inputs)
    theirs.pop("running_var", None)  # Torch's is unbiased.
    for name, value in theirs.items():
        assert (value.double() - exact[name]).abs().max() <= 2 * allowed[name].max(), name


@pytest.mark.parametrize("offset", [30.0, 1000.0])
def test_a_difference_of_large_sums_is_refused_of_a_sound_algorithm(offset: float) -> None:
    case = Case(
        kernel=Kernel.STATS,
        outer=1000,
        channels=3,
        inner=1,
        block=128,
        dtype=DType.F32,
        offset=offset,
    )
    inputs, exact = statistics(case)
    x = inputs["x"]
    var = (x * x).mean((0, 2)) - x.mean((0, 2)) ** 2
    error = (
        (torch.rsqrt(var + as_f32(case.constants.eps)).double() - exact["rstd"])
        .abs()
        .nan_to_num(torch.inf)
    )
    sound = bounds(case, inputs, exact, Algorithm.SOUND, chopped=False)["rstd"]
    one_pass = bounds(case, inputs, exact, Algorithm.MOMENTS, chopped=False)["rstd"]
    assert bool((error > sound).any())
    assert bool((error <= one_pass).all())


def test_f32_constants_are_refused_of_a_sound_algorithm_in_f64() -> None:
    case = Case(kernel=Kernel.STATS, outer=1000, channels=3, inner=1, block=128, dtype=DType.F64)
    inputs, exact = statistics(case)
    mean = inputs["x"].sum((0, 2)) * as_f32(1.0 / 1000)
    error = (mean - exact["mean"]).abs()
    sound = bounds(case, inputs, exact, Algorithm.SOUND, chopped=False)["mean"]
    one_pass = bounds(case, inputs, exact, Algorithm.MOMENTS, chopped=False)["mean"]
    assert bool((error > sound).all())
    assert bool((error <= one_pass).all())
