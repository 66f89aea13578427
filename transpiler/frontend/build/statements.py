"""Statements, blocks and control flow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frontend.build.base import spanning
from transpiler.frontend.build.expressions import ExpressionBuilder
from transpiler.frontend.build.macro_calls import ArmHead
from transpiler.frontend.build.patterns import PatternBuilder
from transpiler.frontend.heads import doc_lines, is_outer_doc
from transpiler.frontend.lexer import Lexeme
from transpiler.frontend.trivia import attach, take
from transpiler.source import Span
from transpiler.syntax.base import NO_TRIVIA, Trivia
from transpiler.syntax.nodes import (
    Attribute,
    Binary,
    BinaryOperator,
    Block,
    Expression,
    ExpressionStatement,
    For,
    Function,
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
    Type,
    While,
)
from transpiler.tuples import NamedTuple

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

    def closed(self, end: int) -> Draft:
        """The draft with a semicolon that ends at `end`, where it has none yet."""
        if self.block_like is None:
            return self
        closed = _expression_draft(self.block_like, end, has_semicolon=True)
        return closed._replace(start=self.start, attributes=self.attributes)


class TailDraft(NamedTuple):
    """A tail expression under attributes, which a value cannot carry: they are dropped."""

    start: int
    expression: Expression


class StatementBuilder(ExpressionBuilder, PatternBuilder):
    """Statements and what holds them, of `grammar/functions.lark`."""

    # --- statements ---

    def let_statement(
        self, word: Lexeme, pattern: Pattern, *rest: Lexeme | Type | Expression
    ) -> Draft:
        """`let pattern: type = value else { … };`."""
        type_: Type | None = None
        value: Expression | None = None
        else_block: Block | None = None
        mark, end = "", word.end_pos
        for child in rest:
            if isinstance(child, Lexeme):
                mark, end = child.value, child.end_pos
            elif isinstance(child, Type):
                type_ = child
            elif mark == "=":
                value = child
            elif isinstance(child, Block):
                else_block = child
        span = Span(word.start_pos, end)

        def finish(attributes: tuple[Attribute, ...], trivia: Trivia) -> Statement:
            return Let(
                span=span,
                pattern=pattern,
                type=type_,
                value=value,
                else_block=else_block,
                attributes=attributes,
                trivia=trivia,
            )

        return Draft(span.start, span.end, finish)

    def expression_statement(self, expression: Expression, semicolon: Lexeme) -> Draft:
        """`expression;`."""
        return _expression_draft(expression, semicolon.end_pos, has_semicolon=True)

    def block_statement(self, expression: Expression) -> Draft:
        """A block-like expression: it ends with its brace."""
        return _expression_draft(expression, expression.span.end, has_semicolon=False)

    def item_statement(self, token: Lexeme) -> Draft:
        """An item."""
        start, end = token.start_pos, token.end_pos
        nested = self.nested

        def finish(attributes: tuple[Attribute, ...], trivia: Trivia) -> Statement:
            item = nested.item(start, end, attributes)
            if isinstance(item, Function):
                item = replace(item, head=replace(item.head, docs=_docs(trivia)))
            return ItemStatement(span=item.span, item=item, trivia=trivia)

        return Draft(start, end, finish)

    def empty_statement(self, semicolon: Lexeme) -> Lexeme:
        """`;` alone."""
        return semicolon

    def attributed(self, attributes: list[Lexeme], statement: Draft | Lexeme) -> Draft | Lexeme:
        """A statement under attributes."""
        if isinstance(statement, Lexeme):
            return statement
        return statement._replace(
            start=attributes[0].start_pos, attributes=self.attributes_of(attributes)
        )

    def attributed_tail(self, attributes: list[Lexeme], expression: Expression) -> TailDraft:
        """A tail under attributes."""
        return TailDraft(attributes[0].start_pos, expression)

    # --- blocks ---

    def block(
        self, opening: Lexeme, *rest: Lexeme | list[Draft | Lexeme] | Expression | TailDraft
    ) -> Block:
        """`{ statements; tail }`."""
        closing = opening
        drafts: list[Draft] = []
        tail: Expression | None = None
        tail_start = 0
        for child in rest:
            if isinstance(child, list):
                drafts = _without_empty(child)
            elif isinstance(child, Lexeme):
                closing = child
            elif isinstance(child, TailDraft):
                tail, tail_start = child.expression, child.start
            else:
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

    def unsafe_block(self, word: Lexeme, block: Block) -> Block:
        """`unsafe { … }`."""
        return replace(block, span=Span(word.start_pos, block.span.end), is_unsafe=True)

    # --- control flow ---

    def if_(
        self,
        word: Lexeme,
        condition: Expression,
        then_block: Block,
        _else: Lexeme | None = None,
        branch: Block | If | None = None,
    ) -> If:
        """`if condition { … } else …`."""
        return If(
            span=Span(word.start_pos, (branch or then_block).span.end),
            condition=condition,
            then_block=then_block,
            else_branch=branch,
        )

    def let_condition(
        self,
        let: Lexeme,
        pattern: Pattern,
        _equals: Lexeme,
        value: Expression,
        and_: Lexeme | None = None,
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

    def let_and(self, left: Expression, _and_token: Lexeme, right: Expression) -> Expression:
        """`a && let pattern = b`."""
        return _and(left, right)

    def while_(self, word: Lexeme, condition: Expression, body: Block) -> While:
        """`while condition { … }`."""
        return While(span=Span(word.start_pos, body.span.end), condition=condition, body=body)

    def loop_(self, word: Lexeme, body: Block) -> Loop:
        """`loop { … }`."""
        return Loop(span=Span(word.start_pos, body.span.end), body=body)

    def for_(
        self, word: Lexeme, pattern: Pattern, _in: Lexeme, iterable: Expression, body: Block
    ) -> For:
        """`for pattern in iterable { … }`."""
        return For(
            span=Span(word.start_pos, body.span.end), pattern=pattern, iterable=iterable, body=body
        )

    def labelled(
        self, label: Lexeme, _colon: Lexeme, labelled: While | Loop | For | Block
    ) -> While | Loop | For | Block:
        """`'a: loop { … }`."""
        return replace(
            labelled,
            span=Span(label.start_pos, labelled.span.end),
            label=self.label(label),
        )

    def match_(
        self,
        word: Lexeme,
        scrutinee: Expression,
        _open: Lexeme,
        *rest: Lexeme | MatchArm | list[MatchArm],
    ) -> Match:
        """`match scrutinee { arms }`."""
        arms: list[MatchArm] = []
        end = word.end_pos
        for child in rest:
            if isinstance(child, MatchArm):
                arms.append(child)
            elif isinstance(child, list):
                arms.extend(child)
            else:
                end = child.end_pos
        return Match(span=Span(word.start_pos, end), scrutinee=scrutinee, arms=tuple(arms))

    def arm(
        self, head: ArmHead, _arrow: Lexeme, body: Expression, _comma: Lexeme | None = None
    ) -> MatchArm:
        """`pattern => body,`."""
        return MatchArm(
            span=Span(head.pattern.span.start, body.span.end),
            pattern=head.pattern,
            body=body,
            guard=head.guard,
        )

    def arm_head(self, *children: Lexeme | Pattern | Expression) -> ArmHead:
        """`pattern if guard`; attributes mean nothing here."""
        return ArmHead(
            next(child for child in children if isinstance(child, Pattern)),
            next((child for child in children if isinstance(child, Expression)), None),
        )


def yields_value(expression: Expression) -> bool:
    """Whether a block-like expression at the end of a block can be its value.

    Loops other than `loop`, and branches that all end with a statement, cannot.
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


def _without_empty(children: list[Draft | Lexeme]) -> list[Draft]:
    """The statements without lone semicolons; one after a block-like statement belongs to it."""
    drafts: list[Draft] = []
    for child in children:
        if isinstance(child, Draft):
            drafts.append(child)
        elif drafts:
            drafts[-1] = drafts[-1].closed(child.end_pos)
    return drafts


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


def _docs(trivia: Trivia) -> tuple[str, ...]:
    """The lines of the doc comments among the comments above an item."""
    return tuple(
        line
        for comment in trivia.leading
        if is_outer_doc(comment.text)
        for line in doc_lines(comment.text)
    )
