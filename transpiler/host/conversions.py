"""Conversions of host code: `as`, and what stands before one value."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from transpiler.host.number_methods import bounds, wrapped
from transpiler.host.operators import Operators
from transpiler.host.types import (
    BOOL,
    F32,
    INTEGERS,
    UNSIGNED,
    HostError,
    HostType,
    Opaque,
    Scalar,
    Variable,
    bits_of,
    is_float,
    is_integer,
    is_unsigned,
    resolved,
    settled,
    text_of,
)
from transpiler.host.values import (
    Value,
    call,
    constant_of,
    number,
)
from transpiler.syntax import nodes as syntax
from transpiler.target.model import (
    Number,
    Operator,
    Unary,
)


class Conversions(Operators):
    """Lowers casts and prefix operators."""

    def _unary(self, node: syntax.Unary, expected: HostType | None) -> Value:
        value = self.value(node.operand, expected)
        match node.operator:
            case syntax.UnaryOperator.DEREFERENCE:
                return value
            case syntax.UnaryOperator.NOT if resolved(value.type) == BOOL:
                return Value(type=BOOL, expression=self.opposite(value))
            case syntax.UnaryOperator.NOT:
                inverse = Unary(Operator.INVERT, value.expression)
                found = settled(value.type)
                if isinstance(found, Scalar) and found.name in UNSIGNED:
                    return Value(type=value.type, expression=wrapped(inverse, found), low=0)
                return Value(type=value.type, expression=inverse)
            case syntax.UnaryOperator.NEGATE:
                return Value(type=value.type, expression=Unary(Operator.NEGATE, value.expression))
        assert_never(node.operator)

    def _cast(self, node: syntax.Cast) -> Value:
        target = self.owner.type_of(node.type)
        value = self.value(node.operand)
        source = settled(value.type)
        if isinstance(target, Opaque) and isinstance(source, Opaque):
            return value.typed(target)
        if not isinstance(target, Scalar) or not isinstance(source, Scalar | Variable):
            raise HostError(
                node.span,
                f"a cast from `{text_of(source)}` to `{text_of(target)}`",
                "cast numbers and pointers only",
            )
        if is_float(target):
            expression = self.operand(value)
            if source == BOOL:
                expression = call("float", expression)
            elif target == F32 and constant_of(expression) is None:
                expression = self.rounded(target, expression)
            elif is_integer(source):
                constant = constant_of(expression)
                expression = (
                    call("float", expression) if constant is None else Number(f"{constant}.0")
                )
            return Value(type=target, expression=expression)
        if source == BOOL:
            return Value(type=target, expression=call("int", value.expression), low=0)
        if is_float(source):
            whole = call("int", self.operand(value))
            if bits_of(target) < 32:
                least, most = bounds(target)
                inner = call("max", whole, number(least))
                return Value(type=target, expression=call("min", inner, number(most)), low=least)
            if target.name in UNSIGNED:
                return Value(type=target, expression=call("max", whole, number(0)), low=0)
            return Value(type=target, expression=whole)
        return self._resized(value, source, target)

    def _resized(self, value: Value, source: HostType, target: Scalar) -> Value:
        """An integer as one of another type; one that is too large for a kernel is the launcher's to see."""
        bits = INTEGERS[target.name]
        low = value.low
        if value.field is not None and target.name in UNSIGNED and not is_unsigned(source):
            self.owner.sizes.add(value.field)  # checked where it is given
            low = 0
        own = settled(source)
        width = INTEGERS[own.name] if isinstance(own, Scalar) else 32
        constant = constant_of(value.expression)
        if constant is not None and constant < 2 ** (bits - 1):
            return replace(value, type=target, low=constant)
        is_kept = bits >= 32 or (width <= bits and low is not None)
        if is_kept and (target.name not in UNSIGNED or (low is not None and low >= 0)):
            return replace(value, type=target, low=low)
        return Value(
            type=target,
            expression=wrapped(value.expression, target),
            low=0 if target.name in UNSIGNED else None,
        )
