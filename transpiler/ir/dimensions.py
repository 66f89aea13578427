"""Arithmetic of extents: what is computed in two ways is one dimension.

A dimension is a sum of terms, each a product of names with a rational factor. A quotient of one term is taken to be
exact: extents of tiles are powers of two, and where a division of them leaves a remainder there is no such tile. Any
other division and operation is a name of its own, its text.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, TypeAlias

from transpiler.ir.types import (
    UNKNOWN_DIMENSION,
    ComputedDimension,
    NamedDimension,
    UnknownDimension,
    dimension_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir.types import Dimension, DimensionTerm

_Powers: TypeAlias = tuple[tuple[str, int], ...]


def sum_of(left: Dimension, right: Dimension) -> Dimension:
    """`left + right`."""
    terms = _terms(left), _terms(right)
    return UNKNOWN_DIMENSION if None in terms else _dimension(_added(*filter(None, terms)))


def difference_of(left: Dimension, right: Dimension) -> Dimension:
    """`left - right`."""
    return sum_of(left, product_of((-1, right)))


def product_of(factors: Iterable[Dimension]) -> Dimension:
    """All of them multiplied; 1 of none."""
    result: tuple[DimensionTerm, ...] = (((), 1, 1),)
    for factor in factors:
        terms = _terms(factor)
        if terms is None:
            return UNKNOWN_DIMENSION
        result = _added(tuple(_times(one, other) for one in result for other in terms))
    return _dimension(result)


def quotient_of(left: Dimension, right: Dimension) -> Dimension:
    """`left / right`."""
    dividend, divisor = _terms(left), _terms(right)
    if dividend is None or divisor is None:
        return UNKNOWN_DIMENSION
    if len(dividend) != 1 or len(divisor) != 1:
        return operation_of(left, "/", right)
    powers, numerator, denominator = divisor[0]
    inverse = tuple((name, -power) for name, power in powers), denominator, numerator
    return _dimension(_added((_times(dividend[0], inverse),)))


def operation_of(left: Dimension, operator: str, right: Dimension) -> Dimension:
    """What another operator makes of two dimensions, which is equal to what it makes of the same two alone."""
    if isinstance(left, UnknownDimension) or isinstance(right, UnknownDimension):
        return UNKNOWN_DIMENSION
    text = f"({dimension_text(left)} {operator} {dimension_text(right)})"
    return ComputedDimension(terms=((((text, 1),), 1, 1),))


def _terms(dimension: Dimension) -> tuple[DimensionTerm, ...] | None:
    match dimension:
        case 0:
            return ()
        case int():
            return (((), dimension, 1),)
        case NamedDimension(name=name):
            return ((((name, 1),), 1, 1),)
        case ComputedDimension(terms=terms):
            return terms
        case UnknownDimension():
            return None


def _dimension(terms: tuple[DimensionTerm, ...]) -> Dimension:
    match terms:
        case ():
            return 0
        case (((), number, 1),):
            return number
        case ((((name, 1),), 1, 1),) if name.isidentifier():
            return NamedDimension(name=name)
        case _:
            return ComputedDimension(terms=terms)


def _times(left: DimensionTerm, right: DimensionTerm) -> DimensionTerm:
    powers: dict[str, int] = {}
    for name, power in (*left[0], *right[0]):
        powers[name] = powers.get(name, 0) + power
    kept: _Powers = tuple(sorted((name, power) for name, power in powers.items() if power))
    return kept, left[1] * right[1], left[2] * right[2]


def _added(*sums: tuple[DimensionTerm, ...]) -> tuple[DimensionTerm, ...]:
    factors: dict[_Powers, tuple[int, int]] = {}
    for powers, numerator, denominator in (term for each in sums for term in each):
        before = factors.get(powers, (0, 1))
        factors[powers] = (
            before[0] * denominator + numerator * before[1],
            before[1] * denominator,
        )
    made = []
    for powers, (numerator, denominator) in factors.items():
        common = gcd(numerator, denominator) * (-1 if denominator < 0 else 1)
        if numerator:
            made.append((powers, numerator // common, denominator // common))
    return tuple(sorted(made, key=lambda term: (-sum(abs(p) for _, p in term[0]), term)))
