"""Cases of the kernels in batchnorm.rs, for `teeny-transpile verify kernels/batchnorm.rs`.

Rows are `x[N, C]`, images `x[B, C, HW]`. Extents are odd on purpose: one element, less than a block, a block and one
more.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from transpiler.harness import Case

EPS = 1e-5
MOMENTUM = 0.1

ROWS = [
    {"N": 1, "C": 1},
    {"N": 5, "C": 3},
    {"N": 127, "C": 1},
    {"N": 129, "C": 7},
    {"N": 1000, "C": 3},
]
IMAGES = [
    {"B": 1, "C": 1, "HW": 1},
    {"B": 2, "C": 3, "HW": 49},
    {"B": 3, "C": 2, "HW": 129},
    {"B": 2, "C": 5, "HW": 1000},
]
ROW_BLOCKS = {"BLOCK_N": [16, 128, 1024]}
IMAGE_BLOCKS = {"BLOCK_HW": [16, 128, 1024]}


def parameters(C: int) -> dict[str, object]:
    """What a layer holds for each channel."""
    return {
        "weight": torch.randn(C),
        "bias": torch.randn(C),
        "running_mean": torch.randn(C),
        "running_var": 0.5 + torch.rand(C),
    }


def statistics(x: Tensor, axes: tuple[int, ...]) -> dict[str, object]:
    """What the training forward leaves for the backward."""
    mean = x.mean(axes)
    var = x.var(axes, correction=0)
    return {"mean": mean, "rstd": torch.rsqrt(var + EPS)}


def rows(N: int, C: int) -> Tensor:
    """A batch whose channels have means and spreads of their own."""
    return torch.randn(N, C) * (0.5 + torch.rand(C)) + torch.randn(C)


def images(B: int, C: int, HW: int) -> Tensor:
    """The same for images."""
    return rows(B * HW, C).view(B, HW, C).transpose(1, 2)


def inference(
    x: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, eps: float
) -> Tensor:
    """A model in evaluation mode."""
    return functional.batch_norm(x, running_mean, running_var, weight, bias, eps=eps)


def batch_statistics(
    x: Tensor, running_mean: Tensor, running_var: Tensor, eps: float, momentum: float
) -> dict[str, Tensor]:
    """The statistics of a batch; the running variance takes the biased one, unlike torch's."""
    mean = x.mean(0)
    var = (x - mean).square().mean(0)
    return {
        "mean": mean,
        "rstd": torch.rsqrt(var + eps),
        "running_mean": (1 - momentum) * running_mean + momentum * mean,
        "running_var": (1 - momentum) * running_var + momentum * var,
    }


def normalize(x: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, rstd: Tensor) -> Tensor:
    """A training batch with the statistics of that batch."""
    return (x - mean) * rstd * weight + bias


def backward(
    dy: Tensor, x: Tensor, weight: Tensor, mean: Tensor, rstd: Tensor
) -> dict[str, Tensor]:
    """The gradients of a training step."""
    xhat = (x - mean) * rstd
    dbias = dy.sum(0)
    dweight = (dy * xhat).sum(0)
    dx = weight * rstd * (dy - dy.mean(0) - xhat * (dy * xhat).mean(0))
    return {"dx": dx, "dweight": dweight, "dbias": dbias}


def image_backward(
    dy: Tensor, x: Tensor, weight: Tensor, running_mean: Tensor, running_var: Tensor, eps: float
) -> dict[str, Tensor]:
    """The gradients where the statistics are constants."""
    x.requires_grad_()
    weight.requires_grad_()
    bias = torch.zeros_like(weight, requires_grad=True)
    y = functional.batch_norm(x, running_mean, running_var, weight, bias, eps=eps)
    dx, dweight, dbias = torch.autograd.grad(y, (x, weight, bias), dy)
    return {"dx": dx, "dweight": dweight, "dbias": dbias}


def backward_inputs(N: int, C: int) -> dict[str, object]:
    """A batch, its statistics, and the gradient of the output."""
    x = rows(N, C)
    return {"x": x, "dy": torch.randn(N, C), "weight": torch.randn(C), **statistics(x, (0,))}


CASES = [
    Case(
        kernel="batch_norm_forward_inference",
        shapes=ROWS,
        constants=ROW_BLOCKS,
        inputs=lambda N, C: {"x": rows(N, C), **parameters(C), "eps": EPS},
        grid=lambda C: C,
        reference=inference,
    ),
    Case(
        kernel="batch_norm_stats_forward",
        shapes=ROWS,
        constants=ROW_BLOCKS,
        inputs=lambda N, C: {
            "x": rows(N, C),
            "running_mean": torch.randn(C),
            "running_var": 0.5 + torch.rand(C),
            "eps": EPS,
            "momentum": MOMENTUM,
        },
        grid=lambda C: C,
        reference=batch_statistics,
    ),
    Case(
        # A mean far from zero is where a difference of large sums loses its digits.
        name="far from zero",
        kernel="batch_norm_stats_forward",
        shapes=[{"N": 1000, "C": 3}],
        constants={"BLOCK_N": 128},
        inputs=lambda N, C: {
            "x": rows(N, C) + 1000,
            "running_mean": torch.zeros(C),
            "running_var": torch.ones(C),
            "eps": EPS,
            "momentum": MOMENTUM,
        },
        grid=lambda C: C,
        reference=batch_statistics,
    ),
    Case(
        kernel="batch_norm_normalize_forward",
        shapes=ROWS,
        constants=ROW_BLOCKS,
        inputs=lambda N, C: {
            "x": (x := rows(N, C)),
            "weight": torch.randn(C),
            "bias": torch.randn(C),
            **statistics(x, (0,)),
        },
        grid=lambda C: C,
        reference=normalize,
    ),
    Case(
        kernel="batch_norm_backward",
        shapes=ROWS,
        constants=ROW_BLOCKS,
        inputs=backward_inputs,
        grid=lambda C: C,
        reference=backward,
    ),
    Case(
        kernel="batch_norm_2d_nchw_forward_inference",
        shapes=IMAGES,
        constants=IMAGE_BLOCKS,
        inputs=lambda B, C, HW: {"x": images(B, C, HW), **parameters(C), "eps": EPS},
        grid=lambda B, C: (C, B),
        reference=inference,
    ),
    Case(
        kernel="batch_norm_2d_nchw_backward",
        shapes=IMAGES,
        constants=IMAGE_BLOCKS,
        inputs=lambda B, C, HW: {
            "x": images(B, C, HW),
            "dy": torch.randn(B, C, HW),
            **{name: value for name, value in parameters(C).items() if name != "bias"},
            "eps": EPS,
        },
        grid=lambda C: C,
        reference=image_backward,
    ),
]
