"""Methods of numbers and of `bool` in host code."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.host.types import (
    BOOL,
    INTEGERS,
    U32,
    UNSIGNED,
    HostError,
    HostType,
    Option,
    Scalar,
    bits_of,
    is_unsigned,
    settled,
    text_of,
)
from transpiler.host.values import (
    Maybe,
    Value,
    call,
    choice,
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


def bounds(type_: HostType) -> tuple[int, int]:
    """The least and the greatest that an integer of the type can be."""
    bits = bits_of(type_)
    return (0, 2**bits - 1) if is_unsigned(type_) else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _unsigned_of(type_: HostType) -> Scalar:
    """The unsigned type of the same width."""
    found = settled(type_)
    name = found.name if isinstance(found, Scalar) else "usize"
    return Scalar(name.replace("i", "u", 1) if name.startswith("i") else name)


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


def _saturating(operator: Operator) -> Rule:
    def rule(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
        other = lower.argument(node, 0, receiver.type)
        least, most = bounds(receiver.type)
        whole: Expression = Binary(operator, receiver.expression, other.expression)
        if least < 0 or operator is Operator.SUBTRACT:
            whole = call("max", whole, number(least))
        if least < 0 or operator is not Operator.SUBTRACT:
            whole = call("min", whole, Number(hex(most)))
        return Value(type=receiver.type, expression=whole, low=max(least, -1))

    return rule


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
        least, most = bounds(receiver.type)
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
    if bits_of(receiver.type) < 32:
        raise HostError(
            node.span,
            f"a power of `{text_of(receiver.type)}`, which overflows soon",
            "compute in `usize`, `u32` or `i32`",
        )
    exponent = lower.argument(node, 0, U32)
    return Value(
        type=receiver.type,
        expression=call("pow", receiver.expression, exponent.expression),
        low=receiver.low,
    )


def _log2(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    del node
    lower.needs("_ilog2")
    return Value(type=U32, expression=call("_ilog2", receiver.expression), low=0)


def _pattern(receiver: Value) -> Expression:
    """The bits of an integer."""
    if receiver.low is not None and receiver.low >= 0:
        return receiver.expression
    return wrapped(receiver.expression, _unsigned_of(receiver.type))


def _leading_zeros(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    del lower, node
    length = method(_pattern(receiver), "bit_length")
    whole = Binary(Operator.SUBTRACT, number(bits_of(receiver.type)), length)
    return Value(type=U32, expression=whole, low=0)


def _count_ones(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    del lower, node
    return Value(type=U32, expression=method(_pattern(receiver), "bit_count"), low=0)


def _difference(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    other = lower.argument(node, 0, receiver.type)
    whole = call("abs", Binary(Operator.SUBTRACT, receiver.expression, other.expression))
    return Value(type=_unsigned_of(receiver.type), expression=whole, low=0)


def _unsigned_abs(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    del lower, node
    whole = call("abs", receiver.expression)
    return Value(type=_unsigned_of(receiver.type), expression=whole, low=0)


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
    receiver = lower.named(receiver, "value", node.span)
    other = lower.named(lower.argument(node, 0, receiver.type), "other", node.span)
    whole = _multiple(receiver.expression, other.expression)
    if not other.low:  # of 0 itself, 0 is the only multiple
        is_zero = Binary(Operator.EQUAL, receiver.expression, number(0))
        whole = choice(other.expression, whole, is_zero)
    return Value(type=BOOL, expression=whole)


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
    "unsigned_abs": _unsigned_abs,
    "abs_diff": _difference,
    "isqrt": _own(lambda a: call("math.isqrt", a), low=0),
    "saturating_sub": _saturating(Operator.SUBTRACT),
    "saturating_add": _saturating(Operator.ADD),
    "saturating_mul": _saturating(Operator.MULTIPLY),
    "wrapping_add": _wrapping(Operator.ADD),
    "wrapping_sub": _wrapping(Operator.SUBTRACT),
    "wrapping_mul": _wrapping(Operator.MULTIPLY),
    "checked_add": _checked(Operator.ADD),
    "checked_sub": _checked(Operator.SUBTRACT),
    "checked_mul": _checked(Operator.MULTIPLY),
    "checked_div": _checked(Operator.FLOOR_DIVIDE),
    "checked_rem": _checked(Operator.REMAINDER),
    "rem_euclid": _rem_euclid,
    "ilog2": _log2,
    "leading_zeros": _leading_zeros,
    "count_ones": _count_ones,
    "clone": _copy,
    "to_owned": _copy,
}


def _float(make: Callable[[Expression], Expression]) -> Rule:
    """A method of a float without arguments, computed and rounded in its precision."""

    def rule(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
        del node
        whole = make(lower.operand(receiver))
        return Value(type=receiver.type, expression=lower.rounded(receiver.type, whole))

    return rule


def _function(name: str) -> Rule:
    return _float(lambda a: call(name, a))


def _integral(name: str) -> Rule:
    return _float(lambda a: call("float", call(name, a)))


def _float_power(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    is_integer = node.method == "powi"
    exponent = lower.argument(node, 0, Scalar("i32") if is_integer else receiver.type)
    power = exponent.expression if is_integer else lower.operand(exponent)
    whole = call("pow", lower.operand(receiver), power)
    return Value(type=receiver.type, expression=lower.rounded(receiver.type, whole))


FLOAT_METHODS: Mapping[str, Rule] = {
    "sqrt": _function("math.sqrt"),
    "exp": _function("math.exp"),
    "ln": _function("math.log"),
    "log2": _function("math.log2"),
    "log10": _function("math.log10"),
    "abs": _function("abs"),
    "ceil": _integral("math.ceil"),
    "floor": _integral("math.floor"),
    "trunc": _integral("math.trunc"),
    "recip": _float(lambda a: Binary(Operator.DIVIDE, Number("1.0"), a)),
    "is_nan": _own(lambda a: call("math.isnan", a), BOOL),
    "is_finite": _own(lambda a: call("math.isfinite", a), BOOL),
    "max": _extreme("max"),
    "min": _extreme("min"),
    "clamp": _clamp,
    "powf": _float_power,
    "powi": _float_power,
    "clone": _copy,
}


def _then(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    value = lower.applied(lower.closure(node, 0), (), node.span)
    return Value(type=Option(value.type), maybe=Maybe(condition=receiver.expression, value=value))


def _then_some(lower: Calls, receiver: Value, node: syntax.MethodCall) -> Value:
    value = lower.argument(node, 0, None)
    return Value(type=Option(value.type), maybe=Maybe(condition=receiver.expression, value=value))


BOOL_METHODS: Mapping[str, Rule] = {"then": _then, "then_some": _then_some, "clone": _copy}
