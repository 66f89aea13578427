"""Loop-invariant code motion: what a loop computes in the same way in each iteration is computed before it.

A `let` of the body moves with its comments where all it reads is there before the loop and not assigned in it; so does
a costly part of another statement, which gets a name. What moves

* only computes. A load moves where it is not volatile, the loop is a `for` that surely runs, and nothing in the loop
  writes memory or waits for others: two pointers of a launch may lead to the same memory, so which one is written does
  not matter. Where the loop may not run at all, the address need not be one of the caller's.
* cannot fail, or stands in a loop that surely runs: a division by what may be 0 fails in programs that never divide.

Only what each iteration evaluates is moved, no part of an `if` in the loop, which might be costly and never taken.
Triton's own passes move as much between arithmetic instructions, so no contraction of products and sums is lost here
that would happen without; what they do not know is that a division cannot fail.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.costs import Costs
from transpiler.analysis.effects import (
    READ_ONLY,
    Failures,
    effects_in,
    effects_of,
    has_statements,
    is_volatile,
)
from transpiler.analysis.sameness import form, symbols_in, unconditional
from transpiler.analysis.values import is_integer
from transpiler.ir import nodes as ir
from transpiler.ir.declared import declared_by
from transpiler.ir.types import Scalar, Tensor
from transpiler.ir.visit import (
    Rewriter,
    statement_expressions,
    walk_expression,
    walk_statements,
)
from transpiler.optimise.classic.context import ranges_of
from transpiler.optimise.classic.naming import name_of_value
from transpiler.optimise.flags import HOIST
from transpiler.optimise.nests.expressions import Substitution
from transpiler.optimise.symbols import Symbols

if TYPE_CHECKING:
    from collections.abc import Hashable

    from transpiler.analysis.interval import Interval
    from transpiler.optimise.classic.context import ClassicContext, Report

_NOTHING_THERE = "no loop computes anything in the same way in each iteration"


def hoist(kernel: ir.Kernel, context: ClassicContext) -> ir.Kernel:
    """The kernel with what does not change in a loop before it."""
    report = context.report(HOIST)
    if not report.is_on:
        return kernel
    hoister = _Hoister(kernel, context, report)
    moved = hoister.kernel(kernel)
    report.finish(_NOTHING_THERE, kernel)
    return moved if hoister.has_moved else kernel


class _Hoister(Rewriter):
    """Inner loops first, so that what leaves one may leave the next."""

    def __init__(self, kernel: ir.Kernel, context: ClassicContext, report: Report) -> None:
        self.costs = Costs(kernel)
        self.ranges = ranges_of(kernel)
        self.symbols = Symbols(kernel)
        self.functions = context.functions
        self.report = report
        self.has_moved = False
        self.made: set[ir.Symbol] = set()
        """The names that values got which had none."""
        self._divisors: set[Hashable] = set()

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        outer = set(self._divisors)
        result: list[ir.Statement] = []
        for statement in statements:
            rewritten = self.statement(statement)
            if isinstance(rewritten, ir.For | ir.While):
                moved, rewritten = _Loop(self, statement, rewritten).without_invariants()
                self.has_moved |= bool(moved)
                result.extend(moved)
            result.append(rewritten)
            self._divide(statement)
        self._divisors = outer
        return tuple(result)

    def _divide(self, statement: ir.Statement) -> None:
        """A number that has been divided by is not 0 from there on."""
        for root in statement_expressions(statement):
            for node in unconditional(root):
                if (
                    isinstance(node, ir.Binary)
                    and node.operator.is_division
                    and is_integer(node)
                    and not any(symbol.is_mutable for symbol in symbols_in(node.right))
                ):
                    self._divisors.add(form(node.right))

    def is_divisor(self, node: ir.Expression) -> bool:
        """Whether it has been divided by on every way to the loop that is looked at."""
        return form(node) in self._divisors


class _Loop:
    """One loop: `written` is what the analyses know, `node` what has become of it."""

    def __init__(self, hoister: _Hoister, written: ir.Statement, node: ir.For | ir.While) -> None:
        self._hoister = hoister
        self._written = written
        self._node = node
        self._varying = {symbol for it in walk_statements(node.body) for symbol in _given(it)}
        if isinstance(node, ir.For):
            self._varying.add(node.symbol)
        self._effects = effects_in((node,))
        self._failures = Failures(hoister.functions, self._bounds, hoister.is_divisor)
        self._surely_runs = self._is_never_empty()
        self._values: dict[ir.Symbol, ir.Expression] = {}
        self._named: dict[Hashable, ir.Symbol] = {}
        self._same: dict[ir.Symbol, ir.Expression] = {}
        """What inner loops gave names that another name here has the value of."""
        self._may_leave: list[ir.Let] = []

    def _bounds(self, node: ir.Expression) -> Interval:
        return self._hoister.ranges.of(node, at=self._written)

    def _is_never_empty(self) -> bool:
        match self._node:
            case ir.For(start=start, stop=stop, step=step):
                is_down = isinstance(step, ir.Literal) and step.value < 0
                low, high = (stop, start) if is_down else (start, stop)
                return self._bounds(low).high < self._bounds(high).low
            case ir.While(condition=ir.Literal(value=True)):
                return True
            case _:
                return False

    def without_invariants(self) -> tuple[tuple[ir.Let, ...], ir.Statement]:
        """What comes before the loop, and the loop."""
        node = self._node
        kept: list[ir.Statement] = []
        for statement in node.body.statements:
            if isinstance(statement, ir.Let) and self._is_movable(statement):
                self._values[statement.symbol] = Substitution(self._values).expression(
                    statement.value
                )
                self._varying.discard(statement.symbol)
                if self._is_same(statement):
                    continue
                self._may_leave.append(statement)
                kept.append(statement)
            else:
                kept.append(_Parts(self, is_certain=self._surely_runs).statement(statement))
        if isinstance(node, ir.While):
            # Its condition is evaluated once at least.
            condition = _Parts(self, is_certain=True).expression(node.condition)
            node = replace(node, condition=condition)
        moved = self._moved()
        if not moved:
            return (), self._node
        left = {id(statement) for statement in moved}
        statements = tuple(statement for statement in kept if id(statement) not in left)
        named = Substitution(self._same)
        node = replace(node, body=named.block(replace(node.body, statements=statements)))
        moved = [replace(let, value=named.expression(let.value)) for let in moved]
        return self._laid_out(moved), node

    def _is_same(self, let: ir.Let) -> bool:
        """Whether an inner loop gave a name to what has one here, which is read in its place then."""
        if let.symbol not in self._hoister.made:
            return False
        key = form(let.value)
        known = self._named.setdefault(key, let.symbol)
        if known is let.symbol:
            return False
        self._same[let.symbol] = ir.Read(span=let.span, type=let.value.type, symbol=known)
        return True

    def _moved(self) -> list[ir.Let]:
        """What leaves the loop: what computes anything, and what that reads."""
        moved: list[ir.Let] = []
        wanted: set[ir.Symbol] = set()
        for let in reversed(self._may_leave):
            if let.symbol in wanted or _computes(let.value):
                moved.append(let)
                wanted |= symbols_in(let.value)
        moved.reverse()
        for let in moved:
            self._hoister.report.applied(
                f"`{let.symbol.name}` is computed before the loop", let.span
            )
        return moved

    def _laid_out(self, moved: list[ir.Let]) -> tuple[ir.Let, ...]:
        """The statements as a paragraph, which stands where the loop stood."""
        is_apart = self._node.layout.blank_before
        return tuple(
            replace(let, layout=replace(let.layout, blank_before=is_apart and place == 0))
            for place, let in enumerate(moved)
        )

    # --- What may move ----------------------------------------------------------------------------

    def _is_movable(self, let: ir.Let) -> bool:
        return not let.symbol.is_mutable and self.is_movable(
            let.value, is_certain=self._surely_runs
        )

    def is_movable(self, value: ir.Expression, *, is_certain: bool) -> bool:
        """Whether a value may be computed before the loop; where that costs time, a remark says why not.

        `is_certain` tells that the loop wants it, whatever happens.
        """
        if not self._varying.isdisjoint(symbols_in(value)) or has_statements(value):
            return False
        inside = walk_expression(value)
        for node in inside:
            effects = effects_of((node,))
            if effects - READ_ONLY:
                return False
            why = self._why_no_read(node, is_certain=is_certain) if effects else None
            if why is not None:
                self._hoister.report.missed(why, node.span)
                return False
        if is_certain:
            return True
        failing = self._failures.first(Substitution(self._values).expression(value))
        if failing is not None:
            why = "this may fail, and the loop may not run at all"
            self._hoister.report.missed(why, failing.span)
        return failing is None

    def _why_no_read(self, node: ir.Expression, *, is_certain: bool) -> str | None:
        """Why memory must be read in the loop."""
        if is_volatile(node):
            return "a volatile read happens in each iteration"
        if self._effects - READ_ONLY:
            return "the loop may write what is read here"
        if isinstance(self._node, ir.While):
            return "the loop may wait for another program to write what is read here"
        return None if is_certain else "the loop may not run at all, and then nothing may be read"

    def named(self, part: ir.Expression) -> ir.Read:
        """A read of the variable that holds a part of a statement."""
        key = form(part)
        symbol = self._named.get(key)
        if symbol is None:
            symbol = self._hoister.symbols.new(name_of_value(part), part.type, part.span)
            self._named[key] = symbol
            self._hoister.made.add(symbol)
            self._may_leave.append(ir.Let(span=part.span, symbol=symbol, value=part))
        return ir.Read(span=part.span, type=part.type, symbol=symbol)

    def is_worth_a_name(self, part: ir.Expression) -> bool:
        """Whether a part of a statement takes time, and is a value that a variable may hold."""
        return isinstance(part.type, Scalar | Tensor) and self._hoister.costs.is_costly(part)


class _Parts(Rewriter):
    """Takes what may move out of the expressions of a statement, but of no block in it."""

    def __init__(self, loop: _Loop, *, is_certain: bool) -> None:
        self._loop = loop
        self._is_certain = is_certain

    def expression(self, node: ir.Expression) -> ir.Expression:
        if self._loop.is_worth_a_name(node) and self._loop.is_movable(
            node, is_certain=self._is_certain
        ):
            return self._loop.named(node)
        match node:
            case ir.Binary(operator=operator) if operator.is_logical:
                # The right side may not be evaluated.
                return replace(node, left=self.expression(node.left))
            case ir.Conditional():
                return replace(node, condition=self.expression(node.condition))
            case ir.BlockValue():
                return node
            case _:
                return self.expression_parts(node)

    def block(self, block: ir.Block) -> ir.Block:
        return block


def _given(statement: ir.Statement) -> tuple[ir.Symbol, ...]:
    """The symbols a statement gives a value."""
    return (statement.symbol,) if isinstance(statement, ir.Assign) else declared_by(statement)


def _computes(value: ir.Expression) -> bool:
    """Whether it is more than a number or the name of something."""
    return any(
        not isinstance(inner, ir.Literal | ir.Read | ir.Cast | ir.Unary)
        for inner in walk_expression(value)
    )
