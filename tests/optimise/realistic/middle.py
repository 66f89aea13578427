"""Reductions and moves of a middle axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.optimise.realistic.describing import HALVES, NUMBERS, case

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from tests.corpus.model import Case

MIDDLES = ((2, 9, 5), (1, 1, 1), (2, 4, 17), (2, 6, 8))


def middle(
    kernel: str,
    grid: str,
    numbers: str,
    inputs: str,
    outputs: str,
    formula: Callable[..., torch.Tensor],
    *,
    tiles: bool = False,
    shapes: tuple[tuple[int, ...], ...] = MIDDLES,
    **options: object,
) -> Case:
    """A kernel over `[B, S, C]`."""
    return case(
        f"middle.{kernel}",
        "B S C BLOCK" if tiles else "B S C",
        tuple((*it, 8) for it in shapes) if tiles else shapes,
        grid,
        inputs,
        outputs,
        formula,
        numbers=numbers,
        **{"dtypes": HALVES, **options},  # type: ignore[arg-type] # passed on as they are
    )


CASES = [
    middle("mean_over_middle", "C,B", "S C", "x[B,S,C]", "y[B,C]", lambda x: x.mean(1)),
    middle(
        "max_over_middle",
        "B,C",
        "S C",
        "x[B,S,C]",
        "y[B,C]",
        lambda x: x.amax(1),
        tiles=True,
        dtypes=(None,),
        tolerance="exact",
    ),
    middle(
        "variance_over_middle",
        "C,B",
        "S C",
        "x[B,S,C]",
        "y[B,C]",
        lambda x: x.var(1, correction=0),
    ),
    middle(
        "sum_around_middle",
        "S",
        "B S C",
        "x[B,S,C]",
        "y[S]",
        lambda x: x.sum((0, 2)),
        shapes=(*MIDDLES, (0, 3, 5), (2, 3, 0)),
        dtypes=NUMBERS,
    ),
    case(
        "middle.sum_over_outer",
        "B SC",
        ((9, 15), (1, 1), (3, 64), (0, 4)),
        "SC",
        "dy[B,SC]",
        "dx[SC]",
        lambda dy: dy.sum(0),
        numbers="B SC",
    ),
    middle(
        "weighted_sum",
        "C,B",
        "S C",
        "x[B,S,C] w[B,S]",
        "y[B,C]",
        lambda x, w: (w[..., None] * x).sum(1),
        shapes=(*MIDDLES, (2, 0, 3)),
    ),
    middle(
        "add_positions",
        "S,B",
        "S C",
        "x[B,S,C] position[S,C]",
        "y[B,S,C]",
        lambda x, position: x + position,
        tiles=True,
    ),
    middle(
        "swap_outer_and_middle",
        "B",
        "B S C",
        "x[B,S,C]",
        "y[S,B,C]",
        lambda x: x.transpose(0, 1),
        dtypes=NUMBERS,
        tolerance="exact",
    ),
]
