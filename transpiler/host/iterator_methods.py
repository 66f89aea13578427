"""Methods of iterators in host code: comprehensions, and the functions that end them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from transpiler.host.types import (
    BOOL,
    USIZE,
    HostError,
    HostType,
    Iterator,
    Option,
    Sequence,
    Tuple,
    Variable,
    is_float,
    resolved,
)
from transpiler.host.values import (
    Maybe,
    Stream,
    Value,
    call,
    iterable,
    joined,
    listed,
    number,
    sliced,
)
from transpiler.target.model import (
    Binary,
    Clause,
    Comprehension,
    Expression,
    Name,
    Number,
    Operator,
    Slice,
    Subscript,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.host.calls import Calls
    from transpiler.host.number_methods import Rule
    from transpiler.syntax import nodes as syntax

    Node: TypeAlias = syntax.MethodCall


def item_type(value: Value) -> HostType:
    """The type of the elements of an iterator."""
    found = resolved(value.type)
    return found.element if isinstance(found, Iterator | Sequence | Option) else Variable()


def _stream(value: Value, node: Node) -> Stream:
    if value.stream is None:
        raise HostError(node.span, "this iterator", "use it where it is made")
    return value.stream


def bound(
    lower: Calls, receiver: Value, closure: syntax.Closure, node: Node
) -> tuple[Stream, Value]:
    """The iterator with a name for its elements, and what a closure of one parameter makes of them."""
    stream = _stream(receiver, node)
    if len(closure.parameters) != 1:
        raise HostError(closure.span, "a closure of these parameters here", "take one parameter")
    item = stream.item
    if item is None or not lower.can_bind(closure.parameters[0].pattern, item):
        if item is not None:
            stream = Stream(source=iterable(stream))
        target, item = lower.target(
            closure.parameters[0].pattern, item_type(receiver), receiver.origins
        )
        stream = replace(stream, target=target, item=item)
    result = lower.applied(closure, (item,), node.span)
    return stream, result


def mapped(lower: Calls, receiver: Value, node: Node) -> Value:
    """`map(closure)`."""
    stream, result = bound(lower, receiver, lower.closure(node, 0), node)
    item = Value(
        type=result.type,
        expression=lower.plain(result, node.span),
        low=result.low,
        origins=result.origins,
    )
    return Value(
        type=Iterator(result.type),
        stream=replace(stream, item=item, is_sequence=False),
        origins=result.origins,
    )


def _filter(lower: Calls, receiver: Value, node: Node) -> Value:
    stream, kept = bound(lower, receiver, lower.closure(node, 0), node)
    conditions = (*stream.conditions, kept.expression)
    return replace(receiver, stream=replace(stream, conditions=conditions, is_sequence=False))


def _filter_map(lower: Calls, receiver: Value, node: Node) -> Value:
    stream, result = bound(lower, receiver, lower.closure(node, 0), node)
    found = lower.maybe(result, node.span)
    conditions = (*stream.conditions, lower.truth(found.condition))
    return Value(
        type=Iterator(found.value.type),
        stream=replace(stream, item=found.value, conditions=conditions, is_sequence=False),
    )


def _flat_map(lower: Calls, receiver: Value, node: Node) -> Value:
    stream, result = bound(lower, receiver, lower.closure(node, 0), node)
    parts = lower.iterated(result, node.span)
    whole = replace(stream, item=Value(type=result.type, expression=iterable(_stream(parts, node))))
    source = call("itertools.chain.from_iterable", iterable(whole))
    return Value(type=Iterator(item_type(parts)), stream=Stream(source=source))


def _flatten(lower: Calls, receiver: Value, node: Node) -> Value:
    inner = resolved(item_type(receiver))
    if not isinstance(inner, Sequence | Iterator):
        raise HostError(node.span, "`flatten` of options", "write `filter_map(|x| x)`")
    del lower
    source = call("itertools.chain.from_iterable", iterable(_stream(receiver, node)))
    return Value(type=Iterator(inner.element), stream=Stream(source=source))


def _same(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return receiver


def _sequence(receiver: Value, node: Node) -> Expression:
    """The elements as something that has a length."""
    stream = _stream(receiver, node)
    return iterable(stream) if stream.is_sequence else listed(stream)


def _rev(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower
    stream = _stream(receiver, node)
    if stream.is_sequence:
        source = call("reversed", iterable(stream))
        return replace(receiver, stream=Stream(source=source))
    if stream.target is not None and not isinstance(stream.source, Comprehension):
        source = call("reversed", stream.source)
        if is_reversible(stream.source):
            return replace(receiver, stream=replace(stream, source=source))
    source = call("reversed", listed(stream))
    return replace(receiver, stream=Stream(source=source))


def is_reversible(source: Expression) -> bool:
    """Whether Python's `reversed` takes it as it stands."""
    from transpiler.target.model import Attribute, Call  # noqa: PLC0415 - two names used here alone

    match source:
        case Call(function=Name(text="range")):
            return True
        case Name() | Attribute() | Subscript():
            return True
        case _:
            return False


def _part(*, is_skip: bool) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        count = lower.argument(node, 0, USIZE).expression
        stream = _stream(receiver, node)
        if stream.is_sequence:
            whole = iterable(stream)
            source = sliced(whole, count) if is_skip else sliced(whole, None, count)
            return replace(receiver, stream=Stream(source=source, is_sequence=True))
        ends = (count, Name("None")) if is_skip else (count,)
        source = call("itertools.islice", iterable(stream), *ends)
        return replace(receiver, stream=Stream(source=source))

    return rule


def _step_by(lower: Calls, receiver: Value, node: Node) -> Value:
    step = lower.argument(node, 0, USIZE).expression
    stream = _stream(receiver, node)
    if stream.is_sequence:
        from transpiler.target.model import Call  # noqa: PLC0415 - for ranges alone

        source: Expression = Subscript(iterable(stream), Slice(None, None, step))
        match stream.source:
            case Call(function=Name(text="range"), arguments=(stop,)) if stream.target is None:
                source = call("range", number(0), stop, step)
            case Call(function=Name(text="range"), arguments=(start, stop)) if (
                stream.target is None
            ):
                source = call("range", start, stop, step)
            case _:
                pass
        return replace(receiver, stream=Stream(source=source, is_sequence=True))
    source = call("itertools.islice", iterable(stream), number(0), Name("None"), step)
    return replace(receiver, stream=Stream(source=source))


def _enumerate(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower
    source = call("enumerate", iterable(_stream(receiver, node)))
    type_ = Iterator(Tuple((USIZE, item_type(receiver))))
    return Value(type=type_, stream=Stream(source=source), origins=receiver.origins)


def _zip(lower: Calls, receiver: Value, node: Node) -> Value:
    other = lower.iterated(lower.argument(node, 0, None), node.span)
    source = call("zip", iterable(_stream(receiver, node)), iterable(_stream(other, node)))
    type_ = Iterator(Tuple((item_type(receiver), item_type(other))))
    return Value(type=type_, stream=Stream(source=source))


def _chain(lower: Calls, receiver: Value, node: Node) -> Value:
    other = lower.iterated(lower.argument(node, 0, None), node.span)
    lower.same(item_type(receiver), item_type(other), node.span)
    source = joined(iterable(_stream(receiver, node)), iterable(_stream(other, node)))
    return replace(receiver, stream=Stream(source=source, is_sequence=True))


def _while(name: str) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        function = lower.function(lower.closure(node, 0), (item_type(receiver),))
        source = call(f"itertools.{name}", function, iterable(_stream(receiver, node)))
        return replace(receiver, stream=Stream(source=source))

    return rule


# --- What ends an iterator ------------------------------------------------------------------------


def _total(name: str) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        type_ = lower.named_type(node) or item_type(receiver)
        lower.same(type_, item_type(receiver), node.span)
        if is_float(type_):
            raise HostError(node.span, f"`{node.method}` of floats", "write a loop")
        stream = _stream(receiver, node)
        low = lower.least(type_)
        if stream.item is not None and stream.item.low is not None:
            low = min(stream.item.low, 0)
        return Value(type=type_, expression=call(name, iterable(stream)), low=low)

    return rule


def _extreme(name: str) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        type_ = item_type(receiver)
        whole = call(name, iterable(_stream(receiver, node)), default=Name("None"))
        del lower
        return Value(type=Option(type_), expression=whole)

    return rule


def _extreme_by(name: str) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        key = lower.function(lower.closure(node, 0), (item_type(receiver),))
        source = iterable(_stream(receiver, node))
        if name == "max":  # the last of several, in Rust
            source = call("reversed", listed(_stream(receiver, node)))
        whole = call(name, source, key=key, default=Name("None"))
        return Value(type=Option(item_type(receiver)), expression=whole)

    return rule


def _quantifier(name: str) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        stream, holds = bound(lower, receiver, lower.closure(node, 0), node)
        whole = replace(stream, item=holds)
        return Value(type=BOOL, expression=call(name, iterable(whole)))

    return rule


def _count(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower
    stream = _stream(receiver, node)
    if stream.is_sequence:
        return Value(type=USIZE, expression=call("len", iterable(stream)), low=0)
    if stream.target is None:
        stream = replace(stream, target="_")
    one = replace(stream, item=Value(type=USIZE, expression=Number("1")))
    return Value(type=USIZE, expression=call("sum", iterable(one)), low=0)


def _position(lower: Calls, receiver: Value, node: Node) -> Value:
    closure = lower.closure(node, 0)
    item = item_type(receiver)
    source = call("enumerate", iterable(_stream(receiver, node)))
    target, value = lower.target(closure.parameters[0].pattern, item, receiver.origins)
    holds = lower.applied(closure, (value,), node.span)
    inner = f"({target})" if "," in target else target
    found = Comprehension(Name("index"), (Clause(f"index, {inner}", source, (holds.expression,)),))
    return Value(type=Option(USIZE), expression=call("next", found, Name("None")), low=0)


def _find(lower: Calls, receiver: Value, node: Node) -> Value:
    stream, holds = bound(lower, receiver, lower.closure(node, 0), node)
    stream = replace(stream, conditions=(*stream.conditions, holds.expression))
    item = stream.item
    element: Expression = Name("None") if item is None else item.expression
    clause = Clause(stream.target or "_", stream.source, stream.conditions)
    whole = call("next", Comprehension(element, (clause,)), Name("None"))
    return Value(type=Option(item_type(receiver)), expression=whole)


def _find_map(lower: Calls, receiver: Value, node: Node) -> Value:
    found = _filter_map(lower, receiver, node)
    whole = call("next", iterable(_stream(found, node)), Name("None"))
    return Value(type=Option(item_type(found)), expression=whole)


def _next(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower
    source = call("iter", iterable(_stream(receiver, node)))
    return Value(type=Option(item_type(receiver)), expression=call("next", source, Name("None")))


def _last(lower: Calls, receiver: Value, node: Node) -> Value:
    values = lower.named(
        Value(type=Sequence(item_type(receiver)), expression=_sequence(receiver, node)),
        "values",
        node.span,
    )
    value = Value(type=item_type(receiver), expression=Subscript(values.expression, number(-1)))
    return Value(type=Option(value.type), maybe=Maybe(condition=values.expression, value=value))


def _nth(lower: Calls, receiver: Value, node: Node) -> Value:
    index = lower.argument(node, 0, USIZE).expression
    source = call("itertools.islice", iterable(_stream(receiver, node)), index, Name("None"))
    return Value(type=Option(item_type(receiver)), expression=call("next", source, Name("None")))


def _fold(lower: Calls, receiver: Value, node: Node) -> Value:
    initial = lower.argument(node, 0, None)
    closure = lower.closure(node, 1)
    item = item_type(receiver)
    function = lower.function(closure, (initial.type, item))
    result = lower.result_of(closure, (initial.type, item))
    lower.same(initial.type, result, node.span)
    whole = call(
        "functools.reduce", function, iterable(_stream(receiver, node)), initial.expression
    )
    return Value(type=initial.type, expression=whole, low=lower.least(initial.type))


def _collect(lower: Calls, receiver: Value, node: Node) -> Value:
    named = lower.named_type(node)
    if named is not None and not isinstance(resolved(named), Sequence):
        raise HostError(node.span, "`collect` into this", "collect into a `Vec`")
    result = lower.collected(receiver, node.span)
    if named is not None:
        lower.same(named, result.type, node.span)
    return result


def _contains(lower: Calls, receiver: Value, node: Node) -> Value:
    value = lower.argument(node, 0, item_type(receiver)).expression
    return Value(
        type=BOOL, expression=Binary(Operator.IN, value, iterable(_stream(receiver, node)))
    )


def _is_range_empty(lower: Calls, receiver: Value, node: Node) -> Value:
    whole = call("len", _sequence(receiver, node))
    del lower
    return Value(type=BOOL, expression=Binary(Operator.EQUAL, whole, number(0)))


def _equal(lower: Calls, receiver: Value, node: Node) -> Value:
    other = lower.iterated(lower.argument(node, 0, None), node.span)
    whole = Binary(Operator.EQUAL, listed(_stream(receiver, node)), listed(_stream(other, node)))
    return Value(type=BOOL, expression=whole)


ITERATOR_METHODS: Mapping[str, Rule] = {
    "iter": _same,
    "into_iter": _same,
    "by_ref": _same,
    "copied": _same,
    "cloned": _same,
    "fuse": _same,
    "map": mapped,
    "filter": _filter,
    "filter_map": _filter_map,
    "flat_map": _flat_map,
    "flatten": _flatten,
    "rev": _rev,
    "skip": _part(is_skip=True),
    "take": _part(is_skip=False),
    "step_by": _step_by,
    "enumerate": _enumerate,
    "zip": _zip,
    "chain": _chain,
    "take_while": _while("takewhile"),
    "skip_while": _while("dropwhile"),
    "sum": _total("sum"),
    "product": _total("math.prod"),
    "max": _extreme("max"),
    "min": _extreme("min"),
    "max_by_key": _extreme_by("max"),
    "min_by_key": _extreme_by("min"),
    "any": _quantifier("any"),
    "all": _quantifier("all"),
    "count": _count,
    "len": _count,
    "position": _position,
    "find": _find,
    "find_map": _find_map,
    "next": _next,
    "last": _last,
    "nth": _nth,
    "fold": _fold,
    "collect": _collect,
    "contains": _contains,
    "is_empty": _is_range_empty,
    "eq": _equal,
}
