"""Variables that loops count in become functions of the loop's index.

`while k < n { …; k += 1; at += C; }` is `for k in 0..n`, in which `at` is what it was before plus `k * C`; behind the
statement that adds to it, one `C` more. A counter is a variable of the block around the loop that the loop changes
by what it does not change, in one statement of its own body, and that nobody reads behind the loop. Sums wrap as those
of the counter do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.extents import tile_extents
from transpiler.analysis.values import is_read
from transpiler.ir import nodes as ir
from transpiler.ir.declared import declared_by
from transpiler.ir.types import I32
from transpiler.ir.visit import Rewriter, walk_expression
from transpiler.optimise.build import Build
from transpiler.optimise.nests.expressions import Renaming, Substitution

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from transpiler.optimise.symbols import Symbols


def counted(kernel: ir.Kernel, symbols: Symbols) -> ir.Kernel:
    """The kernel with loops over ranges alone, where these are known, in which nothing else counts."""
    return _Counted(tile_extents(kernel), symbols).kernel(kernel)


class _Counted(Rewriter):
    def __init__(self, extents: Collection[str], symbols: Symbols) -> None:
        self._extents = extents
        self._symbols = symbols

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        # Inner loops first: what they count in belongs to the block around them.
        found = list(super().statements(statements))
        settled: set[ir.Symbol] = set()
        for place, loop in enumerate(found):
            if not isinstance(loop, ir.For | ir.While):
                continue
            steps = _counters(loop, found[:place], found[place + 1 :])
            begun = {
                it.symbol: it.value if isinstance(it.value, ir.Literal) else _read(it.symbol, loop)
                for it in found[:place]
                if isinstance(it, ir.Let) and it.symbol in steps
            }
            made = self._range(loop, steps, begun) if isinstance(loop, ir.While) else loop
            changed = None if made is None or not steps else _uncounted(made, steps, begun)
            if changed is not None:
                found[place] = changed
                settled |= steps.keys()
        if not settled:
            return statements if _are_same(found, statements) else tuple(found)
        unchanging = Renaming({it: replace(it, is_mutable=False) for it in settled})
        return tuple(unchanging.statement(it) for it in found)

    def _range(
        self,
        loop: ir.While,
        steps: Mapping[ir.Symbol, ir.Expression],
        begun: Mapping[ir.Symbol, ir.Expression],
    ) -> ir.For | None:
        """A loop that runs while one of its counters is below or above a number, its counters still in it."""
        build = Build(loop.span)
        less, greater = ir.BinaryOperator.LESS, ir.BinaryOperator.GREATER
        match loop.condition:
            case (
                ir.Binary(operator=operator, left=ir.Read(symbol=first), right=bound)
                | ir.Binary(operator=operator, left=bound, right=ir.Read(symbol=first))
            ) if first in steps and _is_stable(bound, loop):
                pass
            case _:
                return None
        is_left = is_read(loop.condition.left, first)
        if operator is (less if is_left else greater) and self._is_positive(steps[first]):
            start, stop, step = begun[first], bound, steps[first]
        elif operator is (greater if is_left else less) and _is_one_less(steps[first]):
            # It counts down: the index says by how much.
            start, stop = build.number(0), build.subtract(begun[first], bound)
            step = build.number(1)
        else:
            return None
        return ir.For(
            span=loop.span,
            layout=loop.layout,
            symbol=replace(self._symbols.like(first), is_mutable=False),
            start=start,
            stop=stop,
            step=step,
            body=loop.body,
        )

    def _is_positive(self, step: ir.Expression) -> bool:
        match step:
            case ir.Literal(value=value):
                return value > 0
            case ir.Read(symbol=symbol):
                is_constant = symbol.kind is ir.SymbolKind.CONST_GENERIC
                return is_constant and symbol.name in self._extents
            case _:
                return False


def _counters(
    loop: ir.For | ir.While, before: list[ir.Statement], behind: list[ir.Statement]
) -> dict[ir.Symbol, ir.Expression]:
    """What a loop counts in, and by how much each iteration changes it."""
    declared = {it.symbol for it in before if isinstance(it, ir.Let) and it.symbol.type == I32}
    outside = set(_assigned(_block(before, loop)))
    outside |= set(_assigned(_block(behind, loop))) | set(_mentioned(_block(behind, loop)))
    inside = list(_assigned(loop.body))
    steps: dict[ir.Symbol, ir.Expression] = {}
    for statement in loop.body.statements:
        if not isinstance(statement, ir.Assign):
            continue
        symbol = statement.symbol
        step = _added(statement)
        if step is None or symbol not in declared - outside or inside.count(symbol) > 1:
            continue
        if _is_stable(step, loop):
            steps[symbol] = step
    return steps


def _block(statements: list[ir.Statement], loop: ir.Statement) -> ir.Block:
    return ir.Block(span=loop.span, statements=tuple(statements))


def _assigned(block: ir.Block) -> Iterator[ir.Symbol]:
    return (it.symbol for it in block.contents.statements if isinstance(it, ir.Assign))


def _mentioned(block: ir.Block) -> Iterator[ir.Symbol]:
    return (it.symbol for it in block.contents.expressions if isinstance(it, ir.Read))


def _added(statement: ir.Assign) -> ir.Expression | None:
    """What an assignment adds to its variable."""
    operator, value = statement.operator, statement.value
    if operator is None:
        match value:
            case ir.Binary(left=ir.Read(symbol=symbol)) if symbol == statement.symbol:
                operator, value = value.operator, value.right
            case ir.Binary(operator=ir.BinaryOperator.ADD, right=ir.Read(symbol=symbol)) if (
                symbol == statement.symbol
            ):
                operator, value = value.operator, value.left
            case _:
                return None
    if operator is ir.BinaryOperator.ADD:
        return value
    if operator is not ir.BinaryOperator.SUBTRACT:
        return None
    if isinstance(value, ir.Literal):
        return replace(value, value=-value.value)
    return Build(statement.span).subtract(Build(statement.span).number(0), value)


def _is_one_less(step: ir.Expression) -> bool:
    return isinstance(step, ir.Literal) and step.value == -1


def _uncounted(
    loop: ir.For,
    steps: Mapping[ir.Symbol, ir.Expression],
    begun: Mapping[ir.Symbol, ir.Expression],
) -> ir.For | None:
    """The loop without its counters; None where it stays."""
    if not _is_stable(loop.start, loop, steps.keys()):
        return None
    build = Build(loop.span)
    index = build.read(loop.symbol)
    passed = build.subtract(index, loop.start)
    values: dict[ir.Symbol, ir.Expression] = {}
    for symbol, step in steps.items():
        times = _quotient(step, loop.step, build)
        if times is None:
            return None
        if loop.start == begun[symbol] and step == loop.step:
            values[symbol] = index
        elif isinstance(times, ir.Literal) and times.value < 0:
            back = build.multiply(passed, replace(times, value=-times.value))
            values[symbol] = build.subtract(begun[symbol], back)
        else:
            values[symbol] = build.add(begun[symbol], build.multiply(passed, times))
    return replace(loop, body=_without_counters(loop.body, values, steps, build))


def _read(symbol: ir.Symbol, loop: ir.Statement) -> ir.Read:
    return ir.Read(span=loop.span, type=symbol.type, symbol=symbol)


def _quotient(step: ir.Expression, unit: ir.Expression, build: Build) -> ir.Expression | None:
    """How often a counter's step has the loop's in it; None where that is not known."""
    match step, unit:
        case _, ir.Literal(value=1):
            return step
        case ir.Literal(value=int() as many), ir.Literal(value=int() as one) if many % one == 0:
            return build.number(many // one)
        case ir.Read(symbol=many_of), ir.Read(symbol=one_of) if many_of == one_of:
            return build.number(1)
        case ir.Binary(operator=ir.BinaryOperator.MULTIPLY, left=left, right=right), ir.Read():
            for part, rest in ((left, right), (right, left)):
                if is_read(part, unit.symbol):
                    return rest
    return None


def _without_counters(
    body: ir.Block,
    values: Mapping[ir.Symbol, ir.Expression],
    steps: Mapping[ir.Symbol, ir.Expression],
    build: Build,
) -> ir.Block:
    current = dict(values)
    kept: list[ir.Statement] = []
    for statement in body.statements:
        if isinstance(statement, ir.Assign) and statement.symbol in steps:
            symbol = statement.symbol
            current[symbol] = build.add(current[symbol], steps[symbol])
        else:
            kept.append(Substitution(current).statement(statement))
    return replace(body, statements=tuple(kept))


def _is_stable(
    node: ir.Expression, loop: ir.For | ir.While, settled: Collection[ir.Symbol] = ()
) -> bool:
    """Whether it is arithmetic on what a loop neither assigns nor declares, beside what is `settled`."""
    block = _block([loop], loop)
    declared = (symbol for it in block.contents.statements for symbol in declared_by(it))
    changing = {*declared, *_assigned(block)} - set(settled)
    return all(
        it.symbol not in changing
        if isinstance(it, ir.Read)
        else isinstance(it, ir.Literal | ir.Unary | ir.Binary)
        for it in walk_expression(node)
    )


def _are_same(found: list[ir.Statement], statements: tuple[ir.Statement, ...]) -> bool:
    return len(found) == len(statements) and all(
        new is old for new, old in zip(found, statements, strict=True)
    )
