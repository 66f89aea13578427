"""Other ways of writing the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tests.optimise.realistic.columns import COLUMNS
from tests.optimise.realistic.describing import FLOATS, case
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.corpus.model import Case


def turned(x: torch.Tensor, angle: torch.Tensor) -> torch.Tensor:
    made = torch.view_as_complex(x) * torch.exp(1j * angle)
    return torch.view_as_real(made)


def columns(
    kernel: str,
    formula: Callable[[torch.Tensor], torch.Tensor],
    *,
    grid: str = "C",
    shapes: tuple[tuple[int, ...], ...] = (*COLUMNS, (0, 3)),
) -> Case:
    """A kernel that makes a number of each column."""
    return case(
        f"variations.{kernel}",
        "N C",
        shapes,
        grid,
        "x[N,C]",
        "y[C]",
        formula,
        numbers="N C",
        dtypes=FLOATS,
    )


def first_twice(x: torch.Tensor) -> torch.Tensor:
    return x.sum(0) + x[:3].sum(0)


def summed_before(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(1) - x


def up_to(x: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.arange(len(x))[:, None] < length, x, 0.0).sum(0)


CASES = [
    columns("sum_again", lambda x: x.var(0, correction=0), shapes=COLUMNS),
    columns("divided_in_place", lambda x: x.mean(0), shapes=COLUMNS),
    columns("guarded", lambda x: x.sum(0), grid="C*2"),
    case(
        "variations.guarded_rows",
        "B S C BLOCK",
        ((2, 3, 21, 8), (1, 1, 1, 8), (3, 9, 2, 8)),
        "S*2,B*2",
        "x[B,S,C]",
        "y[B,S,C]",
        lambda x: x - x.mean(2, keepdim=True),
        numbers="B S C",
    ),
    case(
        "variations.from_bias",
        "N C",
        (*COLUMNS, (0, 3)),
        "C",
        "x[N,C] bias[C]",
        "y[C]",
        lambda x, bias: bias + x.sum(0),
        numbers="N C",
    ),
    columns("subtracted", lambda x: -x.sum(0)),
    columns("counted_up", lambda x: x.sum(0)),
    columns("strided", lambda x: x.sum(0)),
    case(
        "variations.tile_by_tile",
        "N C tiles BLOCK",
        ((21, 5, 3, 8), (1, 1, 1, 8), (2, 37, 1, 8), (16, 8, 4, 8), (0, 3, 0, 8)),
        "C",
        "x[N,C]",
        "y[C]",
        lambda x: x.sum(0),
        numbers="N C tiles",
    ),
    case(
        "variations.one_by_one",
        "N C BLOCK",
        ((5, 21, 8), (1, 1, 8), (37, 2, 8), (3, 0, 8)),
        "N",
        "x[N,C]",
        "y[N]",
        lambda x: x.sum(1),
        numbers="C",
    ),
    case(
        "variations.program_taken_apart",
        "B S C",
        ((2, 9, 5), (1, 1, 1), (2, 4, 17), (3, 0, 2)),
        "B*C",
        "x[B,S,C]",
        "y[B,C]",
        lambda x: x.sum(1),
        numbers="S C",
    ),
    case(
        "variations.program_of_three_digits",
        "B S W C",
        ((2, 7, 3, 5), (1, 1, 1, 1), (2, 3, 1, 17), (1, 0, 3, 2)),
        "B*W*C",
        "x[B,S,W,C]",
        "y[B,W,C]",
        lambda x: x.sum(1),
        numbers="S W C",
    ),
    case(
        "variations.whole_rows",
        "N C BLOCK",
        ((5, 21, 32), (1, 1, 8), (37, 2, 8)),
        "N*2",
        "x[N,C]",
        "y[N]",
        lambda x: x.sum(1),
        numbers="N C",
    ),
    case(
        "variations.up_to",
        "N C",
        (*COLUMNS, (0, 3)),
        "C",
        "x[N,C] length[C]",
        "y[C]",
        up_to,
        numbers="N C",
        domains={"length": lambda sample, *shape: sample.whole(0, 30, *shape)},
    ),
    case(
        "variations.counted_tiles",
        "N C BLOCK",
        ((21, 5, 8), (1, 1, 8), (16, 37, 8)),
        "C",
        "x[N,C]",
        "y[C]",
        lambda x: x.amax(0),
        numbers="N C",
        dtypes=(None,),
        tolerance="exact",
    ),
    case(
        "variations.turned_pairs",
        "N C",
        ((3, 21), (1, 1), (2, 37)),
        "N",
        "x[N,C,2] angle[C]",
        "x[N,C,2]",
        turned,
        numbers="C",
        dtypes=(DType.F32,),
        tolerance="function",
    ),
    case(
        "variations.by_functions",
        "N C BLOCK",
        ((5, 21, 8), (1, 1, 8), (37, 2, 8)),
        "N",
        "x[N,C]",
        "mean[N] square[N]",
        lambda x: (x.mean(1), (x * x).mean(1)),
        numbers="C",
    ),
    case(
        "variations.first_rows_twice",
        "N C",
        (*COLUMNS, (0, 3)),
        "C",
        "x[N,C]",
        "y[C]",
        first_twice,
        numbers="N C",
        more={"first": 3},
    ),
    case(
        "variations.summed_up_to",
        "N C BLOCK",
        ((5, 21, 8), (1, 1, 8), (37, 2, 8)),
        "N",
        "x[N,C]",
        "y[N,C]",
        summed_before,
        numbers="C",
        more={"exclusive": 1},
    ),
]
