"""Pairwise covering sets: every pair of values of two axes occurs in some row, in few rows."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = TypeVar("Row", bound=tuple[object, ...])


def pairwise(rows: Iterable[Row]) -> list[Row]:
    """The rows, few of them, that hold every pair of values in two columns which any of `rows`
    holds.

    Greedy and deterministic: the next row is always the one that covers most pairs still missing,
    the first such in the given order. A set of pairs is the bits of an integer: there are some
    hundred pairs and thousands of rows.
    """
    candidates = list(rows)
    bits: dict[tuple[int, object, int, object], int] = {}
    covers: list[int] = []
    for row in candidates:
        mask = 0
        for (i, left), (j, right) in itertools.combinations(enumerate(row), 2):
            mask |= 1 << bits.setdefault((i, left, j, right), len(bits))
        covers.append(mask)

    missing = (1 << len(bits)) - 1
    chosen: list[Row] = []
    while missing:
        best = max(range(len(candidates)), key=lambda index: (covers[index] & missing).bit_count())
        missing &= ~covers[best]
        chosen.append(candidates[best])
    return chosen
