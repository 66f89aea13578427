"""Loops over inclusive, stepped and reversed ranges as loops over plain ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import BOOL, DType, Scalar
from transpiler.passes.integer import integer_range, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

_NARROW = frozenset({DType.I8, DType.I16, DType.U8, DType.U16})


def is_plain_range(loop: ir.For) -> bool:
    """Whether it is a range of Python's already, in integers that Triton counts in."""
    type_ = loop.symbol.type
    return (
        not loop.is_inclusive
        and not loop.adapters
        and not loop.symbol.is_mutable
        and (not isinstance(type_, Scalar) or type_.dtype is DType.I32)
    )


def lower_range(
    loop: ir.For, body: ir.Block, ids: Iterator[int]
) -> tuple[tuple[ir.Statement, ...], ir.For]:
    """What computes the bounds, and the loop over `body` with a range of Python's.

    A counter Triton's ranges do not count in exactly counts in a wider integer and is converted in the body.
    """
    if is_plain_range(loop):
        return (), replace(loop, body=body, loop=0)
    dtype = loop.symbol.type.dtype if isinstance(loop.symbol.type, Scalar) else DType.I32
    counted = _counting_dtype(loop, dtype)
    # Triton counts in 32 bits between numbers of 32 bits, and its interpreter always does.
    is_converted = counted is not dtype or dtype is DType.I64
    before: list[ir.Statement] = []
    type_ = Scalar(dtype=counted)

    def bound(value: ir.Expression, name: str) -> ir.Expression:
        if isinstance(value, ir.Literal):
            return replace(value, type=type_, value=wrap(int(value.value), counted))
        if value.type != type_:
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
    if is_converted or is_reversed or loop.symbol.is_mutable:
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
            index = index if is_converted or loop.symbol.is_mutable else loop.symbol
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
        if is_converted:
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


def counts_by_one(loop: ir.For) -> bool:
    """Whether the counter goes through every integer between its bounds."""
    return (
        ir.RangeAdapter.STEP_BY not in loop.adapters
        and isinstance(loop.step, ir.Literal)
        and loop.step.value == 1
    )


def left_early(
    loop: ir.For, goes_on: ir.Expression, ids: Iterator[int]
) -> tuple[ir.Statement, ...]:
    """A loop that counts by one, and ends where `goes_on` does not hold any more, as a `while`."""
    counter = replace(loop.symbol, is_mutable=True)
    read = ir.Read(span=loop.span, type=counter.type, symbol=counter)
    before: list[ir.Statement] = []
    stop = loop.stop
    if not isinstance(stop, ir.Literal) and not (
        isinstance(stop, ir.Read) and not stop.symbol.is_mutable
    ):
        symbol = ir.Symbol(
            id=next(ids), name="stop", kind=ir.SymbolKind.LOCAL, type=stop.type, span=stop.span
        )
        before.append(ir.Let(span=stop.span, symbol=symbol, value=stop))
        stop = ir.Read(span=stop.span, type=stop.type, symbol=symbol)
    is_down = isinstance(loop.step, ir.Literal) and loop.step.value < 0
    inside = replace(
        _binary(ir.BinaryOperator.GREATER if is_down else ir.BinaryOperator.LESS, read, stop),
        type=BOOL,
    )
    following = ir.Assign(
        span=loop.span,
        symbol=counter,
        value=ir.Literal(span=loop.span, type=counter.type, value=1),
        operator=ir.BinaryOperator.SUBTRACT if is_down else ir.BinaryOperator.ADD,
    )
    return (
        *before,
        ir.Let(span=loop.span, symbol=counter, value=loop.start),
        ir.While(
            span=loop.span,
            layout=loop.layout,
            condition=replace(_binary(ir.BinaryOperator.AND, goes_on, inside), type=BOOL),
            body=replace(loop.body, statements=(*loop.body.statements, following)),
        ),
    )


def _counting_dtype(loop: ir.For, dtype: object) -> DType:
    """The integers to count in: those of the counter, or wider ones that hold what lies just beyond its bounds."""
    if dtype in _NARROW:
        return DType.I32
    if dtype is not DType.I32:
        return DType.I64
    for bound, beyond in ((loop.start, -1), (loop.stop, 1)):
        if isinstance(bound, ir.Literal) and bound.value + beyond not in integer_range(DType.I32):
            return DType.I64
    return DType.I32


def _literal(loop: ir.For, type_: Scalar) -> ir.Literal:
    return ir.Literal(span=loop.span, type=type_, value=0)


def _binary(operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression) -> ir.Binary:
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
