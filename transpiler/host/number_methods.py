"""Methods of numbers and of `bool` in host code."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.host.types import (
    BOOL,
    INTEGERS,
    U32,
    UNSIGNED,
    Option,
    Scalar,
    is_unsigned,
    settled,
)
from transpiler.host.values import (
    Maybe,
    Value,
    call,
    conjunction,
    method,
    number,
)
from transpiler.target.model import Binary, Expression, Number, Operator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from transpiler.host.calls import Calls
    from transpiler.syntax import nodes as syntax

    Rule: TypeAlias = Callable[[Calls, Value, syntax.MethodCall], Value]


def _bits(value: Value) -> int:
    found = settled(value.type)
    return INTEGERS[found.name] if isinstance(found, Scalar) else 64


def bounds(value: Value) -> tuple[int, int]:
    """The least and the greatest that an integer of the type can be."""
    bits = _bits(value)
    return (
        (0, 2**bits - 1) if is_unsigned(value.type) else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )


def _same(
    make: Callable[[Expression, Expression], Expression],
    low: Callable[[int, int], int] | None = None,
) -> Rule:
    """A method of two numbers of one type that gives a third; `low` tells the least it can be."""

    def rule(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
        other = lower.argument(node, 0, receiver.type)
        least = None
        if low is not None and receiver.low is not None and other.low is not None:
            least = low(receiver.low, other.low)
        return Value(
            type=receiver.type, expression=make(receiver.expression, other.expression), low=least
        )

    return rule


def _own(
    make: Callable[[Expression], Expression],
    type_: Scalar | None = None,
    low: int | None = None,
) -> Rule:
    """A method without arguments."""

    def rule(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
        del lower, node
        return Value(type=type_ or receiver.type, expression=make(receiver.expression), low=low)

    return rule


def _cdiv(a: Expression, b: Expression) -> Expression:
    return call("triton.cdiv", a, b)


def _extreme(name: str) -> Rule:
    def rule(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
        other = lower.argument(node, 0, receiver.type)
        lows = [low for low in (receiver.low, other.low) if low is not None]
        known = lows if name == "max" else lows if len(lows) == 2 else []
        least = None if not known else max(known) if name == "max" else min(known)
        return Value(
            type=receiver.type,
            expression=call(name, receiver.expression, other.expression),
            low=least,
        )

    return rule


def _clamp(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    least = lower.argument(node, 0, receiver.type)
    most = lower.argument(node, 1, receiver.type)
    inner = call("max", receiver.expression, least.expression)
    return Value(
        type=receiver.type, expression=call("min", inner, most.expression), low=receiver.low
    )


def _next_multiple(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    other = lower.argument(node, 0, receiver.type)
    quotient = _cdiv(receiver.expression, other.expression)
    return Value(
        type=receiver.type,
        expression=Binary(Operator.MULTIPLY, quotient, other.expression),
        low=receiver.low,
    )


def _next_power(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    del lower, node
    given = receiver.expression
    if (receiver.low or 0) < 1:
        given = call("max", given, number(1))  # that of 0 is 1
    return Value(type=receiver.type, expression=call("triton.next_power_of_2", given), low=1)


def _saturating_sub(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    other = lower.argument(node, 0, receiver.type)
    least, _ = bounds(receiver)
    difference = Binary(Operator.SUBTRACT, receiver.expression, other.expression)
    return Value(
        type=receiver.type, expression=call("max", difference, number(least)), low=max(least, -1)
    )


def _exact(operator: Operator) -> Callable[[Expression, Expression], Expression]:
    return lambda a, b: Binary(operator, a, b)


def wrapped(value: Expression, type_: Scalar) -> Expression:
    """An integer brought into the range of a type, as Rust's conversions do it."""
    bits = INTEGERS[type_.name]
    if type_.name in UNSIGNED:
        return Binary(Operator.BIT_AND, value, Number(f"0x{2**bits - 1:X}"))
    half = Number(f"0x{2 ** (bits - 1):X}")
    mask = Number(f"0x{2**bits - 1:X}")
    moved = Binary(Operator.BIT_AND, Binary(Operator.ADD, value, half), mask)
    return Binary(Operator.SUBTRACT, moved, half)


def _wrapping(operator: Operator) -> Rule:
    def rule(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
        other = lower.argument(node, 0, receiver.type)
        found = settled(receiver.type)
        whole = Binary(operator, receiver.expression, other.expression)
        if isinstance(found, Scalar):
            return Value(
                type=found,
                expression=wrapped(whole, found),
                low=0 if found.name in UNSIGNED else None,
            )
        return Value(type=receiver.type, expression=whole)

    return rule


def _checked(operator: Operator) -> Rule:
    def rule(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
        receiver = lower.named(receiver, "value", node.span)
        other = lower.named(lower.argument(node, 0, receiver.type), "other", node.span)
        a, b = receiver.expression, other.expression
        least, most = bounds(receiver)
        if operator in {Operator.FLOOR_DIVIDE, Operator.REMAINDER}:
            value = lower.divided(receiver, other, operator)
            condition: Expression = (
                b if is_unsigned(receiver.type) else Binary(Operator.NOT_EQUAL, b, number(0))
            )
            if is_unsigned(receiver.type):
                condition = Binary(Operator.NOT_EQUAL, b, number(0))
        else:
            value = Value(type=receiver.type, expression=Binary(operator, a, b), low=0)
            if not is_unsigned(receiver.type):
                value = Value(type=receiver.type, expression=value.expression)
                condition = conjunction(
                    Binary(Operator.GREATER_EQUAL, value.expression, number(least)),
                    Binary(Operator.LESS_EQUAL, value.expression, number(most)),
                )
            elif operator is Operator.SUBTRACT:
                condition = Binary(Operator.GREATER_EQUAL, a, b)
            else:
                condition = Binary(Operator.LESS_EQUAL, value.expression, Number(hex(most)))
        return Value(type=Option(receiver.type), maybe=Maybe(condition=condition, value=value))

    return rule


def _power(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    exponent = lower.argument(node, 0, U32)
    return Value(
        type=receiver.type,
        expression=call("pow", receiver.expression, exponent.expression),
        low=receiver.low,
    )


def _log2(value: Expression) -> Expression:
    return Binary(Operator.SUBTRACT, method(value, "bit_length"), number(1))


def _leading_zeros(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    del lower, node
    bits = number(_bits(receiver))
    length = method(receiver.expression, "bit_length")
    return Value(type=U32, expression=Binary(Operator.SUBTRACT, bits, length), low=0)


def _is_power(value: Expression) -> Expression:
    return Binary(Operator.EQUAL, method(value, "bit_count"), number(1))


def _rem_euclid(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    other = lower.argument(node, 0, receiver.type)
    divisor = other.expression if other.low is not None and other.low >= 0 else None
    divisor = divisor or call("abs", other.expression)
    return Value(
        type=receiver.type,
        expression=Binary(Operator.REMAINDER, receiver.expression, divisor),
        low=0,
    )


def _multiple(a: Expression, b: Expression) -> Expression:
    return Binary(Operator.EQUAL, Binary(Operator.REMAINDER, a, b), number(0))


def _is_multiple(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    other = lower.argument(node, 0, receiver.type)
    return Value(type=BOOL, expression=_multiple(receiver.expression, other.expression))


def _copy(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    del lower, node
    return receiver


INTEGER_METHODS: Mapping[str, Rule] = {
    "div_ceil": _same(_cdiv, lambda a, b: 1 if a > 0 and b >= 0 else 0),
    "next_multiple_of": _next_multiple,
    "next_power_of_two": _next_power,
    "is_power_of_two": _own(_is_power, BOOL),
    "is_multiple_of": _is_multiple,
    "max": _extreme("max"),
    "min": _extreme("min"),
    "clamp": _clamp,
    "pow": _power,
    "abs": _own(lambda a: call("abs", a), low=0),
    "unsigned_abs": _own(lambda a: call("abs", a), low=0),
    "abs_diff": _same(lambda a, b: call("abs", Binary(Operator.SUBTRACT, a, b)), lambda _a, _b: 0),
    "isqrt": _own(lambda a: call("math.isqrt", a), low=0),
    "saturating_sub": _saturating_sub,
    "saturating_add": _same(_exact(Operator.ADD), lambda a, b: a + b),
    "saturating_mul": _same(_exact(Operator.MULTIPLY), lambda a, b: max(0, a * b)),
    "wrapping_add": _wrapping(Operator.ADD),
    "wrapping_sub": _wrapping(Operator.SUBTRACT),
    "wrapping_mul": _wrapping(Operator.MULTIPLY),
    "checked_add": _checked(Operator.ADD),
    "checked_sub": _checked(Operator.SUBTRACT),
    "checked_mul": _checked(Operator.MULTIPLY),
    "checked_div": _checked(Operator.FLOOR_DIVIDE),
    "checked_rem": _checked(Operator.REMAINDER),
    "rem_euclid": _rem_euclid,
    "ilog2": _own(_log2, U32, low=0),
    "leading_zeros": _leading_zeros,
    "count_ones": _own(lambda a: method(a, "bit_count"), U32, low=0),
    "clone": _copy,
    "to_owned": _copy,
}


def _function(name: str) -> Rule:
    return _own(lambda a: call(name, a))


def _rounded(name: str) -> Rule:
    return _own(lambda a: call("float", call(name, a)))


def _powf(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    exponent = lower.argument(node, 0, receiver.type)
    return Value(
        type=receiver.type, expression=call("pow", receiver.expression, exponent.expression)
    )


def _powi(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    exponent = lower.argument(node, 0, Scalar("i32"))
    return Value(
        type=receiver.type, expression=call("pow", receiver.expression, exponent.expression)
    )


FLOAT_METHODS: Mapping[str, Rule] = {
    "sqrt": _function("math.sqrt"),
    "exp": _function("math.exp"),
    "ln": _function("math.log"),
    "log2": _function("math.log2"),
    "log10": _function("math.log10"),
    "abs": _function("abs"),
    "ceil": _rounded("math.ceil"),
    "floor": _rounded("math.floor"),
    "trunc": _rounded("math.trunc"),
    "recip": _own(lambda a: Binary(Operator.DIVIDE, Number("1.0"), a)),
    "is_nan": _own(lambda a: call("math.isnan", a), BOOL),
    "is_finite": _own(lambda a: call("math.isfinite", a), BOOL),
    "max": _extreme("max"),
    "min": _extreme("min"),
    "clamp": _clamp,
    "powf": _powf,
    "powi": _powi,
    "clone": _copy,
}


def _then(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    value = lower.applied(lower.closure(node, 0), (), node.span)
    return Value(type=Option(value.type), maybe=Maybe(condition=receiver.expression, value=value))


def _then_some(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    value = lower.argument(node, 0, None)
    return Value(type=Option(value.type), maybe=Maybe(condition=receiver.expression, value=value))


BOOL_METHODS: Mapping[str, Rule] = {"then": _then, "then_some": _then_some, "clone": _copy}
