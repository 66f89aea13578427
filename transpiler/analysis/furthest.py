"""The furthest element an access certainly touches: values for its variables at which all its conditions hold.

Whatever values are found, the offset there is touched, so the search need not be right about which are best: it only
has to know that they are possible. What it cannot know, it demands of the launch.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import Polynomial, constant, made_of
from transpiler.analysis.quantities import (
    ONE,
    Given,
    Grid,
    Least,
    Quantities,
    Quotient,
    Variable,
    parts_of,
    split,
)
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.analysis.accesses import Access

_MOST_STEPS = 64
_MOST_TERMS = 10
"""Of what grows longer, nothing that anybody would read comes."""
_NOTHING = constant(0)


class Furthest(NamedTuple):
    """How many elements an access needs, where none of `demands` is negative.

    `is_exact` tells that it touches no element beyond, either, if no parameter is negative.
    """

    size: Polynomial
    demands: tuple[Polynomial, ...]
    is_exact: bool


def furthest(quantities: Quantities, access: Access) -> Furthest | None:
    """The furthest element of an access; None where it is not found."""
    return _Search(quantities, access).result()


class _Sum(NamedTuple):
    """`factors` times variables, plus `rest`."""

    factors: Mapping[int, Polynomial]
    rest: Polynomial


class _Search:
    def __init__(self, quantities: Quantities, access: Access) -> None:
        self._quantities = quantities
        self._offsets = access.offsets
        self._conditions = list(access.conditions)
        self._demands = list(access.demands)
        for dividend, divisor in access.divisions:
            self._demands += (dividend, divisor - ONE)
        self._is_exact = True
        self._made = 0

    def result(self) -> Furthest | None:
        self._settle_others()
        for _ in range(_MOST_STEPS):
            if not (self._divide() or self._count() or self._fix()):
                break
            if max(len(each.terms) for each in (self._offsets, *self._conditions)) > _MOST_TERMS:
                return None
        if self._varying(self._offsets, *self._conditions, *self._demands):
            return None
        self._demands += [-condition - ONE for condition in self._conditions]
        return Furthest(self._offsets + ONE, tuple(dict.fromkeys(self._demands)), self._is_exact)

    def _varying(self, *polynomials: Polynomial) -> frozenset[int]:
        return frozenset(
            chain.from_iterable(self._quantities.variables(each) for each in polynomials)
        )

    def _extent(self, index: int) -> Polynomial | None:
        quantity = self._quantities.all[index]
        return quantity.extent if isinstance(quantity, Variable) else None

    def _new(self, extent: Polynomial) -> Polynomial:
        self._made += 1
        return self._quantities.single(Variable(("index", self._made), extent))

    def _replace(self, values: Mapping[int, Polynomial]) -> None:
        replaced = self._quantities.replaced
        self._offsets = replaced(self._offsets, values)
        self._conditions = [replaced(each, values) for each in self._conditions]
        self._demands = [replaced(each, values) for each in self._demands]

    def _settle_others(self) -> None:
        """What the offsets do not depend on is 0: the first program, lane, iteration."""
        others = self._varying(*self._conditions, *self._demands) - self._varying(self._offsets)
        self._replace(dict.fromkeys(others, _NOTHING))

    # --- Quotients --------------------------------------------------------------------------------

    def _divide(self) -> bool:
        """Make two variables of one that is divided: its quotient and its remainder."""
        divisors: dict[int, dict[Polynomial, None]] = {}
        for polynomial in (self._offsets, *self._conditions):
            for quotient in self._quantities.quotients(polynomial):
                if isinstance(self._quantities.only(quotient.dividend), Variable):
                    (index,) = quotient.dividend.atoms
                    if self._extent(index) is not None and not self._varying(quotient.divisor):
                        divisors.setdefault(index, {})[quotient.divisor] = None
        return any(self._divide_by(index, list(found)) for index, found in divisors.items())

    def _divide_by(self, index: int, divisors: list[Polynomial]) -> bool:
        divisors.sort(key=lambda each: (each.degree, each.constant or 0))
        extent = self._extent(index)
        if extent is None:
            return False
        steps = [divisors[0]]
        for smaller, larger in pairwise(divisors):
            step, rest = split(larger, smaller)
            if rest.terms:
                return False
            steps.append(step)
        top = self._whole(extent, divisors[-1])
        self._demands += [each - ONE for each in (*steps, top)]
        value, weight = _NOTHING, ONE
        for each, following in zip((*steps, top), (*divisors, ONE), strict=True):
            value += self._new(each).times(weight)
            weight = following
        self._replace({index: value})
        return True

    def _whole(self, extent: Polynomial, divisor: Polynomial) -> Polynomial:
        """How often the divisor goes into the extent."""
        least = self._quantities.only(extent)
        if isinstance(least, Least):
            for part in least.parts:
                whole, rest = split(part, divisor)
                if not rest.terms:
                    self._demands += [other - part for other in least.parts if other != part]
                    return whole
        if split(extent, divisor)[1].terms:
            self._is_exact = False
        return self._quantities.quotient(extent, divisor)

    # --- Conditions -------------------------------------------------------------------------------

    def _count(self) -> bool:
        """Make one variable of what a condition bounds, and drop the condition."""
        if len(self._conditions) > 1:
            for condition in self._conditions:
                self._drop_weaker(condition)
        sums = {
            condition: found
            for condition in self._conditions
            if self._varying(condition)
            and (found := self._sum(condition)) is not None
            and all(_is_rising(factor) for factor in found.factors.values())
        }
        for condition in sorted(sums, key=lambda each: len(sums[each].factors)):
            if self._make_index(condition, sums[condition]):
                return True
        return False

    def _drop_weaker(self, condition: Polynomial) -> None:
        """Drop the conditions that follow from another."""
        kept: list[Polynomial] = []
        for other in self._conditions:
            # What follows has no term more that the condition has not, but for a number.
            if (
                other != condition
                and len(other.terms) <= len(condition.terms) + 1
                and self._follows(condition - other)
            ):
                self._demands += [
                    _single(index)
                    for index in (condition - other).atoms
                    if isinstance(self._quantities.all[index], Given)
                ]
            else:
                kept.append(other)
        self._conditions = kept

    def _follows(self, difference: Polynomial) -> bool:
        """Whether it is not negative, if no parameter is."""
        return _is_rising(difference) and all(
            isinstance(self._quantities.all[index], Variable | Grid | Given)
            for index in difference.atoms
        )

    def _make_index(self, condition: Polynomial, found: _Sum) -> bool:
        bound = -found.rest
        if len(found.factors) == 1:
            ((index, factor),) = found.factors.items()
            extent = self._extent(index)
            if factor != ONE:
                self._demands.append(factor - ONE)
                bound = self._quantities.quotient(bound + factor - ONE, factor)
            counted = self._new(
                bound if extent is None else self._quantities.least((bound, extent))
            )
            self._conditions.remove(condition)
            values = {index: counted}
        else:
            span = self._span(found)
            if span is None:
                return False
            self._conditions.remove(condition)
            order, extent = span
            counted = self._new(
                bound if extent is None else self._quantities.least((bound, extent))
            )
            values = self._digits(counted, order, found.factors)
        self._demands.append((self._extent(*counted.atoms) or ONE) - ONE)
        self._replace(values)
        return True

    def _sum(self, condition: Polynomial) -> _Sum | None:
        """The condition as a sum of multiples of variables, which does not depend on them otherwise."""
        factors: dict[int, Polynomial] = {}
        rest: dict[tuple[int, ...], int] = {}
        for product, factor in condition.terms:
            inside = [index for index in product if self._varying(_single(index))]
            if not inside:
                rest[product] = factor
                continue
            if len(inside) > 1 or not isinstance(self._quantities.all[inside[0]], Variable):
                return None
            factors[inside[0]] = condition.coefficient(inside[0])
        return _Sum(factors, made_of(rest))

    def _span(self, found: _Sum) -> tuple[list[int], Polynomial | None] | None:
        """The variables from the one that counts by one to the one with the longest steps, where all sums occur.

        With them goes the number of sums, None where there is no end.
        """
        order: list[int] = []
        span: Polynomial | None = ONE
        left = dict(found.factors)
        while left:
            following = next((index for index, factor in left.items() if factor == span), None)
            if following is None:
                return None
            del left[following]
            order.append(following)
            extent = self._extent(following)
            if extent is None or span is None:
                span = None
                if left:
                    return None
            else:
                span = span.times(extent)
        return order, span

    def _digits(
        self, counted: Polynomial, order: list[int], factors: Mapping[int, Polynomial]
    ) -> dict[int, Polynomial]:
        """The variables by their sum: the first by what the others leave, these by division where they are wanted."""
        first, *others = order
        rest = counted
        for index in others:
            rest -= factors[index].times(_single(index))
        self._replace({first: rest})
        wanted = self._varying(self._offsets, *self._conditions, *self._demands)
        values: dict[int, Polynomial] = {}
        for index in others:
            if index in wanted:
                self._is_exact = False
            quotient = self._quantities.quotient(counted, factors[index])
            extent = self._extent(index)
            is_last = index == order[-1]
            values[index] = (
                quotient
                if is_last or extent is None
                else self._quantities.remainder(quotient, extent)
            )
        return values

    # --- Values -----------------------------------------------------------------------------------

    def _fix(self) -> bool:
        """Give one variable its value: the last, or the first where offsets fall with it."""
        varying = self._varying(self._offsets, *self._conditions, *self._demands)
        if not varying:
            return False
        index = min(varying, key=self._rank)
        extent = self._extent(index)
        if extent is None:
            self._is_exact = False
            self._replace({index: _NOTHING})
            return True
        directions = set(self._directions(self._offsets, index))
        if directions == {-1}:
            value = _NOTHING
        else:
            value = extent - ONE
            if directions == {-1, 1}:
                self._is_exact = False
        if any(index in self._varying(condition) for condition in self._conditions):
            self._is_exact = False
        self._demands.append(extent - ONE)
        self._replace({index: value})
        return True

    def _rank(self, index: int) -> tuple[int, int]:
        """Lanes come last, so that what programs and iterations leave of a bound decides about them."""
        quantity = self._quantities.all[index]
        if not isinstance(quantity, Variable) or quantity.extent is None:
            return 2, index
        return (1 if quantity.name[0] == "lane" else 0), index

    def _directions(self, polynomial: Polynomial, wanted: int) -> Iterator[int]:
        """Whether it rises and falls with a variable, if no parameter is negative."""
        for product, factor in polynomial.terms:
            sign = 1 if factor > 0 else -1
            for index in product:
                if index == wanted:
                    yield sign
                    continue
                match self._quantities.all[index]:
                    case Quotient(dividend=dividend):
                        yield from (sign * each for each in self._directions(dividend, wanted))
                    case quantity:
                        for part in parts_of(quantity):
                            yield from (sign * each for each in self._directions(part, wanted))


def _single(index: int) -> Polynomial:
    return Polynomial((((index,), 1),))


def _is_rising(polynomial: Polynomial) -> bool:
    """Whether nothing is subtracted in it."""
    return all(factor > 0 for _, factor in polynomial.terms)
