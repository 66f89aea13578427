"""Operator precedence: where an infix operator that has just been read goes in the tree read so far.

The grammar gives a flat chain; levels are those of the Rust reference, "Expression precedence".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frontend.faults import Fault
from transpiler.frozen import dataclass
from transpiler.source import Span
from transpiler.syntax.nodes import (
    Assignment,
    Binary,
    BinaryOperator,
    Cast,
    Expression,
    Range,
    Type,
    Unary,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASSIGNMENT, _RANGE, _COMPARISON = 1, 2, 5

LEVELS: Mapping[BinaryOperator, int] = {
    BinaryOperator.OR: 3,
    BinaryOperator.AND: 4,
    BinaryOperator.EQUAL: _COMPARISON,
    BinaryOperator.NOT_EQUAL: _COMPARISON,
    BinaryOperator.LESS: _COMPARISON,
    BinaryOperator.GREATER: _COMPARISON,
    BinaryOperator.LESS_EQUAL: _COMPARISON,
    BinaryOperator.GREATER_EQUAL: _COMPARISON,
    BinaryOperator.BIT_OR: 6,
    BinaryOperator.BIT_XOR: 7,
    BinaryOperator.BIT_AND: 8,
    BinaryOperator.SHIFT_LEFT: 9,
    BinaryOperator.SHIFT_RIGHT: 9,
    BinaryOperator.ADD: 10,
    BinaryOperator.SUBTRACT: 10,
    BinaryOperator.MULTIPLY: 11,
    BinaryOperator.DIVIDE: 11,
    BinaryOperator.REMAINDER: 11,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Infix:
    """An infix operator: its level, and what it makes (an assignment, a range, or a `Binary` of `operator`)."""

    text: str
    level: int
    operator: BinaryOperator | None = None


INFIXES: Mapping[str, Infix] = {
    "=": Infix(text="=", level=_ASSIGNMENT),
    "..": Infix(text="..", level=_RANGE),
    "..=": Infix(text="..=", level=_RANGE),
} | {
    operator.value: Infix(text=operator.value, level=level, operator=operator)
    for operator, level in LEVELS.items()
} | {
    f"{operator.value}=": Infix(text=f"{operator.value}=", level=_ASSIGNMENT, operator=operator)
    for operator, level in LEVELS.items()
    if level > _COMPARISON
}  # fmt: skip


def place_infix(left: Expression, infix: Infix, right: Expression) -> Expression:
    """The tree of `left infix right`, where `left` is what stands before the operator, grouped already.

    Raises:
        Fault: comparisons or ranges are chained, or a comparison follows a cast.
    """
    if isinstance(left, Binary):
        level = LEVELS[left.operator]
        if level < infix.level:
            inner = place_infix(left.right, infix, right)
            return Binary(
                span=Span(left.span.start, inner.span.end),
                operator=left.operator,
                left=left.left,
                right=inner,
            )
        if level == infix.level == _COMPARISON:
            raise _chained_comparison(left, infix, right)
    elif isinstance(left, Assignment):
        inner = place_infix(left.value, infix, right)
        return replace(left, span=Span(left.span.start, inner.span.end), value=inner)
    elif isinstance(left, Range):
        if infix.level == _RANGE:
            raise Fault(
                code="E0112",
                message="ranges cannot be chained",
                span=Span(left.span.start, right.span.end),
                help="a range with steps is written `(a..b).step_by(s)`",
            )
        if left.end is not None and infix.level > _RANGE:
            inner = place_infix(left.end, infix, right)
            return replace(left, span=Span(left.span.start, inner.span.end), end=inner)
    span = Span(left.span.start, right.span.end)
    operator = infix.operator
    if infix.level == _ASSIGNMENT:
        return Assignment(span=span, target=left, value=right, operator=operator)
    if operator is None:
        return Range(span=span, start=left, end=right, is_inclusive=infix.text == "..=")
    if operator in (BinaryOperator.LESS, BinaryOperator.SHIFT_LEFT):
        _refuse_after_cast(left, infix)
    return Binary(span=span, operator=operator, left=left, right=right)


def place_cast(left: Expression, target: Type) -> Expression:
    """The tree of `left as target`: the cast takes the last operand before it, prefix operators included."""
    span = Span(left.span.start, target.span.end)
    match left:
        case Binary():
            return replace(left, span=span, right=place_cast(left.right, target))
        case Assignment():
            return replace(left, span=span, value=place_cast(left.value, target))
        case Range(end=end) if end is not None:
            return replace(left, span=span, end=place_cast(end, target))
    return Cast(span=span, operand=left, type=target)


def _chained_comparison(left: Binary, infix: Infix, right: Expression) -> Fault:
    span = Span(left.span.start, right.span.end)
    if left.operator is BinaryOperator.LESS and infix.text == ">":
        return Fault(
            code="E0111",
            message="generic arguments in an expression need `::` before their `<`",
            span=span,
            label="this reads as two comparisons in a row",
            help="write `name::<Type>(…)`",
        )
    return Fault(
        code="E0111",
        message="comparison operators cannot be chained",
        span=span,
        label=f"`{left.operator.value}` and `{infix.text}` in a row",
        help="compare twice and join with `&&`, or put one comparison in parentheses",
    )


def _refuse_after_cast(left: Expression, infix: Infix) -> None:
    last = left
    while isinstance(last, Binary | Unary):
        last = last.right if isinstance(last, Binary) else last.operand
    if isinstance(last, Cast):
        raise Fault(
            code="E0113",
            message=f"`{infix.text}` after a cast starts generic arguments of the type",
            span=last.span,
            label="Rust reads on after this type",
            help="put the cast in parentheses",
        )
