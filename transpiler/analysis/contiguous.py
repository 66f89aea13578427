"""Which offsets count up by 1 from a multiple of how many they are, although they are computed by divisions.

An index that is taken apart by `/` and `%` and put together again is itself: sums of quotients cancel in polynomials,
so what is left of them says what the offsets are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.expansion import Expansion, UnknownQuantityError
from transpiler.analysis.polynomial import Polynomial
from transpiler.analysis.quantities import ONE, Given, Grid, Quantities, Quotient, Variable
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.analysis.values import Values
    from transpiler.ir import nodes as ir


class Run(NamedTuple):
    """`lanes` along the last dimension of a tile, a number or a const generic."""

    lanes: int | ir.Symbol


class NoRun(NamedTuple):
    """Why nothing is said; `is_divided` tells that a division is in the way of Triton's own analysis."""

    why: str
    is_divided: bool


UNKNOWN = "the offsets are no sums and products that are known"
NOT_BY_ONE = "the lanes do not count up by 1"
NO_MULTIPLE = "where the lanes start need be no multiple of how many they are"
PERHAPS_NEGATIVE = "what is divided may be negative"


class Runs:
    """The runs of offsets of one kernel, the `extents` of whose tiles are positive."""

    def __init__(self, kernel: ir.Routine, values: Values, extents: frozenset[str]) -> None:
        self._values = values
        self._quantities = Quantities(kernel)
        self._symbols = (*kernel.parameters, *kernel.const_generics)
        self._extents = extents

    def of(self, offsets: ir.Expression, loops: tuple[ir.Statement, ...]) -> Run | NoRun:
        """What the offsets at a place inside of loops are."""
        expansion = Expansion(self._quantities, self._values, loops)
        try:
            polynomial = expansion.of(offsets)
        except UnknownQuantityError:
            return NoRun(UNKNOWN, self._scatters(expansion))
        lane = self._last_lane(polynomial)
        if not self._scatters(expansion):
            return NoRun(UNKNOWN, is_divided=False)
        if not all(map(self._is_never_negative, self._divided(expansion))):
            return NoRun(PERHAPS_NEGATIVE, is_divided=True)
        if lane is None or polynomial.coefficient(lane) != ONE:
            return NoRun(NOT_BY_ONE, is_divided=True)
        quantity = self._quantities.all[lane]
        extent = quantity.extent if isinstance(quantity, Variable) else None
        start = polynomial - Polynomial((((lane,), 1),))
        count = None if extent is None else self._count(extent)
        if extent is None or count is None or lane in self._quantities.variables(start):
            return NoRun(NOT_BY_ONE, is_divided=True)
        if not self._is_multiple(start, extent):
            return NoRun(NO_MULTIPLE, is_divided=True)
        return Run(count)

    def _last_lane(self, polynomial: Polynomial) -> int | None:
        return next(filter(self._is_last_lane, polynomial.atoms), None)

    def _divided(self, expansion: Expansion) -> list[Polynomial]:
        """The dividends that differ from lane to lane."""
        return [dividend for dividend, _ in expansion.divisions if self._has_lanes(dividend)]

    def _has_lanes(self, polynomial: Polynomial) -> bool:
        return any(
            self._quantities.all[index].name[0] == "lane"  # type: ignore[union-attr] # variables alone are asked for
            for index in self._quantities.variables(polynomial)
        )

    def _scatters(self, expansion: Expansion) -> bool:
        """Whether something is divided that differs between lanes along the last dimension: rows may differ."""
        return any(
            self._is_last_lane(index)
            for dividend, _ in expansion.divisions
            for index in self._quantities.variables(dividend)
        )

    def _is_last_lane(self, index: int) -> bool:
        match self._quantities.all[index]:
            case Variable(name=("lane", -1)):
                return True
            case _:
                return False

    def _count(self, extent: Polynomial) -> int | ir.Symbol | None:
        if extent.constant is not None:
            return extent.constant
        match self._quantities.only(extent):
            case Given(place=place, is_constant=True):
                return self._symbols[place]
            case _:
                return None

    def _is_multiple(self, start: Polynomial, extent: Polynomial) -> bool:
        """Whether each term has the extent for a factor, a number or a const generic."""
        for product, factor in start.terms:
            if extent.constant is not None:
                if factor % extent.constant:
                    return False
            elif not extent.atoms <= set(product):
                return False
        return True

    def _is_never_negative(self, polynomial: Polynomial) -> bool:
        return all(
            factor > 0 and all(map(self._counts_from_zero, product))
            for product, factor in polynomial.terms
        )

    def _counts_from_zero(self, index: int) -> bool:
        match self._quantities.all[index]:
            case Variable() | Grid():
                return True
            case Given(place=place, is_constant=True):
                return self._symbols[place].name in self._extents
            case Quotient(dividend=dividend):
                # Of a divisor that is negative, it would be no place of an index: the index is put together from it.
                return self._is_never_negative(dividend)
            case _:
                return False
