"""Integers as sums of products of *atoms*: parameters, program ids, lanes, variables, and what is no sum or product."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.ir import nodes as ir
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.analysis.flow import Definition


class SymbolAtom(NamedTuple):
    """A parameter or a const generic."""

    symbol: ir.Symbol


class ProgramAtom(NamedTuple):
    """The program's place along an axis of the grid."""

    axis: str


class LaneAtom(NamedTuple):
    """0, 1, … `extent` - 1 along a dimension of a tile, which is counted from the last, -1."""

    dimension: int
    extent: Polynomial


class VariableAtom(NamedTuple):
    """A variable of a loop, or one that arms give different values."""

    definition: Definition
    is_tile: bool


class OpaqueAtom(NamedTuple):
    """The value of an expression that is no sum or product, by its key."""

    key: int


_ONE = (((), 1),)

Atom: TypeAlias = SymbolAtom | ProgramAtom | LaneAtom | VariableAtom | OpaqueAtom


class Polynomial(NamedTuple):
    """A sum of terms: the indices of a product's atoms, in order, with its coefficient. The empty product is 1."""

    terms: tuple[tuple[tuple[int, ...], int], ...]

    @property
    def constant(self) -> int | None:
        """The value, where there are no atoms."""
        match self.terms:
            case ():
                return 0
            case (((), value),):
                return value
            case _:
                return None

    @property
    def atoms(self) -> frozenset[int]:
        """The indices of all atoms."""
        return frozenset(index for product, _ in self.terms for index in product)

    @property
    def degree(self) -> int:
        """The number of atoms in the longest product."""
        return max((len(product) for product, _ in self.terms), default=0)

    def coefficient(self, atom: int) -> Polynomial:
        """What the atom is multiplied by, where it occurs once at most in a product."""
        return made_of(
            {
                tuple(index for index in product if index != atom): factor
                for product, factor in self.terms
                if atom in product
            }
        )

    def __add__(self, other: object) -> Polynomial:
        if not isinstance(other, Polynomial):
            return NotImplemented
        if not self.terms or not other.terms:
            return self if self.terms else other
        result = dict(self.terms)
        for product, factor in other.terms:
            result[product] = result.get(product, 0) + factor
        return made_of(result)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple((product, -factor) for product, factor in self.terms))

    def __sub__(self, other: Polynomial) -> Polynomial:
        if not other.terms:
            return self
        result = dict(self.terms)
        for product, factor in other.terms:
            result[product] = result.get(product, 0) - factor
        return made_of(result)

    def times(self, other: Polynomial) -> Polynomial:
        """The product."""
        if self.terms == _ONE:
            return other
        if other.terms == _ONE:
            return self
        if len(self.terms) == len(other.terms) == 1:
            ((left, a),), ((right, b),) = self.terms, other.terms
            return Polynomial(((tuple(sorted((*left, *right))), a * b),))
        result: dict[tuple[int, ...], int] = {}
        for left, a in self.terms:
            for right, b in other.terms:
                product = tuple(sorted((*left, *right)))
                result[product] = result.get(product, 0) + a * b
        return made_of(result)


def made_of(terms: dict[tuple[int, ...], int]) -> Polynomial:
    """The polynomial of these terms."""
    kept = [term for term in terms.items() if term[1]]
    if len(kept) > 1:
        kept.sort()
    return Polynomial(tuple(kept))


def constant(value: int) -> Polynomial:
    """A constant polynomial."""
    return _ZERO if value == 0 else Polynomial(_ONE if value == 1 else (((), value),))


_ZERO = Polynomial(())


MOST_TERMS = 24
"""Longer sums are no help to anybody."""
_MOST_FACTORS = 8

ARITHMETIC = frozenset(
    {
        ir.BinaryOperator.ADD,
        ir.BinaryOperator.SUBTRACT,
        ir.BinaryOperator.MULTIPLY,
        ir.BinaryOperator.SHIFT_LEFT,
        ir.BinaryOperator.DIVIDE,
        ir.BinaryOperator.REMAINDER,
    }
)
"""The operators `combined` knows."""


def combined(operator: ir.BinaryOperator, a: Polynomial, b: Polynomial) -> Polynomial | None:
    """The polynomial of `a operator b`, None where it is none."""
    match operator:
        case ir.BinaryOperator.ADD:
            return a + b
        case ir.BinaryOperator.SUBTRACT:
            return a - b
        case ir.BinaryOperator.MULTIPLY:
            if len(a.terms) * len(b.terms) > 4 * MOST_TERMS or a.degree + b.degree > _MOST_FACTORS:
                return None
            return a.times(b)
        case ir.BinaryOperator.SHIFT_LEFT:
            bits = b.constant
            return a.times(constant(1 << bits)) if bits is not None and 0 <= bits < 32 else None
        case ir.BinaryOperator.DIVIDE | ir.BinaryOperator.REMAINDER:
            left, right = a.constant, b.constant
            if left is None or right is None or left < 0 or right <= 0:
                return None
            return constant(left // right if operator is ir.BinaryOperator.DIVIDE else left % right)
        case _:
            return None
