"""Whether patterns cover all values: of integers, bools and enums, and of tuples of these.

The values of one place are split at the bounds of the patterns for it; of each part it is asked whether the patterns
that hold there cover the places after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The integers from `low` to `high`, both included; None is no bound. `false` and `true` are 0 and 1."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """What each element of a tuple may be."""

    elements: tuple[Coverage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """What one of several patterns covers; none at all is a pattern of which this is not known."""

    alternatives: tuple[Coverage, ...]


Coverage: TypeAlias = Interval | Fields | AnyOf

EVERYTHING = Interval(low=None, high=None)
NOTHING = AnyOf(alternatives=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Integers, from a first to a last in each part."""

    parts: tuple[range, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Tuples."""

    elements: tuple[Space, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbounded:
    """Values that only a pattern for all of them covers: floats, tiles."""


Space: TypeAlias = Values | Product | Unbounded
Witness: TypeAlias = "int | tuple[Witness, ...] | None"
"""A value that is not covered; None where it does not matter which."""

_Row: TypeAlias = "tuple[Coverage, ...]"


def first_missing(rows: Sequence[_Row], spaces: tuple[Space, ...]) -> tuple[Witness, ...] | None:
    """One value of each space that together no row covers; None where the rows cover all."""
    if not spaces:
        return None if rows else ()
    rows = [each for row in rows for each in _without_alternatives(row)]
    space, *rest = spaces
    match space:
        case Product(elements=elements):
            flat = [row for each in rows if (row := _opened(each, len(elements))) is not None]
            found = first_missing(flat, (*elements, *rest))
            if found is None:
                return None
            return found[: len(elements)], *found[len(elements) :]
        case Unbounded():
            covering = [row[1:] for row in rows if row[0] == EVERYTHING]
            found = first_missing(covering, tuple(rest))
            return None if found is None else (None, *found)
        case Values():
            return _missing_value(space, rows, tuple(rest))


def _without_alternatives(row: _Row) -> Iterator[_Row]:
    first, *rest = row
    if not isinstance(first, AnyOf):
        yield row
        return
    for alternative in first.alternatives:
        yield from _without_alternatives((alternative, *rest))


def _opened(row: _Row, count: int) -> _Row | None:
    """The row with the elements of its first tuple in its place."""
    first, *rest = row
    match first:
        case Fields(elements=elements):
            return (*elements, *rest)
        case _ if first == EVERYTHING:
            return (*[EVERYTHING] * count, *rest)
        case _:
            return None


def _missing_value(
    space: Values, rows: Sequence[_Row], rest: tuple[Space, ...]
) -> tuple[Witness, ...] | None:
    if all(row[0] == EVERYTHING for row in rows):
        found = first_missing([row[1:] for row in rows], rest)
        return None if found is None else (None, *found)
    for part in space.parts:
        starts = {part[0]}
        for first in (row[0] for row in rows):
            if isinstance(first, Interval):
                ends = (first.low, None if first.high is None else first.high + 1)
                starts.update(end for end in ends if end is not None and end in part)
        for start in sorted(starts):
            holding = [row[1:] for row in rows if _holds(row[0], start)]
            found = first_missing(holding, rest)
            if found is not None:
                return start, *found
    return None


def _holds(coverage: Coverage, value: int) -> bool:
    return (
        isinstance(coverage, Interval)
        and (coverage.low is None or coverage.low <= value)
        and (coverage.high is None or value <= coverage.high)
    )
