"""Images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tests.optimise.realistic.describing import EPS, HALVES, NUMBERS, case, positive

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.corpus.model import Case

IMAGES = ((2, 3, 13), (1, 1, 1), (3, 2, 19), (2, 5, 3))
"""Images, channels and extents of planes: ragged, one of each, planes of several tiles, and small ones."""


def image(
    kernel: str,
    grid: str,
    numbers: str,
    inputs: str,
    outputs: str,
    formula: Callable[..., torch.Tensor | tuple[torch.Tensor, ...]],
    *,
    tiles: bool = False,
    shapes: tuple[tuple[int, ...], ...] = IMAGES,
    extents: str = "N C HW",
    **options: object,
) -> Case:
    """A kernel over images."""
    return case(
        f"images.{kernel}",
        f"{extents} BLOCK" if tiles else extents,
        tuple((*it, 8) for it in shapes) if tiles else shapes,
        grid,
        inputs,
        outputs,
        formula,
        numbers=numbers,
        **{"dtypes": HALVES, **options},  # type: ignore[arg-type] # passed on as they are
    )


GROUPS = ((2, 3, 2, 7), (1, 1, 1, 1), (3, 1, 4, 5))
"""Images, groups, channels of a group, extents of planes."""
NO_IMAGES = (*IMAGES, (0, 3, 7), (2, 3, 0))


def over_channels(each: torch.Tensor) -> torch.Tensor:
    """A number for each channel, beside `[N, C, HW]`."""
    return each[None, :, None]


def depthwise(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    made = torch.nn.functional.conv2d(
        x.permute(0, 3, 1, 2),
        weight.permute(2, 0, 1)[:, None],
        padding=weight.shape[0] // 2,
        groups=x.shape[3],
    )
    return made.permute(0, 2, 3, 1)


def instance_norm(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    mean = x.mean(2)
    rstd = torch.rsqrt(x.var(2, correction=0) + EPS)
    return (x - mean[..., None]) * rstd[..., None], mean, rstd


def group_statistics(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    flat = x.flatten(2)
    return flat.mean(2), torch.rsqrt(flat.var(2, correction=0) + EPS)


def group_applied(
    x: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
) -> torch.Tensor:
    xhat = (x - mean[..., None, None]) * rstd[..., None, None]
    return xhat * weight[None, :, :, None] + bias[None, :, :, None]


def copied(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    y = y.clone()
    y[:, 2 : 2 + x.shape[1]] = x
    return y


CASES = [
    *(
        image(
            kernel,
            "C",
            "N C HW",
            "dy[N,C,HW]",
            "dbias[C]",
            lambda dy: dy.sum((0, 2)),
            tiles=tiles,
            shapes=NO_IMAGES,
        )
        for kernel, tiles in (("bias_gradient", False), ("bias_gradient_in_tiles", True))
    ),
    image(
        "scale_gradient",
        "C",
        "N C HW",
        "dy[N,C,HW] x[N,C,HW]",
        "dscale[C]",
        lambda dy, x: (dy * x).sum((0, 2)),
        shapes=NO_IMAGES,
    ),
    image(
        "channel_statistics",
        "C",
        "N C HW",
        "x[N,C,HW]",
        "mean[C] var[C]",
        lambda x: (x.mean((0, 2)), x.var((0, 2), correction=0)),
    ),
    image(
        "global_average_pool",
        "N*C",
        "HW",
        "x[N,C,HW]",
        "y[N,C]",
        lambda x: x.mean(2),
        tiles=True,
    ),
    image(
        "global_max_pool",
        "C,N",
        "C HW",
        "x[N,C,HW]",
        "y[N,C]",
        lambda x: x.amax(2),
        tolerance="exact",
    ),
    image(
        "instance_norm",
        "N*C",
        "HW",
        "x[N,C,HW]",
        "y[N,C,HW] mean[N,C] rstd[N,C]",
        instance_norm,
        tiles=True,
        more={"eps": EPS},
        # One element has no variance, and its reciprocal deviation multiplies what rounding leaves of the difference.
        shapes=tuple(it for it in IMAGES if it[2] > 1),
    ),
    image(
        "group_norm_statistics",
        "N,G",
        "G K HW",
        "x[N,G,K,HW]",
        "mean[N,G] rstd[N,G]",
        group_statistics,
        extents="N G K HW",
        shapes=tuple(it for it in GROUPS if it[3] > 1),
        more={"eps": EPS},
    ),
    image(
        "group_norm_apply",
        "N,G",
        "G K HW",
        "x[N,G,K,HW] mean[N,G] rstd[N,G] weight[G,K] bias[G,K]",
        "y[N,G,K,HW]",
        group_applied,
        extents="N G K HW",
        shapes=GROUPS,
        domains={"rstd": positive},
    ),
    image(
        "prelu_planes",
        "C,N",
        "C HW",
        "x[N,C,HW] slope[C]",
        "y[N,C,HW]",
        lambda x, slope: torch.where(x > 0, x, x * over_channels(slope)),
        tiles=True,
    ),
    image(
        "scale_shift_channels",
        "C",
        "N C HW",
        "x[N,C,HW] scale[C] shift[C]",
        "y[N,C,HW]",
        lambda x, scale, shift: x * over_channels(scale) + over_channels(shift),
        shapes=NO_IMAGES,
    ),
    image(
        "scale_shift_flat",
        "tiles",
        "total C HW",
        "x[N,C,HW] scale[C] shift[C]",
        "y[N,C,HW]",
        lambda x, scale, shift: x * over_channels(scale) + over_channels(shift),
        extents="N C HW total tiles",
        shapes=tuple((n, c, p, n * c * p, -(-n * c * p // 8)) for n, c, p in IMAGES),
        tiles=True,
    ),
    image(
        "channel_shuffle",
        "G*K",
        "N G K HW",
        "x[N,G,K,HW]",
        "y[N,K,G,HW]",
        lambda x: x.transpose(1, 2),
        extents="N G K HW",
        shapes=GROUPS,
        dtypes=NUMBERS,
        tolerance="exact",
    ),
    image(
        "copy_channels",
        "C",
        "N C HW first wide",
        "x[N,C,HW] y[N,wide,HW]",
        "y[N,wide,HW]",
        copied,
        extents="N C HW first wide",
        shapes=tuple((*it, 2, it[1] + 3) for it in IMAGES),
        dtypes=NUMBERS,
        tolerance="exact",
    ),
    image(
        "channels_last",
        "C,N",
        "C HW",
        "x[N,C,HW]",
        "y[N,HW,C]",
        lambda x: x.transpose(1, 2),
        dtypes=NUMBERS,
        tolerance="exact",
    ),
    image(
        "depthwise_channels_last",
        "C,N",
        "H W C K",
        "x[N,H,W,C] weight[K,K,C]",
        "y[N,H,W,C]",
        depthwise,
        extents="N H W C K",
        shapes=((2, 2, 3, 5, 3), (1, 1, 1, 1, 1), (1, 2, 2, 9, 3)),
    ),
]
