"""What an operator allocates stands behind a fence, on the way back too."""

from __future__ import annotations

from typing import Any

import torch

from transpiler.harness.fencing import fencing


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(_ctx: Any, x: torch.Tensor) -> Any:
        return torch.empty_like(x).copy_(2 * x)

    @staticmethod
    def backward(_ctx: Any, grad: torch.Tensor) -> Any:
        gradient = grad.new_zeros(grad.shape)
        # Beyond its end: the fifth element of four.
        gradient.as_strided((1,), (1,), gradient.storage_offset() + 4).fill_(1.0)
        return gradient


def test_gradients_are_fenced_as_outputs_are() -> None:
    x = torch.ones(4, requires_grad=True)
    with fencing(1024) as made:
        output = Doubled.apply(x)  # type: ignore[no-untyped-call]  # torch has no types for it
        (gradient,) = torch.autograd.grad(output, [x], torch.ones(4))
    assert (output.tolist(), gradient.tolist()) == ([2.0] * 4, [0.0] * 4)
    assert [fenced.breaches() for fenced in made] == [None, (1, 4)]
    assert len(made) == 2
