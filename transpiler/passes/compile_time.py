"""Which expressions are known when a kernel is compiled, and the dimension such an expression names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.dimensions import (
    difference_of,
    operation_of,
    product_of,
    quotient_of,
    sum_of,
)
from transpiler.ir.types import (
    UNKNOWN_DIMENSION,
    Dimension,
    DType,
    DtypeVariable,
    Enumeration,
    LiteralKind,
    NamedDimension,
    Scalar,
    Type,
)
from transpiler.passes.integer import truncating_binary

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_compile_time(
    node: ir.Expression, constants: Mapping[ir.Symbol, ir.Expression | None]
) -> bool:
    """Whether the value depends on literals and the `constants` alone."""
    match node:
        case ir.Literal():
            return True
        case ir.Read():
            return node.symbol in constants
        case ir.Unary():
            return is_compile_time(node.operand, constants)
        case ir.Binary():
            return is_compile_time(node.left, constants) and is_compile_time(node.right, constants)
        case ir.OpCall():
            return node.op.keeps_constants and all(
                not isinstance(argument, ir.PLAIN_ARGUMENTS)
                and is_compile_time(argument, constants)
                for argument in node.arguments
            )
        case ir.Conditional():
            return (
                is_compile_time(node.condition, constants)
                and is_compile_time(node.then_value, constants)
                and is_compile_time(node.else_value, constants)
            )
        case ir.BlockValue():
            return not node.statements and is_compile_time(node.value, constants)
        case _:
            return False


def is_bool_literal(node: ir.BlockValue, *, value: bool) -> bool:
    """Whether this is nothing but `true`, or nothing but `false`."""
    inner = node.value
    return not node.statements and isinstance(inner, ir.Literal) and inner.value is value


def may_be_constant(type_: Type) -> bool:
    """Whether a variable of this type can be a constant of Triton: an integer or a bool.

    Triton's constants are Python's numbers, and those compute with floats in double precision whatever the dtype.
    """
    match type_:
        case Scalar(dtype=DType() as dtype):
            return not dtype.is_float
        case Enumeration():
            return True
        case Scalar(dtype=DtypeVariable(kind=kind)):
            return kind is not LiteralKind.FLOAT
        case _:
            return False


def dimension_of(
    node: ir.Expression, constants: Mapping[ir.Symbol, ir.Expression | None]
) -> Dimension:
    """The dimension a compile-time expression names."""
    value = constant_value(node, constants)
    if value is not None:
        return value
    match node:
        case ir.Read():
            # A const generic of a function is what the function was given.
            definition = constants.get(node.symbol)
            if definition is not None:
                return dimension_of(definition, constants)
            return NamedDimension(name=node.symbol.name)
        case ir.Binary():
            left, right = dimension_of(node.left, constants), dimension_of(node.right, constants)
            return _computed(node.operator, left, right)
        case _:
            return UNKNOWN_DIMENSION


def constant_value(
    node: ir.Expression, constants: Mapping[ir.Symbol, ir.Expression | None]
) -> int | None:
    """The integer a compile-time expression is, where it does not depend on const generics."""
    match node:
        case ir.Literal(value=int() as value):
            return value
        case ir.Read():
            definition = constants.get(node.symbol)
            return None if definition is None else constant_value(definition, constants)
        case ir.Unary(operator=ir.UnaryOperator.NEGATE):
            operand = constant_value(node.operand, constants)
            return None if operand is None else -operand
        case ir.Binary():
            left = constant_value(node.left, constants)
            right = constant_value(node.right, constants)
            if left is None or right is None:
                return None
            return truncating_binary(node.operator, left, right)
        case _:
            return None


def _computed(operator: ir.BinaryOperator, left: Dimension, right: Dimension) -> Dimension:
    match operator:
        case ir.BinaryOperator.ADD:
            return sum_of(left, right)
        case ir.BinaryOperator.SUBTRACT:
            return difference_of(left, right)
        case ir.BinaryOperator.MULTIPLY:
            return product_of((left, right))
        case ir.BinaryOperator.DIVIDE:
            return quotient_of(left, right)
        case ir.BinaryOperator.SHIFT_LEFT if isinstance(right, int) and right >= 0:
            return product_of((left, 1 << right))
        case ir.BinaryOperator.SHIFT_RIGHT if isinstance(right, int) and right >= 0:
            return quotient_of(left, 1 << right)
        case _:
            return operation_of(left, operator.value, right)
