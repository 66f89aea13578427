"""Elaboration of loops, jumps and `match`."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    BOOL,
    NEVER,
    POISON,
    UNIT,
    DType,
    Never,
    Poison,
    Scalar,
    Type,
    Unit,
)
from transpiler.ir.visit import walk_statements
from transpiler.passes.elaboration import OpenLoop, is_poison
from transpiler.passes.expressions import ExpressionElaborator, merge_types
from transpiler.passes.integer import integer_range
from transpiler.passes.operators import binary
from transpiler.passes.patterns import EVERYTHING, Interval, first_missing
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from transpiler.source import Span

_Arm = TypeVar("_Arm")


def diverges(statements: list[ir.Statement]) -> bool:
    """Whether control never reaches the end of the statements."""
    return any(_leaves(statement) for statement in statements)


def _leaves(statement: ir.Statement) -> bool:
    match statement:
        case ir.Break() | ir.Continue() | ir.Return():
            return True
        case ir.If(then_block=then_block, else_block=ir.Block() as else_block):
            return diverges([*then_block.statements]) and diverges([*else_block.statements])
        case _:
            return False


class ControlFlowElaborator(ExpressionElaborator):
    """Turns what directs control into typed IR; other statements are left to the subclass."""

    @abstractmethod
    def block(self, node: syntax.Block) -> ir.Block:
        """A block for its effect."""

    @abstractmethod
    def effect(self, node: syntax.Expression, layout: ir.Layout) -> list[ir.Statement]:
        """The statements an expression is where its value is not wanted."""

    def control_statement(self, node: syntax.Expression, layout: ir.Layout) -> list[ir.Statement]:
        """A loop, a jump, a `match` or a labelled block as a statement."""
        match node:
            case syntax.While():
                return [self._while(node, layout)]
            case syntax.For():
                return self._for(node, layout)
            case syntax.Loop() | syntax.Block():
                return [self._endless(node, layout, result=None)]
            case syntax.Match():
                return self._match(node, layout)
            case syntax.Return():
                return self._return(node, layout)
            case syntax.Break() | syntax.Continue():
                return self._jump(node, layout)
            case _:
                raise ValueError("no control flow")

    def control_flow(self, node: syntax.Match | syntax.Loop | syntax.Block) -> ir.Expression:
        """A `match`, `loop` or labelled block used as a value."""
        if isinstance(node, syntax.Match):
            return self._match_value(node)
        return self._loop_value(node)

    # --- If ---------------------------------------------------------------------------------------

    def if_statement(self, node: syntax.If, layout: ir.Layout) -> ir.If:
        """`if` for its effect."""
        condition = self.condition(node.condition)
        then_block = self.block(node.then_block)
        match node.else_branch:
            case None:
                else_block = None
            case syntax.If() as inner:
                self.state.enter(inner.span)
                else_block = ir.Block(
                    span=inner.span, statements=(self.if_statement(inner, ir.PLAIN),)
                )
                self.state.leave()
            case syntax.Block() as block:
                else_block = self.block(block)
        return ir.If(
            span=node.span,
            layout=layout,
            condition=condition,
            then_block=then_block,
            else_block=else_block,
        )

    # --- Loops ------------------------------------------------------------------------------------

    @contextmanager
    def _open(
        self, label: str | None, *, takes_values: bool = False, is_block: bool = False
    ) -> Iterator[OpenLoop]:
        self.state.loop_count += 1
        loop = OpenLoop(
            id=self.state.loop_count, label=label, takes_values=takes_values, is_block=is_block
        )
        self.state.loops.append(loop)
        try:
            yield loop
        finally:
            self.state.loops.pop()

    def _while(self, node: syntax.While, layout: ir.Layout) -> ir.While:
        condition = self.condition(node.condition)
        with self._open(node.label) as loop:
            body = self.block(node.body)
        return ir.While(span=node.span, layout=layout, condition=condition, body=body, loop=loop.id)

    def _endless(
        self, node: syntax.Loop | syntax.Block, layout: ir.Layout, *, result: ir.Symbol | None
    ) -> ir.While:
        """A `loop`, or a labelled block for its effect."""
        is_block = isinstance(node, syntax.Block)
        with self._open(node.label, is_block=is_block) as loop:
            body = self.block(node.body if isinstance(node, syntax.Loop) else node)
        if not is_block and not loop.has_break and not _returns(body):
            self.state.unsupported(
                "a `loop` that never ends", node.span, instead="leave it with `break`"
            )
        return self._endless_loop(node, body, loop, layout, result)

    def _endless_loop(
        self,
        node: syntax.Loop | syntax.Block,
        body: ir.Block,
        loop: OpenLoop,
        layout: ir.Layout,
        result: ir.Symbol | None,
    ) -> ir.While:
        return ir.While(
            span=node.span,
            layout=layout,
            condition=ir.Literal(span=node.span, type=BOOL, value=True),
            body=body,
            loop=loop.id,
            result=result,
            is_once=loop.is_block,
        )

    def _loop_value(self, node: syntax.Loop | syntax.Block) -> ir.Expression:
        state = self.state
        is_block = isinstance(node, syntax.Block)
        with self._open(node.label, takes_values=True, is_block=is_block) as loop:
            if isinstance(node, syntax.Loop):
                body = self.block(node.body)
            else:
                inner = self.block_value(node)
                last: tuple[ir.Statement, ...] = ()
                if not isinstance(inner.type, Never):
                    self._join(loop, inner.type, node.span)
                    last = (ir.Break(span=node.span, loop=loop.id, value=inner.value),)
                body = ir.Block(span=node.span, statements=(*inner.statements, *last))
        type_ = loop.type
        if isinstance(type_, Poison):
            return state.poison(node.span)
        if not isinstance(type_, Scalar):
            if type_ is not None and not isinstance(type_, Unit):
                return state.unsupported(
                    f"a loop or labelled block whose value is `{state.text(type_)}`",
                    node.span,
                    instead="assign a `let mut` variable before the `break`",
                )
            statement = self._endless_loop(node, body, loop, ir.PLAIN, None)
            value: ir.Expression = ir.TupleValue(span=node.span, type=UNIT, elements=())
            return ir.BlockValue(
                span=node.span,
                type=UNIT if loop.has_break else NEVER,
                statements=(statement,),
                value=value,
            )
        symbol = state.symbol("result", ir.SymbolKind.LOCAL, type_, node.span, is_mutable=True)
        return ir.BlockValue(
            span=node.span,
            type=type_,
            statements=(
                ir.Declare(span=node.span, symbol=symbol),
                self._endless_loop(node, body, loop, ir.PLAIN, symbol),
            ),
            value=ir.Read(span=node.span, type=type_, symbol=symbol),
        )

    def _join(self, loop: OpenLoop, type_: Type, span: Span) -> None:
        """Merge the type of one more value the loop ends with."""
        if loop.type is None:
            loop.type = type_
            return
        merged = merge_types(self.state, loop.type, type_)
        if merged is None:
            self.state.sink.emit(
                "E0401",
                f"the values of this `break` and an earlier one differ: `{self.state.text(type_)}` "
                f"and `{self.state.text(loop.type)}`",
                span,
            )
            merged = POISON
        loop.type = merged

    # --- Jumps ------------------------------------------------------------------------------------

    def _jump(self, node: syntax.Break | syntax.Continue, layout: ir.Layout) -> list[ir.Statement]:
        loop = self._target(node)
        if loop is None:
            return []
        if isinstance(node, syntax.Continue):
            if loop.is_block:
                self.state.unsupported("`continue` out of a labelled block", node.span)
                return []
            return [ir.Continue(span=node.span, layout=layout, loop=loop.id)]
        loop.has_break = True
        value = None if node.value is None else self.expression(node.value)
        if value is not None and not loop.takes_values:
            self.state.sink.emit(
                "E0404",
                "this `break` gives a value to a loop whose value is not used",
                node.span,
                help="only the value of a `loop` or a labelled block can be bound: "
                "`let x = loop { … }`",
            )
            return []
        if loop.takes_values:
            self._join(loop, UNIT if value is None else self.state.type_of(value), node.span)
        return [ir.Break(span=node.span, layout=layout, loop=loop.id, value=value)]

    def _target(self, node: syntax.Break | syntax.Continue) -> OpenLoop | None:
        keyword = "break" if isinstance(node, syntax.Break) else "continue"
        for loop in reversed(self.state.loops):
            if loop.label == node.label if node.label is not None else not loop.is_block:
                return loop
        self.state.sink.emit(
            "E0604",
            f"`{keyword}` stands in no loop"
            if node.label is None
            else f"no loop around this has the label `'{node.label.lstrip(chr(39))}`",
            node.span,
        )
        return None

    def _return(self, node: syntax.Return, layout: ir.Layout) -> list[ir.Statement]:
        if self.state.callers:
            self.state.unsupported(
                "`return` before the end of a function that kernels call",
                node.span,
                instead="give the value with `if` … `else`",
            )
            return []
        if node.value is not None:
            self.state.sink.emit("E0704", "a kernel returns nothing", node.span)
            return []
        return [ir.Return(span=node.span, layout=layout)]

    # --- For --------------------------------------------------------------------------------------

    def _for(self, node: syntax.For, layout: ir.Layout) -> list[ir.Statement]:
        state = self.state
        found = self._range(node.iterable)
        if found is None:
            return []
        iterable, adapters, step = found
        if iterable.start is None or iterable.end is None:
            state.unsupported(
                "a range with an open end", iterable.span, instead="write `for i in 0..n`"
            )
            return []
        start, stop = self.expression(iterable.start), self.expression(iterable.end)
        type_: Type = POISON
        if not is_poison(start, stop):
            merged = self.merged_type(start, stop)
            if not isinstance(merged, Scalar):
                state.sink.emit(
                    "E0401",
                    f"the ends of a range are integers of one type, not "
                    f"`{state.text(start.type)}` and `{state.text(stop.type)}`",
                    iterable.span,
                )
                return []
            type_ = merged
        with state.scopes.nested():
            match node.pattern:
                case syntax.IdentifierPattern(name=name, is_mutable=False):
                    pass
                case syntax.WildcardPattern():
                    name = "_"
                case _:
                    state.unsupported("this pattern", node.pattern.span)
                    return []
            symbol = state.symbol(name, ir.SymbolKind.LOCAL, type_, node.pattern.span)
            state.scopes.declare(symbol)
            with self._open(node.label) as loop:
                body = self.block(node.body)
        if not isinstance(type_, Scalar):
            return []
        one = ir.Literal(span=iterable.span, type=type_, value=1)
        return [
            ir.For(
                span=node.span,
                layout=layout,
                symbol=symbol,
                start=start,
                stop=stop,
                step=one if step is None else self._step(step, type_),
                body=body,
                loop=loop.id,
                is_inclusive=iterable.is_inclusive,
                adapters=adapters,
            )
        ]

    def _range(
        self, node: syntax.Expression
    ) -> tuple[syntax.Range, tuple[ir.RangeAdapter, ...], syntax.Expression | None] | None:
        """The range a loop runs over, and what its methods make of it; None where it is none."""
        adapters: list[ir.RangeAdapter] = []
        step: syntax.Expression | None = None
        iterable = node
        while not isinstance(iterable, syntax.Range):
            match iterable:
                case syntax.Parenthesized():
                    iterable = iterable.inner
                case syntax.MethodCall(method="rev", arguments=()):
                    adapters.append(ir.RangeAdapter.REVERSE)
                    iterable = iterable.receiver
                case syntax.MethodCall(method="step_by", arguments=(argument,)) if step is None:
                    step = argument
                    adapters.append(ir.RangeAdapter.STEP_BY)
                    iterable = iterable.receiver
                case _:
                    self.state.unsupported(
                        "a `for` loop over anything but a range",
                        iterable.span,
                        instead="write `for i in 0..n`, with `.rev()` or one `.step_by(s)`, or a "
                        "`while` loop",
                    )
                    return None
        return iterable, tuple(reversed(adapters)), step

    def _step(self, node: syntax.Expression, type_: Scalar) -> ir.Expression:
        """The step as a value of the counter's type: `step_by` takes a `usize`."""
        while isinstance(node, syntax.Parenthesized):
            node = node.inner
        # `(n as usize)` is there for rustc: the number is what was cast.
        inner = self.expression(node.operand if isinstance(node, syntax.Cast) else node)
        found = self.state.type_of(inner)
        if isinstance(found, Scalar) and self.state.solver.unify(found.dtype, type_.dtype):
            return inner
        if isinstance(found, Scalar):
            self.state.sink.emit(
                "E0401",
                f"the step counts in `{self.state.text(type_)}` here, not `{self.state.text(found)}`",
                node.span,
            )
        return ir.Literal(span=node.span, type=type_, value=1)

    # --- Match ------------------------------------------------------------------------------------

    def _match(self, node: syntax.Match, layout: ir.Layout) -> list[ir.Statement]:
        def build(arms: list[tuple[ir.Expression | None, ir.Block]]) -> ir.Block:
            *tested, (_, result) = arms
            for condition, block in reversed(tested):
                if condition is None:
                    result = block
                    continue
                chain = ir.If(
                    span=block.span,
                    condition=condition,
                    then_block=block,
                    else_block=result if result.statements else None,
                )
                result = ir.Block(span=block.span, statements=(chain,))
            return result

        start, arms = self._arms(node, self._effect_arm)
        if not arms:
            return []
        statements = [*start, *build(arms).statements]
        if statements and statements[0].layout == ir.PLAIN:
            statements[0] = _laid_out(statements[0], layout)
        return statements

    def _effect_arm(self, body: syntax.Expression) -> ir.Block:
        if isinstance(body, syntax.Block) and body.label is None and not body.is_unsafe:
            return self.block(body)
        with self.state.scopes.nested():
            return ir.Block(span=body.span, statements=tuple(self.effect(body, ir.PLAIN)))

    def _match_value(self, node: syntax.Match) -> ir.Expression:
        start, arms = self._arms(node, self._value_arm)
        if not arms or is_poison(*(value for _, value in arms)):
            return self.state.poison(node.span)
        *tested, (_, result) = arms
        for condition, value in reversed(tested):
            if condition is None:
                result = value
                continue
            chosen = self.choice(condition, value, result, node.span, "match")
            if is_poison(chosen):
                return chosen
            result = ir.BlockValue(span=node.span, type=chosen.type, statements=(), value=chosen)
        if not start and not result.statements:
            return result.value
        return ir.BlockValue(
            span=node.span,
            type=result.type,
            statements=(*start, *result.statements),
            value=result.value,
        )

    def _value_arm(self, body: syntax.Expression) -> ir.BlockValue:
        if isinstance(body, syntax.Block) and body.label is None and not body.is_unsafe:
            return self.block_value(body)
        with self.state.scopes.nested():
            value = self.expression(body)
        if isinstance(value, ir.BlockValue):
            return value
        return ir.BlockValue(span=body.span, type=value.type, statements=(), value=value)

    def _arms(
        self, node: syntax.Match, elaborate: Callable[[syntax.Expression], _Arm]
    ) -> tuple[list[ir.Statement], list[tuple[ir.Expression | None, _Arm]]]:
        """What computes the scrutinee, and of each arm its test; None for the last, which needs none."""
        state = self.state
        value = self.expression(node.scrutinee)
        type_ = state.type_of(value)
        if isinstance(type_, Poison):
            return [], []
        if not isinstance(type_, Scalar):
            state.unsupported(
                f"`match` on `{state.text(type_)}`",
                node.scrutinee.span,
                instead="match on one integer or bool, or use `if` … `else if` … `else`",
            )
            return [], []
        start: list[ir.Statement] = []
        if not isinstance(value, ir.Read) or value.symbol.is_mutable:
            symbol = state.symbol("matched", ir.SymbolKind.LOCAL, type_, value.span)
            start.append(ir.Let(span=node.scrutinee.span, symbol=symbol, value=value))
            value = ir.Read(span=value.span, type=type_, symbol=symbol)
        arms: list[tuple[ir.Expression | None, _Arm]] = []
        covered: list[Interval] = []
        missing: int | None = 0
        for arm in node.arms:
            with state.scopes.nested():
                found = self._pattern(arm.pattern, value, type_)
                if found is None:
                    return [], []
                intervals, test = found
                if arm.guard is not None:
                    guard = self.condition(arm.guard)
                    test = guard if test is None else self._both(test, guard)
                else:
                    covered.extend(intervals)
                    missing = first_missing(covered, self._values(type_))
                arms.append((None if missing is None else test, elaborate(arm.body)))
            if missing is None:
                return start, arms
        state.sink.emit(
            "E0603",
            f"this `match` does not cover `{self._shown(missing or 0, type_)}`",
            node.span,
            help="end it with an arm for the rest: `_ => …`",
        )
        return [], []

    def _values(self, type_: Scalar) -> range:
        dtype = self.state.solver.resolve(type_.dtype)
        if dtype is DType.BOOL:
            return range(2)
        return integer_range(dtype if isinstance(dtype, DType) else DType.I32)

    def _shown(self, value: int, type_: Scalar) -> str:
        if self.state.solver.resolve(type_.dtype) is DType.BOOL:
            return str(bool(value)).lower()
        return str(value)

    def _both(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        return binary(self.state, ir.BinaryOperator.AND, left, right, left.span)

    def _pattern(
        self, node: syntax.Pattern, value: ir.Read, type_: Scalar
    ) -> tuple[list[Interval], ir.Expression | None] | None:
        """The values a pattern covers, and the test for them; None for the test where all match."""
        state = self.state
        match node:
            case syntax.WildcardPattern():
                return [EVERYTHING], None
            case syntax.IdentifierPattern(is_reference=False, is_mutable=False):
                state.scopes.rename(node.name, value.symbol)
                return [EVERYTHING], None
            case syntax.LiteralPattern() | syntax.PathPattern(arguments=None):
                end = self._pattern_end(node, value)
                if end is None:
                    return None
                number, literal = end
                if state.type_of(literal) == BOOL:
                    test = value if number else self._not(value)
                else:
                    test = binary(state, ir.BinaryOperator.EQUAL, value, literal, node.span)
                return [Interval(low=number, high=number)], test
            case syntax.RangePattern():
                return self._range_pattern(node, value)
            case syntax.OrPattern():
                return self._or_pattern(node, value, type_)
            case _:
                state.unsupported(
                    "this pattern",
                    node.span,
                    instead="patterns are literals, ranges, `|`, `_` and a name",
                )
                return None

    def _not(self, value: ir.Expression) -> ir.Expression:
        return ir.Unary(span=value.span, type=BOOL, operator=ir.UnaryOperator.NOT, operand=value)

    def _or_pattern(
        self, node: syntax.OrPattern, value: ir.Read, type_: Scalar
    ) -> tuple[list[Interval], ir.Expression | None] | None:
        covered: list[Interval] = []
        result: ir.Expression | None = None
        is_total = False
        for alternative in node.alternatives:
            found = self._pattern(alternative, value, type_)
            if found is None:
                return None
            intervals, test = found
            covered.extend(intervals)
            is_total |= test is None
            if test is not None:
                result = (
                    test
                    if result is None
                    else binary(self.state, ir.BinaryOperator.OR, result, test, node.span)
                )
        return covered, None if is_total else result

    def _range_pattern(
        self, node: syntax.RangePattern, value: ir.Read
    ) -> tuple[list[Interval], ir.Expression | None] | None:
        tests: list[ir.Expression] = []
        low: int | None = None
        high: int | None = None
        if node.start is not None:
            end = self._pattern_value(node.start, value)
            if end is None:
                return None
            low, literal = end
            operator = ir.BinaryOperator.GREATER_EQUAL
            tests.append(binary(self.state, operator, value, literal, node.span))
        if node.end is not None:
            end = self._pattern_value(node.end, value)
            if end is None:
                return None
            high, literal = end
            operator = ir.BinaryOperator.LESS_EQUAL
            if not node.is_inclusive:
                operator, high = ir.BinaryOperator.LESS, high - 1
            tests.append(binary(self.state, operator, value, literal, node.span))
        test = tests[0] if len(tests) == 1 else self._both(*tests)
        return [Interval(low=low, high=high)], test

    def _pattern_end(
        self, node: syntax.LiteralPattern | syntax.PathPattern, value: ir.Read
    ) -> tuple[int, ir.Expression] | None:
        expression = (
            node.value
            if isinstance(node, syntax.LiteralPattern)
            else syntax.PathExpression(span=node.span, path=node.path)
        )
        return self._pattern_value(expression, value)

    def _pattern_value(
        self, node: syntax.Expression, value: ir.Read
    ) -> tuple[int, ir.Expression] | None:
        literal = self.expression(node)
        if is_poison(literal):
            return None
        if not isinstance(literal, ir.Literal) or isinstance(literal.value, float):
            self.state.unsupported(
                "a pattern that is no integer or bool", node.span, instead="compare with `if`"
            )
            return None
        if merge_types(self.state, self.state.type_of(value), literal.type) is None:
            self.state.sink.emit(
                "E0401",
                f"mismatched types: the pattern is `{self.state.text(literal.type)}`, "
                f"the value is `{self.state.text(value.type)}`",
                node.span,
            )
            return None
        return int(literal.value), literal


def _laid_out(statement: ir.Statement, layout: ir.Layout) -> ir.Statement:
    return replace(statement, layout=layout)


def _returns(body: ir.Block) -> bool:
    return any(isinstance(statement, ir.Return) for statement in walk_statements(body))
