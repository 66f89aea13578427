"""What a method that was translated gives whatever its arguments are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.target.model import (
    Binary,
    Call,
    Choice,
    Comprehension,
    If,
    List,
    Name,
    Number,
    Operator,
    Return,
    Starred,
    Text,
    Tuple,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.target.model import Expression, Function, Suite


def constant_result(function: Function) -> str | None:
    """The number or the truth value that a method gives, as Python writes it; None where it gives another."""
    match list(_results(function.body)):
        case [Number(text=text) | Name(text=("True" | "False") as text)]:
            return text
        case _:
            return None


def result_of(function: Function) -> Expression | None:
    """The one expression that a method gives; None where there are several, or statements before it."""
    match function.body.statements:
        case (Return(value=value),):
            return value
        case _:
            return None


def list_lengths(function: Function) -> frozenset[int] | None:
    """How many elements the list has that a method gives: one number for each that there may be."""
    found: set[int] = set()
    for result in _results(function.body):
        lengths = _lengths(result)
        if lengths is None:
            return None
        found |= lengths
    return frozenset(found) or None


def texts_of(function: Function) -> tuple[str, ...]:
    """The texts that a method gives, the most there may be; none where they are not written out."""
    return max((_texts(it) for it in _results(function.body)), key=len, default=())


def _results(body: Suite) -> Iterator[Expression | None]:
    for statement in body.statements:
        match statement:
            case Return(value=value):
                yield value
            case If(body=then, other=other):
                yield from _results(then)
                if other is not None:
                    yield from _results(other)
            case _:
                pass


def _texts(expression: Expression | None) -> tuple[str, ...]:
    match expression:
        case List(elements=elements) | Tuple(elements=elements):
            texts = tuple(it.value for it in elements if isinstance(it, Text))
            return texts if len(texts) == len(elements) else ()
        case Choice(value=value, other=other):
            return max(_texts(value), _texts(other), key=len)
        case _:
            return ()


def _lengths(expression: Expression | None) -> frozenset[int] | None:
    match expression:
        case List(elements=elements) | Tuple(elements=elements) if not any(
            isinstance(it, Starred) for it in elements
        ):
            return frozenset({len(elements)})
        case Choice(value=value, other=other):
            one, two = _lengths(value), _lengths(other)
            return None if one is None or two is None else one | two
        case Binary(operator=Operator.MULTIPLY, left=left, right=Number(text=text)):
            known = _lengths(left)
            return None if known is None else frozenset(it * int(text) for it in known)
        case Comprehension(clauses=(clause,)) if not clause.conditions:
            match clause.iterable:
                case Call(function=Name(text="range"), arguments=(Number(text=text),)):
                    return frozenset({int(text)})
                case _:
                    return None
        case _:
            return None
