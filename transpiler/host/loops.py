"""Loops of host code."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host.bindings import Bindings
from transpiler.host.pushes import (
    Deliver,
    Many,
    NeedsListError,
)
from transpiler.host.types import (
    HostError,
    Iterator,
    Variable,
    resolved,
)
from transpiler.host.values import (
    Origin,
    Stream,
    Value,
    iterable,
)
from transpiler.syntax import nodes as syntax
from transpiler.target.model import (
    For,
    List,
    Name,
    Statement,
    While,
)

if TYPE_CHECKING:
    from transpiler.syntax.base import Trivia


def _rounds(value: Value, stream: Stream) -> list[frozenset[Origin]]:
    """What each round of a loop over a list that is written out is about; nothing where that is not known."""
    is_whole = stream.is_sequence and stream.target is None
    if value.elements is None or not is_whole or not isinstance(stream.source, Name | List):
        return []
    return [each.origins for each in value.elements]


class Loops(Bindings):
    """Lowers loops."""

    def loop(
        self,
        node: syntax.For | syntax.While | syntax.Loop,
        trivia: Trivia,
        deliver: Deliver | None = None,
    ) -> None:
        """A loop; `deliver` takes what `break` gives."""
        self.results.append(deliver)
        try:
            self._looped(node, trivia)
        finally:
            self.results.pop()

    def _looped(self, node: syntax.For | syntax.While | syntax.Loop, trivia: Trivia) -> None:
        if node.label is not None:
            raise HostError(node.span, "a loop with a label", "use a function")
        if self.rows is not None and self.has_visit(node):
            raise NeedsListError
        if self.rows:
            raise NeedsListError
        outer, self.pushes = self.pushes, []
        is_known = False
        match node:
            case syntax.For(pattern=pattern, iterable=given, body=body):
                value = self.iterated(self.value(given), given.span)
                stream = value.stream
                if stream is None:
                    raise HostError(given.span, "this loop", "iterate over a slice")
                found = resolved(value.type)
                element = found.element if isinstance(found, Iterator) else Variable()
                rounds = _rounds(value, stream)
                # What is pushed is told for each round where they are known; the statements are the same in all.
                for origins in rounds or [value.origins]:
                    self.scopes.append({})
                    target, item = self.target(pattern, element, origins)
                    if value.low is not None and item.low is None:
                        item = replace(item, low=value.low)
                    self.pure += 1
                    try:
                        self.bind(pattern, item)
                    finally:
                        self.pure -= 1
                    suite = self.suite(body, None)
                    self.scopes.pop()
                statement: Statement = For(target=target, iterable=iterable(stream), body=suite)
                is_known = bool(rounds)
            case syntax.While(condition=condition, body=body):
                self.pure += 1
                try:
                    holds = self.condition(condition)
                finally:
                    self.pure -= 1
                statement = While(condition=holds, body=self.suite(body, None))
            case syntax.Loop(body=body):
                statement = While(condition=Name("True"), body=self.suite(body, None))
        inner, self.pushes = self.pushes, outer
        if is_known:
            self.pushes += inner
        elif inner:
            self.pushes.append(Many(pushes=tuple(inner)))
        self.put(statement, node.span, trivia)

    def for_each(self, node: syntax.MethodCall, trivia: Trivia) -> None:
        """`for_each` with a closure, as a loop."""
        closure = self.closure(node, 0)
        body = closure.body
        block = (
            body
            if isinstance(body, syntax.Block)
            else syntax.Block(
                span=body.span,
                statements=(syntax.ExpressionStatement(span=body.span, expression=body),),
            )
        )
        loop = syntax.For(
            span=node.span,
            pattern=closure.parameters[0].pattern,
            iterable=node.receiver,
            body=block,
        )
        self.loop(loop, trivia)
