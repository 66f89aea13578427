"""The integers at a place of a kernel as polynomials in quantities.

`Values` names the variables of a kernel by their definitions. Here each of them is what it counts: a place in the grid,
a lane, the iteration of a loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.analysis.flow import Carried, Counted
from transpiler.analysis.polynomial import (
    LaneAtom,
    OpaqueAtom,
    Polynomial,
    ProgramAtom,
    SymbolAtom,
    VariableAtom,
    combined,
    constant,
)
from transpiler.analysis.quantities import ONE, Grid, Quantities, Variable
from transpiler.analysis.values import added_dimension, copied, is_integer, value_of
from transpiler.ir import nodes as ir
from transpiler.ops.enums import ENUMS
from transpiler.ops.model import RangeLargest, RangeRoundedUp, RangeSmallest, RangeWithin

if TYPE_CHECKING:
    from transpiler.analysis.values import Values

_AXES = ENUMS["Axis"]


class UnknownQuantityError(Exception):
    """An integer is none of these, as what is loaded from memory."""


class Expansion:
    """Integers at one place of a kernel, inside of `loops`.

    `divisions` are the dividends and divisors that came up: they must not be negative, or 0, where a quotient is to be
    what Rust makes of it. `leaps` are the steps of loops, which count forward.
    """

    def __init__(
        self, quantities: Quantities, values: Values, loops: tuple[ir.Statement, ...]
    ) -> None:
        self.quantities = quantities
        self.divisions: dict[tuple[Polynomial, Polynomial], None] = {}
        self._values = values
        self._loops = {id(loop): loop for loop in loops}
        self._known: dict[int, Polynomial] = {}

    def trip(self, loop: ir.Statement) -> Polynomial:
        """How many iterations of a loop were before this one."""
        return self.quantities.trip(loop)

    def of(self, node: ir.Expression) -> Polynomial:
        """An integer of the kernel.

        Raises:
            UnknownQuantityError: a part of it is not known.
        """
        return self.expanded(self._values.polynomial(node))

    def expanded(self, polynomial: Polynomial) -> Polynomial:
        """A polynomial of `Values`.

        Raises:
            UnknownQuantityError: a part of it is not known.
        """
        match polynomial.terms:
            case (((index,), 1),):
                return self._atom(index)
            case _:
                result = constant(0)
        for product, factor in polynomial.terms:
            term = constant(factor)
            for index in product:
                term = _multiplied(term, self._atom(index))
            result += term
        return result

    def _atom(self, index: int) -> Polynomial:
        known = self._known.get(index)
        if known is None:
            known = self._quantity(index)
            if self.quantities.depth(known) > _MOST_NESTED:
                raise UnknownQuantityError
            self._known[index] = known
        return known

    def _quantity(self, index: int) -> Polynomial:
        single = self.quantities.single
        match self._values.atoms[index]:
            case SymbolAtom(symbol=symbol):
                return self.quantities.given(symbol)
            case ProgramAtom(axis=axis):
                place = _AXES[axis]
                if not isinstance(place, int):
                    raise UnknownQuantityError
                return single(Variable(("program", place), single(Grid(place))))
            case LaneAtom(dimension=dimension, extent=extent):
                return single(Variable(("lane", dimension), self.expanded(extent)))
            case VariableAtom(definition=Counted(loop=loop)) if id(loop) in self._loops:
                return self.of(loop.start) + self.of(loop.step).times(self.trip(loop))
            case VariableAtom(definition=Carried() as carried, is_tile=is_tile):
                return self._carried(carried, is_tile=is_tile)
            case OpaqueAtom(key=key):
                return self._computed(self._values.expressions[key])
            case _:
                raise UnknownQuantityError

    def _carried(self, carried: Carried, *, is_tile: bool) -> Polynomial:
        """What a loop adds the same to in each iteration."""
        if id(carried.loop) not in self._loops or not carried.backs:
            raise UnknownQuantityError
        before = self._values.of_definition(carried, is_tile=is_tile)
        steps = {
            self._values.of_definition(back, is_tile=is_tile) - before for back in carried.backs
        }
        if len(steps) > 1:
            raise UnknownQuantityError
        initial = self.expanded(self._values.of_definition(carried.initial, is_tile=is_tile))
        (difference,) = steps
        if any(
            isinstance(atom, VariableAtom) and atom.definition is carried
            for atom in self._values.atoms_of(difference)
        ):
            raise UnknownQuantityError
        return initial + self.over(carried.loop, self.expanded(difference))

    def over(self, loop: ir.Statement, step: Polynomial) -> Polynomial:
        """What a loop has added up that adds the step in each iteration.

        Raises:
            UnknownQuantityError: it is not the same in each, or this is no place in the loop.
        """
        if id(loop) not in self._loops or self.quantities.variables(step) & self._varying(loop):
            raise UnknownQuantityError
        return step.times(self.trip(loop))

    def _varying(self, loop: ir.Statement) -> frozenset[int]:
        """The iterations of a loop and of those around this place that are inside of it."""
        loops = list(self._loops.values())
        inner = loops[[id(each) for each in loops].index(id(loop)) :]
        return frozenset().union(*(self.trip(each).atoms for each in inner))

    def _computed(self, node: ir.Expression) -> Polynomial:
        match node:
            case ir.Binary(operator=operator, left=left, right=right) if is_integer(node):
                return self._divided(operator, self.of(left), self.of(right))
            case ir.OpCall() if node.op.operator is not None and is_integer(node):
                return self._divided(
                    node.op.operator, self.of(value_of(node, 0)), self.of(value_of(node, 1))
                )
            case ir.OpCall() if is_integer(node):
                return self._call(node)
            case _:
                raise UnknownQuantityError

    def _divided(
        self, operator: ir.BinaryOperator, left: Polynomial, right: Polynomial
    ) -> Polynomial:
        match operator:
            case ir.BinaryOperator.DIVIDE:
                self._divide(left, right)
                return self.quantities.quotient(left, right)
            case ir.BinaryOperator.REMAINDER:
                self._divide(left, right)
                return self.quantities.remainder(left, right)
            case ir.BinaryOperator.SHIFT_RIGHT if right.constant is not None:
                divisor = constant(1 << right.constant)
                self._divide(left, divisor)
                return self.quantities.quotient(left, divisor)
            case ir.BinaryOperator.ADD:
                return left + right
            case ir.BinaryOperator.SUBTRACT:
                return left - right
            case ir.BinaryOperator.MULTIPLY:
                return _multiplied(left, right)
            case _:
                raise UnknownQuantityError

    def _divide(self, dividend: Polynomial, divisor: Polynomial) -> None:
        """Note a division.

        Raises:
            UnknownQuantityError: it takes a program's place apart. Where the grid is no multiple of the divisor, the
                last elements of the last program are the last of nothing, so little that is exact would come of a long
                search. Or the dividend may be meant to wrap, as that of a hash does.
        """
        varying = self.quantities.variables(dividend)
        if varying and all(map(self.quantities.is_program, varying)):
            raise UnknownQuantityError
        if any(product and abs(factor) >= _FACTOR_OF_HASHES for product, factor in dividend.terms):
            raise UnknownQuantityError
        self.divisions[dividend, divisor] = None

    def _call(self, node: ir.OpCall) -> Polynomial:
        source = copied(node) if node.op.copies else None
        if source is not None and is_integer(source):
            dimension = added_dimension(node)
            result = self.of(source)
            return result if dimension is None else self.moved(result, dimension)
        match node.op.range:
            case RangeSmallest():
                return self.quantities.least((self._argument(node, 0), self._argument(node, 1)))
            case RangeLargest():
                return self.quantities.greatest((self._argument(node, 0), self._argument(node, 1)))
            case RangeRoundedUp():
                left, right = self._argument(node, 0), self._argument(node, 1)
                self._divide(left, right)
                return self.quantities.quotient(left + right - ONE, right)
            case RangeWithin() if node.op.family == "program" and not node.op.is_program_id:
                axis = node.arguments[0]
                place = _AXES[axis.member] if isinstance(axis, ir.EnumArgument) else None
                if isinstance(place, int):
                    return self.quantities.single(Grid(place))
        raise UnknownQuantityError

    def _argument(self, node: ir.OpCall, index: int) -> Polynomial:
        return self.of(value_of(node, index))

    def moved(self, polynomial: Polynomial, dimension: int) -> Polynomial:
        """The polynomial in a tile with a dimension more, counted from the last.

        Raises:
            UnknownQuantityError: the dimension is not known.
        """
        if dimension == 0:
            raise UnknownQuantityError
        moved: dict[int, Polynomial] = {}
        for index in self.quantities.variables(polynomial):
            match self.quantities.all[index]:
                case Variable(name=("lane", int() as lane), extent=extent) if lane <= dimension:
                    moved[index] = self.quantities.single(Variable(("lane", lane - 1), extent))
                case _:
                    pass
        return self.quantities.replaced(polynomial, moved)


def _multiplied(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product, unless it is longer than any that an author thinks of.

    Raises:
        UnknownQuantityError: it is.
    """
    if left == ONE:
        return right
    product = combined(ir.BinaryOperator.MULTIPLY, left, right)
    if product is None:
        raise UnknownQuantityError
    return product


_MOST_NESTED = 6
"""How many quotients and extremes stand one inside of the other."""
_FACTOR_OF_HASHES = 1 << 12
"""No extent of a tile or a vector that one writes as a number is as large."""
