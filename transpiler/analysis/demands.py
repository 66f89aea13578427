"""What must not be negative, as least values of parameters wherever these are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.polynomial import Polynomial, constant
from transpiler.analysis.quantities import (
    ONE,
    Given,
    Greatest,
    Grid,
    Least,
    Quotient,
    Variable,
    substituted,
)
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.analysis.quantities import Quantities

_DEEP = 4
"""How many quotients and extremes are looked into, one inside of the other."""


class Terms(NamedTuple):
    """The least values of parameters by their indices, and polynomials that must not be negative besides."""

    least: Mapping[int, int]
    others: tuple[Polynomial, ...]


class Demands:
    """Settles demands in one kernel: extents of the grid and of tiles are at least 1."""

    def __init__(self, quantities: Quantities) -> None:
        self._quantities = quantities

    def _known(self) -> dict[int, int]:
        known: dict[int, int] = {}
        for index, quantity in enumerate(self._quantities.all):
            match quantity:
                case Grid():
                    known[index] = 1
                case Variable(name=("lane", _), extent=Polynomial(terms=(((extent,), 1),))):
                    known[extent] = 1
                case _:
                    pass
        return known

    def settled(self, demands: tuple[Polynomial, ...], count: Polynomial) -> Terms | None:
        """What the demands come to where `count` elements are needed; None where they cannot be met.

        What fails only where the count is not positive is no demand: nothing is needed then.
        """
        known = self._known()
        idle = {part - ONE for part in self._quantities.least_of(count)}
        least: dict[int, int] = {}
        left: list[Polynomial] = []
        pending = list(demands)
        seen = set(idle)
        while pending:
            demand = pending.pop()
            if demand in seen:
                continue
            seen.add(demand)
            number = demand.constant
            if number is not None:
                if number < 0:
                    return None
            elif not self._bounds(demand, least):
                inside = self._inside(demand)
                if inside is not None:
                    pending += inside
                else:
                    left.append(demand)
        others: dict[Polynomial, None] = {}
        for demand in left:
            if self.is_met(demand, {**least, **known}):
                continue
            usual = {**dict.fromkeys(self._given(demand), 0), **least}
            if self.is_met(demand, {**usual, **known}):
                least = usual
            else:
                others[demand] = None
        return Terms(
            {index: bound for index, bound in least.items() if known.get(index, bound - 1) < bound},
            tuple(others),
        )

    def _given(self, polynomial: Polynomial) -> list[int]:
        return [
            index for index in polynomial.atoms if isinstance(self._quantities.all[index], Given)
        ]

    def _inside(self, demand: Polynomial) -> tuple[Polynomial, ...] | None:
        """Demands of what is in a quotient or among the least, where the demand is of that alone."""
        for index in demand.atoms:
            least = self._quantities.all[index]
            if isinstance(least, Least) and demand.coefficient(index) == ONE:
                return tuple(substituted(demand, {index: part}) for part in least.parts)
        number = dict(demand.terms).get((), 0)
        match self._quantities.only(demand - constant(number)):
            case Quotient(dividend=dividend, divisor=divisor) if number <= 0:
                return (dividend - constant(-number).times(divisor), divisor - ONE)
            case None:
                return self._factors(demand, -number)
            case _:
                return None

    def _factors(self, demand: Polynomial, number: int) -> tuple[Polynomial, ...] | None:
        """Demands of each factor, where the demand is that of a product of several to be `number`."""
        products = [term for term in demand.terms if term[0]]
        if len(products) != 1 or not 0 <= number <= products[0][1]:
            return None
        ((indices, factor),) = products
        if len(set(indices)) == 1 and factor == 1:
            return None
        bound = constant(1 if number else 0)
        return tuple(Polynomial((((index,), 1),)) - bound for index in set(indices))

    def _bounds(self, demand: Polynomial, least: dict[int, int]) -> bool:
        """Take a demand of one parameter for its bound."""
        number = -dict(demand.terms).get((), 0)
        match (demand + constant(number)).terms:
            case (((index,), factor),) if factor > 0 and isinstance(
                self._quantities.all[index], Given
            ):
                bound = -(-number // factor)
                least[index] = max(bound, least.get(index, bound))
                return True
            case _:
                return False

    def is_met(self, demand: Polynomial, least: Mapping[int, int], depth: int = 0) -> bool:
        """Whether it is not negative where every parameter is at least what is said; one that is missing may be all."""
        if depth > _DEEP:
            return False
        for index in demand.atoms:
            match self._quantities.all[index]:
                case (Least(parts=parts) | Greatest(parts=parts)) as extreme:
                    signs = {factor > 0 for product, factor in demand.terms if index in product}
                    if len(signs) > 1:
                        return False
                    # What is subtracted may be taken for any part of the least, what is added only for all.
                    quantifier = all if signs == {isinstance(extreme, Least)} else any
                    return quantifier(
                        self.is_met(substituted(demand, {index: part}), least, depth + 1)
                        for part in parts
                    )
                case _:
                    pass
        moved = demand
        for index in demand.atoms:
            low = self._low(index, least, depth)
            if low is None:
                return False
            if low:
                moved = substituted(moved, {index: Polynomial((((), low), ((index,), 1)))})
        return all(factor > 0 for _, factor in moved.terms)

    def _low(self, index: int, least: Mapping[int, int], depth: int) -> int | None:
        match self._quantities.all[index]:
            case Given() | Grid():
                return least.get(index)
            case Quotient(dividend=dividend, divisor=divisor):
                if not self.is_met(divisor - ONE, least, depth + 1):
                    return None
                for bound in (1, 0):
                    if self.is_met(dividend - constant(bound).times(divisor), least, depth + 1):
                        return bound
                return None
            case _:
                return None

    def is_no_less(self, a: Polynomial, b: Polynomial, terms: Terms) -> bool:
        """Whether a is b or more, if no parameter is negative."""
        greatest = self._quantities.only(a)
        if isinstance(greatest, Greatest):
            return any(self.is_no_less(part, b, terms) for part in greatest.parts)
        difference = a - b
        low = {index: 0 for index, it in enumerate(self._quantities.all) if isinstance(it, Given)}
        return self.is_met(difference, {**low, **self._known(), **terms.least})
