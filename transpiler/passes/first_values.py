"""First values of variables that a loop, or an arm of an `if`, gives their value.

Triton merges a name over a loop, and over an `if` one arm of which does not assign it, only where it has a value of its
type before. Nothing reads this value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    I32,
    DType,
    NamedDimension,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    TupleType,
    Type,
    type_text,
)
from transpiler.ir.visit import walk_statements
from transpiler.ops.table import OPS

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink
    from transpiler.ir.types import Dimension, ElementType
    from transpiler.source import Span


def is_given(symbol: ir.Symbol, statements: tuple[ir.Statement, ...]) -> bool:
    """Whether the statements give the symbol a value where Triton needs none before."""
    return _given(symbol, statements) is True


def _given(symbol: ir.Symbol, statements: tuple[ir.Statement, ...]) -> bool | None:
    """None where they do not assign it at all."""
    for statement in statements:
        match statement:
            case ir.Assign(symbol=assigned) if assigned == symbol:
                return True
            case ir.If(then_block=then_block, else_block=else_block):
                arms = (
                    _given(symbol, then_block.statements),
                    None if else_block is None else _given(symbol, else_block.statements),
                )
                if arms != (None, None):
                    return all(arms)
            case ir.While(body=body) | ir.For(body=body):
                if any(
                    isinstance(inner, ir.Assign) and inner.symbol == symbol
                    for inner in walk_statements(body)
                ):
                    return False
            case _:
                pass
    return None


def first_value(declaration: ir.Declare, routine: ir.Routine, sink: Sink) -> ir.Statement:
    """The declaration with a value; reported where there is none to be had."""
    symbol = declaration.symbol
    value = _value(symbol.type, routine, declaration.span)
    if value is None:
        sink.emit(
            "E0601",
            f"a `return` or `break` that gives a loop's `{type_text(symbol.type)}` is not supported "
            "in a kernel",
            declaration.span,
            help="give a `let mut` variable a first value, and return it at the end",
        )
        return declaration
    return ir.Let(
        span=declaration.span,
        symbol=replace(symbol, is_mutable=True),
        value=value,
        layout=declaration.layout,
    )


def _value(type_: Type, routine: ir.Routine, span: Span) -> ir.Expression | None:
    match type_:
        case Scalar(dtype=dtype):
            return ir.Literal(span=span, type=type_, value=_zero(dtype))
        case TupleType(elements=types):
            elements = [_value(element, routine, span) for element in types]
            known = tuple(element for element in elements if element is not None)
            if len(known) < len(elements):
                return None
            return ir.TupleValue(span=span, type=type_, elements=known)
        case Tensor():
            return _tile(type_, routine, span)
        case Pointer() | PointerTensor():
            same = _parameter_of(type_, routine)
            return None if same is None else ir.Read(span=span, type=type_, symbol=same)
        case _:
            return None


def _zero(dtype: ElementType) -> bool | int | float:
    if dtype is DType.BOOL:
        return False
    return 0.0 if not isinstance(dtype, DType) or dtype.is_float else 0


def _tile(type_: Tensor, routine: ir.Routine, span: Span) -> ir.Expression | None:
    same = _parameter_of(type_, routine)
    if same is not None:
        read = ir.Read(span=span, type=type_, symbol=same)
        return ir.OpCall(
            span=span, type=type_, op=OPS["zeros_like"], dtypes=(type_.dtype,), arguments=(read,)
        )
    extents = [_extent(extent, routine, span) for extent in type_.shape]
    known = tuple(extent for extent in extents if extent is not None)
    if len(known) < len(extents):
        return None
    shape = ir.ListArgument(span=span, elements=known)
    return ir.OpCall(
        span=span, type=type_, op=OPS["zeros"], dtypes=(type_.dtype,), arguments=(shape,)
    )


def _parameter_of(type_: Type, routine: ir.Routine) -> ir.Symbol | None:
    return next((symbol for symbol in routine.parameters if symbol.type == type_), None)


def _extent(extent: Dimension, routine: ir.Routine, span: Span) -> ir.Expression | None:
    if isinstance(extent, int):
        return ir.Literal(span=span, type=I32, value=extent)
    given: tuple[Dimension, ...] = tuple(
        NamedDimension(name=symbol.name) for symbol in routine.const_generics
    )
    if isinstance(routine, ir.Function):
        given = routine.given
    for symbol, dimension in zip(routine.const_generics, given, strict=True):
        if dimension == extent:
            return ir.Read(span=span, type=symbol.type, symbol=symbol)
    return None
