"""Counting `while` loops become `for` loops.

`let mut i = a; while i < n { …; i += s; }` is `for i in a..n step s` where

* the loop's last statement, and no other in it, assigns `i`, by adding `s`;
* `s` is positive: a positive literal, or a const generic that is the extent of a tile in this kernel;
* `n` and `s` do not change in the loop: they read only what it does not assign;
* the statement before the loop that gives `i` its value `a` stands in the same block, nothing in
  between writes `i`, and what `a` reads does not change in between either;
* `i` is read nowhere but in such loops: after a loop it has a value no `for` loop gives it.

Where the last `i + s` overflows, Rust panics in debug builds and wraps in release builds; the `for` loop ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.extents import tile_extents
from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar
from transpiler.ir.visit import (
    Rewriter,
    statement_blocks,
    statement_expressions,
    walk_block,
    walk_expression,
    walk_statements,
)
from transpiler.ops.model import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.passes.context import PassContext


def loops(module: ir.Module, context: PassContext) -> ir.Module:  # noqa: ARG001 - a pass's signature
    """Every counting `while` loop of the module as a `for` loop."""
    return module.mapped(_kernel)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CountingLoop:
    """A `while` loop that counts, and the statement that starts its counter."""

    start: ir.Let | ir.Assign
    loop: ir.While
    counter: ir.Symbol
    bound: ir.Expression
    step: ir.Expression


def _kernel(kernel: ir.R) -> ir.R:
    extents = tile_extents(kernel)
    candidates = list(_find(kernel.body, extents))
    convertible = _only_read_in_loops(kernel, candidates)
    if not convertible:
        return kernel
    return _Converter(convertible).kernel(kernel)


def _find(block: ir.Block, extents: frozenset[str]) -> Iterable[_CountingLoop]:
    for index, statement in enumerate(block.statements):
        for nested in statement_blocks(statement):
            yield from _find(nested, extents)
        if isinstance(statement, ir.While):
            counting = _counting_loop(statement, block.statements[:index], extents)
            if counting is not None:
                yield counting


def _counting_loop(
    loop: ir.While, before: tuple[ir.Statement, ...], extents: frozenset[str]
) -> _CountingLoop | None:
    match loop.condition:
        case ir.Binary(operator=ir.BinaryOperator.LESS, left=ir.Read(symbol=counter), right=bound):
            pass
        case ir.Binary(
            operator=ir.BinaryOperator.GREATER, left=bound, right=ir.Read(symbol=counter)
        ):
            pass
        case _:
            return None
    if not loop.body.statements or not _is_integer(counter):
        return None
    step = _added(loop.body.statements[-1], counter)
    if step is None or not _is_positive(step, extents):
        return None
    assigned = list(_assigned(loop.body.statements))
    if assigned.count(counter) != 1 or counter in _reads(bound) | _reads(step):
        return None
    changing = frozenset(assigned)
    if not _is_stable(bound, changing) or not _is_stable(step, changing):
        return None
    start = _start(counter, before)
    if start is None:
        return None
    return _CountingLoop(start=start, loop=loop, counter=counter, bound=bound, step=step)


def _is_integer(symbol: ir.Symbol) -> bool:
    return (
        isinstance(symbol.type, Scalar)
        and isinstance(symbol.type.dtype, DType)
        and symbol.type.dtype.is_integer
        and symbol.kind is ir.SymbolKind.LOCAL
    )


def _added(statement: ir.Statement, counter: ir.Symbol) -> ir.Expression | None:
    """`s` where the statement is `counter += s` or `counter = counter + s`."""
    if not isinstance(statement, ir.Assign) or statement.symbol != counter:
        return None
    if statement.operator is not None:
        return statement.value if statement.operator is ir.BinaryOperator.ADD else None
    match statement.value:
        case ir.Binary(operator=ir.BinaryOperator.ADD, left=ir.Read(symbol=symbol), right=step) if (
            symbol == counter
        ):
            return step
        case ir.Binary(operator=ir.BinaryOperator.ADD, left=step, right=ir.Read(symbol=symbol)) if (
            symbol == counter
        ):
            return step
        case _:
            return None


def _is_positive(step: ir.Expression, extents: frozenset[str]) -> bool:
    match step:
        case ir.Literal(value=value):
            return value > 0
        case ir.Read(symbol=symbol):
            return symbol.kind is ir.SymbolKind.CONST_GENERIC and symbol.name in extents
        case ir.Binary(operator=ir.BinaryOperator.MULTIPLY | ir.BinaryOperator.ADD):
            return _is_positive(step.left, extents) and _is_positive(step.right, extents)
        case _:
            return False


def _assigned(statements: Iterable[ir.Statement]) -> Iterable[ir.Symbol]:
    for statement in statements:
        if isinstance(statement, ir.Assign):
            yield statement.symbol
        for expression in statement_expressions(statement):
            for inner in walk_expression(expression):
                if isinstance(inner, ir.BlockValue):
                    yield from _assigned(inner.statements)
        for block in statement_blocks(statement):
            yield from _assigned(block.statements)


def _reads(node: ir.Expression) -> frozenset[ir.Symbol]:
    return frozenset(n.symbol for n in walk_expression(node) if isinstance(n, ir.Read))


def _is_pure(node: ir.Expression) -> bool:
    """Whether evaluating it elsewhere, or not at all, changes nothing but its own value."""
    return all(
        inner.op.effect is Effect.PURE
        if isinstance(inner, ir.OpCall)
        else isinstance(inner, _ARITHMETIC)
        for inner in walk_expression(node)
    )


_ARITHMETIC = (ir.Literal, ir.Read, ir.Unary, ir.Binary, ir.Cast)


def _is_stable(node: ir.Expression, changing: frozenset[ir.Symbol]) -> bool:
    """Whether the value is the same at every iteration: arithmetic on what the loop does not assign."""
    return _is_pure(node) and not (_reads(node) & changing)


def _start(counter: ir.Symbol, before: tuple[ir.Statement, ...]) -> ir.Let | ir.Assign | None:
    """The statement of this block that gives the counter the value it has at the loop."""
    between: list[ir.Statement] = []
    for statement in reversed(before):
        if isinstance(statement, ir.Let | ir.Assign) and statement.symbol == counter:
            if isinstance(statement, ir.Assign) and statement.operator is not None:
                return None
            changed = frozenset(_assigned(between))
            return statement if _is_stable(statement.value, changed | {counter}) else None
        if counter in _assigned([statement]):
            return None
        between.append(statement)
    return None


def _only_read_in_loops(kernel: ir.Routine, candidates: list[_CountingLoop]) -> list[_CountingLoop]:
    """The candidates whose counter is used by candidates alone, and by each start for one loop."""
    uses: dict[ir.Symbol, int] = {}
    for node in walk_block(kernel.body):
        if isinstance(node, ir.Read):
            uses[node.symbol] = uses.get(node.symbol, 0) + 1
    writes: dict[ir.Symbol, int] = {}
    for symbol in _assigned(kernel.body.statements):
        writes[symbol] = writes.get(symbol, 0) + 1
    by_counter: dict[ir.Symbol, list[_CountingLoop]] = {}
    for candidate in candidates:
        by_counter.setdefault(candidate.counter, []).append(candidate)
    result: list[_CountingLoop] = []
    for counter, group in by_counter.items():
        reads_inside = sum(
            1
            for candidate in group
            for node in (
                *walk_expression(candidate.loop.condition),
                *walk_block(candidate.loop.body),
            )
            if isinstance(node, ir.Read) and node.symbol == counter
        )
        starts = {id(candidate.start) for candidate in group}
        accounted_writes = len(group) + sum(
            isinstance(candidate.start, ir.Assign) for candidate in group
        )
        if (
            reads_inside == uses.get(counter, 0)
            and len(starts) == len(group)
            and accounted_writes == writes.get(counter, 0)
            and not _is_declared_elsewhere(kernel, counter, group)
        ):
            result.extend(group)
    return result


def _is_declared_elsewhere(
    kernel: ir.Routine, counter: ir.Symbol, group: list[_CountingLoop]
) -> bool:
    """Whether the `let` of the counter starts no loop; it would be left behind, unread. A plain `let` may go."""
    for statement in walk_statements(kernel.body):
        if (
            isinstance(statement, ir.Let)
            and statement.symbol == counter
            and all(candidate.start is not statement for candidate in group)
        ):
            return not _is_pure(statement.value)
    return False


class _Converter(Rewriter):
    def __init__(self, converted: list[_CountingLoop]) -> None:
        self._counters = {candidate.counter for candidate in converted}
        self._by_loop = {id(candidate.loop): candidate for candidate in converted}

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        result: list[ir.Statement] = []
        pending: ir.Layout = ir.PLAIN
        for statement in statements:
            counting = self._by_loop.get(id(statement))
            if counting is not None:
                converted: ir.Statement = self._convert(counting)
            elif isinstance(statement, ir.Let | ir.Assign) and statement.symbol in self._counters:
                # The counter's start moves into the loop's head; what stood above it is kept for what follows.
                pending = _join(pending, statement.layout)
                continue
            else:
                converted = self.statement(statement)
            if pending != ir.PLAIN:
                converted = replace(converted, layout=_join(pending, converted.layout))
                pending = ir.PLAIN
            result.append(converted)
        return tuple(result)

    def _convert(self, counting: _CountingLoop) -> ir.For:
        loop, last = counting.loop, counting.loop.body.statements[-1]
        body = self.statements(loop.body.statements[:-1])
        trailing = () if last.layout.trailing is None else (last.layout.trailing,)
        closing = (*last.layout.comments, *trailing, *loop.body.closing_comments)
        return ir.For(
            span=loop.span,
            layout=loop.layout,
            symbol=counting.counter,
            start=counting.start.value,
            stop=counting.bound,
            step=counting.step,
            body=replace(loop.body, statements=body, closing_comments=closing),
        )


def _join(first: ir.Layout, second: ir.Layout) -> ir.Layout:
    """The layout of a statement that takes in what stood above one that is gone."""
    comments = [*first.comments, *([first.trailing] if first.trailing else [])]
    if comments and second.comments and second.blank_before:
        comments.append("")
    return ir.Layout(
        comments=(*comments, *second.comments),
        trailing=second.trailing,
        blank_before=first.blank_before or (second.blank_before and not comments),
    )
