"""Statements of host code in their places, and the arguments that they push."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host.messages import Messages
from transpiler.host.pushes import (
    Delegated,
    Deliver,
    NeedsListError,
    Push,
    Visit,
    walk,
)
from transpiler.host.types import (
    VISITOR,
    HostError,
    NeedsStatementsError,
    Scalar,
    resolved,
)
from transpiler.host.values import (
    Value,
    method,
)
from transpiler.passes.layout import layout_of
from transpiler.syntax import nodes as syntax
from transpiler.target.model import (
    Evaluation,
    Expression,
    Name,
    Row,
    Starred,
    Statement,
)

if TYPE_CHECKING:
    from transpiler.host.surroundings import Implementation
    from transpiler.source import Span
    from transpiler.syntax.base import Node, Trivia

from abc import abstractmethod


class Packs(Messages):
    """Lowers the calls of a visitor."""

    def __init__(self, owner: Implementation, *, has_self: bool) -> None:
        super().__init__(owner, has_self=has_self)
        self.visitor: str | None = None
        """The name of the parameter that takes arguments, if there is one."""
        self.rows: list[Row] | None = None
        """The arguments so far, where all of them can stand in one tuple."""
        self.pushes: list[Push] = []
        self.results: list[Deliver | None] = []
        """What is done with the value that `break` gives, of each loop around."""

    # --- What the rest of lowering gives ----------------------------------------------------------

    @abstractmethod
    def statement(self, statement: syntax.Statement) -> None:
        """Lower a statement."""

    @abstractmethod
    def evaluate(self, node: syntax.Expression, trivia: Trivia) -> None:
        """An expression as a statement."""

    @abstractmethod
    def loop(
        self,
        node: syntax.For | syntax.While | syntax.Loop,
        trivia: Trivia,
        deliver: Deliver | None = None,
    ) -> None:
        """A loop; `deliver` takes what `break` gives."""

    @abstractmethod
    def returned(self, value: Value, node: syntax.Expression, trivia: Trivia) -> None:
        """Give a value back."""

    # --- Arguments --------------------------------------------------------------------------------

    def put(self, statement: Statement, span: Span, trivia: Trivia) -> None:
        """Add a statement with what stands around it in the Rust."""
        layout = layout_of(trivia)
        if self.pure:
            raise NeedsStatementsError(
                span,
                "statements in a closure or in a condition here",
                "give the value a name first",
            )
        self.statements.append(
            replace(
                statement,
                span=span,
                comments=layout.comments,
                trailing=layout.trailing,
                blank_before=layout.blank_before,
            )
        )

    def is_visitor(self, node: syntax.Expression) -> bool:
        """Whether an expression is the visitor."""
        while isinstance(node, syntax.Reference | syntax.Parenthesized):
            node = node.operand if isinstance(node, syntax.Reference) else node.inner
        if isinstance(node, syntax.Unary) and (node.operator is syntax.UnaryOperator.DEREFERENCE):
            return self.is_visitor(node.operand)
        if not isinstance(node, syntax.PathExpression) or self.visitor is None:
            return False
        local = self.local(node.path.names[0]) if len(node.path.names) == 1 else None
        return local is not None and resolved(local.value.type) == VISITOR

    def is_visit(self, node: syntax.MethodCall) -> bool:
        """Whether a call pushes an argument."""
        return node.method.startswith("visit_") and self.is_visitor(node.receiver)

    def has_visit(self, node: Node) -> bool:
        """Whether something within uses the visitor."""
        return any(
            isinstance(each, syntax.PathExpression) and self.is_visitor(each) for each in walk(node)
        )

    def visit(self, node: syntax.MethodCall, trivia: Trivia) -> None:
        """Lower a call that pushes an argument."""
        kind = node.method.removeprefix("visit_")
        if len(node.arguments) != 1:
            raise HostError(node.span, "this visit", "pass one argument")
        wanted = None if kind == "ptr" else Scalar(kind)
        value = self.value(node.arguments[0], wanted)
        if wanted is not None:
            self.same(value.type, wanted, node.span)
        self.pushes.append(Visit(kind=kind, span=node.span, value=value))
        self.push(self.plain(value, node.span), node.span, trivia)

    def push(self, expression: Expression, span: Span, trivia: Trivia) -> None:
        """Add an argument to the row, or to the list, of them."""
        layout = layout_of(trivia)
        if self.rows is not None:
            if self.pure:
                raise NeedsListError
            self.rows.append(Row(expression, layout.comments, layout.trailing, span))
            return
        if isinstance(expression, Starred):
            statement = Evaluation(value=method(Name("arguments"), "extend", expression.value))
        else:
            statement = Evaluation(value=method(Name("arguments"), "append", expression))
        self.put(statement, span, trivia)

    def delegate(self, node: syntax.MethodCall | syntax.Call, trivia: Trivia) -> None:
        """Lower a call of a function that pushes arguments."""
        value = self.value(node)
        if self.last_call is None:
            raise HostError(node.span, "the visitor here", "pass it to a method of the struct")
        routine, arguments = self.last_call
        self.pushes.append(Delegated(routine=routine, arguments=arguments))
        self.push(Starred(value.expression), node.span, trivia)
