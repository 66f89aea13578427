"""Operators of host code: arithmetic as Rust means it, comparisons and logic."""

from __future__ import annotations

from transpiler.host.scope import Scope
from transpiler.host.types import (
    BOOL,
    POINTER,
    HostError,
    HostType,
    Sequence,
    Variable,
    bits_of,
    is_float,
    is_integer,
    is_unsigned,
    resolved,
    text_of,
)
from transpiler.host.values import (
    Value,
    call,
    constant_of,
    negated,
)
from transpiler.syntax import nodes as syntax
from transpiler.target.model import (
    Binary,
    Expression,
    List,
    Number,
    Operator,
)

_COMPARISONS = {
    syntax.BinaryOperator.EQUAL: Operator.EQUAL,
    syntax.BinaryOperator.NOT_EQUAL: Operator.NOT_EQUAL,
    syntax.BinaryOperator.LESS: Operator.LESS,
    syntax.BinaryOperator.GREATER: Operator.GREATER,
    syntax.BinaryOperator.LESS_EQUAL: Operator.LESS_EQUAL,
    syntax.BinaryOperator.GREATER_EQUAL: Operator.GREATER_EQUAL,
}


_ARITHMETIC = {
    syntax.BinaryOperator.ADD: Operator.ADD,
    syntax.BinaryOperator.SUBTRACT: Operator.SUBTRACT,
    syntax.BinaryOperator.MULTIPLY: Operator.MULTIPLY,
    syntax.BinaryOperator.BIT_AND: Operator.BIT_AND,
    syntax.BinaryOperator.BIT_OR: Operator.BIT_OR,
    syntax.BinaryOperator.BIT_XOR: Operator.BIT_XOR,
    syntax.BinaryOperator.SHIFT_LEFT: Operator.SHIFT_LEFT,
    syntax.BinaryOperator.SHIFT_RIGHT: Operator.SHIFT_RIGHT,
}


_GROWING = frozenset(
    {
        syntax.BinaryOperator.ADD,
        syntax.BinaryOperator.SUBTRACT,
        syntax.BinaryOperator.MULTIPLY,
        syntax.BinaryOperator.SHIFT_LEFT,
    }
)

_LOGIC = {
    syntax.BinaryOperator.AND: Operator.AND,
    syntax.BinaryOperator.OR: Operator.OR,
}


def _low(operator: syntax.BinaryOperator, left: Value, right: Value) -> int | None:
    if left.low is None or right.low is None or left.low < 0 or right.low < 0:
        return None
    match operator:
        case syntax.BinaryOperator.ADD:
            return left.low + right.low
        case syntax.BinaryOperator.MULTIPLY:
            return left.low * right.low
        case _:
            return 0


def _as_list(expression: Expression) -> Expression:
    return expression if isinstance(expression, List) else call("list", expression)


class Operators(Scope):
    """Lowers operators between two values."""

    def opposite(self, value: Value) -> Expression:
        """`not value`."""
        return negated(value.expression, is_float=value.field == " float")

    def binary(self, node: syntax.Binary, expected: HostType | None) -> Value:
        """`left operator right`."""
        operator = node.operator
        if operator in _LOGIC:
            return self._logic(node, _LOGIC[operator])
        if operator in _COMPARISONS:
            return self._comparison(node, _COMPARISONS[operator])
        left = self.value(node.left, expected)
        if expected is not None and is_float(left.type) and is_float(expected):
            self.same(left.type, expected, node.span)
        is_shift = operator in {
            syntax.BinaryOperator.SHIFT_LEFT,
            syntax.BinaryOperator.SHIFT_RIGHT,
        }
        right = self.value(node.right, None if is_shift else left.type)
        if not is_shift:
            self.same(left.type, right.type, node.span)
        if resolved(left.type) == BOOL and operator in {
            syntax.BinaryOperator.BIT_AND,
            syntax.BinaryOperator.BIT_OR,
            syntax.BinaryOperator.BIT_XOR,
        }:
            whole = Binary(_ARITHMETIC[operator], left.expression, right.expression)
            return Value(type=BOOL, expression=whole)
        if not is_integer(left.type) and not is_float(left.type):  # noqa: SIM102
            if not isinstance(resolved(left.type), Variable):
                raise HostError(
                    node.span,
                    f"`{operator.value}` of `{text_of(left.type)}`",
                    "compute with numbers",
                )
        if is_float(left.type):
            return self._of_floats(operator, left, right)
        if operator in _GROWING and bits_of(left.type) < 32:
            raise HostError(
                node.span,
                f"`{operator.value}` of `{text_of(left.type)}`, which overflows soon",
                "compute in `usize`, `u32` or `i32`",
            )
        match operator:
            case syntax.BinaryOperator.DIVIDE:
                return self.divided(left, right, Operator.FLOOR_DIVIDE)
            case syntax.BinaryOperator.REMAINDER:
                return self.divided(left, right, Operator.REMAINDER)
            case syntax.BinaryOperator.SUBTRACT:
                return self._difference(left, right)
            case _:
                whole = Binary(_ARITHMETIC[operator], left.expression, right.expression)
                return Value(type=left.type, expression=whole, low=_low(operator, left, right))

    def _of_floats(self, operator: syntax.BinaryOperator, left: Value, right: Value) -> Value:
        """Arithmetic of floats, each result in the precision of its type."""
        a, b = self.operand(left), self.operand(right)
        match operator:
            case syntax.BinaryOperator.DIVIDE:
                whole: Expression = Binary(Operator.DIVIDE, a, b)
            case syntax.BinaryOperator.REMAINDER:
                whole = call("math.fmod", a, b)
            case _:
                whole = Binary(_ARITHMETIC[operator], a, b)
        return Value(type=left.type, expression=self.rounded(left.type, whole))

    def _logic(self, node: syntax.Binary, operator: Operator) -> Value:
        left = self.value(node.left, BOOL)
        outer, self.statements = self.statements, []
        right = self.value(node.right, BOOL)
        inner, self.statements = self.statements, outer
        if inner:
            raise HostError(
                node.right.span, "this behind `&&` or `||`", "give the value a name before"
            )
        for value, each in ((left, node.left), (right, node.right)):
            self.same(value.type, BOOL, each.span)
        return Value(type=BOOL, expression=Binary(operator, left.expression, right.expression))

    def _comparison(self, node: syntax.Binary, operator: Operator) -> Value:
        left = self.value(node.left)
        right = self.value(node.right, left.type)
        self.same(left.type, right.type, node.span)
        found = resolved(left.type)
        a, b = self.plain(left, node.left.span), self.plain(right, node.right.span)
        if is_float(left.type) and not (isinstance(a, Number) or isinstance(b, Number)):
            a, b = self.operand(left), self.operand(right)
        if isinstance(found, Sequence):
            if isinstance(resolved(found.element), Sequence):
                raise HostError(node.span, "comparing lists of lists", "compare them one by one")
            a, b = _as_list(a), _as_list(b)
        if found == POINTER and operator in {Operator.EQUAL, Operator.NOT_EQUAL}:
            operator = Operator.IS if operator is Operator.EQUAL else Operator.IS_NOT
        return Value(
            type=BOOL,
            expression=Binary(operator, a, b),
            field=" float" if is_float(left.type) else None,
        )

    def divided(self, left: Value, right: Value, operator: Operator) -> Value:
        """`/` or `%` of integers: Rust's truncate, Python's floor, which is one where neither is negative."""
        a, b = left.expression, right.expression
        if left.low is not None and left.low >= 0 and right.low is not None and right.low >= 0:
            return Value(type=left.type, expression=Binary(operator, a, b), low=0)
        name = "_quotient" if operator is Operator.FLOOR_DIVIDE else "_remainder"
        self.needs(name)
        return Value(type=left.type, expression=call(name, a, b))

    def _difference(self, left: Value, right: Value) -> Value:
        a, b = left.expression, right.expression
        whole = Binary(Operator.SUBTRACT, a, b)
        known = constant_of(b)
        if not is_unsigned(left.type):
            return Value(type=left.type, expression=whole)
        if known is not None and left.low is not None and left.low >= known:
            return Value(type=left.type, expression=whole, low=left.low - known)
        self.needs("_unsigned")
        return Value(type=left.type, expression=call("_unsigned", whole), low=0)
