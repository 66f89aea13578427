"""Integers of a kernel as polynomials in what a launch gives and in variables that run through ranges.

Quotients are quotients of polynomials, so an offset can be asked what it is when its variables have certain values.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from transpiler.analysis.polynomial import (
    Polynomial,
    constant,
    made_of,
)
from transpiler.ir import nodes as ir
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Given(NamedTuple):
    """A parameter or a const generic, by its place among all of these."""

    place: int
    is_constant: bool


class Grid(NamedTuple):
    """The number of programs along an axis of the grid."""

    axis: int


class Variable(NamedTuple):
    """0, 1, … `extent` - 1, each of them in some program, lane and iteration; without an end where that is None.

    `name` tells variables apart.
    """

    name: tuple[object, ...]
    extent: Polynomial | None


class Quotient(NamedTuple):
    """Rounded down, which is what Rust's `/` gives where nothing is negative."""

    dividend: Polynomial
    divisor: Polynomial


class Least(NamedTuple):
    """The least of several."""

    parts: tuple[Polynomial, ...]


class Greatest(NamedTuple):
    """The greatest of several."""

    parts: tuple[Polynomial, ...]


Quantity: TypeAlias = Given | Grid | Variable | Quotient | Least | Greatest


ONE = constant(1)


class Quantities:
    """The quantities of one kernel by their indices in polynomials."""

    def __init__(self, kernel: ir.Routine) -> None:
        self._givens = {
            symbol: Given(place, symbol.kind is ir.SymbolKind.CONST_GENERIC)
            for place, symbol in enumerate((*kernel.parameters, *kernel.const_generics))
        }
        self._loops: dict[int, int] = {}
        self.all: list[Quantity] = []
        self._indices: dict[Quantity, int] = {}
        self._varying: list[frozenset[int]] = []
        """For each quantity the variables in it."""
        self._depths: list[int] = []
        """For each quantity how many are computed from others in it, one inside of the other."""

    def given(self, symbol: ir.Symbol) -> Polynomial:
        """A parameter or a const generic."""
        return self.single(self._givens[symbol])

    def trip(self, loop: ir.Statement) -> Polynomial:
        """How many iterations of a loop were before one."""
        number = self._loops.setdefault(id(loop), len(self._loops))
        return self.single(Variable(("iteration", number), None))

    def is_program(self, index: int) -> bool:
        """Whether it is the place of a program."""
        quantity = self.all[index]
        return isinstance(quantity, Variable) and quantity.name[0] == "program"

    def single(self, quantity: Quantity) -> Polynomial:
        """The quantity as a polynomial."""
        index = self._indices.get(quantity)
        if index is None:
            index = self._indices[quantity] = len(self.all)
            self.all.append(quantity)
            inside = (
                {index}
                if isinstance(quantity, Variable)
                else chain.from_iterable(map(self.variables, parts_of(quantity)))
            )
            self._varying.append(frozenset(inside))
            self._depths.append(
                max((1 + self.depth(part) for part in parts_of(quantity)), default=0)
            )
        return Polynomial((((index,), 1),))

    def only(self, polynomial: Polynomial) -> Quantity | None:
        """The quantity that a polynomial is, None where it is none."""
        match polynomial.terms:
            case (((index,), 1),):
                return self.all[index]
            case _:
                return None

    def variables(self, polynomial: Polynomial) -> frozenset[int]:
        """The variables in it, also those inside of quotients."""
        varying = self._varying
        return frozenset().union(
            *[varying[index] for product, _ in polynomial.terms for index in product]
        )

    def depth(self, polynomial: Polynomial) -> int:
        """How many quotients and extremes stand in it, one inside of the other."""
        depths = self._depths
        return max(
            [depths[index] for product, _ in polynomial.terms for index in product], default=0
        )

    def quotients(self, polynomial: Polynomial) -> frozenset[Quotient]:
        """The quotients in it that vary."""
        found: set[Quotient] = set()
        for index in polynomial.atoms:
            quantity = self.all[index]
            if not self._varying[index] or isinstance(quantity, Variable):
                continue
            for part in parts_of(quantity):
                found |= self.quotients(part)
            if isinstance(quantity, Quotient) and self.variables(quantity.dividend):
                found.add(quantity)
        return frozenset(found)

    def replaced(self, polynomial: Polynomial, values: Mapping[int, Polynomial]) -> Polynomial:
        """The polynomial with values in place of some variables."""
        found: dict[int, Polynomial] = {}
        for product, _ in polynomial.terms:
            for index in product:
                if index not in found and not self._varying[index].isdisjoint(values):
                    value = values.get(index)
                    found[index] = self._inside(index, values) if value is None else value
        return substituted(polynomial, found) if found else polynomial

    def _inside(self, index: int, values: Mapping[int, Polynomial]) -> Polynomial:
        match self.all[index]:
            case Quotient(dividend=dividend, divisor=divisor):
                return self.quotient(
                    self.replaced(dividend, values), self.replaced(divisor, values)
                )
            case Least(parts=parts):
                return self.least(self.replaced(part, values) for part in parts)
            case Greatest(parts=parts):
                return self.greatest(self.replaced(part, values) for part in parts)
            case quantity:
                return self.single(quantity)

    # --- What is no sum or product ----------------------------------------------------------------

    def quotient(self, dividend: Polynomial, divisor: Polynomial) -> Polynomial:
        """The quotient rounded down; what can be divided without a remainder is."""
        if divisor.constant == 1:
            return dividend
        whole, rest = split(dividend, divisor)
        if rest.constant is not None and divisor.constant:
            return whole + constant(rest.constant // divisor.constant)
        if rest.constant == 0 or self._is_below(rest, divisor):
            return whole
        if rest.constant == -1:
            return whole - ONE
        if dict(rest.terms).get(()) == -1:
            # So that a quotient that is rounded up has one form, and stays together.
            return whole - ONE + self.single(Quotient(rest + divisor, divisor))
        match self.only(rest):
            case Quotient(dividend=inner, divisor=first):
                return whole + self.quotient(inner, first.times(divisor))
            case _:
                return whole + self.single(Quotient(rest, divisor))

    def _is_below(self, rest: Polynomial, divisor: Polynomial) -> bool:
        """Whether it lies from 0 to below the divisor."""
        last: dict[int, Polynomial] = {}
        for product, factor in rest.terms:
            for index in product:
                match self.all[index]:
                    case Variable(extent=Polynomial() as extent):
                        last[index] = extent - ONE
                    case Variable():
                        return False
                    case _:
                        pass
            if factor < 0 or not last.keys() & set(product):
                return False
        return bool(last) and self.replaced(rest, last) == divisor - ONE

    def remainder(self, dividend: Polynomial, divisor: Polynomial) -> Polynomial:
        """What the quotient leaves."""
        return dividend - divisor.times(self.quotient(dividend, divisor))

    def least(self, parts: Iterable[Polynomial]) -> Polynomial:
        """The least of several, without those that are known to be no less than another."""
        return self._extreme(parts, Least, self.is_at_most)

    def least_of(self, polynomial: Polynomial) -> tuple[Polynomial, ...]:
        """The parts it is the least of, or itself."""
        quantity = self.only(polynomial)
        return quantity.parts if isinstance(quantity, Least) else (polynomial,)

    def greatest(self, parts: Iterable[Polynomial]) -> Polynomial:
        """The greatest of several."""
        return self._extreme(parts, Greatest, lambda a, b: self.is_at_most(b, a))

    def _extreme(
        self,
        parts: Iterable[Polynomial],
        kind: type[Least | Greatest],
        decides: Callable[[Polynomial, Polynomial], bool],
    ) -> Polynomial:
        flat: dict[Polynomial, None] = {}
        for part in parts:
            match self.only(part):
                case Least(parts=inner) | Greatest(parts=inner) as same if isinstance(same, kind):
                    flat.update(dict.fromkeys(inner))
                case _:
                    flat[part] = None
        kept: list[Polynomial] = []
        for part in flat:
            if not any(decides(other, part) for other in kept):
                kept = [other for other in kept if not decides(part, other)]
                kept.append(part)
        return kept[0] if len(kept) == 1 else self.single(kind(tuple(kept)))

    def is_at_most(self, a: Polynomial, b: Polynomial) -> bool:
        """Whether a is at most b whatever is launched, as far as it is obvious."""
        if a == b or self._is_rounded_up(a, b):
            return True
        difference = (b - a).constant
        return difference is not None and difference >= 0

    def _is_rounded_up(self, a: Polynomial, b: Polynomial) -> bool:
        """Whether b is `(a + n - 1) / n * n`."""
        match b.terms:
            case ((product, 1),):
                for index in product:
                    quantity = self.all[index]
                    if isinstance(quantity, Quotient):
                        others = list(product)
                        others.remove(index)
                        rest = Polynomial(((tuple(others), 1),))
                        if rest == quantity.divisor and quantity.dividend == a + rest - ONE:
                            return True
            case _:
                pass
        return False


def parts_of(quantity: Quantity) -> tuple[Polynomial, ...]:
    """What a quantity is computed from."""
    match quantity:
        case Quotient():
            return (quantity.dividend, quantity.divisor)
        case Least(parts=parts) | Greatest(parts=parts):
            return parts
        case _:
            return ()


def substituted(polynomial: Polynomial, values: Mapping[int, Polynomial]) -> Polynomial:
    """The polynomial with values in place of some quantities, which are looked for outside of quotients alone."""
    total: dict[tuple[int, ...], int] = {}
    for product, factor in polynomial.terms:
        kept = tuple([index for index in product if index not in values])
        if len(kept) == len(product):
            total[product] = total.get(product, 0) + factor
            continue
        term = Polynomial(((kept, factor),))
        for index in product:
            if index in values:
                term = term.times(values[index])
        for made, times in term.terms:
            total[made] = total.get(made, 0) + times
    return made_of(total)


def split(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """`whole` and `rest` of `dividend = divisor * whole + rest`, where as much as can be seen is whole."""
    if dividend == divisor:
        return ONE, constant(0)
    if len(divisor.terms) != 1:
        return constant(0), dividend
    ((wanted, by),) = divisor.terms
    whole: dict[tuple[int, ...], int] = {}
    rest: dict[tuple[int, ...], int] = {}
    for product, factor in dividend.terms:
        left = _without(product, wanted)
        if left is None or factor % by:
            rest[product] = factor
        else:
            whole[left] = factor // by
    return made_of(whole), made_of(rest)


def _without(product: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...] | None:
    left = list(product)
    for index in wanted:
        if index not in left:
            return None
        left.remove(index)
    return tuple(left)
