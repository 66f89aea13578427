"""Patterns of host code: what has to hold for one to match, and what it binds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host.expressions import Expressions
from transpiler.host.sequence_methods import item_of
from transpiler.host.types import (
    INPUT,
    POINTER,
    HostError,
    HostType,
    Sequence,
    Tuple,
    Variable,
    is_unsigned,
    resolved,
)
from transpiler.host.values import (
    Value,
    conjunction,
    constant_of,
    is_simple,
    length,
    negated,
    number,
    sliced,
)
from transpiler.syntax import nodes as syntax
from transpiler.target.model import Assignment, Binary, Expression, Name, Operator, Subscript
from transpiler.target.model import Tuple as TupleDisplay

if TYPE_CHECKING:
    from transpiler.source import Span

_TRUE = Name("True")


class Patterns(Expressions):
    """Lowers patterns."""

    def bind(self, pattern: syntax.Pattern, value: Value) -> None:
        """Bind what a pattern that always matches names: to the value itself where it is short."""
        match pattern:
            case syntax.IdentifierPattern(name=name, subpattern=None):
                self._alias(name, value, pattern.span, is_mutable=pattern.is_mutable)
            case syntax.WildcardPattern() | syntax.RestPattern():
                pass
            case syntax.ReferencePattern(pattern=inner):
                self.bind(inner, value)
            case syntax.StructPattern(fields=fields):
                for field in fields:
                    self.bind(field.pattern, self.field_of(value, field.name, pattern.span))
            case syntax.TuplePattern(elements=elements):
                for each, part in zip(elements, self.parts(pattern, value), strict=True):
                    self.bind(each, part)
            case _:
                raise HostError(pattern.span, "this pattern here", "bind names or a tuple of names")

    def _alias(self, name: str, value: Value, span: Span, *, is_mutable: bool) -> None:
        is_plain = value.maybe is None and value.stream is None
        if is_plain and not is_mutable and (self.pure or is_simple(value.expression)):
            self.declare(name, value)
            return
        if self.pure:
            self.declare(name, value)
            return
        python = self.fresh(name)
        self.emit(Assignment(span=span, targets=(python,), value=self.plain(value, span)), span)
        known = replace(value, expression=Name(python), maybe=None, stream=None, field=None)
        self.declare(name, known, is_mutable=is_mutable)

    def parts(self, pattern: syntax.TuplePattern, value: Value) -> list[Value]:
        """The elements of a tuple, one for each of a pattern's."""
        found = resolved(value.type)
        if found == INPUT and len(pattern.elements) == 2:
            return [replace(value, type=POINTER), self.shape_of(value)]
        if isinstance(found, Variable):
            types: tuple[HostType, ...] = tuple(Variable() for _ in pattern.elements)
            self.same(found, Tuple(types), pattern.span)
            found = Tuple(types)
        if not isinstance(found, Tuple) or len(found.elements) != len(pattern.elements):
            raise HostError(pattern.span, "this pattern", "bind each element of the tuple")
        return [
            Value(
                type=type_,
                expression=value.expression.elements[index]
                if isinstance(value.expression, TupleDisplay)
                else Subscript(value.expression, number(index)),
                low=self.least(type_),
            )
            for index, type_ in enumerate(found.elements)
        ]

    # --- Patterns that may fail -------------------------------------------------------------------

    def test(self, pattern: syntax.Pattern, value: Value) -> Expression:
        """What has to hold for the pattern to match; it binds its names."""
        match pattern:
            case syntax.WildcardPattern() | syntax.RestPattern():
                return _TRUE
            case syntax.ReferencePattern(pattern=inner):
                return self.test(inner, value)
            case syntax.IdentifierPattern(name="None"):
                return negated(self.maybe(value, pattern.span).condition)
            case syntax.IdentifierPattern(subpattern=None):
                constant = self.owner.home.resolve((pattern.name,))
                if constant is not None and isinstance(constant[0], syntax.Const):
                    with self.owner.within(constant[1]):
                        known = self._constant(constant[0])
                    return Binary(Operator.EQUAL, value.expression, known.expression)
                self.bind(pattern, value)
                return _TRUE
            case syntax.IdentifierPattern(name=name, subpattern=subpattern) if (
                subpattern is not None
            ):
                condition = self.test(subpattern, value)
                self.declare(name, value)
                return condition
            case syntax.LiteralPattern(value=literal):
                return self._equal(literal, value)
            case syntax.RangePattern():
                return self._within(pattern, value)
            case syntax.OrPattern(alternatives=alternatives):
                return self._any(alternatives, value)
            case syntax.TuplePattern(elements=elements):
                inner_values = self.parts(pattern, value)
                tests = [self.test(e, v) for e, v in zip(elements, inner_values, strict=True)]
                return conjunction(*tests)
            case syntax.TupleStructPattern(path=path, elements=(inner,)) if (
                path.names[-1] == "Some"
            ):
                maybe = self.maybe(value, pattern.span)
                return conjunction(maybe.condition, self.test(inner, maybe.value))
            case syntax.PathPattern(path=path) if path.names[-1] == "None":
                return negated(self.maybe(value, pattern.span).condition)
            case syntax.PathPattern(path=path):
                known = self.value(syntax.PathExpression(span=pattern.span, path=path))
                return Binary(Operator.EQUAL, value.expression, known.expression)
            case syntax.SlicePattern(elements=elements):
                return self._slice(elements, value, pattern.span)
            case _:
                raise HostError(pattern.span, "this pattern", "match numbers, options and tuples")

    def _equal(self, literal: syntax.Expression, value: Value) -> Expression:
        known = self.value(literal, value.type)
        self.same(known.type, value.type, literal.span)
        match known.expression:
            case Name(text="True"):
                return value.expression
            case Name(text="False"):
                return self.opposite(value)
            case _:
                return Binary(Operator.EQUAL, value.expression, known.expression)

    def _within(self, pattern: syntax.RangePattern, value: Value) -> Expression:
        conditions: list[Expression] = []
        if pattern.start is not None:
            start = self.value(pattern.start, value.type)
            self.same(start.type, value.type, pattern.span)
            if not (is_unsigned(value.type) and constant_of(start.expression) == 0):
                conditions.append(
                    Binary(Operator.GREATER_EQUAL, value.expression, start.expression)
                )
        if pattern.end is not None:
            end = self.value(pattern.end, value.type)
            self.same(end.type, value.type, pattern.span)
            operator = Operator.LESS_EQUAL if pattern.is_inclusive else Operator.LESS
            conditions.append(Binary(operator, value.expression, end.expression))
        return conjunction(*conditions)

    def _any(self, alternatives: tuple[syntax.Pattern, ...], value: Value) -> Expression:
        literals = [
            self.value(each.value, value.type).expression
            for each in alternatives
            if isinstance(each, syntax.LiteralPattern)
        ]
        if len(literals) == len(alternatives):
            return Binary(Operator.IN, value.expression, TupleDisplay(tuple(literals)))
        before = len(self.scopes[-1])
        tests = [self.test(each, value) for each in alternatives]
        if len(self.scopes[-1]) != before:
            raise HostError(
                alternatives[0].span, "names in one of several patterns", "use two arms"
            )
        if _TRUE in tests:
            return _TRUE
        whole = tests[0]
        for each in tests[1:]:
            whole = Binary(Operator.OR, whole, each)
        return whole

    def _slice(self, elements: tuple[syntax.Pattern, ...], value: Value, span: Span) -> Expression:
        found = resolved(value.type)
        if not isinstance(found, Sequence):
            raise HostError(span, "this pattern", "match a slice with it")
        rests = [index for index, each in enumerate(elements) if _is_rest(each)]
        size = length(value.expression)
        count = len(elements) - len(rests)
        if rests:
            tests: list[Expression] = [Binary(Operator.GREATER_EQUAL, size, number(count))]
            if count == 0:
                tests = []
        else:
            tests = [Binary(Operator.EQUAL, size, number(count))]
        for index, each in enumerate(elements):
            if rests and index == rests[0]:
                behind = len(elements) - index - 1
                if isinstance(each, syntax.IdentifierPattern):
                    start = number(index) if index else None
                    stop = number(-behind) if behind else None
                    part = replace(value, expression=sliced(value.expression, start, stop))
                    self.declare(each.name, part)
                continue
            place = index if not rests or index < rests[0] else index - len(elements)
            tests.append(self.test(each, item_of(self, value, number(place), max(place, 0))))
        return conjunction(*tests)


def _is_rest(pattern: syntax.Pattern) -> bool:
    return isinstance(pattern, syntax.RestPattern) or (
        isinstance(pattern, syntax.IdentifierPattern)
        and isinstance(pattern.subpattern, syntax.RestPattern)
    )
