"""Which arguments have to be multiples of several elements for an access to move several at once.

The lanes along the last dimension of a tile count up by 1. Groups of them are one wide access where each group starts
at a multiple of its length, and a mask is the same for all of it: where every other term of the offsets, and of what
the mask compares with the lanes, is such a multiple. Terms with the extent of the tile, or a power of two, for a factor
are. Those with parameters for factors are where the product of these is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.analysis.addresses import address_of, mask_of
from transpiler.analysis.flow import Carried, Counted
from transpiler.analysis.masks import Negative
from transpiler.analysis.polynomial import (
    LaneAtom,
    Polynomial,
    SymbolAtom,
    VariableAtom,
    constant,
)
from transpiler.ir import nodes as ir
from transpiler.ir.types import I32

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.analysis.facts import Facts
    from transpiler.analysis.flow import Site

MOST_ELEMENTS = 16
"""The most elements of one access, which are of one byte then."""

_LAST = -1
_ONE = constant(1)


Products: TypeAlias = frozenset[frozenset[ir.Symbol]]
"""Products of parameters, each of which has to be a multiple of several elements."""


def aligning_products(facts: Facts, site: Site) -> Products | None:
    """The products of parameters of which a load or a store needs multiples.

    None where multiples would not help, or nothing is known.
    """
    values = facts.values
    address = address_of(values, site)
    if address is None:
        return None
    numbers = [address.offsets]
    mask = mask_of(site)
    if mask is not None:
        for condition in facts.masks.conditions(mask):
            if not isinstance(condition, Negative):
                return None
            if _LAST in values.lanes(condition.polynomial):
                numbers.append(condition.polynomial)
    terms: set[frozenset[ir.Symbol]] = set()
    for number in numbers:
        found = _Terms(facts).of(number)
        if found is None:
            return None
        terms |= found
    # Where a product is a multiple, so is what has others for factors besides.
    return frozenset(it for it in terms if not any(other < it for other in terms))


class _Terms:
    """Of each term of a number beside its lanes, the parameters among its factors."""

    def __init__(self, facts: Facts) -> None:
        self._values = facts.values

    def of(self, number: Polynomial) -> Products | None:
        """None where the lanes do not count up by 1, or a term is a multiple of nothing that is known."""
        lanes = [
            (index, atom)
            for index in number.atoms
            if isinstance(atom := self._values.atoms[index], LaneAtom) and atom.dimension == _LAST
        ]
        if len(lanes) != 1:
            return None
        ((lane, atom),) = lanes
        if number.coefficient(lane) not in (_ONE, -_ONE):
            return None
        rest = self._started(number - number.coefficient(lane).times(_single(lane)))
        found: set[frozenset[ir.Symbol]] = set()
        for product, factor in rest.terms:
            if factor % MOST_ELEMENTS == 0 or atom.extent.atoms & set(product):
                continue
            symbols = frozenset(self._parameters(product))
            if not symbols:
                return None
            found.add(symbols)
        return frozenset(found)

    def _started(self, number: Polynomial) -> Polynomial:
        """The number with what loops count from, and by, in the place of what counts."""
        for index in sorted(number.atoms):
            atom = self._values.atoms[index]
            if not isinstance(atom, VariableAtom):
                continue
            origin = self._origin(atom)
            if origin is None:
                continue
            start, step = origin
            each = number.coefficient(index)
            number = number - each.times(_single(index))
            number += each.times(start) + each.times(step).times(_single(index))
        return number

    def _origin(self, atom: VariableAtom) -> tuple[Polynomial, Polynomial] | None:
        """Where a variable starts, and what iterations add to it."""
        match atom.definition:
            case Counted(loop=loop):
                return self._values.polynomial(loop.start), self._values.polynomial(loop.step)
            case Carried() as carried:
                before = _single(self._values.atom(atom))
                steps = {
                    self._values.of_definition(back, is_tile=atom.is_tile) - before
                    for back in carried.backs
                }
                if len(steps) != 1:
                    return None
                initial = self._values.of_definition(carried.initial, is_tile=atom.is_tile)
                return initial, steps.pop()
            case _:
                return None

    def _parameters(self, product: Iterable[int]) -> Iterator[ir.Symbol]:
        for index in product:
            atom = self._values.atoms[index]
            if (
                isinstance(atom, SymbolAtom)
                and atom.symbol.kind is ir.SymbolKind.PARAMETER
                and atom.symbol.type == I32
            ):
                yield atom.symbol


def _single(index: int) -> Polynomial:
    return Polynomial((((index,), 1),))
