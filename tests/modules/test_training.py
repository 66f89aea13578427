"""A network learns as it does with torch's batch norms, and gradients are derivatives."""

from __future__ import annotations

import pytest
import torch

from tests.modules.curves import Training, curve_faults
from tests.modules.subjects import modules_of
from tests.numerics.modules import Subject  # noqa: TC001 - pytest reads it


def test_loss_curve_is_torchs(made: Subject) -> None:
    training = Training(images=8, size=6, width=4)
    assert curve_faults(training, modules_of(made)) == []


@pytest.mark.parametrize("shape", [(4, 2), (3, 2, 3), (2, 2, 2, 3)], ids=str)
@pytest.mark.parametrize("is_training", [True, False])
def test_gradients_are_derivatives(
    shape: tuple[int, ...], *, is_training: bool, made: Subject
) -> None:
    torch.manual_seed(0)
    make = modules_of(made).BatchNorm2d if len(shape) == 4 else modules_of(made).BatchNorm1d
    norm = make(shape[1], dtype=torch.float64).train(is_training)

    def apply(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        given = {"weight": weight, "bias": bias}
        result: torch.Tensor = torch.func.functional_call(norm, given, (x,))
        return result

    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    weight, bias = (torch.randn(2, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(apply, (x, weight, bias))
