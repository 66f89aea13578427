"""`a && b` and `a || b` as conditionals, where `b` is more than a value that Triton may compute for nothing."""

from __future__ import annotations

from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL
from transpiler.ir.visit import walk_expression
from transpiler.ops.model import Effect


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


def guards_effect(node: ir.Expression) -> bool:
    """Whether it is `&&` or `||` the right side of which touches memory, or does anything else but compute."""
    return isinstance(node, ir.Binary) and node.operator.is_logical and has_effect(node.right)


def has_effect(value: ir.Expression) -> bool:
    """Whether evaluating it touches memory, or does anything else but compute."""
    return any(
        (isinstance(inner, ir.OpCall) and inner.op.effect is not Effect.PURE)
        or (isinstance(inner, ir.Call) and bool(inner.function.effects))
        for inner in walk_expression(value)
    )


def _arm(value: ir.Expression) -> ir.BlockValue:
    return ir.BlockValue(span=value.span, type=value.type, statements=(), value=value)
