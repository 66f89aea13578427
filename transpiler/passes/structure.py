"""Takes `break`, `continue`, and `return` in loops out: Triton has none of them.

A jump becomes a flag that the loop's condition joins. What follows an `if` one arm of which jumps moves into the
other arm; where either arm may go on, it stands under a test of the flags. A flag nobody tests is left out.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.declared import largest_id
from transpiler.ir.types import BOOL, Scalar
from transpiler.ir.visit import (
    Rewriter,
    statement_expressions,
    walk_block,
    walk_expression,
    walk_statements,
)
from transpiler.passes.first_values import first_value, is_given
from transpiler.passes.negation import negated
from transpiler.passes.ranges import counts_by_one, left_early, lower_range
from transpiler.passes.short_circuit import has_effect
from transpiler.passes.structured import is_structured, takes_statements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.diagnostics.sink import Sink
    from transpiler.passes.context import PassContext


def structure(module: ir.Module, context: PassContext) -> ir.Module:
    """The module without jumps, its loops in the form Triton has."""

    def structured(routine: ir.R) -> ir.R:
        return _kernel(routine, context.sink)

    return module.mapped(structured)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sequence:
    """Statements without jumps, and the flags of those they stood for."""

    statements: tuple[ir.Statement, ...]
    flags: frozenset[ir.Symbol] = frozenset()


def _kernel(kernel: ir.R, sink: Sink) -> ir.R:
    if is_structured(kernel.body):
        return kernel
    errors = sink.error_count
    structurer = _Structurer(kernel, sink)
    body = replace(kernel.body, statements=structurer.sequence(kernel.body.statements).statements)
    read = {node.symbol for node in walk_block(body) if isinstance(node, ir.Read)}
    unread = structurer.flags - read
    cleaner = _Cleaner(unread, structurer.results, kernel, sink)
    clean = cleaner.kernel(replace(kernel, body=body))
    if sink.error_count > errors:
        # No pass can go on with what was refused.
        nothing = (ir.Return(span=kernel.body.span),)
        return replace(kernel, body=replace(kernel.body, statements=nothing))
    return clean


class _Structurer:
    def __init__(self, kernel: ir.Routine, sink: Sink) -> None:
        self._sink = sink
        self._ids = count(1 + largest_id(kernel))
        self._breaks: dict[int, ir.Symbol] = {}
        self._continues: dict[int, ir.Symbol] = {}
        self._values: dict[int, ir.Symbol] = {}
        self._return: ir.Symbol | None = None
        self._depth = 0
        self._expansions: set[ir.Symbol] = set()
        self.flags: set[ir.Symbol] = set()
        self.results: set[ir.Symbol] = set()

    def sequence(self, statements: tuple[ir.Statement, ...]) -> _Sequence:
        """The statements with every jump among and in them taken out."""
        done: list[ir.Statement] = []
        flags: set[ir.Symbol] = set()
        for index, statement in enumerate(statements):
            rest = statements[index + 1 :]
            expanded = self._expanded(statement)
            if expanded is not None:
                following = self.sequence((*expanded, *rest))
                return _Sequence(
                    statements=(*done, *following.statements),
                    flags=frozenset(flags | following.flags),
                )
            statement = self._with_values(statement)  # noqa: PLW2901 - the same one, rewritten
            match statement:
                case ir.Break() | ir.Continue():
                    flag = self._flag_of(statement)
                    if isinstance(statement, ir.Break) and statement.value is not None:
                        result = self._values[statement.loop]
                        done.append(
                            ir.Assign(
                                span=statement.span,
                                symbol=result,
                                value=statement.value,
                                layout=statement.layout,
                            )
                        )
                        statement = replace(statement, layout=ir.PLAIN)  # noqa: PLW2901 - the rest of it
                    done.append(_set(flag, statement))
                    return _Sequence(statements=tuple(done), flags=frozenset({*flags, flag}))
                case ir.Return() if self._return is not None and self._depth:
                    done.append(_set(self._return, statement))
                    return _Sequence(
                        statements=tuple(done), flags=frozenset({*flags, self._return})
                    )
                case ir.Return():
                    done.append(statement)
                    return _Sequence(statements=tuple(done), flags=frozenset(flags))
                case ir.If():
                    moved = self._moved(statement, rest)
                    if moved is not None:
                        return _Sequence(
                            statements=(*done, moved.statements[0]),
                            flags=frozenset(flags | moved.flags),
                        )
                    inner = self._if(statement, statement.then_block, statement.else_block)
                case ir.While() | ir.For():
                    inner = self._loop(statement)
                case ir.Declare(symbol=symbol) if symbol not in self._expansions:
                    self.results.add(symbol)  # a loop may give it its value
                    inner = _Sequence(statements=(statement,))
                case _:
                    inner = _Sequence(statements=(statement,))
            done.extend(inner.statements)
            flags |= inner.flags
            if inner.flags and rest:
                following = self.sequence(rest)
                done.append(
                    ir.If(
                        span=rest[0].span,
                        condition=_all(inner.flags, rest[0]),
                        then_block=ir.Block(span=rest[0].span, statements=following.statements),
                    )
                )
                return _Sequence(statements=tuple(done), flags=frozenset(flags | following.flags))
        return _Sequence(statements=tuple(done), flags=frozenset(flags))

    def _moved(self, node: ir.If, rest: tuple[ir.Statement, ...]) -> _Sequence | None:
        """The `if` with what follows it in the arm that goes on; None where no arm jumps for certain."""
        then_leaves = self._jumps_away(node.then_block.statements)
        other = () if node.else_block is None else node.else_block.statements
        else_leaves = self._jumps_away(other)
        if then_leaves:
            tail = () if else_leaves else rest
            block = node.else_block or ir.Block(span=node.span, statements=())
            return self._if(node, node.then_block, _with(block, tail))
        if else_leaves:
            return self._if(node, _with(node.then_block, rest), node.else_block)
        return None

    def _jumps_away(self, statements: tuple[ir.Statement, ...]) -> bool:
        for statement in statements:
            match statement:
                case ir.Break() | ir.Continue():
                    return True
                case ir.Return():
                    return self._depth > 0
                case ir.If(then_block=then_block, else_block=ir.Block() as other):
                    if self._jumps_away(then_block.statements) and self._jumps_away(
                        other.statements
                    ):
                        return True
                case _:
                    pass
        return False

    def _if(self, node: ir.If, then_block: ir.Block, else_block: ir.Block | None) -> _Sequence:
        then = self.sequence(then_block.statements)
        other = _Sequence(statements=())
        if else_block is not None:
            other = self.sequence(else_block.statements)
        result = replace(
            node,
            then_block=replace(then_block, statements=then.statements),
            else_block=None
            if else_block is None
            else replace(else_block, statements=other.statements),
        )
        return _Sequence(statements=(result,), flags=then.flags | other.flags)

    def _loop(self, node: ir.While | ir.For) -> _Sequence:
        before: list[ir.Statement] = []
        own_return = self._depth == 0 and not (isinstance(node, ir.While) and node.is_once)
        if own_return:
            self._return = self._flag("active", node)
            before.append(_start(self._return, node))
        running = self._breaks[node.loop] = self._flag("running", node)
        before.append(_start(running, node))
        proceeds = self._continues[node.loop] = self._flag("proceeds", node)
        if isinstance(node, ir.While):
            if node.result is not None:
                self._values[node.loop] = node.result
                self.results.add(node.result)
            if not node.is_once:
                node = _with_plain_condition(node)
        is_once = isinstance(node, ir.While) and node.is_once
        self._depth += not is_once
        body = self.sequence(node.body.statements)
        self._depth -= not is_once
        leaving = body.flags - {proceeds}
        escaping = leaving - {running}
        statements = (_start(proceeds, node), *body.statements)
        block = replace(node.body, statements=statements)
        if is_once:
            result = [*before, *block.statements]
        elif isinstance(node, ir.While):
            condition = node.condition
            if leaving:
                joined = _all(leaving, node)
                is_true = isinstance(condition, ir.Literal) and condition.value is True
                condition = joined if is_true else _both(joined, condition)
            result = [*before, replace(node, condition=condition, body=block, loop=0, result=None)]
        else:
            is_left = bool(leaving)
            if is_left and not counts_by_one(node):
                guard = ir.If(span=node.span, condition=_all(leaving, node), then_block=block)
                block = ir.Block(span=block.span, statements=(guard,))
                is_left = False
            bounds, loop = lower_range(node, block, self._ids)
            result = [*before, *bounds]
            if is_left:
                result.extend(left_early(loop, _all(leaving, node), self._ids))
            else:
                result.append(loop)
        if own_return and self._return is not None:
            if self._return in escaping:
                result.append(
                    ir.If(
                        span=node.span,
                        condition=negated(_read(self._return, node)),
                        then_block=ir.Block(
                            span=node.span, statements=(ir.Return(span=node.span),)
                        ),
                    )
                )
            escaping -= {self._return}
        return _Sequence(statements=tuple(result), flags=escaping)

    def _flag_of(self, node: ir.Break | ir.Continue) -> ir.Symbol:
        return (self._breaks if isinstance(node, ir.Break) else self._continues)[node.loop]

    def _flag(self, name: str, node: ir.Statement) -> ir.Symbol:
        symbol = ir.Symbol(
            id=next(self._ids),
            name=name,
            kind=ir.SymbolKind.LOCAL,
            type=BOOL,
            span=node.span,
            is_mutable=True,
        )
        self.flags.add(symbol)
        return symbol

    # --- Values that hold jumps or loops

    def _expanded(self, node: ir.Statement) -> tuple[ir.Statement, ...] | None:
        """Statements in place of one whose value holds a jump or loop; None where it holds none."""
        if isinstance(node, ir.While | ir.For | ir.If):
            return None
        values = statement_expressions(node)
        if not any(_holds_flow(value) for value in values):
            return None
        match node:
            case ir.Let(symbol=symbol, value=ir.Conditional() | ir.BlockValue() as value):
                if isinstance(symbol.type, Scalar) and any(map(_holds_return, values)):
                    # Triton does not merge a name over an arm that returns.
                    self.results.add(symbol)
                self._expansions.add(symbol)
                declared = ir.Declare(span=node.span, symbol=symbol, layout=node.layout)
                return (declared, *_into(symbol, value))
            case ir.Assign(
                symbol=symbol, operator=None, value=ir.Conditional() | ir.BlockValue() as value
            ):
                return _into(symbol, value)
            case ir.Evaluate(value=ir.Conditional() | ir.BlockValue() as value):
                return _into(None, value)
            case _:
                return None

    def _with_values(self, node: ir.Statement) -> ir.Statement:
        """The statement with the loops inside its expressions in the form Triton has."""
        if not any(_holds_flow(value) for value in statement_expressions(node)):
            return node
        nested = _Nested(self, self._sink)
        match node:
            case ir.If() | ir.While():
                return replace(node, condition=nested.expression(node.condition))
            case ir.For():
                return replace(
                    node,
                    start=nested.expression(node.start),
                    stop=nested.expression(node.stop),
                    step=nested.expression(node.step),
                )
            case _:
                return nested.statement(node)


class _Nested(Rewriter):
    """Takes the jumps out of the blocks inside an expression; none may leave the expression."""

    def __init__(self, structurer: _Structurer, sink: Sink) -> None:
        self._structurer = structurer
        self._sink = sink

    def block_value(self, node: ir.BlockValue) -> ir.BlockValue:
        """The block with its statements in the form Triton has."""
        found = self._structurer.sequence(node.statements)
        inner = ir.Block(span=node.span, statements=found.statements)
        if found.flags or any(isinstance(each, ir.Return) for each in walk_statements(inner)):
            self._sink.emit(
                "E0601",
                "a jump out of a larger expression is not supported in a kernel",
                node.span,
                help="bind the value with a `let` of its own",
            )
        return replace(node, statements=found.statements, value=self.expression(node.value))


def _holds_return(value: ir.Expression) -> bool:
    return any(
        isinstance(node, ir.BlockValue)
        and any(isinstance(statement, ir.Return) for statement in node.statements)
        for node in walk_expression(value)
    )


def _holds_flow(value: ir.Expression) -> bool:
    return any(
        isinstance(node, ir.BlockValue)
        and any(
            isinstance(statement, ir.Break | ir.Continue | ir.Return | ir.While | ir.For)
            for statement in walk_statements(ir.Block(span=node.span, statements=node.statements))
        )
        for node in walk_expression(value)
    )


def _into(symbol: ir.Symbol | None, value: ir.Expression) -> tuple[ir.Statement, ...]:
    """Statements that give the symbol, if any, the value."""
    match value:
        case ir.BlockValue():
            if isinstance(value.value, ir.TupleValue) and not value.value.elements:
                return value.statements
            return (*value.statements, *_into(symbol, value.value))
        case ir.Conditional():
            return (
                ir.If(
                    span=value.span,
                    condition=value.condition,
                    then_block=ir.Block(
                        span=value.then_value.span, statements=_into(symbol, value.then_value)
                    ),
                    else_block=ir.Block(
                        span=value.else_value.span, statements=_into(symbol, value.else_value)
                    ),
                ),
            )
        case _ if symbol is None:
            return (ir.Evaluate(span=value.span, value=value),) if has_effect(value) else ()
        case _:
            return (ir.Assign(span=value.span, symbol=symbol, value=value),)


def _with_plain_condition(node: ir.While) -> ir.While:
    """The loop with a condition Python can test: one that computes more first is tested in the body."""
    condition = node.condition
    if takes_statements(condition):
        leave = ir.Block(span=node.span, statements=(ir.Break(span=node.span, loop=node.loop),))
        test = ir.If(
            span=condition.span, condition=condition, then_block=node.body, else_block=leave
        )
        always = ir.Literal(span=condition.span, type=BOOL, value=True)
        return replace(node, condition=always, body=ir.Block(span=node.span, statements=(test,)))
    match node.body.statements:
        case (
            ir.If(
                condition=leaves,
                then_block=ir.Block(statements=(ir.Break(loop=loop, value=None),)),
                else_block=None,
            ),
            *rest,
        ) if (
            loop == node.loop
            and isinstance(condition, ir.Literal)
            and not any(isinstance(n, ir.BlockValue) for n in walk_expression(leaves))
        ):
            return replace(
                node,
                condition=negated(leaves),
                body=replace(node.body, statements=tuple(rest)),
            )
        case _:
            return node


def _with(block: ir.Block, rest: tuple[ir.Statement, ...]) -> ir.Block:
    return replace(block, statements=(*block.statements, *rest))


def _read(symbol: ir.Symbol, at: ir.Statement) -> ir.Read:
    return ir.Read(span=at.span, type=symbol.type, symbol=symbol)


def _both(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Binary(
        span=left.span, type=BOOL, operator=ir.BinaryOperator.AND, left=left, right=right
    )


def _all(flags: Iterable[ir.Symbol], at: ir.Statement) -> ir.Expression:
    first, *others = sorted(flags, key=lambda symbol: symbol.id)
    result: ir.Expression = _read(first, at)
    for flag in others:
        result = _both(result, _read(flag, at))
    return result


def _set(flag: ir.Symbol, at: ir.Statement) -> ir.Assign:
    value = ir.Literal(span=at.span, type=BOOL, value=False)
    return ir.Assign(span=at.span, symbol=flag, value=value, layout=at.layout)


def _start(flag: ir.Symbol, at: ir.Statement) -> ir.Let:
    value = ir.Literal(span=at.span, type=BOOL, value=True)
    return ir.Let(span=at.span, symbol=flag, value=value)


class _Cleaner(Rewriter):
    """Leaves out flags nobody reads and arms nothing is left in; gives what a loop assigns a first value."""

    def __init__(
        self, unread: set[ir.Symbol], results: set[ir.Symbol], routine: ir.Routine, sink: Sink
    ) -> None:
        self._unread = unread
        self._results = results
        self._routine = routine
        self._sink = sink

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        cleaned = super().statements(statements)
        result: list[ir.Statement] = []
        for index, statement in enumerate(cleaned):
            if (
                isinstance(statement, ir.Declare)
                and statement.symbol in self._results
                and not is_given(statement.symbol, cleaned[index + 1 :])
            ):
                result.append(first_value(statement, self._routine, self._sink))
            else:
                result.append(statement)
        return tuple(result)

    def leave_statement(self, node: ir.Statement) -> tuple[ir.Statement, ...]:
        match node:
            case ir.Let(symbol=symbol) | ir.Assign(symbol=symbol) if symbol in self._unread:
                return ()
            case ir.If(then_block=ir.Block(statements=()), else_block=other):
                if other is None or not other.statements:
                    return ()
                return (
                    replace(
                        node,
                        condition=negated(node.condition),
                        then_block=other,
                        else_block=None,
                    ),
                )
            case ir.If(else_block=ir.Block(statements=(), closing_comments=())):
                return (replace(node, else_block=None),)
            case _:
                return (node,)
