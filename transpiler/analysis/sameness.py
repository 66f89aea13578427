"""Which expressions of a kernel are written alike: the same operations on the same variables, in the same types.

Unlike the keys of `transpiler.analysis.values`, which take integers for unbounded, these stand for the very bits: what
has one form has one value wherever no variable in it is assigned in between, and memory it reads is not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Scalar, Tensor
from transpiler.ir.visit import child_expressions, walk_expression

if TYPE_CHECKING:
    from collections.abc import Hashable

    from transpiler.ir.types import Type

_COMMUTATIVE = frozenset(
    {
        ir.BinaryOperator.ADD,
        ir.BinaryOperator.MULTIPLY,
        ir.BinaryOperator.BIT_AND,
        ir.BinaryOperator.BIT_OR,
        ir.BinaryOperator.BIT_XOR,
        ir.BinaryOperator.EQUAL,
        ir.BinaryOperator.NOT_EQUAL,
    }
)
"""The operators whose operands may change places: sums and products of floats too round the same."""


def form(node: ir.Expression) -> Hashable:
    """What expressions that are written alike have in common; places, comments and digits do not count."""
    match node:
        case ir.Literal(value=value):
            # 0.0 and -0.0, 1 and 1.0 and True are equal in Python.
            return ("literal", _type(node.type), type(value), str(value))
        case ir.Read(symbol=symbol):
            return symbol
        case ir.Unary(operator=operator, operand=operand):
            return (operator, form(operand))
        case ir.Binary(operator=operator, left=left, right=right):
            sides = (form(left), form(right))
            is_symmetric = operator in _COMMUTATIVE
            return (operator, _type(node.type), frozenset(sides) if is_symmetric else sides)
        case ir.Cast(kind=kind, operand=operand):
            return (kind, _type(node.type), form(operand))
        case ir.OpCall(op=op, dtypes=dtypes, arguments=arguments):
            return (op.name, op.triton, dtypes, _type(node.type), *map(_argument, arguments))
        case ir.Call(function=function, dtypes=dtypes):
            return (function, dtypes, *map(form, (*node.arguments, *node.constants)))
        case ir.OffsetPointer(pointer=pointer, offsets=offsets):
            return ("offset", form(pointer), form(offsets))
        case ir.TupleValue(elements=elements):
            return ("tuple", *map(form, elements))
        case ir.TupleElement(operand=operand, index=index):
            return ("element", index, form(operand))
        case ir.Conditional():
            return (
                "conditional",
                form(node.condition),
                form(node.then_value),
                form(node.else_value),
            )
        case ir.BlockValue(statements=(), value=value):
            return form(value)
        case ir.BlockValue():
            # Statements declare symbols of their own: no other block has the same.
            return ("only", id(node))


def _argument(node: ir.Argument) -> Hashable:
    match node:
        case ir.AbsentArgument():
            return None
        case ir.ListArgument(elements=elements):
            return ("list", *map(form, elements))
        case ir.EnumArgument(enum=enum, member=member):
            return (enum, member)
        case ir.FlagArgument(value=flag):
            return flag
        case ir.TextArgument(value=text):
            return ("text", text)
        case ir.FunctionArgument(function=function):
            return function
        case _:
            return form(node)


def _type(type_: Type) -> Hashable:
    """A type; extents of tiles that are spelled differently make no difference to what is computed lane by lane."""
    kind = type_.__class__.__name__
    return (kind, type_.dtype) if isinstance(type_, Scalar | Tensor) else kind


def symbols_in(node: ir.Expression) -> frozenset[ir.Symbol]:
    """The variables an expression reads, those of block values in it included."""
    return frozenset(inner.symbol for inner in walk_expression(node) if isinstance(inner, ir.Read))


def unconditional(node: ir.Expression) -> list[ir.Expression]:
    """The expression and those inside it that are evaluated whenever it is."""
    found: list[ir.Expression] = []
    pending = [node]
    while pending:
        node = pending.pop()
        found.append(node)
        match node:
            case ir.Binary() if node.operator.is_logical:
                pending.append(node.left)
            case ir.Conditional(condition=condition):
                pending.append(condition)
            case ir.BlockValue(statements=statements) if statements:
                pass
            case _:
                pending.extend(child_expressions(node))
    return found
