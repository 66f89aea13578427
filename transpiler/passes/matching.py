"""Elaboration of `match` on integers and bools."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    BOOL,
    DType,
    Poison,
    Scalar,
)
from transpiler.passes.elaboration import is_poison
from transpiler.passes.expressions import ExpressionElaborator
from transpiler.passes.integer import integer_range
from transpiler.passes.macro_calls import is_unreachable
from transpiler.passes.merging import merge_types
from transpiler.passes.operators import binary
from transpiler.passes.patterns import EVERYTHING, Interval, first_missing
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Callable


_Arm = TypeVar("_Arm")


class MatchElaborator(ExpressionElaborator):
    """Turns a `match` into a chain of conditions; statements are left to the subclass."""

    @abstractmethod
    def block(self, node: syntax.Block) -> ir.Block:
        """A block for its effect."""

    @abstractmethod
    def effect(self, node: syntax.Expression, layout: ir.Layout) -> list[ir.Statement]:
        """The statements an expression is where its value is not wanted."""

    def match_statement(self, node: syntax.Match, layout: ir.Layout) -> list[ir.Statement]:
        """`match` for its effect: an `if` … `elif` chain."""

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

    def match_value(self, node: syntax.Match) -> ir.Expression:
        """`match` as a value."""
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
        leaves_out = False
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
                if is_unreachable(arm.body):
                    leaves_out = True
                else:
                    arms.append((None if missing is None else test, elaborate(arm.body)))
            if missing is None:
                break
        if arms and missing is None:
            if leaves_out:
                # No other value is ever met: the last of the arms that are left needs no test.
                arms[-1] = (None, arms[-1][1])
            return start, arms
        if missing is None:
            state.unsupported("a `match` without an arm that is reached", node.span)
            return [], []
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
            case syntax.IdentifierPattern(is_reference=False, is_mutable=False) if (
                not self._is_constant(node.name)
            ):
                state.scopes.rename(node.name, value.symbol, node.context)
                return [EVERYTHING], None
            case (
                syntax.LiteralPattern()
                | syntax.PathPattern(arguments=None)
                | syntax.IdentifierPattern(is_reference=False, is_mutable=False)
            ):
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

    def _is_constant(self, name: str) -> bool:
        """Whether a name in a pattern is that of a constant, which it then stands for."""
        found = self.state.items.resolve((name,))
        return found is not None and isinstance(found[0], syntax.Const)

    def _pattern_end(
        self,
        node: syntax.LiteralPattern | syntax.PathPattern | syntax.IdentifierPattern,
        value: ir.Read,
    ) -> tuple[int, ir.Expression] | None:
        expression: syntax.Expression
        match node:
            case syntax.LiteralPattern():
                expression = node.value
            case syntax.PathPattern():
                expression = syntax.PathExpression(span=node.span, path=node.path)
            case syntax.IdentifierPattern():
                segment = syntax.PathSegment(span=node.span, name=node.name)
                path = syntax.Path(span=node.span, segments=(segment,))
                expression = syntax.PathExpression(span=node.span, path=path)
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
