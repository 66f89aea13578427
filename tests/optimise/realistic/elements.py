"""Element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.optimise.realistic.describing import EPS, HALVES, NUMBERS, case, positive
from tests.optimise.realistic.rows import ROWS_IN_TILES

if TYPE_CHECKING:
    import torch

RATE, BETA1, BETA2 = 0.125, 0.75, 0.875


def momentum(
    p: torch.Tensor, g: torch.Tensor, v: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    moved = v * 0.5 + g
    return p - RATE * moved, moved


def adam(
    p: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    m = BETA1 * m + (1 - BETA1) * g
    v = BETA2 * v + (1 - BETA2) * g * g
    return p - RATE * m / (v.sqrt() + EPS), m, v


ADAM = {"rate": RATE, "beta1": BETA1, "beta2": BETA2, "eps": EPS}

CASES = [
    case(
        "elements.momentum_step",
        "n tiles BLOCK",
        ((37, 3, 16), (1, 1, 16), (64, 4, 16)),
        "tiles",
        "p[n] g[n] v[n]",
        "p[n] v[n]",
        momentum,
        numbers="n",
        more={"rate": RATE, "momentum": 0.5},
        dtypes=HALVES,
    ),
    case(
        "elements.adam_step",
        "n",
        ((37,), (1,), (64,)),
        "n",
        "p[n] g[n] m[n] v[n]",
        "p[n] m[n] v[n]",
        adam,
        more=ADAM,
        domains={"v": positive},
        dtypes=(None,),
    ),
    case(
        "elements.adam_rows",
        "M N BLOCK",
        ROWS_IN_TILES,
        "M",
        "p[M,N] g[M,N] m[M,N] v[M,N]",
        "p[M,N] m[M,N] v[M,N]",
        adam,
        numbers="N",
        more=ADAM,
        domains={"v": positive},
        dtypes=HALVES,
    ),
    case(
        "elements.move_average",
        "n",
        ((37,), (1,), (64,)),
        "n",
        "average[n] p[n]",
        "average[n]",
        lambda average, p: average + 0.25 * (p - average),
        more={"decay": 0.75},
    ),
    case(
        "elements.transpose",
        "M N",
        ((5, 21), (1, 1), (8, 16), (37, 2)),
        "M,N",
        "x[M,N]",
        "y[N,M]",
        lambda x: x.t(),
        numbers="M N",
        dtypes=NUMBERS,
        tolerance="exact",
    ),
    case(
        "elements.add_bias",
        "M N",
        ((5, 21), (1, 1), (8, 16), (37, 2)),
        "N,M",
        "x[M,N] bias[N]",
        "y[M,N]",
        lambda x, bias: x + bias,
        numbers="N",
    ),
    case(
        "elements.every_other",
        "n",
        ((37,), (1,), (64,)),
        "n",
        "x[n,2]",
        "y[n]",
        lambda x: x[:, 1],
        domains={"x": lambda sample, *shape: sample.whole(-9, 10, *shape)},
        dtypes=(None,),
        tolerance="exact",
    ),
    case(
        "elements.gather_rows",
        "M N BLOCK",
        ROWS_IN_TILES,
        "M",
        "x[M,N] rows[M]",
        "y[M,N]",
        lambda x, rows: x[rows],
        numbers="N",
        domains={"rows": lambda sample, m: sample.whole(0, m, m)},
        dtypes=NUMBERS,
        tolerance="exact",
    ),
]
