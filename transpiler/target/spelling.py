"""Spellings of operations: Python expressions in which the names of parameters are holes."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, assert_never

from transpiler.target.model import (
    Attribute,
    Binary,
    Call,
    Choice,
    Comprehension,
    Dict,
    Expression,
    Keyword,
    Lambda,
    List,
    Name,
    Number,
    Operator,
    Rows,
    Slice,
    Starred,
    Subscript,
    Text,
    Tuple,
    Unary,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

Filling: TypeAlias = "Expression | None"
"""What stands in a hole; None where the Rust leaves the argument out."""

_OPERATORS: dict[type[ast.AST], Operator] = {
    ast.Or: Operator.OR,
    ast.And: Operator.AND,
    ast.Not: Operator.NOT,
    ast.Lt: Operator.LESS,
    ast.LtE: Operator.LESS_EQUAL,
    ast.Gt: Operator.GREATER,
    ast.GtE: Operator.GREATER_EQUAL,
    ast.Eq: Operator.EQUAL,
    ast.NotEq: Operator.NOT_EQUAL,
    ast.Is: Operator.IS,
    ast.IsNot: Operator.IS_NOT,
    ast.BitOr: Operator.BIT_OR,
    ast.BitXor: Operator.BIT_XOR,
    ast.BitAnd: Operator.BIT_AND,
    ast.LShift: Operator.SHIFT_LEFT,
    ast.RShift: Operator.SHIFT_RIGHT,
    ast.Add: Operator.ADD,
    ast.Sub: Operator.SUBTRACT,
    ast.Mult: Operator.MULTIPLY,
    ast.Div: Operator.DIVIDE,
    ast.FloorDiv: Operator.FLOOR_DIVIDE,
    ast.Mod: Operator.REMAINDER,
    ast.USub: Operator.NEGATE,
    ast.Invert: Operator.INVERT,
}


@cache
def parse_spelling(text: str) -> Expression:
    """The tree of a spelling.

    Raises:
        ValueError: it uses Python that the target tree has no node for; spellings are ours, so this
            is a fault of the op table.
    """
    return _converted(ast.parse(text, mode="eval").body)


def _converted(node: ast.expr) -> Expression:
    match node:
        case ast.Name(id=name):
            return Name(name)
        case ast.Constant(value=str(value)):
            return Text(value)
        case ast.Constant(value=(None | bool()) as value):
            return Name(str(value))
        case ast.Constant(value=(int() | float()) as value):
            return Number(repr(value))
        case ast.Attribute(value=inner, attr=name):
            return Attribute(_converted(inner), name)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            return Call(
                _converted(function),
                tuple(_converted(argument) for argument in arguments),
                tuple(
                    Keyword(keyword.arg, _converted(keyword.value))
                    for keyword in keywords
                    if keyword.arg is not None
                ),
            )
        case ast.Subscript(value=inner, slice=index):
            return Subscript(_converted(inner), _converted(index))
        case ast.UnaryOp(op=operator, operand=operand):
            return Unary(_OPERATORS[type(operator)], _converted(operand))
        case ast.BinOp(op=operator, left=left, right=right):
            return Binary(_OPERATORS[type(operator)], _converted(left), _converted(right))
        case ast.Compare(left=left, ops=[comparison], comparators=[right]):
            return Binary(_OPERATORS[type(comparison)], _converted(left), _converted(right))
        case ast.BoolOp(op=connective, values=[left, right]):
            return Binary(_OPERATORS[type(connective)], _converted(left), _converted(right))
        case ast.IfExp(test=condition, body=value, orelse=other):
            return Choice(_converted(condition), _converted(value), _converted(other))
        case ast.List(elts=elements):
            return List(tuple(_converted(element) for element in elements))
        case ast.Tuple(elts=elements):
            return Tuple(tuple(_converted(element) for element in elements))
        case _:
            raise ValueError(f"no spelling may contain {ast.dump(node)}")


_EMPTY: tuple[Filling, ...] = (None, Name("False"), List(()))


def fill(spelling: Expression, holes: Mapping[str, Filling]) -> Expression:
    """`spelling` with its holes filled.

    A keyword argument that is nothing but an empty hole, or one filled with `False` or `[]`, is left out;
    elsewhere an empty hole is `None`.
    """
    match spelling:
        case Name(text=text):
            if text not in holes:
                return spelling
            filling = holes[text]
            return Name("None") if filling is None else filling
        case Number() | Text():
            return spelling
        case Attribute(value=value, name=name):
            return Attribute(fill(value, holes), name)
        case Call(function=function, arguments=arguments, keywords=keywords):
            return Call(
                fill(function, holes),
                tuple(fill(argument, holes) for argument in arguments),
                tuple(
                    Keyword(keyword.name, fill(keyword.value, holes))
                    for keyword in keywords
                    if not _is_empty(keyword.value, holes)
                ),
            )
        case Subscript(value=value, index=index):
            return Subscript(fill(value, holes), fill(index, holes))
        case Unary(operator=operator, operand=operand):
            return Unary(operator, fill(operand, holes))
        case Binary(operator=operator, left=left, right=right):
            return Binary(operator, fill(left, holes), fill(right, holes))
        case Choice(condition=condition, value=value, other=other):
            return Choice(fill(condition, holes), fill(value, holes), fill(other, holes))
        case List(elements=elements):
            return List(tuple(fill(element, holes) for element in elements))
        case Tuple(elements=elements):
            return Tuple(tuple(fill(element, holes) for element in elements))
        case Dict() | Slice() | Starred() | Comprehension() | Lambda() | Rows():
            raise ValueError("no spelling contains such a display")
    assert_never(spelling)


def _is_empty(value: Expression, holes: Mapping[str, Filling]) -> bool:
    return isinstance(value, Name) and value.text in holes and holes[value.text] in _EMPTY
