"""Between which bounds the integers of a kernel lie.

`Ranges(kernel, extents=…).of(expression)` follows names to their definitions: program ids and lanes count from 0,
a const generic that is the extent of a tile is at least 1, a loop's variable lies between the bounds of its range, a
variable that is assigned to lies wherever its values do. With `at`, the conditions under which a statement is executed
count too: those of the `if` and the loop around it, and of the early returns above it.

Integers alone are looked at: of anything else, nothing is said.
"""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from transpiler.analysis.interval import (
    ANYTHING,
    Interval,
    combined,
    exactly,
    larger,
    magnitude,
    negated,
    of_dtype,
    rounded_up,
    smaller,
)
from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, DType, Scalar, Tensor
from transpiler.ir.visit import statement_expressions, walk_expression
from transpiler.ops.model import (
    RangeBetween,
    RangeClamped,
    RangeLargest,
    RangeMagnitude,
    RangeOf,
    RangeRoundedUp,
    RangeSmallest,
    RangeWithin,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from transpiler.ir.types import Type


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A condition that holds, or one that does not."""

    condition: ir.Expression
    holds: bool


Facts: TypeAlias = tuple[Fact, ...]

_EXTENTS = Interval(low=1, high=1 << 20)
"""What an extent of a tile may be in Triton."""

_DEEP = 32
"""How many names are followed, one out of the other, before nothing more is asked."""

_MIRRORED = {
    ir.BinaryOperator.LESS: ir.BinaryOperator.GREATER,
    ir.BinaryOperator.LESS_EQUAL: ir.BinaryOperator.GREATER_EQUAL,
    ir.BinaryOperator.GREATER: ir.BinaryOperator.LESS,
    ir.BinaryOperator.GREATER_EQUAL: ir.BinaryOperator.LESS_EQUAL,
    ir.BinaryOperator.EQUAL: ir.BinaryOperator.EQUAL,
    ir.BinaryOperator.NOT_EQUAL: ir.BinaryOperator.NOT_EQUAL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Definition:
    """A value a symbol is given, and under which conditions."""

    value: ir.Expression
    facts: Facts


class Ranges:
    """The bounds of the integers of one kernel; what is asked for is computed once.

    `extents` are the const generics that are extents of tiles, `numbers` what parameters are where Triton makes them
    numbers of Python's. Where `wraps` is set, arithmetic that may leave
    its dtype may give anything in it, as without overflow checks; otherwise it is taken not to.
    """

    def __init__(
        self,
        kernel: ir.Routine,
        *,
        extents: frozenset[str],
        wraps: bool,
        numbers: Mapping[ir.Symbol, Interval] | None = None,
    ) -> None:
        self._extents = extents
        self._facts: dict[int, Facts] = {}
        self._definitions: dict[ir.Symbol, list[_Definition]] = {}
        self._loops: dict[ir.Symbol, ir.For] = {}
        self._opaque: set[ir.Symbol] = set()
        self._assigned: set[ir.Symbol] = set()
        self._known: dict[ir.Symbol, Interval] = {}
        self._assumed: dict[ir.Symbol, Interval] = {}
        self._provisional: dict[ir.Symbol, Interval] = {}
        self._depth = 0
        self._evaluation = _Evaluation(self, wraps=wraps)
        self._numbers = numbers
        self._collect(kernel.body.statements, ())

    def of(self, node: ir.Expression, *, at: ir.Statement | None = None) -> Interval:
        """Where the integer lies, or each element of a tile; `at` is the statement the expression is part of."""
        return self._evaluation.of(node, self._facts_at(at))

    def of_number(self, node: ir.Expression, *, at: ir.Statement | None = None) -> Interval:
        """Where the integer lies if it is one of Python's: computed exactly, each parameter in it one of `numbers`."""
        return _Evaluation(self, wraps=False, parameters=self._numbers).of(node, self._facts_at(at))

    def _facts_at(self, statement: ir.Statement | None) -> Facts:
        return () if statement is None else self._facts.get(id(statement), ())

    # --- Definitions ------------------------------------------------------------------------------

    def _collect(self, statements: Iterable[ir.Statement], facts: Facts) -> None:
        for statement in statements:
            self._facts[id(statement)] = facts
            for root in statement_expressions(statement):
                self._collect_inside(root, facts)
            match statement:
                case ir.Let(symbol=symbol, value=value):
                    self._define(symbol, value, facts)
                case ir.Assign(symbol=symbol):
                    self._assigned.add(symbol)
                    self._define(symbol, _assigned_value(statement), facts)
                case ir.LetTuple(symbols=symbols):
                    self._opaque.update(symbol for symbol in symbols if symbol is not None)
                case ir.If(condition=condition, then_block=then_block, else_block=else_block):
                    self._collect(then_block.statements, _with(facts, condition, holds=True))
                    otherwise = _with(facts, condition, holds=False)
                    if else_block is not None:
                        self._collect(else_block.statements, otherwise)
                    elif _leaves(then_block):
                        facts = otherwise
                case ir.While(condition=condition, body=body):
                    self._collect(body.statements, _with(facts, condition, holds=True))
                    if statement.result is not None:
                        self._opaque.add(statement.result)
                case ir.For(symbol=symbol, body=body):
                    self._loops[symbol] = statement
                    self._collect(body.statements, (*facts, *_of_loop(statement)))
                case _:
                    pass

    def _collect_inside(self, root: ir.Expression, facts: Facts) -> None:
        """Statements of block values; what is known around them holds in them too."""
        for node in walk_expression(root):
            if isinstance(node, ir.BlockValue) and node.statements:
                self._collect(node.statements, facts)

    def _define(self, symbol: ir.Symbol, value: ir.Expression, facts: Facts) -> None:
        self._definitions.setdefault(symbol, []).append(_Definition(value=value, facts=facts))

    # --- Symbols ----------------------------------------------------------------------------------

    def is_steady(self, symbol: ir.Symbol) -> bool:
        """Whether the symbol keeps its value from its declaration on."""
        return symbol not in self._assigned

    def origin(self, node: ir.Expression) -> ir.Symbol | None:
        """The symbol whose value the expression is, behind the names it was given since."""
        while isinstance(node, ir.Read):
            definitions = self._definitions.get(node.symbol, ())
            if (
                len(definitions) != 1
                or not self.is_steady(node.symbol)
                or not isinstance(definitions[0].value, ir.Read)
                or not self.is_steady(definitions[0].value.symbol)
            ):
                return node.symbol
            node = definitions[0].value
        return None

    def symbol(self, symbol: ir.Symbol) -> Interval:
        """Where a symbol lies, whatever is known at the place where it is read."""
        for table in (self._known, self._assumed, self._provisional):
            if symbol in table:
                return table[symbol]
        default = of_type(symbol.type)
        if self._depth == _DEEP:
            return default
        self._depth += 1
        if symbol.kind is ir.SymbolKind.CONST_GENERIC:
            found = default.within(_EXTENTS) if symbol.name in self._extents else default
        elif symbol.kind is ir.SymbolKind.PARAMETER or symbol in self._opaque:
            found = default
        elif symbol in self._loops:
            found = default.within(self._in_loop(self._loops[symbol]))
        elif symbol not in self._definitions:
            found = default
        elif symbol in self._assigned:
            found = self._known[symbol] = self._variable(symbol, default)
        else:
            found = default.within(self._value(self._definitions[symbol][0]))
        self._depth -= 1
        (self._provisional if self._assumed else self._known)[symbol] = found
        return found

    def _in_loop(self, loop: ir.For) -> Interval:
        facts = self._facts[id(loop)]
        start = self._evaluation.of(loop.start, facts)
        stop = self._evaluation.of(loop.stop, facts)
        if isinstance(loop.step, ir.Literal) and loop.step.value < 0:
            return Interval(low=stop.low + 1, high=start.high)
        return Interval(low=start.low, high=stop.high if loop.is_inclusive else stop.high - 1)

    def _variable(self, symbol: ir.Symbol, default: Interval) -> Interval:
        """The union of what a variable is given; a bound that keeps moving is given up."""
        first, *others = self._definitions[symbol]
        outer = (self._assumed, self._provisional)
        # What was assumed of other variables may turn out wrong: of these, all is possible here.
        self._assumed = {other: of_type(other.type) for other in self._assumed}
        self._assumed[symbol] = default
        try:
            self._provisional = {}
            found = default.within(self._value(first))
            for turn in count():
                self._assumed[symbol], self._provisional = found, {}
                reached = found
                for definition in others:
                    reached = reached.union(default.within(self._value(definition)))
                if reached == found:
                    break
                found = reached if turn == 0 else default.within(_widened(found, reached))
            return found
        finally:
            self._assumed, self._provisional = outer

    def _value(self, definition: _Definition) -> Interval:
        return self._evaluation.of(definition.value, definition.facts)


class _Evaluation:
    """Of one expression."""

    def __init__(
        self, ranges: Ranges, *, wraps: bool, parameters: Mapping[ir.Symbol, Interval] | None = None
    ) -> None:
        self._ranges = ranges
        self._wraps = wraps
        self._parameters = parameters

    def of(self, node: ir.Expression, facts: Facts) -> Interval:
        match node:
            case ir.Literal(value=int() as value):
                return exactly(value)
            case ir.Read(symbol=symbol):
                return self._read(symbol, facts)
            case ir.Unary(operator=ir.UnaryOperator.NEGATE) if _is_integer(node.type):
                return self._held(negated(self.of(node.operand, facts)), node.type)
            case ir.Binary():
                if not _is_integer(node.type):
                    return of_type(node.type)
                left, right = self.of(node.left, facts), self.of(node.right, facts)
                return self._held(combined(node.operator, left, right), node.type)
            case ir.Cast():
                return self._cast(node, facts)
            case ir.Conditional(condition=condition):
                return self.of(node.then_value, _with(facts, condition, holds=True)).union(
                    self.of(node.else_value, _with(facts, condition, holds=False))
                )
            case ir.BlockValue(value=value):
                return self.of(value, facts)
            case ir.OpCall() if _is_integer(node.type):
                return self._held(self._call(node, facts), node.type)
            case _:
                return of_type(node.type)

    def _held(self, found: Interval, type_: Type) -> Interval:
        limits = of_type(type_)
        return limits if self._wraps and not found.is_inside(limits) else found

    def _read(self, symbol: ir.Symbol, facts: Facts) -> Interval:
        ranges = self._ranges
        if self._parameters is not None and symbol in self._parameters:
            found = self._parameters[symbol]
        else:
            found = ranges.symbol(symbol)
        if ranges.is_steady(symbol):
            for fact in facts:
                found = _refined(ranges, found, symbol, fact)
        return found

    def _cast(self, node: ir.Cast, facts: Facts) -> Interval:
        limits = of_type(node.type)
        if not _is_integer(node.type) or not _is_integer(node.operand.type):
            return limits
        operand = self.of(node.operand, facts)
        return operand if operand.is_inside(limits) else limits

    def _call(self, node: ir.OpCall, facts: Facts) -> Interval:
        named = {
            parameter.name: argument
            for parameter, argument in zip(node.op.parsed.parameters, node.arguments, strict=True)
        }

        def value(parameter: str) -> Interval:
            argument = named[parameter]
            return (
                ANYTHING if isinstance(argument, ir.PLAIN_ARGUMENTS) else self.of(argument, facts)
            )

        match node.op.range:
            case RangeWithin(low=low, high=high):
                within = Interval(low=low, high=math.inf if high is None else high)
                return of_type(node.type).within(within)
            case RangeBetween(start=start, end=end):
                return Interval(low=value(start).low, high=value(end).high - 1)
            case RangeOf(parameters=parameters):
                first, *rest = (value(parameter) for parameter in parameters)
                for other in rest:
                    first = first.union(other)
                return first
            case RangeLargest(parameters=(x, y)):
                return larger(value(x), value(y))
            case RangeSmallest(parameters=(x, y)):
                return smaller(value(x), value(y))
            case RangeClamped(parameters=(x, y, z)):
                return smaller(larger(value(x), value(y)), value(z))
            case RangeMagnitude(parameter=x):
                return magnitude(value(x))
            case RangeRoundedUp(parameters=(x, y)):
                return rounded_up(value(x), value(y))
            case None:
                return of_type(node.type)


def _refined(ranges: Ranges, found: Interval, symbol: ir.Symbol, fact: Fact) -> Interval:
    """What a condition says about a symbol."""
    match fact.condition:
        case ir.Unary(operator=ir.UnaryOperator.NOT, operand=operand):
            return _refined(ranges, found, symbol, Fact(condition=operand, holds=not fact.holds))
        case ir.BlockValue(statements=(), value=value) | ir.Cast(operand=value):
            return _refined(ranges, found, symbol, Fact(condition=value, holds=fact.holds))
        case ir.Binary(operator=ir.BinaryOperator.AND | ir.BinaryOperator.OR as operator):
            if fact.holds is (operator is ir.BinaryOperator.AND):
                for side in (fact.condition.left, fact.condition.right):
                    found = _refined(ranges, found, symbol, Fact(condition=side, holds=fact.holds))
            return found
        case ir.Binary() if fact.condition.operator in _MIRRORED:
            return _compared(ranges, found, symbol, fact.condition, holds=fact.holds)
        case _:
            return found


def _compared(
    ranges: Ranges, found: Interval, symbol: ir.Symbol, node: ir.Binary, *, holds: bool
) -> Interval:
    operator = node.operator if holds else ir.OPPOSITES[node.operator]
    for side, other, comparison in (
        (node.left, node.right, operator),
        (node.right, node.left, _MIRRORED[operator]),
    ):
        if ranges.origin(side) != symbol:
            continue
        bound = ranges.of(other)
        match comparison:
            case ir.BinaryOperator.LESS:
                found = found.within(Interval(high=bound.high - 1))
            case ir.BinaryOperator.LESS_EQUAL:
                found = found.within(Interval(high=bound.high))
            case ir.BinaryOperator.GREATER:
                found = found.within(Interval(low=bound.low + 1))
            case ir.BinaryOperator.GREATER_EQUAL:
                found = found.within(Interval(low=bound.low))
            case ir.BinaryOperator.EQUAL:
                found = found.within(bound)
            case _:
                pass
    return found


def _with(facts: Facts, condition: ir.Expression, *, holds: bool) -> Facts:
    return (*facts, Fact(condition=condition, holds=holds))


def _of_loop(loop: ir.For) -> Facts:
    """That the range is not empty, where its body is executed."""
    is_down = isinstance(loop.step, ir.Literal) and loop.step.value < 0
    operator = ir.BinaryOperator.GREATER if is_down else ir.BinaryOperator.LESS
    if loop.is_inclusive:
        operator = ir.BinaryOperator.LESS_EQUAL
    condition = ir.Binary(
        span=loop.span, type=BOOL, operator=operator, left=loop.start, right=loop.stop
    )
    return (Fact(condition=condition, holds=True),)


def _assigned_value(node: ir.Assign) -> ir.Expression:
    """What the symbol is after it: `symbol operator value` for a compound assignment."""
    if node.operator is None:
        return node.value
    type_ = node.symbol.type
    before = ir.Read(span=node.span, type=type_, symbol=node.symbol)
    return ir.Binary(
        span=node.span, type=type_, operator=node.operator, left=before, right=node.value
    )


def _leaves(block: ir.Block) -> bool:
    """Whether nothing after the block is reached through it."""
    return bool(block.statements) and isinstance(
        block.statements[-1], ir.Return | ir.Break | ir.Continue
    )


def _widened(before: Interval, after: Interval) -> Interval:
    return Interval(
        low=before.low if after.low >= before.low else -math.inf,
        high=before.high if after.high <= before.high else math.inf,
    )


def _is_integer(type_: Type) -> bool:
    return (
        isinstance(type_, Scalar | Tensor)
        and isinstance(type_.dtype, DType)
        and not type_.dtype.is_float
    )


def of_type(type_: Type) -> Interval:
    """What is known of a value from its type alone."""
    return of_dtype(type_.dtype) if isinstance(type_, Scalar | Tensor) else ANYTHING
