"""Loops over inclusive, stepped and reversed ranges as loops over plain ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIRECT = frozenset({DType.I32, DType.I64})


def lower_range(
    loop: ir.For, body: ir.Block, ids: Iterator[int]
) -> tuple[tuple[ir.Statement, ...], ir.For]:
    """What computes the bounds, and the loop over `body` with a range of Python's.

    A counter Triton's ranges do not count in exactly counts in a wider integer and is converted in the body.
    """
    if not loop.adapters and not loop.is_inclusive:
        return (), replace(loop, body=body, loop=0)
    dtype = loop.symbol.type.dtype if isinstance(loop.symbol.type, Scalar) else DType.I32
    counted = dtype if dtype in _DIRECT else DType.I64
    before: list[ir.Statement] = []
    type_ = Scalar(dtype=counted)

    def bound(value: ir.Expression, name: str) -> ir.Expression:
        if isinstance(value, ir.Literal):
            return replace(value, type=type_)
        if counted is not dtype:
            value = ir.Cast(span=value.span, type=type_, operand=value, kind=ir.CastKind.RUST_AS)
        if isinstance(value, ir.Read) and not value.symbol.is_mutable:
            return value
        if not loop.adapters:
            return value
        symbol = ir.Symbol(
            id=next(ids), name=name, kind=ir.SymbolKind.LOCAL, type=type_, span=value.span
        )
        before.append(ir.Let(span=value.span, symbol=symbol, value=value))
        return ir.Read(span=value.span, type=type_, symbol=symbol)

    start, stop = bound(loop.start, "start"), bound(loop.stop, "stop")
    step = bound(loop.step, "step")
    if loop.is_inclusive:
        stop = _sum(stop, 1)
    is_reversed = loop.adapters.count(ir.RangeAdapter.REVERSE) % 2 == 1
    index = loop.symbol
    if counted is not dtype or is_reversed:
        index = ir.Symbol(
            id=next(ids), name="index", kind=ir.SymbolKind.LOCAL, type=type_, span=loop.span
        )
    value: ir.Expression = ir.Read(span=loop.span, type=type_, symbol=index)
    if is_reversed:
        starts_reversed = (
            loop.adapters[: loop.adapters.index(ir.RangeAdapter.STEP_BY)].count(
                ir.RangeAdapter.REVERSE
            )
            % 2
            == 1
            if ir.RangeAdapter.STEP_BY in loop.adapters
            else True
        )
        if starts_reversed and isinstance(step, ir.Literal):
            down = replace(step, value=-int(step.value))
            index = loop.symbol if counted is dtype else index
            value = ir.Read(span=loop.span, type=type_, symbol=index)
            start, stop, step = _sum(stop, -1), _sum(start, -1), down
        else:
            length = _binary(ir.BinaryOperator.SUBTRACT, stop, start)
            last = _sum(length, -1)
            if not starts_reversed:
                whole = _binary(ir.BinaryOperator.DIVIDE, last, step)
                last = _binary(ir.BinaryOperator.MULTIPLY, whole, step)
            value = _binary(
                ir.BinaryOperator.SUBTRACT, _binary(ir.BinaryOperator.ADD, start, last), value
            )
            start, stop = replace(_literal(loop, type_), value=0), length
    statements = body.statements
    if index is not loop.symbol:
        if counted is not dtype:
            value = ir.Cast(
                span=loop.span, type=loop.symbol.type, operand=value, kind=ir.CastKind.RUST_AS
            )
        statements = (ir.Let(span=loop.span, symbol=loop.symbol, value=value), *statements)
    lowered = ir.For(
        span=loop.span,
        layout=loop.layout,
        symbol=index,
        start=start,
        stop=stop,
        step=step,
        body=replace(body, statements=statements),
    )
    return tuple(before), lowered


def _literal(loop: ir.For, type_: Scalar) -> ir.Literal:
    return ir.Literal(span=loop.span, type=type_, value=0)


def _binary(
    operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression
) -> ir.Expression:
    return ir.Binary(span=left.span, type=left.type, operator=operator, left=left, right=right)


def _sum(value: ir.Expression, offset: int) -> ir.Expression:
    """`value + offset`, written as a person would."""
    if isinstance(value, ir.Literal):
        return replace(value, value=int(value.value) + offset, digits=None)
    if (
        isinstance(value, ir.Binary)
        and isinstance(value.right, ir.Literal)
        and value.operator is ir.BinaryOperator.ADD
        and int(value.right.value) == -offset
    ):
        return value.left
    operator = ir.BinaryOperator.ADD if offset > 0 else ir.BinaryOperator.SUBTRACT
    one = ir.Literal(span=value.span, type=value.type, value=abs(offset))
    return _binary(operator, value, one)
