"""Integers of a nest as numbers a launch can compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.extent import (
    AtLeast,
    Division,
    Extreme,
    Named,
    Number,
    PowerOfTwo,
    Product,
    Sum,
)
from transpiler.optimise.nests.expressions import place_among_factors
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from transpiler.analysis.polynomial import Polynomial
    from transpiler.ir.extent import Extent
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Axis


def extent_of(polynomial: Polynomial, indices: Indices) -> Extent | None:
    """A polynomial in parameters; None where something else is in it."""
    added: list[Extent] = []
    subtracted: list[Extent] = []
    for product, factor in polynomial.terms:
        symbols = [symbol for index in product if (symbol := indices.argument(index)) is not None]
        if len(symbols) < len(product):
            return None
        factors: list[Extent] = [
            Named(symbol.name) for symbol in sorted(symbols, key=place_among_factors)
        ]
        if abs(factor) != 1 or not factors:
            factors.insert(0, Number(abs(factor)))
        (added if factor > 0 else subtracted).append(times(*factors))
    if not added:
        return Number(0) if not subtracted else Sum((Number(0),), tuple(subtracted))
    return added[0] if len(added) == 1 and not subtracted else Sum(tuple(added), tuple(subtracted))


def length_of(axis: Axis, indices: Indices) -> Polynomial:
    """How many indices an axis has, where that is not negative."""
    return indices.polynomial(axis.stop) - indices.polynomial(axis.start)


def extent_of_axis(axis: Axis, indices: Indices) -> Extent:
    """How many indices an axis has.

    Raises:
        RefusedError: arguments alone do not say so.
    """
    start = indices.polynomial(axis.start)
    found = extent_of(length_of(axis, indices), indices)
    if found is None or extent_of(start, indices) is None:
        refuse(f"the extent of `{axis.symbol.name}` is not made of arguments", axis.span)
    return found


def times(*factors: Extent) -> Extent:
    """A product; factors of 1 are left out."""
    kept = [factor for factor in factors if factor != Number(1)]
    match kept:
        case []:
            return Number(1)
        case [only]:
            return only
        case _:
            return Product(tuple(kept))


def rounded_up(dividend: Extent, divisor: Extent) -> Extent:
    """A quotient, rounded up."""
    return dividend if divisor == Number(1) else Division(dividend, divisor, is_up=True)


def rounded_down(dividend: Extent, divisor: Extent) -> Extent:
    """A quotient, rounded down."""
    return dividend if divisor == Number(1) else Division(dividend, divisor, is_up=False)


def least(*parts: Extent) -> Extent:
    """The least of some."""
    return Extreme(parts, is_least=True)


def greatest(*parts: Extent) -> Extent:
    """The greatest of some."""
    return Extreme(parts, is_least=False)


def power_of_two(value: Extent) -> Extent:
    """The least power of two that is not below."""
    return PowerOfTwo(value)


def at_least(value: Extent, bound: Extent | int) -> AtLeast:
    """A condition."""
    return AtLeast(value=value, bound=Number(bound) if isinstance(bound, int) else bound)


def below(value: Extent, bound: int) -> AtLeast:
    """The condition that a number is less than another."""
    return AtLeast(value=Number(bound - 1), bound=value)
