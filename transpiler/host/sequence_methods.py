"""Methods of slices, vectors, arrays, texts and pointers in host code."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.host.types import (
    BOOL,
    TEXT,
    UNIT,
    USIZE,
    HostError,
    HostType,
    Iterator,
    Opaque,
    Option,
    Sequence,
    Tuple,
    resolved,
)
from transpiler.host.values import (
    Maybe,
    Origin,
    Stream,
    Value,
    call,
    constant_of,
    joined,
    length,
    method,
    negated,
    number,
    pair,
    sliced,
)
from transpiler.target.model import (
    Attribute,
    Binary,
    Choice,
    Clause,
    Comprehension,
    Expression,
    Name,
    Operator,
    Slice,
    Subscript,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.host.calls import Calls
    from transpiler.host.number_methods import Rule
    from transpiler.host.scope import Scope
    from transpiler.syntax import nodes as syntax

    Node: TypeAlias = syntax.MethodCall


def element_type(value: Value) -> HostType:
    """The type of the elements of a sequence."""
    found = resolved(value.type)
    return found.element if isinstance(found, Sequence) else USIZE


def item_of(lower: Scope, sequence: Value, at: Expression, index: int | None) -> Value:
    """An element of a sequence."""
    type_ = element_type(sequence)
    return Value(
        type=type_,
        expression=Subscript(sequence.expression, at),
        low=lower.least(type_),
        origins=_origins_of_item(sequence, index),
    )


def _origins_of_item(sequence: Value, index: int | None) -> frozenset[Origin]:
    known = sequence.elements
    if known is not None and index is not None and -len(known) <= index < len(known):
        return known[index].origins
    match sequence.expression:
        case Name() | Attribute() | Subscript(index=Slice(start=None)):
            place = index
        case _:
            place = None  # what begins further on counts its elements from there
    return frozenset(
        origin if origin.place is not None else origin._replace(place=place)
        for origin in sequence.origins
    )


def _end(index: int) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        receiver = lower.named(receiver, "values", node.span)
        at = number(index)
        value = item_of(lower, receiver, at, index if index >= 0 else None)
        maybe = Maybe(condition=receiver.expression, value=value)
        return Value(type=Option(value.type), maybe=maybe)

    return rule


def _get(lower: Calls, receiver: Value, node: Node) -> Value:
    receiver = lower.named(receiver, "values", node.span)
    index = lower.named(lower.argument(node, 0, USIZE), "index", node.span)
    at = constant_of(index.expression)
    value = item_of(lower, receiver, index.expression, at)
    condition: Expression = Binary(Operator.GREATER, length(receiver.expression), index.expression)
    if at == 0:
        condition = receiver.expression
    return Value(type=Option(value.type), maybe=Maybe(condition=condition, value=value))


def _length(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return Value(type=USIZE, expression=length(receiver.expression), low=0)


def _is_empty(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return Value(type=BOOL, expression=negated(receiver.expression))


def _split_at(lower: Calls, receiver: Value, node: Node) -> Value:
    receiver = lower.named(receiver, "values", node.span)
    at = lower.named(lower.argument(node, 0, USIZE), "middle", node.span).expression
    parts = pair(sliced(receiver.expression, None, at), sliced(receiver.expression, at))
    return Value(type=Tuple((receiver.type, receiver.type)), expression=parts)


def _split_end(*, is_first: bool) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        receiver = lower.named(receiver, "values", node.span)
        base = receiver.expression
        at, rest = (
            (0, sliced(base, number(1))) if is_first else (-1, sliced(base, None, number(-1)))
        )
        value = item_of(lower, receiver, number(at), at if at == 0 else None)
        both = Value(
            type=Tuple((value.type, receiver.type)), expression=pair(value.expression, rest)
        )
        return Value(type=Option(both.type), maybe=Maybe(condition=base, value=both))

    return rule


def _contains(lower: Calls, receiver: Value, node: Node) -> Value:
    value = lower.argument(node, 0, element_type(receiver))
    return Value(type=BOOL, expression=Binary(Operator.IN, value.expression, receiver.expression))


def _copy(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return receiver


def _list_copy(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return Value(
        type=Sequence(element_type(receiver)),
        expression=call("list", receiver.expression),
        origins=receiver.origins,
    )


def _concat(lower: Calls, receiver: Value, node: Node) -> Value:
    inner = resolved(element_type(receiver))
    if not isinstance(inner, Sequence):
        raise HostError(node.span, "`concat` of texts", "concatenate lists of sizes only")
    parts = lower.display(receiver)
    type_ = Sequence(inner.element)
    if parts is not None:
        return Value(type=type_, expression=joined(*parts))
    clauses = (Clause("part", receiver.expression), Clause("value", Name("part")))
    return Value(type=type_, expression=Comprehension(Name("value"), clauses, is_list=True))


def _iterate(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return Value(
        type=Iterator(element_type(receiver)),
        stream=Stream(source=receiver.expression, is_sequence=True),
        origins=receiver.origins,
        elements=receiver.elements,
    )


def _pieces(*, is_overlapping: bool) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        receiver = lower.named(receiver, "values", node.span)
        size = lower.named(lower.argument(node, 0, USIZE), "size", node.span).expression
        base, at = receiver.expression, Name("start")
        stop = length(base)
        places: tuple[Expression, ...] = (number(0), stop, size)
        if is_overlapping:
            last = Binary(Operator.SUBTRACT, stop, size)
            places = (Binary(Operator.ADD, last, number(1)),)
        part = sliced(base, at, Binary(Operator.ADD, at, size))
        source = Comprehension(part, (Clause("start", call("range", *places)),), is_list=True)
        return Value(type=Iterator(receiver.type), stream=Stream(source=source, is_sequence=True))

    return rule


def _statement(name: str, *kinds: str) -> Rule:
    """A method that changes a list: the same of Python's."""

    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        types: dict[str, HostType] = {"element": element_type(receiver), "usize": USIZE}
        types["list"] = Sequence(types["element"])
        given = []
        for index, kind in enumerate(kinds):
            value = lower.argument(node, index, None if kind == "list" else types[kind])
            given.append(
                lower.plain(value, node.span) if kind != "list" else lower.sequence(value, node)
            )
        lower.changes(receiver, node.span)
        return Value(type=UNIT, expression=method(receiver.expression, name, *given))

    return rule


def _pop(lower: Calls, receiver: Value, node: Node) -> Value:
    lower.changes(receiver, node.span)
    type_ = element_type(receiver)
    value = Choice(receiver.expression, method(receiver.expression, "pop"), Name("None"))
    return Value(type=Option(type_), expression=value)


def _affix(*, is_prefix: bool) -> Rule:
    def rule(lower: Calls, receiver: Value, node: Node) -> Value:
        other = lower.named(lower.argument(node, 0, receiver.type), "part", node.span).expression
        size = length(other)
        base = call("list", receiver.expression)
        if is_prefix:
            own = sliced(base, None, size)
        else:
            start = Binary(Operator.SUBTRACT, length(receiver.expression), size)
            own = sliced(base, call("max", start, number(0)))
        return Value(type=BOOL, expression=Binary(Operator.EQUAL, own, call("list", other)))

    return rule


def _repeat(lower: Calls, receiver: Value, node: Node) -> Value:
    count = lower.argument(node, 0, USIZE)
    whole = Binary(Operator.MULTIPLY, call("list", receiver.expression), count.expression)
    return Value(type=Sequence(element_type(receiver)), expression=whole)


def _map(lower: Calls, receiver: Value, node: Node) -> Value:
    from transpiler.host.iterator_methods import mapped  # noqa: PLC0415 - which knows sequences

    stream = mapped(lower, _iterate(lower, receiver, node), node)
    return lower.collected(stream, node.span)


SEQUENCE_METHODS: Mapping[str, Rule] = {
    "len": _length,
    "is_empty": _is_empty,
    "first": _end(0),
    "last": _end(-1),
    "get": _get,
    "split_at": _split_at,
    "split_first": _split_end(is_first=True),
    "split_last": _split_end(is_first=False),
    "contains": _contains,
    "starts_with": _affix(is_prefix=True),
    "ends_with": _affix(is_prefix=False),
    "to_vec": _list_copy,
    "to_owned": _list_copy,
    "clone": _list_copy,
    "into_boxed_slice": _copy,
    "as_slice": _copy,
    "as_ref": _copy,
    "concat": _concat,
    "repeat": _repeat,
    "iter": _iterate,
    "into_iter": _iterate,
    "map": _map,
    "windows": _pieces(is_overlapping=True),
    "chunks": _pieces(is_overlapping=False),
    "push": _statement("append", "element"),
    "extend": _statement("extend", "list"),
    "extend_from_slice": _statement("extend", "list"),
    "insert": _statement("insert", "usize", "element"),
    "reverse": _statement("reverse"),
    "clear": _statement("clear"),
    "sort": _statement("sort"),
    "sort_unstable": _statement("sort"),
    "pop": _pop,
}


def _view(lower: Calls, receiver: Value, node: Node) -> Value:
    count = lower.argument(node, 0, None)
    type_ = resolved(receiver.type)
    name = type_.name if isinstance(type_, Opaque) else ""
    if not lower.is_element(name):
        raise HostError(
            node.span,
            "an offset that does not count in elements of `D`",
            "count in elements: `(pointer as *mut D).add(offset)`",
        )
    flat = method(receiver.expression, "flatten")
    return Value(
        type=receiver.type, expression=sliced(flat, count.expression), origins=receiver.origins
    )


def _is_null(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return Value(type=BOOL, expression=Binary(Operator.IS, receiver.expression, Name("None")))


POINTER_METHODS: Mapping[str, Rule] = {
    "add": _view,
    "wrapping_add": _view,
    "offset": _view,
    "wrapping_offset": _view,
    "is_null": _is_null,
    "cast_mut": _copy,
    "cast_const": _copy,
    "clone": _copy,
}


def _text(lower: Calls, receiver: Value, node: Node) -> Value:
    del lower, node
    return receiver.typed(TEXT)


TEXT_METHODS: Mapping[str, Rule] = {
    "to_string": _text,
    "to_owned": _text,
    "clone": _text,
    "as_str": _text,
    "into": _text,
    "as_ref": _text,
    "len": _length,
    "is_empty": _is_empty,
}
