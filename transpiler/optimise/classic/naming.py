"""Names for values that the Rust has no name for, made of what they are computed from."""

from __future__ import annotations

from transpiler.analysis.values import operands
from transpiler.ir import nodes as ir

_LONGEST = 28
"""Longer names say less than the kind of a value does."""

_WORDS = {
    ir.BinaryOperator.MULTIPLY: ("times", "product"),
    ir.BinaryOperator.DIVIDE: ("over", "quotient"),
    ir.BinaryOperator.REMAINDER: ("mod", "remainder"),
    ir.BinaryOperator.ADD: ("plus", "total"),
    ir.BinaryOperator.SUBTRACT: ("minus", "difference"),
}
"""What joins the names of the operands, and what stands for the value where these are no names."""


def name_of_value(node: ir.Expression) -> str:
    """A name for the value of an expression, such as `n_over_width`, `exp_x` or `product`."""
    return _name(node) or _kind(node)


def _name(node: ir.Expression) -> str | None:
    match node:
        case ir.Read(symbol=symbol):
            return symbol.name
        case ir.Literal(value=int() as value) if value >= 0 and not isinstance(value, bool):
            return str(value)
        case ir.Unary(operand=operand) | ir.Cast(operand=operand):
            return _name(operand)
        case ir.Binary(operator=operator, left=left, right=right) if operator in _WORDS:
            return _joined((left, right), _WORDS[operator][0])
        case ir.OpCall():
            return _of_call(node)
        case ir.Call(function=function, arguments=arguments):
            return _fitting("_".join([function.name, *(_name(it) or "" for it in arguments[:1])]))
        case _:
            return None


def _of_call(node: ir.OpCall) -> str | None:
    values = operands(node)
    if node.op.copies and values:
        return _name(values[0])
    if node.op.operator in _WORDS and len(values) == len(_WORDS[node.op.operator]):
        return _joined((values[0], values[1]), _WORDS[node.op.operator][0])
    name = node.op.name.rstrip("_")
    inner = _name(values[0]) if values else None
    return name if inner is None else _fitting(f"{name}_{inner}")


def _joined(sides: tuple[ir.Expression, ir.Expression], word: str) -> str | None:
    first, second = map(_name, sides)
    if first is None or second is None or first[:1].isdigit():
        return None
    return _fitting(f"{first}_{word}_{second}")


def _fitting(name: str) -> str | None:
    name = name.rstrip("_")
    return name if len(name) <= _LONGEST else None


def _kind(node: ir.Expression) -> str:
    match node:
        case ir.Binary(operator=operator) if operator in _WORDS:
            return _WORDS[operator][1]
        case ir.OpCall(op=op):
            return op.name.rstrip("_")
        case ir.Unary(operand=operand) | ir.Cast(operand=operand):
            return _kind(operand)
        case ir.Call(function=function):
            return function.name
        case _:
            return "value"
