"""Patterns of `match` on integers and bools: the values each covers, and whether all are covered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The integers from `low` to `high`, both included; None is no bound. `false` and `true` are 0 and 1."""

    low: int | None
    high: int | None


EVERYTHING = Interval(low=None, high=None)


def first_missing(intervals: Iterable[Interval], values: range) -> int | None:
    """The least of `values` that lies in no interval; None where all are covered."""
    least = values[0]
    ends = [
        (
            values[0] if interval.low is None else interval.low,
            values[-1] if interval.high is None else interval.high,
        )
        for interval in intervals
    ]
    for low, high in sorted(ends):
        if low > least:
            break
        least = max(least, high + 1)
    return least if least <= values[-1] else None
