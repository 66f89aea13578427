"""Blocks and branches of host code, as expressions where they can be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host.pushes import (
    Branch,
    Deliver,
    NeedsListError,
    Push,
    walk,
)
from transpiler.host.types import (
    BOOL,
    NEVER,
    HostError,
    HostType,
    NeedsStatementsError,
    Option,
    Variable,
    resolved,
)
from transpiler.host.values import (
    Value,
    choice,
    conjunction,
)
from transpiler.passes.layout import layout_of
from transpiler.syntax import nodes as syntax
from transpiler.syntax.base import NO_TRIVIA, Trivia
from transpiler.target.model import (
    Assignment,
    Expression,
    If,
    Name,
    Suite,
)
from transpiler.target.model import Tuple as TupleDisplay

if TYPE_CHECKING:
    from transpiler.source import Span

from transpiler.host.packs import Packs


def _is_short(node: syntax.If) -> bool:
    """Whether it reads better as one expression: it has two branches, and no more."""
    return not isinstance(node.else_branch, syntax.If)


class Branches(Packs):
    """Lowers `if`, `match` and blocks."""

    def block(self, block: syntax.Block, deliver: Deliver | None) -> tuple[str, ...]:
        """Lower the statements of a block in a scope of its own; the comments at its end are returned."""
        self.scopes.append({})
        try:
            return self.statements_of(block, deliver)
        finally:
            self.scopes.pop()

    def statements_of(self, block: syntax.Block, deliver: Deliver | None) -> tuple[str, ...]:
        """Lower the statements of a block in the scope that is open."""
        if block.label is not None:
            raise HostError(block.span, "a block with a label", "write an `if`")
        for statement in block.statements:
            self.statement(statement)
        if block.tail is not None:
            self.tail(block.tail, deliver, block.tail_trivia)
        return layout_of(Trivia(leading=block.closing_comments)).comments

    def suite(self, block: syntax.Block, deliver: Deliver | None) -> Suite:
        """A block as a suite."""
        outer, self.statements = self.statements, []
        try:
            comments = self.block(block, deliver)
            return Suite(statements=tuple(self.statements), closing_comments=comments)
        finally:
            self.statements = outer

    def as_expression(self, node: syntax.Expression, expected: HostType | None) -> Value | None:
        """The value as one expression; None where it takes statements."""
        saved, scopes = self.statements, [dict(scope) for scope in self.scopes]
        self.statements = []
        pushes, self.pushes = self.pushes, []
        self.pure += 1
        try:
            return self._expression(node, expected)
        except NeedsStatementsError:
            self.scopes = scopes
            return None
        finally:
            self.pure -= 1
            self.statements = saved
            self.pushes = pushes

    def branching(self, node: syntax.Expression, expected: HostType | None) -> Value:
        """The value of an `if`, a `match` or a block."""
        found = self.as_expression(node, expected)
        if found is not None:
            return found
        python = self.fresh("chosen")
        type_ = Variable() if expected is None else expected
        value = Value(type=type_, expression=Name(python))
        self.declare(f" {python}", value)
        self.into(python, type_, node, NO_TRIVIA)
        return replace(value, low=self.least(type_))

    def _expression(self, node: syntax.Expression, expected: HostType | None) -> Value:
        match node:
            case syntax.Parenthesized(inner=inner):
                return self._expression(inner, expected)
            case syntax.Block(statements=(), tail=tail) if tail is not None:
                if node.tail_trivia.leading or node.closing_comments:
                    raise NeedsStatementsError(node.span, "a comment here", "")
                self.scopes.append({})
                try:
                    return self._expression(tail, expected)
                finally:
                    self.scopes.pop()
            case syntax.Block() | syntax.Loop():
                raise NeedsStatementsError(node.span, "statements in a value here", "use `let`")
            case syntax.If(else_branch=None):
                raise NeedsStatementsError(node.span, "an `if` without `else`", "write one")
            case syntax.If(condition=condition, then_block=then, else_branch=other) if (
                other is not None
            ):
                self.scopes.append({})
                holds = self.condition(condition)
                value = self._expression(then, expected)
                self.scopes.pop()
                return self._chosen(holds, value, self._expression(other, expected), node.span)
            case syntax.Match():
                return self._matched(node, expected)
            case _:
                return self.value(node, expected)

    def _chosen(self, condition: Expression, value: Value, other: Value, span: Span) -> Value:
        self.same(value.type, other.type, span)
        mine, theirs = value.maybe, other.maybe
        if mine is not None and theirs is not None and theirs.condition == Name("False"):
            return replace(
                value, maybe=replace(mine, condition=conjunction(condition, mine.condition))
            )
        lows = [it.low for it in (value, other)]
        low = None if None in lows else min(it for it in lows if it is not None)
        type_ = other.type if resolved(value.type) == NEVER else value.type
        return Value(
            type=type_,
            expression=choice(condition, self.plain(value, span), self.plain(other, span)),
            low=low,
            origins=value.origins | other.origins,
        )

    def condition(self, node: syntax.Expression) -> Expression:
        """A condition, with what its patterns bind."""
        match node:
            case syntax.Parenthesized(inner=inner):
                return self.condition(inner)
            case syntax.LetCondition(pattern=pattern, value=given):
                value = self.value(given)
                if not isinstance(resolved(value.type), Option):
                    value = self.named(value, "value", node.span)
                return self.test(pattern, value)
            case syntax.Binary(operator=syntax.BinaryOperator.AND, left=left, right=right) if any(
                isinstance(each, syntax.LetCondition) for each in walk(node)
            ):
                return conjunction(self.condition(left), self.condition(right))
            case _:
                value = self.value(node, BOOL)
                self.same(value.type, BOOL, node.span)
                return value.expression

    def _matched(self, node: syntax.Match, expected: HostType | None) -> Value:
        subject = self._subject(node)
        arms: list[tuple[Expression, Value]] = []
        for arm in node.arms:
            self.scopes.append({})
            condition = self.test(arm.pattern, subject)
            if arm.guard is not None:
                condition = conjunction(condition, self.condition(arm.guard))
            arms.append((condition, self._expression(arm.body, expected)))
            self.scopes.pop()
            if condition == Name("True"):
                break
        *first, (_, result) = arms
        for condition, value in reversed(first):
            result = self._chosen(condition, value, result, node.span)
        return result

    def _subject(self, node: syntax.Match) -> Value:
        value = self.value(node.scrutinee)
        if isinstance(value.expression, TupleDisplay) or value.maybe is not None:
            return value
        return self.named(value, "value", node.span)

    def tail(self, node: syntax.Expression, deliver: Deliver | None, trivia: Trivia) -> None:
        """An expression whose value is delivered; an `if` or a `match` delivers in each branch."""
        match node:
            case syntax.Parenthesized(inner=inner):
                self.tail(inner, deliver, trivia)
            case syntax.Block():
                self.block(node, deliver)
            case syntax.If():
                self._if(node, deliver, trivia)
            case syntax.Match():
                self._match(node, deliver, trivia)
            case syntax.MacroCall() if self.is_message(node):
                self.message_statement(node, trivia)
            case (
                syntax.Return()
                | syntax.Break()
                | syntax.Continue()
                | syntax.For()
                | syntax.While()
                | syntax.Assignment()
            ):
                self.evaluate(node, trivia)
            case _ if deliver is None:
                self.evaluate(node, trivia)
            case syntax.Loop():
                self.loop(node, trivia, deliver)
            case syntax.MethodCall() if self.is_visit(node):
                self.visit(node, trivia)
            case syntax.MethodCall() | syntax.Call() if any(
                self.is_visitor(each) for each in node.arguments
            ):
                self.delegate(node, trivia)
            case _:
                deliver(self.value(node, self.result), node, trivia)

    def _if(self, node: syntax.If, deliver: Deliver | None, trivia: Trivia) -> None:
        if deliver is not None and node.else_branch is not None:
            found = self.as_expression(node, self.result)
            if found is not None and _is_short(node):
                deliver(found, node, trivia)
                return
        self._branches(node, deliver, trivia)

    def _branches(self, node: syntax.If, deliver: Deliver | None, trivia: Trivia) -> None:
        if self.rows is not None and self.has_visit(node):
            raise NeedsListError
        self.scopes.append({})
        condition = self.condition(node.condition)
        outer, self.pushes = self.pushes, []
        body = self.suite(node.then_block, deliver)
        first, self.pushes = self.pushes, []
        self.scopes.pop()
        other: Suite | None = None
        match node.else_branch:
            case None:
                pass
            case syntax.Block() as block:
                other = self.suite(block, deliver)
            case syntax.If() as nested:
                saved, self.statements = self.statements, []
                self._branches(nested, deliver, NO_TRIVIA)
                other = Suite(statements=tuple(self.statements))
                self.statements = saved
        second, self.pushes = self.pushes, outer
        if first or second:
            self.pushes.append(Branch(choices=(tuple(first), tuple(second))))
        self.put(If(condition=condition, body=body, other=other), node.span, trivia)

    def _match(self, node: syntax.Match, deliver: Deliver | None, trivia: Trivia) -> None:
        if self.rows is not None and self.has_visit(node):
            raise NeedsListError
        if deliver is not None:
            found = self.as_expression(node, self.result)
            if found is not None and len(node.arms) <= 2:
                deliver(found, node, trivia)
                return
        subject = self._subject(node)
        arms: list[tuple[Expression, Suite, Span]] = []
        outer, choices = self.pushes, list[tuple[Push, ...]]()
        for arm in node.arms:
            self.scopes.append({})
            saved, self.statements, self.pushes = self.statements, [], []
            self.pure += 1
            try:
                condition = self.test(arm.pattern, subject)
                if arm.guard is not None:
                    condition = conjunction(condition, self.condition(arm.guard))
            finally:
                self.pure -= 1
            self.tail(arm.body, deliver, NO_TRIVIA)
            arms.append((condition, Suite(statements=tuple(self.statements)), arm.span))
            choices.append(tuple(self.pushes))
            self.statements = saved
            self.scopes.pop()
            if condition == Name("True"):
                break
        self.pushes = outer
        if any(choices):
            self.pushes.append(Branch(choices=tuple(choices)))
        *first, (condition, suite, _) = arms
        other: Suite | None = suite
        if condition != Name("True") and deliver is None and not suite.statements:
            other = None
        for condition, suite, span in reversed(first):
            other = Suite(statements=(If(condition=condition, body=suite, other=other, span=span),))
        if other is None:
            return
        if not first:
            self.statements += other.statements
            return
        *_, statement = other.statements
        self.put(statement, node.span, trivia)

    def into(self, place: str, type_: HostType, node: syntax.Expression, trivia: Trivia) -> None:
        """Assign the value of an `if`, a `match` or a block in its branches."""

        def assign(value: Value, at: syntax.Expression, around: Trivia) -> None:
            self.same(value.type, type_, at.span)
            expression = self.plain(value, at.span)
            self.put(Assignment(targets=(place,), value=expression), at.span, around)

        saved, self.result = self.result, type_
        self.tail(node, assign, trivia)
        self.result = saved
