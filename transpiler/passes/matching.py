"""Elaboration of `match`, `if let`, `while let` and `let … else`: chains of conditions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from transpiler.ir import nodes as ir
from transpiler.passes.coverage import Coverage, first_missing
from transpiler.passes.elaboration import is_poison
from transpiler.passes.macro_calls import is_unreachable
from transpiler.passes.patterns import PatternElaborator
from transpiler.syntax import nodes as syntax
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.passes.coverage import Witness
    from transpiler.passes.places import Scrutinee


_Arm = TypeVar("_Arm")


class LetTest(NamedTuple):
    """A `let` as a condition: what computes its value, its test (None where all match), and what its names need."""

    statements: tuple[ir.Statement, ...]
    test: ir.Expression | None
    bindings: tuple[ir.Statement, ...]


class MatchElaborator(PatternElaborator):
    """Turns a `match` into a chain of conditions; statements are left to the subclass."""

    @abstractmethod
    def block(self, node: syntax.Block) -> ir.Block:
        """A block for its effect."""

    @abstractmethod
    def effect(self, node: syntax.Expression, layout: ir.Layout) -> list[ir.Statement]:
        """The statements an expression is where its value is not wanted."""

    # --- Match ------------------------------------------------------------------------------------

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
            statements[0] = replace(statements[0], layout=layout)
        return statements

    def _effect_arm(self, body: syntax.Expression) -> ir.Block:
        if isinstance(body, syntax.Block) and body.label is None:
            return self.block(body)
        with self.state.scopes.nested():
            return ir.Block(span=body.span, statements=tuple(self.effect(body, ir.PLAIN)))

    def match_value(self, node: syntax.Match, keyword: str = "match") -> ir.Expression:
        """`match` as a value; `keyword` names the construct where its arms differ."""
        start, arms = self._arms(node, self._value_arm)
        if not arms or is_poison(*(value for _, value in arms)):
            return self.state.poison(node.span)
        *tested, (_, result) = arms
        for condition, value in reversed(tested):
            if condition is None:
                result = value
                continue
            chosen = self.choice(condition, value, result, node.span, keyword)
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
        if isinstance(body, syntax.Block) and body.label is None:
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
        scrutinee = self.scrutinee(node.scrutinee, [arm.pattern for arm in node.arms])
        if scrutinee is None:
            return [], []
        place = scrutinee.place
        start = list(scrutinee.statements)
        arms: list[tuple[ir.Expression | None, _Arm]] = []
        covered: list[tuple[Coverage, ...]] = []
        missing: tuple[Witness, ...] | None = (None,)
        leaves_out = False
        for arm in node.arms:
            with self.state.scopes.nested():
                tested = self.pattern(arm.pattern, place)
                if tested is None:
                    return [], []
                start.extend(self.bind(tested.bindings))
                test = tested.test
                if arm.guard is not None:
                    guard = self.condition(arm.guard)
                    test = guard if test is None else self.both(test, guard)
                else:
                    covered.append((tested.coverage,))
                    missing = first_missing(covered, (self.space(place),))
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
            self.state.unsupported("a `match` without an arm that is reached", node.span)
        elif not self.is_poisoned(place):
            self.state.sink.emit(
                "E0603",
                f"this `match` does not cover `{self.shown(missing[0], place)}`",
                node.span,
                help="end it with an arm for the rest: `_ => …`",
            )
        return [], []

    # --- Let as a condition -----------------------------------------------------------------------

    def if_let(self, node: syntax.If, condition: syntax.LetCondition) -> syntax.Match:
        """The `match` that an `if let` is."""
        rest: syntax.Expression = node.else_branch or syntax.Block(span=node.span, statements=())
        return syntax.Match(
            span=node.span,
            scrutinee=condition.value,
            arms=(
                syntax.MatchArm(
                    span=condition.span, pattern=condition.pattern, body=node.then_block
                ),
                syntax.MatchArm(
                    span=rest.span, pattern=syntax.WildcardPattern(span=rest.span), body=rest
                ),
            ),
        )

    def let_test(self, pattern: syntax.Pattern, value: syntax.Expression) -> LetTest | None:
        """A `let` as a condition, whose names are bound in the scope that is open; None where an error was reported."""
        scrutinee = self.scrutinee(value, (pattern,))
        return None if scrutinee is None else self.test_of(pattern, scrutinee)

    def test_of(self, pattern: syntax.Pattern, scrutinee: Scrutinee) -> LetTest | None:
        """The same of a value that is typed already."""
        tested = self.pattern(pattern, scrutinee.place)
        if tested is None:
            return None
        missing = first_missing([(tested.coverage,)], (self.space(scrutinee.place),))
        return LetTest(
            statements=scrutinee.statements,
            test=None if missing is None else tested.test,
            bindings=tuple(self.bind(tested.bindings)),
        )

    def refuse_refutable(self, pattern: syntax.Pattern, scrutinee: Scrutinee) -> None:
        """Report a pattern of a plain `let` that does not match every value."""
        tested = self.pattern(pattern, scrutinee.place)
        if tested is None:
            return
        missing = first_missing([(tested.coverage,)], (self.space(scrutinee.place),))
        if missing is not None:
            self.state.sink.emit(
                "E0603",
                f"this `let` does not cover `{self.shown(missing[0], scrutinee.place)}`",
                pattern.span,
                help="say what happens otherwise: `let … = … else { return; };`",
            )
