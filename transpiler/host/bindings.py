"""Variables of host code: `let`, assignments and closures that have a name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host.branches import Branches
from transpiler.host.pushes import (
    NeedsListError,
)
from transpiler.host.sequence_methods import item_of
from transpiler.host.types import (
    VISITOR,
    HostError,
    HostType,
    Iterator,
    Sequence,
    Tuple,
    Variable,
    resolved,
)
from transpiler.host.values import (
    Value,
    call,
    negated,
    number,
)
from transpiler.syntax import nodes as syntax
from transpiler.syntax.base import NO_TRIVIA, Trivia
from transpiler.target.flat import flat
from transpiler.target.model import (
    Assignment,
    Binary,
    Call,
    Definition,
    Function,
    If,
    List,
    Name,
    Parameter,
    Suite,
)

if TYPE_CHECKING:
    from transpiler.host.scope import Local


def _is_name(pattern: syntax.Pattern) -> bool:
    while isinstance(pattern, syntax.ReferencePattern):
        pattern = pattern.pattern
    return isinstance(pattern, syntax.IdentifierPattern | syntax.WildcardPattern) and (
        not isinstance(pattern, syntax.IdentifierPattern) or pattern.subpattern is None
    )


class Bindings(Branches):
    """Lowers what gives a value a name."""

    floor = 0
    """How many scopes are around the closure that becomes a function; nothing in them can be given another value."""

    def let(self, let: syntax.Let) -> None:
        """Lower a `let`."""
        pattern = let.pattern
        wanted = Variable() if let.type is None else self.owner.type_of(let.type)
        if let.else_block is not None:
            self._let_else(let)
            return
        if let.value is None:
            if not isinstance(pattern, syntax.IdentifierPattern):
                raise HostError(let.span, "this `let`", "give the variable a value")
            python = self._given(pattern.name)
            value = Value(type=wanted, expression=Name(python), low=self.least(wanted))
            self.declare(pattern.name, value, is_mutable=True)
            return
        if isinstance(let.value, syntax.Closure):
            self._closure(pattern, let)
            return
        name = pattern.name if isinstance(pattern, syntax.IdentifierPattern) else None
        if name is not None and isinstance(let.value, syntax.If | syntax.Match | syntax.Block):
            found = self.as_expression(let.value, wanted)
            if found is None:
                self.let_branches(pattern, let, wanted)
                return
            value = found
        else:
            value = self.value(let.value, wanted)
        self.same(value.type, wanted, let.span)
        self._bind_let(pattern, value, let)

    def _bind_let(self, pattern: syntax.Pattern, value: Value, let: syntax.Let) -> None:
        type_ = resolved(value.type)
        match pattern:
            case syntax.IdentifierPattern(name=name):
                if type_ == VISITOR or value.closure is not None:
                    self.declare(name, value)
                    return
                expression = self.plain(value, let.span)
                if isinstance(type_, Iterator):
                    self.declare(name, value)
                    return
                if (
                    pattern.is_mutable
                    and isinstance(type_, Sequence)
                    and not isinstance(expression, List | Call)
                ):
                    expression = call("list", expression)
                python = self._given(name)
                if expression != Name(python):
                    self.put(Assignment(targets=(python,), value=expression), let.span, let.trivia)
                low = self.least(type_) if pattern.is_mutable else value.low
                known = Value(
                    type=value.type,
                    expression=Name(python),
                    low=low,
                    origins=value.origins,
                    elements=None if pattern.is_mutable else value.elements,
                )
                self.declare(name, known, is_mutable=pattern.is_mutable)
            case syntax.WildcardPattern():
                pass
            case syntax.TuplePattern():
                self._bind_tuple(pattern, value, let)
            case syntax.ReferencePattern(pattern=inner):
                self._bind_let(inner, value, let)
            case syntax.SlicePattern(elements=elements) if isinstance(type_, Sequence):
                self._bind_slice(elements, value, let)
            case syntax.StructPattern():
                self.bind(pattern, value)
            case _:
                raise HostError(pattern.span, "this pattern in a `let`", "bind names or tuples")

    def _bind_slice(
        self, elements: tuple[syntax.Pattern, ...], value: Value, let: syntax.Let
    ) -> None:
        """Bind the elements of a sequence that is known to have as many."""
        value = self.named(value, "values", let.span)
        if not all(map(_is_name, elements)):
            self.pure += 1
            try:
                self.test(let.pattern, value)
            finally:
                self.pure -= 1
            return
        targets: list[str] = []
        bound: list[tuple[str, Value]] = []
        for index, pattern in enumerate(elements):
            item = item_of(self, value, number(index), index)
            inner = pattern.pattern if isinstance(pattern, syntax.ReferencePattern) else pattern
            if not isinstance(inner, syntax.IdentifierPattern):
                targets.append("_")
                continue
            python = self._given(inner.name)
            targets.append(python)
            bound.append((inner.name, replace(item, expression=Name(python))))
            self.declare(inner.name, bound[-1][1], is_mutable=inner.is_mutable)
        target = ", ".join(targets) + ("," if len(targets) == 1 else "")
        self.put(Assignment(targets=(target,), value=value.expression), let.span, let.trivia)

    def _bind_tuple(self, pattern: syntax.TuplePattern, value: Value, let: syntax.Let) -> None:
        if not isinstance(resolved(value.type), Tuple):
            self.bind(pattern, self.named(value, "tensor", let.span))
            return
        target, known = self.target(pattern, value.type)
        expression = self.plain(value, let.span)
        self.put(Assignment(targets=(target,), value=expression), let.span, let.trivia)
        outer, self.pure = self.pure, 1
        try:
            self.bind(pattern, known)
        finally:
            self.pure = outer

    def _given(self, name: str) -> str:
        """The Python name of a variable; one of the same name in the same block makes way for it."""
        if self.rows and name in self.scopes[-1]:
            raise NeedsListError
        self.retire(name)
        return self.fresh(name)

    def _let_else(self, let: syntax.Let) -> None:
        if let.value is None or let.else_block is None:
            raise HostError(let.span, "this `let`", "give the variable a value")
        value = self.value(let.value)
        pattern = let.pattern
        while isinstance(pattern, syntax.ReferencePattern):
            pattern = pattern.pattern
        if isinstance(pattern, syntax.SlicePattern):
            value = self.named(value, "values", let.span)
            self.scopes.append({})
            self.pure += 1
            try:
                holds = self.test(pattern, value)
            finally:
                self.pure -= 1
                self.scopes.pop()
            body = self.suite(let.else_block, self.returned)
            self.put(If(condition=negated(holds), body=body), let.span, let.trivia)
            self._bind_slice(pattern.elements, value, replace(let, trivia=NO_TRIVIA))
            return
        found = self.maybe(value, let.span)
        match pattern:
            case syntax.TupleStructPattern(path=path, elements=(inner,)) if (
                path.names[-1] == "Some"
            ):
                pass
            case _:
                raise HostError(let.pattern.span, "this pattern in a `let`", "write `Some(x)`")
        body = self.suite(let.else_block, self.returned)
        self.put(If(condition=negated(found.condition), body=body), let.span, let.trivia)
        self._bind_let(inner, found.value, replace(let, trivia=NO_TRIVIA))

    def _closure(self, pattern: syntax.Pattern, let: syntax.Let) -> None:
        closure = let.value
        if not isinstance(pattern, syntax.IdentifierPattern) or not isinstance(
            closure, syntax.Closure
        ):
            raise HostError(let.span, "this closure", "give it a name")
        if self.has_visit(closure.body):
            raise HostError(let.span, "packing in a closure", "write a method that packs")
        known = Value(type=Variable(), closure=closure)
        types = [self.owner.type_of(it.type) for it in closure.parameters if it.type is not None]
        if len(types) != len(closure.parameters) or not types:
            self.captured[id(closure)] = [dict(scope) for scope in self.scopes]
            self.declare(pattern.name, known)
            return
        python = self._given(pattern.name)
        outer, self.statements = self.statements, []
        floor, self.floor = self.floor, len(self.scopes)
        self.scopes.append({})
        parameters = []
        for parameter, type_ in zip(closure.parameters, types, strict=True):
            target, value = self.target(parameter.pattern, type_)
            parameters.append(Parameter(name=target))
            self.bind(parameter.pattern, value)
        body = closure.body if isinstance(closure.body, syntax.Block) else None
        body = body or syntax.Block(span=closure.body.span, statements=(), tail=closure.body)
        result: HostType = Variable()
        saved, self.result = self.result, result
        comments = self.block(body, self.returned)
        self.result, self.floor = saved, floor
        self.scopes.pop()
        suite = Suite(statements=tuple(self.statements), closing_comments=comments)
        self.statements = outer
        function = Function(
            name=python, parameters=tuple(parameters), docs=(), body=suite, span=let.span
        )
        self.put(Definition(function=function), let.span, let.trivia)
        local = self.declare(pattern.name, replace(known, type=result))
        local.definition = python

    def called_closure(self, local: Local, node: syntax.Call) -> Value:
        """A call of a closure that has a name."""
        closure = local.value.closure
        if closure is None:
            raise HostError(node.span, "a call of this", "call a function by its name")
        values = [self.value(each) for each in node.arguments]
        if local.definition is None:
            plain = tuple(self.named(it, "value", node.span) for it in values)
            return self.applied(closure, plain, node.span)
        for value, parameter in zip(values, closure.parameters, strict=True):
            if parameter.type is not None:
                self.same(value.type, self.owner.type_of(parameter.type), node.span)
        given = tuple(
            self.plain(it, each.span) for it, each in zip(values, node.arguments, strict=True)
        )
        type_ = local.value.type
        return Value(
            type=type_, expression=Call(Name(local.definition), given), low=self.least(type_)
        )

    def let_branches(self, pattern: syntax.Pattern, let: syntax.Let, wanted: HostType) -> None:
        """A `let` whose value is given by the branches of an `if` or a `match`."""
        if not isinstance(pattern, syntax.IdentifierPattern) or let.value is None:
            raise HostError(let.span, "this `let`", "bind a name")
        python = self.fresh(pattern.name)
        self.into(python, wanted, let.value, let.trivia)
        value = Value(type=wanted, expression=Name(python), low=self.least(wanted))
        self.declare(pattern.name, value, is_mutable=True)

    def assign(self, node: syntax.Assignment, trivia: Trivia) -> None:
        """Lower an assignment."""
        if self.rows:
            raise NeedsListError
        if isinstance(node.target, syntax.PathExpression) and node.target.path.identifier == "_":
            return
        target = self.value(node.target)
        if not isinstance(node.target, syntax.PathExpression | syntax.Index | syntax.Unary):
            raise HostError(node.target.span, "this assignment", "assign to a variable")
        if self._is_captured(node.target):
            raise HostError(node.span, "changing a variable in a closure", "return the new value")
        place = flat(target.expression)
        if node.operator is None:
            if isinstance(node.value, syntax.If | syntax.Match | syntax.Block):
                found = self.as_expression(node.value, target.type)
                if found is None:
                    self.into(place, target.type, node.value, trivia)
                    return
                value = found
            else:
                value = self.value(node.value, target.type)
            self.same(value.type, target.type, node.span)
            expression = self.plain(value, node.span)
            self.put(Assignment(targets=(place,), value=expression), node.span, trivia)
            self._has_changed(node.target, value)
            return
        whole = self.binary(
            syntax.Binary(
                span=node.span, operator=node.operator, left=node.target, right=node.value
            ),
            target.type,
        )
        self._has_changed(node.target, whole)
        match whole.expression:
            case Binary(operator=operator, left=left, right=right) if left == target.expression:
                statement = Assignment(targets=(place,), value=right, operator=operator)
            case _:
                statement = Assignment(targets=(place,), value=whole.expression)
        self.put(statement, node.span, trivia)

    def _is_captured(self, target: syntax.Expression) -> bool:
        """Whether it is a variable of the function around the closure that is being lowered."""
        while isinstance(target, syntax.Unary):
            target = target.operand
        if not isinstance(target, syntax.PathExpression):
            return False
        name = target.path.names[0]
        return not any(name in scope for scope in self.scopes[self.floor :])

    def _has_changed(self, target: syntax.Expression, value: Value) -> None:
        """What a variable points to may be one thing or the other from now on."""
        if isinstance(target, syntax.PathExpression):
            local = self.local(target.path.names[0])
            if local is not None and value.origins:
                origins = local.value.origins | value.origins
                local.value = replace(local.value, origins=origins)
