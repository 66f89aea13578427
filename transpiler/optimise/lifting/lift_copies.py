"""What operations that copy or convert make of the one number that their tile is in a nest."""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import is_integer
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, DtypeParameter, Scalar, Tensor
from transpiler.optimise.build import dtype_of

if TYPE_CHECKING:
    from transpiler.ir.types import ElementType


def converts_outright(node: ir.OpCall) -> bool:
    """Whether a call asks for nothing beside its operand."""
    return all(map(_is_left_out, node.arguments[1:]))


def converted(node: ir.OpCall, source: ir.Expression) -> ir.Expression | None:
    """What a call that converts makes of a number of one of Rust's own dtypes, or a literal; None of any other."""
    match source:
        case ir.Cast(kind=ir.CastKind.MATERIALISE, operand=operand) if is_integer(operand):
            return ir.Cast(
                span=node.span, type=node.type, operand=operand, kind=ir.CastKind.RUST_AS
            )
        case ir.Literal() as literal:
            value = _converted_value(literal, dtype_of(node))
            if value is not None:
                return replace(literal, type=Scalar(dtype=dtype_of(node)), value=value)
            # What Python has no name for is converted as a value of Triton.
            made = ir.Cast(
                span=node.span,
                type=Tensor(dtype=dtype_of(literal), shape=()),
                operand=literal,
                kind=ir.CastKind.MATERIALISE,
            )
            return replace(node, arguments=(made, *node.arguments[1:]))
        case _:
            return None


def copy_of(node: ir.OpCall, source: ir.Expression, *, was_tile: bool) -> ir.Expression:
    """What a call that copies makes of `source`; `was_tile` says whether that was a tile before it was lifted."""
    if isinstance(source, ir.Literal):
        return number(source.value, node)
    if node.op.shape is not None and not was_tile:
        # A number of Rust's own becomes one of a tile: of exactly this dtype.
        if isinstance(source, ir.Cast):
            return replace(source, type=node.type)
        return ir.Cast(span=node.span, type=node.type, operand=source, kind=ir.CastKind.MATERIALISE)
    return source


def number(value: float, node: ir.Expression) -> ir.Literal:
    """A number of the dtype of an expression, in its place."""
    if not isinstance(node.type, Tensor | Scalar):
        raise TypeError("a number has a dtype")
    dtype = node.type.dtype
    if isinstance(dtype, DType) and dtype.is_integer:
        value = int(value)
    return ir.Literal(span=node.span, type=Scalar(dtype=dtype), value=value)


def _is_left_out(argument: ir.Argument) -> bool:
    match argument:
        case ir.AbsentArgument() | ir.FlagArgument(value=False):
            return True
        case _:
            return False


def _converted_value(literal: ir.Literal, target: ElementType) -> float | None:
    """What a literal is as a float of another dtype; None where that is not known of it."""
    source, value = dtype_of(literal), literal.value
    if isinstance(value, bool) or not _is_float(target):
        return None
    if isinstance(value, int):
        return float(value) if abs(value) <= _EXACT else None
    if source is DType.F32:
        with suppress(OverflowError):
            (value,) = struct.unpack("f", struct.pack("f", value))
    return None if source in {DType.F16, DType.BF16} else value


_EXACT = 1 << 8
"""Up to here every float has all integers."""


def _is_float(dtype: ElementType) -> bool:
    return isinstance(dtype, DType | DtypeParameter) and dtype.is_float
