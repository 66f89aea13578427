"""Lowers statements of the IR to the target tree."""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, assert_never

from transpiler.ir import nodes as ir
from transpiler.target.expressions import ExpressionLowering, binary_operator, element_type
from transpiler.target.model import (
    Assignment,
    Binary,
    Call,
    Choice,
    Evaluation,
    Expression,
    For,
    If,
    Keyword,
    Name,
    Number,
    Operator,
    Return,
    Statement,
    Suite,
    While,
    dotted,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from transpiler.target.expressions import Callees
    from transpiler.target.names import KernelNames
    from transpiler.target.usage import Usage

CONSTEXPR = dotted("tl.constexpr")


class StatementLowering:
    """Lowers the statements of one kernel under its names."""

    def __init__(
        self,
        names: KernelNames,
        usage: Usage,
        callees: Callees,
        known: Mapping[int, Statement] = MappingProxyType({}),
    ) -> None:
        """`known` are statements lowered before under the same names, by the `id` of what they were lowered from."""
        self._names = names
        self._usage = usage
        self._expressions = ExpressionLowering(names, callees)
        self._known = known
        self.lowered: dict[int, Statement] = {}
        """What was lowered, as in `known`."""

    def suite(self, block: ir.Block) -> Suite:
        """The statements of a block; of a declaration without a value the comments are left."""
        statements: list[Statement] = []
        comments: tuple[str, ...] = ()
        blank_before = False
        for statement in block.statements:
            layout = statement.layout
            comments += layout.comments
            blank_before |= layout.blank_before
            if isinstance(statement, ir.Declare):
                comments += () if layout.trailing is None else (layout.trailing,)
                continue
            lowered = self._known.get(id(statement))
            if lowered is None:
                lowered = replace(
                    self._statement(statement),
                    span=statement.span,
                    comments=comments,
                    trailing=layout.trailing,
                    blank_before=blank_before,
                )
                self.lowered[id(statement)] = lowered
            statements.append(lowered)
            comments, blank_before = (), False
        return Suite(
            statements=tuple(statements), closing_comments=(*comments, *block.closing_comments)
        )

    def _statement(self, statement: ir.Statement) -> Statement:
        lower = self._expressions.lower
        match statement:
            case ir.Let(symbol=symbol, value=value):
                return self._let(symbol, value)
            case ir.LetTuple(symbols=symbols, value=value):
                targets = tuple(
                    self._names.discards[statement.span, index]
                    if symbol is None
                    else self._names.symbols[symbol]
                    for index, symbol in enumerate(symbols)
                )
                return Assignment(targets=targets, value=lower(value))
            case ir.Assign():
                return self._assignment(statement)
            case ir.Evaluate(value=value):
                return Evaluation(value=lower(value))
            case ir.If(condition=condition, then_block=then_block, else_block=else_block):
                return If(
                    condition=lower(condition),
                    body=self.suite(then_block),
                    other=None if else_block is None else self.suite(else_block),
                )
            case ir.While(condition=condition, body=body):
                return While(condition=lower(condition), body=self.suite(body))
            case ir.For(symbol=symbol, body=body):
                return For(
                    target=self._names.symbols[symbol],
                    iterable=self._range(statement),
                    body=self.suite(body),
                )
            case ir.Return(value=value):
                return Return(value=None if value is None else lower(value))
            case ir.Declare():
                raise ValueError("a declaration has no statement of its own")
            case ir.Break() | ir.Continue():
                raise ValueError("Triton has no such statement: `structure` takes them out")
        assert_never(statement)

    def _let(self, symbol: ir.Symbol, value: ir.Expression) -> Assignment:
        name = self._names.symbols[symbol]
        if symbol not in self._usage.constants:
            return Assignment(targets=(name,), value=self._expressions.lower(value))
        while isinstance(value, ir.Cast) and value.kind is ir.CastKind.MATERIALISE:
            value = value.operand  # it must stay a constant
        return Assignment(
            targets=(name,), annotation=CONSTEXPR, value=self._expressions.lower(value)
        )

    def _assignment(self, statement: ir.Assign) -> Assignment:
        name = self._names.symbols[statement.symbol]
        value = self._expressions.lower(statement.value)
        if statement.operator is None:
            return Assignment(targets=(name,), value=value)
        operator = binary_operator(statement.operator, element_type(statement.symbol.type))
        if operator is not None:
            return Assignment(targets=(name,), value=value, operator=operator)
        whole = ir.Binary(
            span=statement.span,
            type=statement.symbol.type,
            operator=statement.operator,
            left=ir.Read(span=statement.span, type=statement.symbol.type, symbol=statement.symbol),
            right=statement.value,
        )
        return Assignment(targets=(name,), value=self._expressions.lower(whole))

    def _range(self, loop: ir.For) -> Expression:
        """`range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as a person would write it."""
        start, stop, step = (
            self._expressions.lower(bound) for bound in (loop.start, loop.stop, loop.step)
        )
        bounds: tuple[Expression, ...] = (stop,)
        if step != Number("1"):
            bounds = (start, stop, step)
        elif start != Number("0"):
            bounds = (start, stop)
        if not loop.stages:
            return Call(Name("range"), bounds)
        return Call(dotted("tl.range"), bounds, (Keyword("num_stages", self._stages(loop)),))

    def _stages(self, loop: ir.For) -> Expression:
        """`4`, or `4 if ALIGN_C > 1 else 1`."""
        most, one = Number(str(loop.stages)), Number("1")
        if not loop.units:
            return most
        wide = [Binary(Operator.GREATER, self._product(it), one) for it in loop.units]
        return Choice(_joined(Operator.AND, wide), most, one)

    def _product(self, symbols: Iterable[ir.Symbol]) -> Expression:
        return _joined(Operator.MULTIPLY, [Name(self._names.symbols[it]) for it in symbols])


def _joined(operator: Operator, parts: Sequence[Expression]) -> Expression:
    return reduce(partial(Binary, operator), parts)
