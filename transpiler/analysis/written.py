"""Polynomials in quantities as the expressions one would write."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from math import gcd
from operator import and_
from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import Polynomial, made_of
from transpiler.analysis.quantities import ONE, Given, Greatest, Grid, Least, Quotient
from transpiler.ir.extent import (
    Division,
    Extent,
    Extreme,
    Number,
    Parameter,
    Product,
    Programs,
    Sum,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.analysis.quantities import Quantities


class Writer:
    """Writes polynomials that no variable is left in; the places of parameters give the order of factors."""

    def __init__(self, quantities: Quantities) -> None:
        self._quantities = quantities

    def ordered(self, indices: Iterable[int]) -> list[int]:
        """Quantities in the order in which they are written."""
        return sorted(indices, key=self._rank)

    def written(self, polynomial: Polynomial) -> Extent:
        """The expression of a polynomial."""
        if polynomial.constant is not None:
            return Number(polynomial.constant)
        common, factor = _common(polynomial)
        if len(polynomial.terms) > 1 and (common or factor > 1):
            rest = made_of(
                {
                    _without(product, common): number // factor
                    for product, number in polynomial.terms
                }
            )
            return self._product([self.written(rest)], factor, common)
        return self._sum(polynomial)

    def _sum(self, polynomial: Polynomial) -> Extent:
        """The terms, each that is subtracted from a multiple of it in one with that: `(n - 1) * m`."""
        left = dict(polynomial.terms)
        added: list[tuple[tuple[int, list[tuple[int, int]]], Extent]] = []
        for product, number in polynomial.terms:
            if number > 0:
                continue
            for other, times in list(left.items()):
                more = Counter(other) - Counter(product)
                if (
                    # Nothing is gained where 1 would be all there is outside of the brackets.
                    times > (0 if product else 1)
                    and -number % times == 0
                    and sum(more.values()) == len(other) - len(product) > 0
                ):
                    whole = tuple(sorted(more.elements()))
                    first = self._sum(Polynomial((((), number // times), (whole, 1))))
                    added.append((self._key(other), self._product([first], times, product)))
                    del left[product], left[other]
                    break
        subtracted: list[Extent] = []
        for product, number in sorted(left.items(), key=lambda item: self._key(item[0])):
            if number > 0:
                added.append((self._key(product), self._product([], number, product)))
            else:
                subtracted.append(self._product([], -number, product))
        added.sort(key=lambda item: item[0])
        terms = tuple(term for _, term in added)
        if not subtracted and len(terms) == 1:
            return terms[0]
        return Sum(terms, tuple(subtracted)) if terms else Sum((Number(0),), tuple(subtracted))

    def _product(self, first: list[Extent], number: int, indices: tuple[int, ...]) -> Extent:
        rest = [self._single(index) for index in sorted(indices, key=self._rank)]
        numbers = [Number(number)] if number != 1 or not (first or rest) else []
        factors = (*numbers, *first, *rest)
        return factors[0] if len(factors) == 1 else Product(factors)

    def _key(self, product: tuple[int, ...]) -> tuple[int, list[tuple[int, int]]]:
        """Long products come first."""
        return -len(product), sorted(map(self._rank, product))

    def _rank(self, index: int) -> tuple[int, int]:
        match self._quantities.all[index]:
            case Given(place=place, is_constant=is_constant):
                return 3 if is_constant else 2, place
            case Grid(axis=axis):
                return 1, axis
            case _:
                return 0, index

    def _single(self, index: int) -> Extent:
        match self._quantities.all[index]:
            case Given(place=place):
                return Parameter(place)
            case Grid(axis=axis):
                return Programs(axis)
            case Quotient(dividend=dividend, divisor=divisor):
                less = dividend - divisor + ONE
                is_up = len(less.terms) < len(dividend.terms)
                return Division(
                    self.written(less if is_up else dividend), self.written(divisor), is_up
                )
            case (Least(parts=parts) | Greatest(parts=parts)) as extreme:
                ordered = sorted(parts, key=lambda part: (part.degree, self._first(part)))
                return Extreme(
                    tuple(self.written(part) for part in ordered), isinstance(extreme, Least)
                )
            case quantity:
                raise TypeError(f"{quantity} is no number of a launch")

    def _first(self, polynomial: Polynomial) -> list[tuple[int, list[tuple[int, int]]]]:
        return sorted(self._key(product) for product, _ in polynomial.terms)


def _common(polynomial: Polynomial) -> tuple[tuple[int, ...], int]:
    """The factors and the number that all terms have in common."""
    common = reduce(and_, (Counter(product) for product, _ in polynomial.terms))
    return tuple(sorted(common.elements())), gcd(*(number for _, number in polynomial.terms))


def _without(product: tuple[int, ...], common: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((Counter(product) - Counter(common)).elements()))
