"""What varies from program to program: which coordinates of the grid a value depends on.

A coordinate is the program's place along an axis, or a part of it: kernels that lay several dimensions along one axis
take `p / n` and `p % n` apart. Values of equal coordinates are equal in every program that shares these, so an address
that lacks a coordinate is shared by all programs that differ in it alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.analysis.flow import (
    Bound,
    Carried,
    Counted,
    Element,
    Given,
    Merge,
    Unset,
    Updated,
)
from transpiler.analysis.values import Values, is_integer, operands
from transpiler.ir import nodes as ir
from transpiler.ir.visit import child_expressions, walk_block
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.analysis.flow import Definition


class Whole(NamedTuple):
    """The program's place along an axis."""

    axis: str


class Part(NamedTuple):
    """The quotient or remainder of what depends on `whole` by the divisor of that key."""

    whole: Coordinate
    dividend: int
    divisor: int
    is_remainder: bool


Coordinate: TypeAlias = Whole | Part

NOTHING: frozenset[Coordinate] = frozenset()


class Programs:
    """The coordinates of the values of one kernel."""

    def __init__(self, values: Values, functions: Mapping[ir.FunctionSymbol, ir.Function]) -> None:
        self._values = values
        self._functions = functions
        self._in_functions: dict[ir.FunctionSymbol, frozenset[Coordinate]] = {}
        self._known: dict[int, frozenset[Coordinate]] = {}
        self._of_definition: dict[Definition, frozenset[Coordinate]] = {}

    def coordinates(self, node: ir.Expression) -> frozenset[Coordinate]:
        """What an expression depends on; memory is as its address."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self._computed(node)
        return known

    def _computed(self, node: ir.Expression) -> frozenset[Coordinate]:
        match node:
            case ir.Literal():
                return NOTHING
            case ir.Read():
                return self._defined(self._values.flow.definition(node))
            case ir.OpCall() if node.op.is_program_id:
                return _whole(node)
            case ir.Binary(operator=ir.BinaryOperator.DIVIDE | ir.BinaryOperator.REMAINDER) if (
                is_integer(node)
            ):
                return self._divided(node)
            case ir.OpCall():
                return self._union(*operands(node), *self._listed(node))
            case ir.Call():
                return self._union(*child_expressions(node)) | self._asked_in(node.function)
            case ir.Conditional():
                # Statements of its arms are seen through the variables they define.
                return self._union(node.condition, node.then_value.value, node.else_value.value)
            case _:
                return self._union(*child_expressions(node))

    def _asked_in(self, function: ir.FunctionSymbol) -> frozenset[Coordinate]:
        """The coordinates a function may ask for itself."""
        known = self._in_functions.get(function)
        if known is None:
            known = NOTHING
            for node in walk_block(self._functions[function].body):
                if isinstance(node, ir.Call):
                    known |= self._asked_in(node.function)
                elif isinstance(node, ir.OpCall) and node.op.is_program_id:
                    known |= _whole(node)
            self._in_functions[function] = known
        return known

    def _listed(self, node: ir.OpCall) -> list[ir.Expression]:
        return [
            element
            for argument in node.arguments
            if isinstance(argument, ir.ListArgument)
            for element in argument.elements
        ]

    def _union(self, *nodes: ir.Expression) -> frozenset[Coordinate]:
        return NOTHING.union(*(self.coordinates(node) for node in nodes))

    def _divided(self, node: ir.Binary) -> frozenset[Coordinate]:
        inside, divisor = self.coordinates(node.left), self.coordinates(node.right)
        whole = self.exactly(node.left)
        if divisor or whole is None:
            return inside | divisor
        part = Part(
            whole=whole,
            dividend=self._values.key(node.left),
            divisor=self._values.key(node.right),
            is_remainder=node.operator is ir.BinaryOperator.REMAINDER,
        )
        return frozenset({part})

    def exactly(self, node: ir.Expression) -> Coordinate | None:
        """The coordinate an expression is, and nothing besides."""
        found = self.coordinates(node)
        if len(found) != 1:
            return None
        (coordinate,) = found
        value = self._values.value(node)
        match value:
            case ir.OpCall() if value.op.is_program_id:
                return coordinate
            case ir.Binary(operator=ir.BinaryOperator.DIVIDE | ir.BinaryOperator.REMAINDER) if (
                isinstance(coordinate, Part) and self.exactly(value.left) == coordinate.whole
            ):
                return coordinate
            case _:
                return None

    def _defined(self, definition: Definition) -> frozenset[Coordinate]:
        known = self._of_definition.get(definition)
        if known is not None:
            return known
        # What a loop carries depends on itself, which adds nothing.
        self._of_definition[definition] = NOTHING
        match definition:
            case Given() | Unset():
                found = NOTHING
            case Bound(value=value) | Element(value=value):
                found = self.coordinates(value)
            case Updated(previous=previous, value=value):
                found = self._defined(previous) | self.coordinates(value)
            case Counted(loop=loop):
                found = self._union(loop.start, loop.stop, loop.step)
            case Merge(inputs=inputs, condition=condition):
                found = NOTHING.union(*map(self._defined, inputs))
                if condition is not None:
                    found |= self.coordinates(condition)
            case Carried():
                found = self._defined(definition.initial).union(
                    *map(self._defined, definition.backs)
                )
                match definition.loop:
                    case ir.While(condition=condition):
                        found |= self.coordinates(condition)
                    case ir.For():
                        found |= self._union(definition.loop.start, definition.loop.stop)
                    case _:
                        pass
        self._of_definition[definition] = found
        return found

    def determined(
        self, coordinates: frozenset[Coordinate], every: frozenset[Coordinate]
    ) -> frozenset[Coordinate]:
        """Those of `every` that programs which agree in `coordinates` agree in."""
        known = set(coordinates)
        pending = set(every) | {
            part.whole for part in every | coordinates if isinstance(part, Part)
        }
        changed = True
        while changed:
            changed = False
            for each in list(pending - known):
                if self._follows(each, known):
                    known.add(each)
                    changed = True
        return frozenset(known)

    def _follows(self, wanted: Coordinate, known: set[Coordinate]) -> bool:
        if isinstance(wanted, Part) and wanted.whole in known:
            return True
        return any(
            isinstance(part, Part)
            and part.whole == wanted
            and part._replace(is_remainder=not part.is_remainder) in known
            for part in known
        )


def _whole(call: ir.OpCall) -> frozenset[Coordinate]:
    axis = call.arguments[0]
    return frozenset({Whole(axis.member)}) if isinstance(axis, ir.EnumArgument) else NOTHING
