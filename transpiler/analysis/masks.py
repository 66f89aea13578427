"""Masks as sets of conditions that all hold, inequalities between integers as polynomials."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.analysis.flow import Bound
from transpiler.analysis.polynomial import LaneAtom, OpaqueAtom, Polynomial, VariableAtom, constant
from transpiler.analysis.values import (
    Values,
    added_dimension,
    copied,
    is_integer,
    is_tile,
    operands,
)
from transpiler.ir import nodes as ir
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Negative(NamedTuple):
    """`polynomial < 0`."""

    polynomial: Polynomial


class Other(NamedTuple):
    """Another condition, by its key; `rank` is that of its tile."""

    key: int
    rank: int


Condition: TypeAlias = Negative | Other


class MaskTerm(NamedTuple):
    """A condition of a mask and the expression that states it."""

    condition: Condition
    source: ir.Expression


_BOTH = frozenset({ir.BinaryOperator.BIT_AND, ir.BinaryOperator.AND})
_ONE = constant(1)


class Masks:
    """The conditions of the masks of one kernel."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._known: dict[int, tuple[MaskTerm, ...]] = {}

    def terms(self, node: ir.Expression) -> tuple[MaskTerm, ...]:
        """What has to hold where the mask is on."""
        known = self._known.get(id(node))
        if known is None:
            unique = {term.condition: term for term in self._terms(node)}
            known = self._known[id(node)] = tuple(unique.values())
        return known

    def conditions(self, node: ir.Expression) -> frozenset[Condition]:
        """The same, without their places."""
        return frozenset(term.condition for term in self.terms(node))

    def _terms(self, node: ir.Expression) -> Iterator[MaskTerm]:
        match node:
            case ir.Read():
                definition = self._values.flow.definition(node)
                if isinstance(definition, Bound):
                    yield from self.terms(definition.value)
                else:
                    yield self._other(node)
            case ir.BlockValue(value=value):
                yield from self.terms(value)
            case ir.Binary(operator=operator, left=left, right=right) if operator in _BOTH:
                yield from self.terms(left)
                yield from self.terms(right)
            case ir.Binary(operator=operator, left=left, right=right) if operator.is_comparison:
                yield self._comparison(node, operator, left, right)
            case ir.OpCall() if node.op.operator is not None and node.op.operator.is_comparison:
                left, right = operands(node)
                yield self._comparison(node, node.op.operator, left, right)
            case ir.OpCall() if node.op.copies:
                yield from self._copied(node)
            case _:
                yield self._other(node)

    def _comparison(
        self,
        node: ir.Expression,
        operator: ir.BinaryOperator,
        left: ir.Expression,
        right: ir.Expression,
    ) -> MaskTerm:
        if not is_integer(left):
            return self._other(node)
        a, b = self._values.polynomial(left), self._values.polynomial(right)
        match operator:
            case ir.BinaryOperator.LESS:
                difference = a - b
            case ir.BinaryOperator.LESS_EQUAL:
                difference = a - b - _ONE
            case ir.BinaryOperator.GREATER:
                difference = b - a
            case ir.BinaryOperator.GREATER_EQUAL:
                difference = b - a - _ONE
            case _:
                return self._other(node)
        return MaskTerm(Negative(difference), node)

    def _other(self, node: ir.Expression) -> MaskTerm:
        rank = len(node.type.shape) if is_tile(node) else 0  # type: ignore[union-attr] # a tile has a shape
        return MaskTerm(Other(self._values.key(node), rank), node)

    def _copied(self, node: ir.OpCall) -> Iterator[MaskTerm]:
        source, dimension = copied(node), added_dimension(node)
        if source is None:
            yield self._other(node)
            return
        for term in self.terms(source):
            if dimension is None:
                yield term
                continue
            moved = (
                self._values.moved(term.condition.polynomial, dimension)
                if isinstance(term.condition, Negative)
                else None
            )
            yield (self._other(node) if moved is None else MaskTerm(Negative(moved), term.source))

    def varies_along(self, condition: Condition, dimension: int, rank: int) -> bool:
        """Whether lanes along a dimension of a tile of that rank may differ in a condition."""
        if isinstance(condition, Other):
            return rank == 1 and condition.rank == 1
        return any(
            atom.dimension == dimension
            if isinstance(atom, LaneAtom)
            else rank == 1 and self._is_tile(atom)
            for atom in self._values.atoms_of(condition.polynomial)
        )

    def _is_tile(self, atom: object) -> bool:
        match atom:
            case VariableAtom(is_tile=is_tile_):
                return is_tile_
            case OpaqueAtom(key=key):
                return is_tile(self._values.expressions[key])
            case _:
                return False
