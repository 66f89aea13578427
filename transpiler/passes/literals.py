"""What Triton takes a bare literal for."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import F64, DType, DtypeParameter, Scalar
from transpiler.passes.integer import integer_range
from transpiler.passes.rounding import largest_finite, smallest_normal

if TYPE_CHECKING:
    from transpiler.ir.types import ElementType


def in_any_dtype(literal: ir.Literal) -> ir.Expression:
    """A float literal in a dtype that may be an integer: rounded toward zero and held in range, as `from_f64` does."""
    value = float(literal.value)
    if value.is_integer() and value in integer_range(DType.I8) and value >= 0:
        return replace(literal, value=int(value), digits=None)
    exact = replace(literal, type=F64)
    return ir.Cast(span=literal.span, type=literal.type, operand=exact, kind=ir.CastKind.FROM_F64)


def is_default_dtype(literal: ir.Literal, dtype: ElementType) -> bool:
    """Whether Triton gives the bare literal this dtype."""
    if dtype is DType.BOOL:
        return True
    if dtype is DType.I32:
        return isinstance(literal.value, int) and literal.value in integer_range(DType.I32)
    return dtype is DType.F32 and not _is_far(float(literal.value))


def is_of_other_kind(node: ir.Expression) -> bool:
    """Whether it is an f32 literal that Triton takes for an f64 one, or a float where `D` may be an integer."""
    if not isinstance(node, ir.Literal) or not isinstance(node.type, Scalar):
        return False
    match node.type.dtype:
        case DType.F32:
            return _is_far(float(node.value))
        case DtypeParameter(is_float=False):
            return isinstance(node.value, float)
        case _:
            return False


def _is_far(value: float) -> bool:
    if value == 0 or not math.isfinite(value):
        return False
    # The decimal the module shows may be just above the largest f32: leave that to a stated dtype as well.
    return abs(value) < smallest_normal(DType.F32) or abs(value) >= largest_finite(DType.F32)
