"""Where many lanes or many iterations become one value, and what changes nothing there."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from transpiler.analysis.flow import Bound, Carried, Counted, Element, Merge, Updated
from transpiler.analysis.polynomial import Polynomial, VariableAtom
from transpiler.analysis.values import copied, named_argument, named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor
from transpiler.ir.visit import child_expressions
from transpiler.ops.model import Effect, ShapeOf, ShapeReduced
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.analysis.flow import Definition, Flow
    from transpiler.analysis.values import Values
    from transpiler.ops.model import Op


class Reduction(NamedTuple):
    """A reduction across lanes: `dimensions` of `operand`, counted from the last, become one."""

    call: ir.OpCall
    operand: ir.Expression
    identity: float
    dimensions: tuple[int, ...]


class Accumulation(NamedTuple):
    """A reduction across iterations: each iteration of `loop` combines `term` into a variable, lane by lane."""

    carried: Carried
    term: ir.Expression
    identity: float
    loop: ir.Statement


def reduction_of(call: ir.OpCall) -> Reduction | None:
    """A call as a reduction across lanes."""
    op = call.op
    if op.identity is None or not isinstance(op.shape, ShapeReduced | ShapeOf):
        return None
    operand = named_value(call, op.shape.parameter)
    if operand is None or not isinstance(operand.type, Tensor):
        return None
    rank = len(operand.type.shape)
    every = tuple(range(-rank, 0))
    if isinstance(op.shape, ShapeReduced):
        axis = named_argument(call, op.shape.axis)
        without = every
    else:
        axis = next(
            (
                argument
                for parameter, argument in zip(op.parsed.parameters, call.arguments, strict=True)
                if parameter.name != op.shape.parameter and isinstance(argument, ir.Literal)
            ),
            None,
        )
        without = every[-1:]
    match axis:
        case None:
            dimensions = without
        case ir.Literal(value=value):
            place = int(value)
            dimensions = (place if place < 0 else place - rank,)
        case _:
            return None
    return Reduction(call, operand, op.identity, dimensions)


def accumulations(flow: Flow, values: Values) -> tuple[Accumulation, ...]:
    """The variables that every iteration of a loop combines something into, and nothing else."""
    if not flow.carried:
        return ()
    dependence = _Dependence(values)
    return tuple(
        Accumulation(carried, term, identity, carried.loop)
        for carried in flow.carried
        if isinstance(carried.symbol.type, Tensor) and len(carried.backs) == 1
        for term, identity in _Terms(carried, values, dependence).of(carried.backs[0]) or ()
    )


class _Dependence:
    """Which variables of loops the values of expressions depend on."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._known: dict[int, frozenset[Carried]] = {}

    def on(self, node: ir.Expression) -> frozenset[Carried]:
        """The variables; what flows around a loop is not followed through it."""
        known = self._known.get(id(node))
        if known is None:
            if isinstance(node, ir.Read):
                known = self._defined(self._values.flow.definition(node))
            else:
                known = _NONE.union(*map(self.on, child_expressions(node)))
            self._known[id(node)] = known
        return known

    def _defined(self, definition: Definition) -> frozenset[Carried]:
        match definition:
            case Bound(value=value) | Element(value=value):
                return self.on(value)
            case Updated(previous=previous, value=value):
                return self.on(value) | self._defined(previous)
            case Merge(inputs=inputs):
                return _NONE.union(*map(self._defined, inputs))
            case Carried():
                return frozenset({definition})
            case _:
                return _NONE


_NONE: frozenset[Carried] = frozenset()


class _Terms:
    """What a definition combines into what a variable was at the start of an iteration."""

    def __init__(self, carried: Carried, values: Values, dependence: _Dependence) -> None:
        self._carried = carried
        self._values = values
        self._dependence = dependence

    def of(self, definition: Definition) -> list[tuple[ir.Expression, float]] | None:
        """The terms with the identity of what combines them; None where it is something else."""
        match definition:
            case Carried() if definition is self._carried:
                return []
            case Bound(value=value):
                return self._of(value)
            case Updated(operator=ir.BinaryOperator.ADD, previous=previous, value=value):
                before = None if self._mentions(value) else self.of(previous)
                return None if before is None else [*before, (value, 0.0)]
            case _:
                return None

    def _of(self, node: ir.Expression) -> list[tuple[ir.Expression, float]] | None:
        node = self._values.value(node)
        match node:
            case ir.Read():
                definition = self._values.flow.definition(node)
                return None if isinstance(definition, Bound) else self.of(definition)
            case ir.Binary(operator=ir.BinaryOperator.ADD, left=left, right=right):
                return self._combined(left, right, 0.0)
            case ir.Binary(operator=ir.BinaryOperator.MULTIPLY, left=left, right=right):
                # `acc * alpha`, as an online softmax scales what it has: the terms before it are scaled, no more.
                for scaled, factor in ((left, right), (right, left)):
                    if not self._mentions(factor):
                        return self._of(scaled)
                return None
            case ir.OpCall() if node.op.value is not None and len(operands(node)) == 2:
                identity = neutral_element(node.op)
                left, right = operands(node)
                return None if identity is None else self._combined(left, right, identity)
            case _:
                return None

    def _combined(
        self, left: ir.Expression, right: ir.Expression, identity: float
    ) -> list[tuple[ir.Expression, float]] | None:
        for accumulated, term in ((left, right), (right, left)):
            # Asked first: where both sides come from the variable, nothing is combined into it.
            if not self._mentions(term):
                before = self._of(accumulated)
                return None if before is None else [*before, (term, identity)]
        return None

    def _mentions(self, node: ir.Expression) -> bool:
        return self._carried in self._dependence.on(node)


@cache
def neutral_element(op: Op) -> float | None:
    """What an operation on two numbers gives the other one with, on either side."""
    function = op.value
    if function is None:
        return None
    probes = (-3.5, -1.0, 0.25, 2.0)
    for candidate in (0.0, 1.0, -math.inf, math.inf):
        if all(function(x, candidate) == x == function(candidate, x) for x in probes):
            return candidate
    return None


def varies_with(values: Values, polynomial: Polynomial, loop: ir.Statement) -> bool:
    """Whether an integer changes from iteration to iteration of a loop, by its form."""
    for atom in values.atoms_of(polynomial):
        if isinstance(atom, VariableAtom):
            match atom.definition:
                case Counted(loop=own) | Carried(loop=own) if own is loop:
                    return True
                case _:
                    pass
    return False


def masked_loads(values: Values, node: ir.Expression) -> dict[int, ir.OpCall]:
    """The loads under masks whose elements an expression is computed from lane by lane, by identity."""
    found: dict[int, ir.OpCall] = {}
    seen: set[int] = set()
    pending = [node]
    while pending:
        each = values.value(pending.pop())
        if id(each) in seen:
            continue
        seen.add(id(each))
        match each:
            case ir.OpCall() if each.op.effect is Effect.READS:
                if named_value(each, "mask") is not None:
                    found[id(each)] = each
            case ir.OpCall() if each.op.copies:
                source = copied(each)
                if source is not None:
                    pending.append(source)
            case ir.OpCall():
                op = each.op
                if op.value is not None or op.operator is not None or op.selects is not None:
                    pending.extend(operands(each))
            case ir.Binary() | ir.Unary() | ir.Cast():
                pending.extend(child_expressions(each))
            case _:
                pass
    return found


def is_truth_value(values: Values, node: ir.Expression) -> bool:
    """Whether every element is a bool, or a number made of one."""
    node = values.value(node)
    if isinstance(node.type, Scalar | Tensor) and node.type.dtype is DType.BOOL:
        return True
    match node:
        case ir.Cast(operand=operand):
            return is_truth_value(values, operand)
        case ir.OpCall() if node.op.copies:
            source = copied(node)
            return source is not None and is_truth_value(values, source)
        case _:
            return False


_DEEPEST = 12


def is_nonnegative(values: Values, node: ir.Expression, depth: int = 0) -> bool:
    """Whether no element can be below 0, by its form, as far as a look into it goes."""
    node = values.value(node)
    if is_truth_value(values, node):
        return True
    if depth == _DEEPEST:
        return False
    match node:
        case ir.Literal(value=value):
            return value >= 0
        case ir.Cast(operand=operand):
            return is_nonnegative(values, operand, depth + 1)
        case ir.Binary(operator=ir.BinaryOperator.MULTIPLY, left=left, right=right) if values.key(
            left
        ) == values.key(right):
            return True
        case ir.Binary(operator=operator) if operator in _SIGN_KEEPING:
            return _all_nonnegative(values, (node.left, node.right), depth)
        case ir.OpCall():
            return _gives_nonnegative(values, node, depth)
        case _:
            return False


_SIGN_KEEPING = frozenset(
    {ir.BinaryOperator.ADD, ir.BinaryOperator.MULTIPLY, ir.BinaryOperator.DIVIDE}
)


def _all_nonnegative(values: Values, nodes: Iterable[ir.Expression], depth: int) -> bool:
    return all(is_nonnegative(values, node, depth + 1) for node in nodes)


def _gives_nonnegative(values: Values, node: ir.OpCall, depth: int) -> bool:
    op, inside = node.op, operands(node)
    if op.copies:
        source = copied(node)
        return source is not None and _all_nonnegative(values, (source,), depth)
    if op.selects is not None:
        return _all_nonnegative(values, inside[1:], depth)
    if op.value is None:
        return False
    match len(inside):
        case 0:
            return op.value() >= 0
        case 1:
            return has_no_negative_value(op)
        case _:
            is_largest = neutral_element(op) == -math.inf
            return is_largest and any(is_nonnegative(values, it, depth + 1) for it in inside)


@cache
def has_no_negative_value(op: Op) -> bool:
    """Whether a function of one number is never negative, judged by a few values."""
    function = op.value
    if function is None:
        return False
    for probe in (-50.0, -3.0, -1.0, -0.25, 0.0, 0.25, 1.0, 3.0, 50.0):
        try:
            value = function(probe)
        except (ValueError, ZeroDivisionError):
            continue
        if not isinstance(value, complex) and value < 0:
            return False
    return True
