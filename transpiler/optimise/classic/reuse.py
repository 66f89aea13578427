"""Common subexpressions: what is computed twice is computed once.

A costly expression that stands for a variable's value, in a place that comes before this one on every way, is read from
that variable; where it has none, it gets one. What is cheap stays as it is written: a sum has no name of its own, and
the machine computes it as fast as it finds it. Operands are compared as they are written, in the order of the Rust but
for sums and products, so that a value is the same bits. A load counts as computed unless it is volatile, and is known
until the kernel writes memory, updates it atomically or waits for others; a variable's old value until it is assigned.

Triton shares what only computes on its own, so nothing is contracted otherwise than without this; where a load may be
shared it does not always see.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.costs import Costs
from transpiler.analysis.effects import (
    READ_ONLY,
    effects_in,
    effects_of,
    has_statements,
    is_volatile,
)
from transpiler.analysis.sameness import form, symbols_in
from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.types import Scalar, Tensor
from transpiler.ir.visit import (
    Rewriter,
    statement_expressions,
    walk_expression,
    walk_statement_expressions,
    walk_statements,
)
from transpiler.optimise.classic.naming import name_of_value
from transpiler.optimise.flags import REUSE
from transpiler.optimise.symbols import Symbols

if TYPE_CHECKING:
    from collections.abc import Hashable

    from transpiler.optimise.classic.context import ClassicContext, Report

_NOTHING_TWICE = "nothing that takes time is computed twice"
_IN_A_BLOCK = "it is computed before in a branch or a loop alone, which may not have run"
_WRITTEN = "memory is written in between, which may be what is read"
_VOLATILE = "a volatile read happens each time"


def reuse(kernel: ir.Kernel, context: ClassicContext) -> ir.Kernel:
    """The kernel in which what is known has been read, not computed again."""
    report = context.report(REUSE)
    if not report.is_on:
        return kernel
    costs, symbols = Costs(kernel), Symbols(kernel)
    found = kernel
    while True:
        walk = _Walk(costs, report)
        changed = walk.kernel(found)
        if walk.pair is not None:
            # Each new name is a change of the kernel that the next walk starts from.
            changed = _Naming(walk.pair, symbols, report).kernel(found)
        elif not walk.has_changed:
            break
        found = changed
    report.finish(_NOTHING_TWICE, kernel)
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Known:
    """A value that has been computed in `statement`; `symbol` is the variable that holds it, if there is one."""

    value: ir.Expression
    statement: ir.Statement
    symbol: ir.Symbol | None


class _Walk(Rewriter):
    """Follows the kernel as it runs. Without a change, `pair` may be a value without a name that stands there twice."""

    def __init__(self, costs: Costs, report: Report) -> None:
        self._costs = costs
        self._report = report
        self._known: dict[Hashable, _Known] = {}
        self._lost: dict[Hashable, str] = {}
        self._volatile: set[Hashable] = set()
        self._statement: ir.Statement | None = None
        self._may_name = True
        self.pair: _Known | None = None
        self.has_changed = False

    # --- Statements -------------------------------------------------------------------------------

    def statement(self, node: ir.Statement) -> ir.Statement:
        outer = (self._statement, self._may_name)
        self._statement, self._may_name = node, True
        match node:
            case ir.If():
                rewritten: ir.Statement = self._branches(node)
            case ir.For() | ir.While():
                rewritten = self._loop(node)
            case _:
                rewritten = self._plain(node)
        self._statement, self._may_name = outer
        return rewritten

    def _plain(self, node: ir.Statement) -> ir.Statement:
        writing = [
            inner for inner in walk_statement_expressions(node) if effects_of((inner,)) - READ_ONLY
        ]
        if any(inner is not _root(node) for inner in writing):
            # Something else of the statement may come after what it does to memory.
            self._forget_memory()
            self._may_name = False
        rewritten = super().statement(node)
        if writing:
            self._forget_memory()
        match node, rewritten:
            case ir.Assign(symbol=symbol), _:
                self._forget(symbol)
            case ir.Let(symbol=symbol), ir.Let(value=value) if not symbol.is_mutable:
                for each in (node.value, value):
                    if self._is_worth_it(each):
                        known = _Known(value=each, statement=node, symbol=symbol)
                        self._known[form(each)] = known
            case _:
                pass
        return rewritten

    def _branches(self, node: ir.If) -> ir.If:
        condition = self.expression(node.condition)
        before, lost = dict(self._known), dict(self._lost)
        then_block = self.block(node.then_block)
        after_then, lost_then = self._known, self._lost
        self._known, self._lost = before, lost
        else_block = None if node.else_block is None else self.block(node.else_block)
        self._known = {
            key: known for key, known in self._known.items() if after_then.get(key) is known
        }
        self._lost = {**lost_then, **self._lost}
        return replace(node, condition=condition, then_block=then_block, else_block=else_block)

    def _loop(self, node: ir.For | ir.While) -> ir.Statement:
        if isinstance(node, ir.For):
            node = replace(
                node,
                start=self.expression(node.start),
                stop=self.expression(node.stop),
                step=self.expression(node.step),
            )
        for statement in walk_statements(node.body):
            if isinstance(statement, ir.Assign):
                self._forget(statement.symbol)
        if effects_in((node,)) - READ_ONLY:
            self._forget_memory()
        if isinstance(node, ir.For):
            return replace(node, body=self.block(node.body))
        # The condition is evaluated before each iteration: no name before the loop may stand for it.
        condition = self._perhaps(node.condition)
        return replace(node, condition=condition, body=self.block(node.body))

    def block(self, block: ir.Block) -> ir.Block:
        before = dict(self._known)
        rewritten = super().block(block)
        for key, known in self._known.items():
            if before.get(key) is not known:
                self._lost[key] = _IN_A_BLOCK
        self._known = {key: known for key, known in before.items() if self._known.get(key) is known}
        return rewritten

    # --- What is forgotten ------------------------------------------------------------------------

    def _forget(self, symbol: ir.Symbol) -> None:
        """What is made of a variable's old value is no chance that is missed: it is another value."""
        self._known = {
            key: known
            for key, known in self._known.items()
            if symbol not in symbols_in(known.value)
        }

    def _forget_memory(self) -> None:
        for key in [key for key, known in self._known.items() if _reads(known.value)]:
            del self._known[key]
            self._lost[key] = _WRITTEN

    # --- Expressions ------------------------------------------------------------------------------

    def expression(self, node: ir.Expression) -> ir.Expression:
        if self._is_worth_it(node):
            symbol = self._seen(node)
            if symbol is not None:
                self.has_changed = True
                self._report.applied(f"`{symbol.name}` has this value already", node.span)
                return ir.Read(span=node.span, type=node.type, symbol=symbol)
        match node:
            case ir.Binary(operator=operator, left=left, right=right) if operator.is_logical:
                return replace(node, left=self.expression(left), right=self._perhaps(right))
            case ir.Conditional():
                return replace(
                    node,
                    condition=self.expression(node.condition),
                    then_value=self._arm(node.then_value),
                    else_value=self._arm(node.else_value),
                )
            case ir.BlockValue(statements=statements) if statements:
                return node
            case _:
                return self.expression_parts(node)

    def _perhaps(self, node: ir.Expression) -> ir.Expression:
        """What may not be evaluated: nothing in it is known afterwards."""
        before, may_name = dict(self._known), self._may_name
        self._may_name = False
        rewritten = self.expression(node)
        self._known, self._may_name = before, may_name
        return rewritten

    def _arm(self, node: ir.BlockValue) -> ir.BlockValue:
        return node if node.statements else replace(node, value=self._perhaps(node.value))

    def _is_worth_it(self, node: ir.Expression) -> bool:
        """Whether it takes time and has a value that a variable may hold."""
        if not isinstance(node.type, Scalar | Tensor) or not self._costs.is_costly(node):
            return False
        return not effects_of(walk_expression(node)) - READ_ONLY and not has_statements(node)

    def _seen(self, node: ir.Expression) -> ir.Symbol | None:
        """The variable that holds the value; remembers the value where there is none."""
        key = form(node)
        if any(map(is_volatile, walk_expression(node))):
            if key in self._volatile:
                self._report.missed(_VOLATILE, node.span)
            self._volatile.add(key)
            return None
        known = self._known.get(key)
        if known is not None:
            if known.symbol is None and self.pair is None:
                self.pair = known
            return known.symbol
        if key in self._lost:
            self._report.missed(self._lost.pop(key), node.span)
        if self._may_name and self._statement is not None:
            self._known[key] = _Known(value=node, statement=self._statement, symbol=None)
        return None


class _Naming(Rewriter):
    """Gives a value a variable, just before the statement that is the first to compute it."""

    def __init__(self, known: _Known, symbols: Symbols, report: Report) -> None:
        self._known = known
        self._key = form(known.value)
        value = known.value
        self._symbol = symbols.new(name_of_value(value), value.type, value.span)
        self._is_done = False
        report.applied(f"`{self._symbol.name}` is computed once", value.span)

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        result: list[ir.Statement] = []
        for statement in statements:
            if statement is not self._known.statement or self._is_done:
                result.append(self.statement(statement))
                continue
            self._is_done = True
            value, symbol, layout = self._known.value, self._symbol, statement.layout
            result.append(ir.Let(span=value.span, symbol=symbol, value=value, layout=layout))
            reading = _Reading(self._key, symbol).statement(statement)
            result.append(replace(reading, layout=ir.PLAIN))
        return tuple(result)


class _Reading(Rewriter):
    """Reads a variable in place of what it holds, in a statement and not in the blocks of it."""

    def __init__(self, key: Hashable, symbol: ir.Symbol) -> None:
        self._key = key
        self._symbol = symbol

    def expression(self, node: ir.Expression) -> ir.Expression:
        if form(node) == self._key:
            return ir.Read(span=node.span, type=node.type, symbol=self._symbol)
        return self.expression_parts(node)

    def block(self, block: ir.Block) -> ir.Block:
        return block


def _root(node: ir.Statement) -> ir.Expression | None:
    """The one expression of a plain statement."""
    return next(iter(statement_expressions(node)), None)


def _reads(value: ir.Expression) -> bool:
    return bool(effects_of(walk_expression(value)))
