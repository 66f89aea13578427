"""Elaboration of loops, jumps and `match`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

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
from transpiler.passes.macro_calls import is_unreachable
from transpiler.passes.matching import MatchElaborator
from transpiler.passes.merging import merge_types
from transpiler.passes.negation import negated
from transpiler.syntax import nodes as syntax
from transpiler.syntax.hygiene import ROOT_CONTEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.passes.elaboration import OpenFunction
    from transpiler.source import Span


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


class ControlFlowElaborator(MatchElaborator):
    """Turns what directs control into typed IR; other statements are left to the subclass."""

    def control_statement(self, node: syntax.Expression, layout: ir.Layout) -> list[ir.Statement]:
        """A loop, a jump, a `match` or a labelled block as a statement."""
        match node:
            case syntax.While(condition=syntax.LetCondition() as condition):
                return self._while_let(node, condition, layout)
            case syntax.While():
                return [self._while(node, layout)]
            case syntax.For():
                return self._for(node, layout)
            case syntax.Loop() | syntax.Block():
                return [self._endless(node, layout, result=None)]
            case syntax.Match():
                return self.match_statement(node, layout)
            case syntax.Return():
                return self._return(node, layout)
            case syntax.Break() | syntax.Continue():
                return self._jump(node, layout)
            case _:
                raise ValueError("no control flow")

    def control_flow(self, node: syntax.Match | syntax.Loop | syntax.Block) -> ir.Expression:
        """A `match`, `loop` or labelled block used as a value."""
        if isinstance(node, syntax.Match):
            return self.match_value(node)
        return self._loop_value(node)

    def if_let_value(self, node: syntax.If, condition: syntax.LetCondition) -> ir.Expression:
        """An `if let` used as a value."""
        if node.else_branch is None:
            self.state.sink.emit("E0401", "an `if` used as a value needs an `else`", node.span)
            return self.state.poison(node.span)
        return self.match_value(self.if_let(node, condition), "if let")

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
                    span=inner.span, statements=tuple(self.effect(inner, ir.PLAIN))
                )
                self.state.leave()
            case syntax.Block() as block:
                else_block = None if is_unreachable(block) else self.block(block)
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

    def _while_let(
        self, node: syntax.While, condition: syntax.LetCondition, layout: ir.Layout
    ) -> list[ir.Statement]:
        """`while let`, which leaves at the first value that does not match."""
        with self.state.scopes.nested():
            found = self.let_test(condition.pattern, condition.value)
            if found is None:
                return []
            with self._open(node.label) as loop:
                body = self.block(node.body)
        test: ir.Expression = ir.Literal(span=condition.span, type=BOOL, value=True)
        if not found.statements and not found.bindings:
            test = found.test or test
        elif found.test is None:
            body = replace(body, statements=(*found.statements, *found.bindings, *body.statements))
        else:
            leave = ir.Block(span=node.span, statements=(ir.Break(span=node.span, loop=loop.id),))
            stop = ir.If(span=node.span, condition=negated(found.test), then_block=leave)
            statements = (*found.statements, stop, *found.bindings, *body.statements)
            body = replace(body, statements=statements)
        return [ir.While(span=node.span, layout=layout, condition=test, body=body, loop=loop.id)]

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
        if not is_block and not loop.has_break and not _leaves_far(body):
            return state.unsupported(
                "a `loop` that never ends", node.span, instead="leave it with `break`"
            )
        if type_ is None or isinstance(type_, Unit | Never):
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
            else f"no loop around this has the label `'{node.label.partition(chr(39))[0]}`",
            node.span,
        )
        return None

    def _return(self, node: syntax.Return, layout: ir.Layout) -> list[ir.Statement]:
        function = self.state.function
        if function is not None:
            return self._return_value(node, layout, function)
        if node.value is not None:
            self.state.sink.emit(
                "E0704",
                "a kernel returns nothing",
                node.span,
                help=f"store what it computes: `{self.state.hardware}::store(…)`",
            )
            return []
        return [ir.Return(span=node.span, layout=layout)]

    def _return_value(
        self, node: syntax.Return, layout: ir.Layout, function: OpenFunction
    ) -> list[ir.Statement]:
        """A `return` before the end of a function leaves the labelled block that its body is."""
        from transpiler.passes.functions import accept_result  # noqa: PLC0415 - few files have any

        value = None if node.value is None else self.expression(node.value)
        function.exit.has_break = True
        if not accept_result(self.state, function, value, node.span):
            return []
        leave = ir.Break(span=node.span, layout=layout, loop=function.exit.id)
        if value is None:
            return [leave]
        if isinstance(value.type, Unit):
            return [
                ir.Evaluate(span=value.span, layout=layout, value=value),
                replace(leave, layout=ir.PLAIN),
            ]
        return [replace(leave, value=value)]

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
                case (
                    syntax.IdentifierPattern(
                        name=name, is_reference=False, subpattern=None, context=context
                    ) as pattern
                ):
                    is_mutable = pattern.is_mutable
                case syntax.WildcardPattern():
                    name, context, is_mutable = "_", ROOT_CONTEXT, False
                case _:
                    state.unsupported(
                        "a pattern other than a name",
                        node.pattern.span,
                        instead="a range gives numbers one by one: write `for i in a..b`",
                    )
                    return []
            symbol = state.symbol(
                name, ir.SymbolKind.LOCAL, type_, node.pattern.span, is_mutable=is_mutable
            )
            state.scopes.declare(symbol, context)
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
        inner = self.expression(node)
        if isinstance(inner, ir.Cast) and isinstance(inner.operand.type, Scalar):
            counted = self.state.solver.resolve(type_.dtype)
            if self.state.solver.resolve(inner.operand.type.dtype) == counted:
                return inner.operand  # `(n as usize)` is there for rustc
        found = self.state.type_of(inner)
        if isinstance(found, Scalar):
            dtype = self.state.solver.resolve(found.dtype)
            if dtype is DType.U64 or self.state.solver.unify(dtype, type_.dtype):
                return inner
            self.state.sink.emit(
                "E0401",
                f"`step_by` takes a `usize`, not `{self.state.text(found)}`",
                node.span,
                help="convert it with `as usize`",
            )
        return ir.Literal(span=node.span, type=type_, value=1)


def _leaves_far(body: ir.Block) -> bool:
    """Whether a jump leads out of a loop without being its own `break`."""
    return any(isinstance(each, ir.Return | ir.Break) for each in walk_statements(body))


def _returns(body: ir.Block) -> bool:
    return any(isinstance(statement, ir.Return) for statement in walk_statements(body))
