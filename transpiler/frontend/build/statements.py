"""Statements, blocks and control flow."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lark.lexer import Token

from transpiler.frontend.build.base import span_of, spanning
from transpiler.frontend.build.expressions import ExpressionBuilder
from transpiler.frontend.build.patterns import PatternBuilder
from transpiler.frontend.trivia import attach, take
from transpiler.source import Span
from transpiler.syntax.nodes import (
    NO_TRIVIA,
    Attribute,
    Binary,
    BinaryOperator,
    Block,
    Expression,
    ExpressionStatement,
    For,
    If,
    ItemStatement,
    Let,
    LetCondition,
    Loop,
    MacroCall,
    Match,
    MatchArm,
    Pattern,
    Statement,
    Trivia,
    Type,
    While,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Finish: TypeAlias = "Callable[[tuple[Attribute, ...], Trivia], Statement]"


class Draft(NamedTuple):
    """A statement that waits for its comments; `block_like` is its expression where that needs no semicolon."""

    start: int
    end: int
    finish: Finish
    block_like: Expression | None = None
    attributes: tuple[Attribute, ...] = ()


class TailDraft(NamedTuple):
    """A tail expression under attributes, which a value cannot carry: they are dropped."""

    start: int
    expression: Expression


class Label(NamedTuple):
    """`'a:`."""

    start: int
    name: str


class ArmHead(NamedTuple):
    """`pattern if guard`."""

    pattern: Pattern
    guard: Expression | None


_EMPTY = "empty"


class StatementBuilder(ExpressionBuilder, PatternBuilder):
    """Statements and what holds them, of `grammar/functions.lark`."""

    # --- statements ---

    def let_statement(self, *children: Token | Pattern | Type | Expression) -> Draft:
        """`let pattern: type = value else { … };`."""
        span = spanning(children[0], children[-1])
        marks = {
            child.value: child_after
            for child, child_after in zip(children, children[1:], strict=False)
            if isinstance(child, Token)
        }
        let = partial(
            Let,
            span=span,
            pattern=children[1],  # type: ignore[arg-type] - the rule's order
            type=marks.get(":"),  # type: ignore[arg-type]
            value=marks.get("="),  # type: ignore[arg-type]
            else_block=marks.get("else"),  # type: ignore[arg-type]
        )
        return Draft(
            span.start,
            span.end,
            lambda attributes, trivia: let(attributes=attributes, trivia=trivia),
        )

    def expression_statement(self, expression: Expression, semicolon: Token) -> Draft:
        """`expression;`."""
        return _expression_draft(expression, semicolon.end_pos, has_semicolon=True)

    def block_statement(self, expression: Expression) -> Draft:
        """A block-like expression: it ends with its brace."""
        return _expression_draft(expression, expression.span.end, has_semicolon=False)

    def item_statement(self, token: Token) -> Draft:
        """An item."""
        start, end = token.start_pos, token.end_pos
        nested = self.nested
        assert nested is not None

        def finish(attributes: tuple[Attribute, ...], trivia: Trivia) -> Statement:
            item = nested.item(start, end, attributes)
            return ItemStatement(span=item.span, item=item, trivia=trivia)

        return Draft(start, end, finish)

    def empty_statement(self, semicolon: Token) -> Token:
        """`;` alone."""
        return semicolon

    def attributed(self, attributes: list[Token], statement: Draft | Token) -> Draft | Token:
        """A statement under attributes."""
        if isinstance(statement, Token):
            return statement
        return statement._replace(
            start=attributes[0].start_pos, attributes=self.attributes_of(attributes)
        )

    def attributed_tail(self, attributes: list[Token], expression: Expression) -> TailDraft:
        """A tail under attributes."""
        return TailDraft(attributes[0].start_pos, expression)

    # --- blocks ---

    def block(
        self, opening: Token, *rest: Token | list[Draft | Token] | Expression | TailDraft
    ) -> Block:
        """`{ statements; tail }`."""
        closing = rest[-1]
        assert isinstance(closing, Token)
        drafts: list[Draft] = []
        tail: Expression | None = None
        tail_start = 0
        for child in rest[:-1]:
            match child:
                case list():
                    drafts = _without_empty(child)
                case TailDraft():
                    tail, tail_start = child.expression, child.start
                case Token():
                    pass
                case _:
                    tail, tail_start = child, child.span.start
        if tail is None and drafts and drafts[-1].block_like is not None:
            last = drafts[-1].block_like
            if yields_value(last):
                tail, tail_start = last, drafts.pop().start
        start, end = opening.end_pos, closing.start_pos
        places = [(draft.start, draft.end) for draft in drafts]
        if tail is not None:
            places.append((tail_start, tail.span.end))
        comments = take(self.comments, start, end)
        trivia, closing_comments = attach(self.text, places, comments, start)
        return Block(
            span=Span(opening.start_pos, closing.end_pos),
            statements=tuple(
                [
                    draft.finish(draft.attributes, around)
                    for draft, around in zip(drafts, trivia, strict=False)
                ]
            ),
            tail=tail,
            tail_trivia=trivia[-1] if tail is not None else NO_TRIVIA,
            closing_comments=closing_comments,
        )

    def unsafe_block(self, word: Token, block: Block) -> Block:
        """`unsafe { … }`."""
        return _block_with(block, word.start_pos, is_unsafe=True)

    def label(self, lifetime: Token, _colon: Token) -> Label:
        """`'a:`."""
        return Label(lifetime.start_pos, lifetime.value[1:])

    def labelled_block(self, label: Label, block: Block) -> Block:
        """`'a: { … }`."""
        return _block_with(block, label.start, label=label.name)

    # --- control flow ---

    def if_(self, word: Token, condition: Expression, *rest: Token | Block | If) -> If:
        """`if condition { … } else …`."""
        last = rest[-1]
        then_block = rest[0]
        assert isinstance(then_block, Block)
        assert not isinstance(last, Token)
        return If(
            span=Span(word.start_pos, last.span.end),
            condition=condition,
            then_block=then_block,
            else_branch=last if len(rest) > 1 else None,
        )

    def let_condition(
        self,
        let: Token,
        pattern: Pattern,
        _equals: Token,
        value: Expression,
        and_: Token | None = None,
        rest: Expression | None = None,
    ) -> Expression:
        """`let pattern = value && rest`: in `let p = a && b`, `&& b` is a condition of its own."""
        inner, conditions = _split_and(value)
        condition: Expression = LetCondition(
            span=spanning(let, inner), pattern=pattern, value=inner
        )
        for further in conditions:
            condition = _and(condition, further)
        return condition if and_ is None or rest is None else _and(condition, rest)

    def let_and(self, left: Expression, _and_token: Token, right: Expression) -> Expression:
        """`a && let pattern = b`."""
        return _and(left, right)

    def while_(self, *children: Label | Token | Expression) -> While:
        """`'a: while condition { … }`."""
        label, start, rest = _labelled(children)
        condition, body = rest[-2:]
        assert isinstance(body, Block)
        return While(
            span=Span(start, body.span.end),
            condition=condition,  # type: ignore[arg-type] - the rule's order
            body=body,
            label=label,
        )

    def loop_(self, *children: Label | Token | Block) -> Loop:
        """`'a: loop { … }`."""
        label, start, rest = _labelled(children)
        body = rest[-1]
        assert isinstance(body, Block)
        return Loop(span=Span(start, body.span.end), body=body, label=label)

    def for_(self, *children: Label | Token | Pattern | Expression) -> For:
        """`'a: for pattern in iterable { … }`."""
        label, start, rest = _labelled(children)
        _word, pattern, _in, iterable, body = rest
        assert isinstance(body, Block)
        return For(
            span=Span(start, body.span.end),
            pattern=pattern,  # type: ignore[arg-type] - the rule's order
            iterable=iterable,  # type: ignore[arg-type]
            body=body,
            label=label,
        )

    def match_(
        self, word: Token, scrutinee: Expression, _open: Token, *rest: Token | MatchArm | list[MatchArm]
    ) -> Match:
        """`match scrutinee { arms }`."""
        arms: list[MatchArm] = []
        for child in rest:
            if isinstance(child, MatchArm):
                arms.append(child)
            elif isinstance(child, list):
                arms.extend(child)
        closing = rest[-1]
        assert isinstance(closing, Token)
        return Match(
            span=Span(word.start_pos, closing.end_pos), scrutinee=scrutinee, arms=tuple(arms)
        )

    def arm(
        self, head: ArmHead, _arrow: Token, body: Expression, _comma: Token | None = None
    ) -> MatchArm:
        """`pattern => body,`."""
        return MatchArm(
            span=Span(head.pattern.span.start, body.span.end),
            pattern=head.pattern,
            body=body,
            guard=head.guard,
        )

    def arm_head(self, *children: Token | Pattern | Expression) -> ArmHead:
        """`pattern if guard`; attributes mean nothing here."""
        parts = [child for child in children if not isinstance(child, Token)]
        return ArmHead(
            parts[0],  # type: ignore[arg-type] - the rule's order
            parts[1] if len(parts) > 1 else None,  # type: ignore[arg-type]
        )


def yields_value(expression: Expression) -> bool:
    """Whether a block-like expression at the end of a block can be its value: loops but `loop`, and branches that all
    end with a statement, cannot.
    """
    match expression:
        case Block():
            return expression.tail is not None or expression.label is not None
        case If():
            branch = expression.else_branch
            return branch is not None and (
                expression.then_block.tail is not None or yields_value(branch)
            )
        case Match():
            return any(
                not isinstance(arm.body, Block) or arm.body.tail is not None
                for arm in expression.arms
            )
        case Loop() | MacroCall():
            return True
        case _:
            return False


def _expression_draft(expression: Expression, end: int, *, has_semicolon: bool) -> Draft:
    start = expression.span.start

    def finish(attributes: tuple[Attribute, ...], trivia: Trivia) -> Statement:
        return ExpressionStatement(
            span=Span(start, end),
            expression=expression,
            has_semicolon=has_semicolon,
            attributes=attributes,
            trivia=trivia,
        )

    return Draft(start, end, finish, None if has_semicolon else expression)


def _without_empty(children: list[Draft | Token]) -> list[Draft]:
    """The statements without lone semicolons; one after a block-like statement belongs to it."""
    drafts: list[Draft] = []
    for child in children:
        if isinstance(child, Draft):
            drafts.append(child)
        elif drafts and drafts[-1].block_like is not None:
            last = drafts[-1]
            assert last.block_like is not None
            closed = _expression_draft(last.block_like, child.end_pos, has_semicolon=True)
            drafts[-1] = closed._replace(start=last.start, attributes=last.attributes)
    return drafts


def _block_with(
    block: Block, start: int, *, label: str | None = None, is_unsafe: bool = False
) -> Block:
    return Block(
        span=Span(start, block.span.end),
        statements=block.statements,
        tail=block.tail,
        tail_trivia=block.tail_trivia,
        closing_comments=block.closing_comments,
        label=label,
        is_unsafe=is_unsafe,
    )


def _labelled(
    children: tuple[Label | Token | Pattern | Expression, ...],
) -> tuple[str | None, int, tuple[Label | Token | Pattern | Expression, ...]]:
    first = children[0]
    if isinstance(first, Label):
        return first.name, first.start, children[1:]
    return None, span_of(first).start, children


def _and(left: Expression, right: Expression) -> Binary:
    return Binary(
        span=Span(left.span.start, right.span.end),
        operator=BinaryOperator.AND,
        left=left,
        right=right,
    )


def _split_and(value: Expression) -> tuple[Expression, list[Expression]]:
    """The leftmost operand of a chain of `&&`, and the others in order."""
    others: list[Expression] = []
    while isinstance(value, Binary) and value.operator is BinaryOperator.AND:
        others.append(value.right)
        value = value.left
    return value, others[::-1]
