"""`a && b` and `a || b` as conditionals, where `b` is more than an expression of Python."""

from __future__ import annotations

from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL


def short_circuit(node: ir.Binary) -> ir.Conditional:
    """`if a { b } else { false }` of `a && b`, and `if a { true } else { b }` of `a || b`.

    What `b` does must not happen where `a` decides already.
    """
    is_and = node.operator is ir.BinaryOperator.AND
    decided = _arm(ir.Literal(span=node.span, type=BOOL, value=not is_and))
    other = node.right if isinstance(node.right, ir.BlockValue) else _arm(node.right)
    return ir.Conditional(
        span=node.span,
        type=BOOL,
        condition=node.left,
        then_value=other if is_and else decided,
        else_value=decided if is_and else other,
    )


def _arm(value: ir.Expression) -> ir.BlockValue:
    return ir.BlockValue(span=value.span, type=value.type, statements=(), value=value)
