"""Numbers in a positional system whose digits have extents of their own: no two choices of digits make one number.

A digit's weight is a multiple of what the digits below it stay under. That is the weight of the last of them times its
extent, or what a condition says: in `row * n + k * BLOCK + lane`, `lane` stays below `BLOCK`, and a condition may say
that both together stay below `n`. Whether a digit counts up or down makes no difference, but to conditions.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import Polynomial, constant
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Digit(NamedTuple):
    """The variable `atom` that runs from 0 to below `extent`, if that is known, in units of `weight`."""

    atom: int
    weight: Polynomial
    extent: Polynomial | None


def _nothing(_number: Polynomial) -> tuple[Polynomial, ...]:
    return ()


def mixed_radix(
    digits: Sequence[Digit],
    *,
    may_be_positive: Callable[[int], bool],
    bounds: Callable[[Polynomial], Iterable[Polynomial]] = _nothing,
) -> frozenset[int] | None:
    """The atoms that have to be positive for no two choices of digits to make one number; None where they may.

    `may_be_positive` tells which atoms may be among these. `bounds` are what a number made of digits stays below.
    """
    if not digits:
        return frozenset()
    return _follow(tuple(digits), constant(1), constant(0), may_be_positive, bounds)


def _follow(
    left: tuple[Digit, ...],
    span: Polynomial,
    below: Polynomial | None,
    may_be_positive: Callable[[int], bool],
    bounds: Callable[[Polynomial], Iterable[Polynomial]],
) -> frozenset[int] | None:
    """The same of the digits that are left, where the others make up `below`, and stay under `span`.

    They make up None where one of them counts down: what such a number stays below does not tell how many there are.
    """
    for digit in left:
        goes_down = _is_negative(digit.weight)
        weight = -digit.weight if goes_down else digit.weight
        factors = [] if weight == span else ratio(weight, span)
        if factors is None or not all(map(may_be_positive, factors)):
            continue
        rest = tuple(it for it in left if it is not digit)
        if not rest:
            return frozenset(factors)
        number = None
        if below is not None and not goes_down:
            number = below + weight.times(Polynomial((((digit.atom,), 1),)))
        for following in _spans(weight, digit.extent, number, bounds):
            found = _follow(rest, following, number, may_be_positive, bounds)
            if found is not None:
                return found.union(factors)
    return None


def _spans(
    weight: Polynomial,
    extent: Polynomial | None,
    number: Polynomial | None,
    bounds: Callable[[Polynomial], Iterable[Polynomial]],
) -> Iterator[Polynomial]:
    if extent is not None:
        yield weight.times(extent)
    if number is not None:
        yield from bounds(number)


def _is_negative(weight: Polynomial) -> bool:
    return len(weight.terms) == 1 and weight.terms[0][1] < 0


def ratio(weight: Polynomial, span: Polynomial) -> list[int] | None:
    """The atoms whose product, times a positive number, `span` has to be multiplied by to give `weight`."""
    if len(weight.terms) != 1 or len(span.terms) != 1:
        return None
    ((product, factor),), ((within, unit),) = weight.terms, span.terms
    if unit <= 0 or factor % unit or (factor // unit <= 0 and span.constant != 1) or factor == 0:
        return None
    left = Counter(product)
    left.subtract(Counter(within))
    if any(count < 0 for count in left.values()):
        return None
    return list(left.elements())
