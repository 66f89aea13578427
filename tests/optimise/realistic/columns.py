"""Columns of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tests.optimise.realistic.describing import INTEGERS, case, positive

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.corpus.model import Case, Sampler

COLUMNS = ((21, 5), (1, 1), (2, 37), (16, 8), (7, 24))
"""Rows and columns: ragged, one of each, more columns than a tile has, whole tiles, whole accesses of a thread."""
COLUMNS_IN_TILES = tuple((*shape, 8) for shape in COLUMNS)


def column(
    kernel: str,
    inputs: str,
    outputs: str,
    formula: Callable[..., torch.Tensor | tuple[torch.Tensor, ...]],
    *,
    tiles: bool = False,
    empty: bool = True,
    **options: object,
) -> Case:
    """A kernel with a program for each column; `empty` where it has a result for no rows."""
    nothing = (((0, 3, 8) if tiles else (0, 3)),) if empty else ()
    return case(
        f"columns.{kernel}",
        "N C BLOCK" if tiles else "N C",
        (*(COLUMNS_IN_TILES if tiles else COLUMNS), *nothing),
        "C",
        inputs,
        outputs,
        formula,
        numbers="N C",
        **options,  # type: ignore[arg-type] # passed on as they are
    )


def several(shape: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """The shapes with more than one row."""
    return tuple(it for it in shape if it[0] > 1)


def quarters(sample: Sampler, *shape: int) -> torch.Tensor:
    """Numbers whose quotients by powers of two are exact."""
    return sample.whole(-40, 41, *shape).double() / 8


def powers(sample: Sampler, *shape: int) -> torch.Tensor:
    """Powers of two."""
    return 2.0 ** sample.whole(-3, 2, *shape).double()


def quantised(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return torch.floor(x / scale + 0.5).long()


def moving(x: torch.Tensor) -> torch.Tensor:
    state, found = torch.zeros_like(x[0]), []
    for row in x:
        state = state * 0.5 + row
        found.append(state)
    return torch.stack(found)


def layer_norm_gradients(
    dy: torch.Tensor, x: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    xhat = (x - mean[:, None]) * rstd[:, None]
    return (dy * xhat).sum(0), dy.sum(0)


CASES = [
    column("column_mean", "x[N,C]", "mean[C]", lambda x: x.mean(0), empty=False),
    case(
        "columns.column_variance",
        "N C",
        several(COLUMNS),
        "C",
        "x[N,C]",
        "mean[C] var[C]",
        lambda x: (x.mean(0), x.var(0)),
        numbers="N C",
    ),
    column(
        "column_moments",
        "x[N,C]",
        "mean[C] var[C]",
        lambda x: (x.mean(0), x.var(0, correction=0)),
        tiles=True,
        empty=False,
    ),
    column("column_max", "x[N,C]", "y[C]", lambda x: x.amax(0), empty=False, tolerance="exact"),
    column(
        "column_min",
        "x[N,C]",
        "y[C]",
        lambda x: x.amin(0),
        tiles=True,
        empty=False,
        dtypes=(None,),
        tolerance="exact",
    ),
    column("column_scale", "x[N,C]", "scale[C]", lambda x: x.abs().amax(0) / 127, empty=False),
    column(
        "quantise_columns",
        "x[N,C] scale[C]",
        "y[N,C]",
        quantised,
        tiles=True,
        domains={"x": quarters, "scale": powers},
        dtypes=(None,),
    ),
    column("column_norm", "x[N,C]", "y[C]", lambda x: x.norm(dim=0)),
    column(
        "column_softmax_statistics",
        "x[N,C]",
        "max[C] sum[C]",
        lambda x: (x.amax(0), (x - x.amax(0)).exp().sum(0)),
        empty=False,
        dtypes=(None,),
    ),
    column("column_softmax", "x[N,C]", "y[N,C]", lambda x: x.softmax(0), dtypes=(None,)),
    column(
        "layer_norm_parameter_gradients",
        "dy[N,C] x[N,C] mean[N] rstd[N]",
        "dweight[C] dbias[C]",
        layer_norm_gradients,
        tiles=True,
        domains={"rstd": positive},
    ),
    column("column_total", "x[N,C]", "y[C]", lambda x: x.sum(0), dtypes=INTEGERS),
    column(
        "column_count_above",
        "x[N,C]",
        "count[C]",
        lambda x: (x > 0.25).sum(0),
        more={"threshold": 0.25},
        dtypes=(None,),
    ),
    column(
        "update_running_mean",
        "x[N,C] running[C]",
        "running[C]",
        lambda x, running: running + 0.125 * (x.mean(0) - running),
        more={"momentum": 0.125},
        empty=False,
    ),
    column(
        "channel_affine",
        "x[N,C] weight[C] bias[C]",
        "y[N,C]",
        lambda x, weight, bias: x * weight + bias,
    ),
    column(
        "prelu_columns",
        "x[N,C] slope[C]",
        "y[N,C]",
        lambda x, slope: torch.where(x > 0, x, x * slope),
        tiles=True,
    ),
    column(
        "moving_average",
        "x[N,C]",
        "y[N,C]",
        moving,
        more={"decay": 0.5},
        dtypes=(None,),
        empty=False,
    ),
]
