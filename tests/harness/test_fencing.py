"""What an operator allocates stands behind a fence, on the way back too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from transpiler.harness.fencing import fencing

if TYPE_CHECKING:
    from collections.abc import Callable


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, zeros: Callable[[torch.Tensor], torch.Tensor]) -> Any:
        ctx.zeros = zeros
        return torch.empty_like(x).copy_(2 * x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        gradient = ctx.zeros(grad)
        # Beyond its end: the fifth element of four.
        gradient.as_strided((1,), (1,), gradient.storage_offset() + 4).fill_(1.0)
        return gradient, None


@pytest.mark.parametrize("zeros", [torch.zeros_like, lambda it: it.new_zeros(it.shape)])
def test_gradients_are_fenced_as_outputs_are(
    zeros: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    x = torch.ones(4, requires_grad=True)
    with fencing(1024) as made:
        output = Doubled.apply(x, zeros)  # type: ignore[no-untyped-call]  # torch has no types for it
        (gradient,) = torch.autograd.grad(output, [x], torch.ones(4))
    assert (output.tolist(), gradient.tolist()) == ([2.0] * 4, [0.0] * 4)
    assert [fenced.breaches() for fenced in made] == [None, (1, 4)]
    assert len(made) == 2
