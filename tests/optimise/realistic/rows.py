"""Rows of a matrix, and whole tensors."""

from __future__ import annotations

import torch
from torch.nn import functional

from tests.optimise.realistic.describing import EPS, LOWEST, NUMBERS, case

ROWS = ((5, 21), (1, 1), (37, 2), (3, 48))
ROWS_IN_TILES = tuple((*it, 16) for it in ROWS)
LENGTHS = ((101,), (1,), (64,))
LENGTHS_IN_TILES = tuple((*it, 16) for it in LENGTHS)


def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    rrms = torch.rsqrt((x * x).mean(1) + EPS)
    return x * rrms[:, None] * weight, rrms


CASES = [
    case(
        "rows.row_sum",
        "M N",
        (*ROWS, (3, 0)),
        "M",
        "x[M,N]",
        "y[M]",
        lambda x: x.sum(1),
        numbers="N",
        dtypes=NUMBERS,
    ),
    case(
        "rows.row_max",
        "M N BLOCK",
        ROWS_IN_TILES,
        "M",
        "x[M,N]",
        "y[M]",
        lambda x: x.amax(1),
        numbers="N",
        more={"lowest": LOWEST},
        dtypes=(None,),
        tolerance="exact",
    ),
    case(
        "rows.normalise_rows",
        "M N BLOCK",
        ROWS_IN_TILES,
        "M",
        "x[M,N]",
        "y[M,N]",
        lambda x: functional.normalize(x, dim=1, eps=EPS),
        numbers="N",
        more={"eps": EPS},
    ),
    case(
        "rows.rms_norm",
        "M N",
        ROWS,
        "M",
        "x[M,N] weight[N]",
        "y[M,N] rrms[M]",
        rms_norm,
        numbers="N",
        more={"eps": EPS},
    ),
    case(
        "rows.dot_product",
        "n BLOCK",
        (*LENGTHS_IN_TILES, (0, 16)),
        "1",
        "a[n] b[n]",
        "y[1]",
        lambda a, b: (a * b).sum(),
        numbers="n",
    ),
    case(
        "rows.mean_squared_error",
        "n",
        LENGTHS,
        "1",
        "x[n] target[n]",
        "loss[1]",
        functional.mse_loss,
        numbers="n",
    ),
    case(
        "rows.largest_magnitude",
        "n BLOCK",
        LENGTHS_IN_TILES,
        "1",
        "x[n]",
        "y[1]",
        lambda x: x.abs().amax(),
        numbers="n",
        tolerance="exact",
    ),
    case(
        "rows.row_product",
        "M N",
        ((5, 9), (1, 1), (37, 2)),
        "M",
        "x[M,N]",
        "y[M]",
        lambda x: x.prod(1),
        numbers="N",
        dtypes=(None,),
    ),
    case(
        "rows.add_to_rows",
        "M N",
        ROWS,
        "M",
        "x[M,N] bias[N]",
        "y[M,N]",
        lambda x, bias: x + bias,
        numbers="N",
        dtypes=NUMBERS,
    ),
]
