"""Methods of `Option` in host code."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.host.types import (
    BOOL,
    HostError,
    HostType,
    Option,
    Scalar,
    Variable,
    resolved,
    settled,
)
from transpiler.host.values import (
    Maybe,
    Value,
    call,
    choice,
    conjunction,
    negated,
    number,
)
from transpiler.target.model import Binary, Name, Number, Operator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.host.calls import Calls
    from transpiler.host.number_methods import Rule
    from transpiler.syntax import nodes as syntax

    Node: TypeAlias = syntax.MethodCall


def _element(value: Value) -> HostType:
    found = resolved(value.type)
    return found.element if isinstance(found, Option) else Variable()


def _lower(a: Value, b: Value) -> int | None:
    return None if a.low is None or b.low is None else min(a.low, b.low)


def _either(maybe: Maybe, other: Value, lower: Calls, node: Node) -> Value:
    value = maybe.value
    return Value(
        type=value.type,
        expression=choice(
            maybe.condition, lower.plain(value, node.span), lower.plain(other, node.span)
        ),
        low=_lower(value, other),
        origins=value.origins | other.origins,
    )


def _unwrap_or(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    return _either(maybe, lower.argument(node, 0, _element(receiver)), lower, node)


def _unwrap_or_else(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    other = lower.applied(lower.closure(node, 0), (), node.span)
    lower.same(other.type, _element(receiver), node.span)
    return _either(maybe, other, lower, node)


def _unwrap_or_default(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    match settled(maybe.value.type):
        case Scalar(name="bool"):
            other = Value(type=BOOL, expression=Name("False"))
        case Scalar(name="f32" | "f64"):
            other = Value(type=maybe.value.type, expression=Number("0.0"))
        case Scalar():
            other = Value(type=maybe.value.type, expression=number(0), low=0)
        case _:
            raise HostError(node.span, "the default of this type", "write the value")
    return _either(maybe, other, lower, node)


def _unwrap(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = receiver.maybe
    if maybe is not None and lower.raises(maybe):
        return maybe.value
    plain = lower.plain(receiver, node.span)
    message = lower.argument(node, 0, None).expression if node.arguments else None
    given = (plain,) if message is None else (plain, message)
    lower.needs("_unwrap")
    element = _element(receiver)
    return Value(
        type=element,
        expression=call("_unwrap", *given),
        low=lower.least(element),
        origins=receiver.origins,
    )


def _map(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    value = lower.applied(lower.closure(node, 0), (maybe.value,), node.span)
    return Value(type=Option(value.type), maybe=Maybe(condition=maybe.condition, value=value))


def _and_then(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    inner = lower.applied(lower.closure(node, 0), (maybe.value,), node.span)
    found = lower.maybe(inner, node.span)
    condition = conjunction(maybe.condition, found.condition)
    return Value(type=inner.type, maybe=Maybe(condition=condition, value=found.value))


def _filter(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    kept = lower.applied(lower.closure(node, 0), (maybe.value,), node.span)
    condition = conjunction(maybe.condition, kept.expression)
    return Value(type=receiver.type, maybe=Maybe(condition=condition, value=maybe.value))


def _map_or(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    other = lower.argument(node, 0, None)
    value = lower.applied(lower.closure(node, 1), (maybe.value,), node.span)
    lower.same(value.type, other.type, node.span)
    return _either(Maybe(condition=maybe.condition, value=value), other, lower, node)


def _map_or_else(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    other = lower.applied(lower.closure(node, 0), (), node.span)
    value = lower.applied(lower.closure(node, 1), (maybe.value,), node.span)
    lower.same(value.type, other.type, node.span)
    return _either(Maybe(condition=maybe.condition, value=value), other, lower, node)


def _or(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    other = lower.argument(node, 0, receiver.type)
    whole = choice(
        maybe.condition, lower.plain(maybe.value, node.span), lower.plain(other, node.span)
    )
    return Value(type=receiver.type, expression=whole, origins=maybe.value.origins | other.origins)


def _or_else(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    other = lower.applied(lower.closure(node, 0), (), node.span)
    whole = choice(
        maybe.condition, lower.plain(maybe.value, node.span), lower.plain(other, node.span)
    )
    return Value(type=receiver.type, expression=whole)


def _is_some(lower: Calls, receiver: Value, node: Node) -> Value:
    return Value(type=BOOL, expression=lower.truth(lower.maybe(receiver, node.span).condition))


def _is_none(lower: Calls, receiver: Value, node: Node) -> Value:
    return Value(type=BOOL, expression=negated(lower.maybe(receiver, node.span).condition))


def _is_some_and(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    kept = lower.applied(lower.closure(node, 0), (maybe.value,), node.span)
    condition = conjunction(lower.truth(maybe.condition), kept.expression)
    return Value(type=BOOL, expression=condition)


def _is_none_or(lower: Calls, receiver: Value, node: Node) -> Value:
    maybe = lower.maybe(receiver, node.span)
    kept = lower.applied(lower.closure(node, 0), (maybe.value,), node.span)
    whole = Binary(Operator.OR, negated(maybe.condition), kept.expression)
    return Value(type=BOOL, expression=whole)


def _copy(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return receiver


OPTION_METHODS: Mapping[str, Rule] = {
    "copied": _copy,
    "cloned": _copy,
    "clone": _copy,
    "as_ref": _copy,
    "as_deref": _copy,
    "unwrap": _unwrap,
    "expect": _unwrap,
    "unwrap_or": _unwrap_or,
    "unwrap_or_else": _unwrap_or_else,
    "unwrap_or_default": _unwrap_or_default,
    "map": _map,
    "and_then": _and_then,
    "filter": _filter,
    "map_or": _map_or,
    "map_or_else": _map_or_else,
    "or": _or,
    "or_else": _or_else,
    "is_some": _is_some,
    "is_none": _is_none,
    "is_some_and": _is_some_and,
    "is_none_or": _is_none_or,
}
