"""The names that a part of the target tree reads, and those it binds."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from transpiler.target.model import (
    Assignment,
    Attribute,
    Binary,
    Break,
    Call,
    Choice,
    Comprehension,
    Continue,
    Definition,
    Dict,
    Evaluation,
    Expression,
    For,
    Function,
    If,
    Lambda,
    List,
    Name,
    Number,
    Raise,
    Return,
    Rows,
    Slice,
    Starred,
    Subscript,
    Suite,
    Text,
    Tuple,
    Unary,
    While,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable


def names_read(part: Function | Suite, known: Container[int] = ()) -> frozenset[str]:
    """Every name that an expression of `part` reads, whatever it is bound to.

    `known` are the `id`s of statements that are passed over.
    """
    found: set[str] = set()
    if isinstance(part, Suite):
        _in_suite(part, found, known)
        return frozenset(found)
    annotations = (parameter.annotation for parameter in part.parameters)
    for expression in (part.decorator, *annotations, part.returns):
        if expression is not None:
            _in_expression(expression, found)
    _in_suite(part.body, found, known)
    return frozenset(found)


def names_bound(function: Function) -> frozenset[str]:
    """Every name that a function binds: its parameters and what its statements assign."""
    found = {parameter.name for parameter in function.parameters}
    pending = [function.body]
    while pending:
        for statement in pending.pop().statements:
            match statement:
                case Assignment(targets=targets):
                    found.update(targets)
                case For(target=target, body=body):
                    found.add(target)
                    pending.append(body)
                case While(body=body):
                    pending.append(body)
                case If(body=body, other=other):
                    pending += [body] if other is None else [body, other]
                case Definition(function=inner):
                    found.add(inner.name)
                case Evaluation() | Return() | Raise() | Break() | Continue():
                    pass
                case _:
                    assert_never(statement)
    return frozenset(found)


def _in_suite(suite: Suite, found: set[str], known: Container[int]) -> None:
    for statement in suite.statements:
        if id(statement) in known:
            continue
        match statement:
            case Assignment(value=value, annotation=annotation):
                _in_expression(value, found)
                if annotation is not None:
                    _in_expression(annotation, found)
            case Evaluation(value=value) | Raise(value=value):
                _in_expression(value, found)
            case Definition(function=function):
                found |= names_read(function)
            case Break() | Continue():
                pass
            case Return(value=result):
                if result is not None:
                    _in_expression(result, found)
            case If(condition=condition, body=body, other=other):
                _in_expression(condition, found)
                _in_suite(body, found, known)
                if other is not None:
                    _in_suite(other, found, known)
            case While(condition=condition, body=body):
                _in_expression(condition, found)
                _in_suite(body, found, known)
            case For(iterable=iterable, body=body):
                _in_expression(iterable, found)
                _in_suite(body, found, known)
            case _:
                assert_never(statement)


def _in_expression(expression: Expression, found: set[str]) -> None:
    match expression:
        case Name(text=text):
            found.add(text)
        case Number() | Text():
            pass
        case Attribute(value=value):
            _in_expression(value, found)
        case Call(function=function, arguments=arguments, keywords=keywords):
            _in_all((function, *arguments, *(keyword.value for keyword in keywords)), found)
        case Subscript(value=value, index=index):
            _in_expression(value, found)
            _in_expression(index, found)
        case Unary(operand=operand):
            _in_expression(operand, found)
        case Binary(left=left, right=right):
            _in_expression(left, found)
            _in_expression(right, found)
        case Choice(condition=condition, value=value, other=other):
            _in_all((condition, value, other), found)
        case List(elements=elements) | Tuple(elements=elements):
            _in_all(elements, found)
        case Dict(entries=entries):
            _in_all((element for pair in entries for element in pair), found)
        case Slice(start=start, stop=stop, step=step):
            _in_all((part for part in (start, stop, step) if part is not None), found)
        case Starred(value=value) | Lambda(body=value):
            _in_expression(value, found)
        case Comprehension(element=element, clauses=clauses):
            _in_expression(element, found)
            for clause in clauses:
                _in_all((clause.iterable, *clause.conditions), found)
        case Rows(rows=rows):
            _in_all((row.value for row in rows), found)
        case _:
            assert_never(expression)


def _in_all(expressions: Iterable[Expression], found: set[str]) -> None:
    for expression in expressions:
        _in_expression(expression, found)
