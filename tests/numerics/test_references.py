"""The references agree with each other: formulas in float64, torch's operators, and torch's
autograd."""

from __future__ import annotations

import pytest
import torch

from tests.numerics.algorithms import Algorithm
from tests.numerics.cases import Case, DType, Kernel
from tests.numerics.problems import OUTPUTS, draw
from tests.numerics.references import as_f32, by_torch, expected


def case_of(kernel: Kernel) -> Case:
    return Case(
        kernel=kernel,
        outer=5,
        channels=3,
        inner=11 if kernel.is_image else 1,
        block=16,
        dtype=DType.F64,
    )


@pytest.mark.parametrize("kernel", Kernel)
def test_formulas_agree_with_torch_operators_in_float64(kernel: Kernel) -> None:
    case = case_of(kernel)
    inputs = draw(case)
    theirs = by_torch(case, inputs)
    ours = expected(case, inputs, Algorithm.SOUND)
    assert ours.keys() == set(OUTPUTS[kernel])
    if (
        kernel is Kernel.STATS
    ):  # Torch puts the unbiased variance of the batch into the running one.
        momentum = as_f32(case.constants.momentum)
        kept = (1.0 - momentum) * inputs["running_var"]
        theirs["running_var"] = (
            kept + (theirs["running_var"] - kept) * (case.length - 1) / case.length
        )
    for name, value in ours.items():
        torch.testing.assert_close(value, theirs[name], rtol=1e-13, atol=1e-13)
