"""The operators that the modules need, written by hand over a generated module's kernels.

They say what is expected of operators that a compiler makes, with nothing but autograd around the launches, and they
stand in for those of a generated module that has kernels alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.autograd.function import FunctionCtx, once_differentiable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorsByHand:
    """The operators over the kernels of a module."""

    kernels: ModuleType

    def batch_norm_stats(
        self,
        x: Tensor,
        running_mean: Tensor,
        running_var: Tensor,
        *,
        eps: float,
        momentum: float,
        block_n: int,
        output_shape: Sequence[int],
    ) -> Tensor:
        """Means, then `1 / sqrt(var + eps)`."""
        assert not x.requires_grad
        _check(x, running_mean, running_var)
        count, channels = x.shape
        stats = x.new_empty(tuple(output_shape))
        self.kernels.batch_norm_stats_forward[(channels,)](
            x, stats, stats[channels:], running_mean, running_var,
            count, channels, eps, momentum, BLOCK_N=block_n,
        )  # fmt: skip
        return stats

    def batch_norm_normalize(
        self, x: Tensor, stats: Tensor, weight: Tensor, bias: Tensor, *, block_n: int
    ) -> Tensor:
        """Normalised with the statistics, differentiable through these too."""
        result: Tensor = _Normalize.apply(self.kernels, block_n, x, stats, weight, bias)  # type: ignore[no-untyped-call]
        return result

    def batch_norm2d_nchw_inference(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        running_mean: Tensor,
        running_var: Tensor,
        *,
        eps: float,
        block_hw: int,
    ) -> Tensor:
        """An image batch normalised with running statistics."""
        result: Tensor = _Images.apply(  # type: ignore[no-untyped-call]
            self.kernels, block_hw, eps, x, weight, bias, running_mean, running_var
        )
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixOperatorsByHand(OperatorsByHand):
    """The same with inference over a matrix, which modules use where it is there."""

    def batch_norm_inference(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        running_mean: Tensor,
        running_var: Tensor,
        *,
        eps: float,
        block_n: int,
    ) -> Tensor:
        """A matrix normalised with running statistics; not differentiable."""
        _check(x, weight, bias, running_mean, running_var)
        assert not (torch.is_grad_enabled() and (x.requires_grad or weight.requires_grad))
        count, channels = x.shape
        y = torch.empty_like(x)
        self.kernels.batch_norm_forward_inference[(channels,)](
            x, y, weight, bias, running_mean, running_var, count, channels, eps, BLOCK_N=block_n
        )
        return y


class _Context(FunctionCtx):
    """What torch's context is given besides."""

    saved_tensors: tuple[Tensor, ...]
    kernels: ModuleType
    block: int
    eps: float


class _Normalize(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: _Context,
        kernels: ModuleType,
        block: int,
        x: Tensor,
        stats: Tensor,
        weight: Tensor,
        bias: Tensor,
    ) -> Tensor:
        _check(x, stats, weight, bias)
        ctx.save_for_backward(x, stats, weight)
        ctx.kernels, ctx.block = kernels, block
        count, channels = x.shape
        y = torch.empty_like(x)
        kernels.batch_norm_normalize_forward[(channels,)](
            x, y, weight, bias, stats, stats[channels:], count, channels, BLOCK_N=block
        )
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: _Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, stats, weight = ctx.saved_tensors
        count, channels = x.shape
        dx, dweight, dbias = (torch.zeros_like(each) for each in (x, weight, weight))
        ctx.kernels.batch_norm_backward[(channels,)](
            dy.contiguous(), x, dx, weight, stats, stats[channels:], dweight, dbias,
            count, channels, BLOCK_N=ctx.block,
        )  # fmt: skip
        return None, None, dx, None, dweight, dbias


class _Images(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: _Context,
        kernels: ModuleType,
        block: int,
        eps: float,
        x: Tensor,
        *channel: Tensor,
    ) -> Tensor:
        weight, bias, mean, var = channel
        _check(x, *channel)
        ctx.save_for_backward(x, weight, mean, var)
        ctx.kernels, ctx.block, ctx.eps = kernels, block, eps
        batch, channels, height, width = x.shape
        y = torch.empty_like(x)
        kernels.batch_norm_2d_nchw_forward_inference[(channels, batch)](
            x, y, weight, bias, mean, var, channels, height * width, eps, BLOCK_HW=block
        )
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: _Context, dy: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, mean, var = ctx.saved_tensors
        batch, channels, height, width = x.shape
        dx, dweight, dbias = (torch.zeros_like(each) for each in (x, weight, weight))
        ctx.kernels.batch_norm_2d_nchw_backward[(channels,)](
            dy.contiguous(), x, dx, weight, mean, var, dweight, dbias,
            batch, channels, height * width, ctx.eps, BLOCK_HW=ctx.block,
        )  # fmt: skip
        return None, None, None, dx, dweight, dbias, None, None


def _check(x: Tensor, *others: Tensor) -> None:
    """Kernels read what they are given: one dtype, and contiguous."""
    assert all(each.dtype == x.dtype and each.is_contiguous() for each in (x, *others))
