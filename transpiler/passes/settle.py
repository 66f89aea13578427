"""Puts the inferred dtypes in place: after this no type has a variable, and literals have their dtype's exact value."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    Descriptor,
    DType,
    DtypeParameter,
    DtypeVariable,
    ElementType,
    Enumeration,
    LiteralKind,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    TupleType,
    Type,
    TypeVariable,
)
from transpiler.ir.visit import Rewriter
from transpiler.passes.integer import integer_range
from transpiler.passes.rounding import round_digits

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink
    from transpiler.passes.unify import DtypeSolver
    from transpiler.source import Span


def settle_kernel(kernel: ir.R, solver: DtypeSolver, sink: Sink) -> ir.R:
    """The routine with every dtype settled; a dtype nothing tells, or a literal out of range, is reported."""
    return _Settler(solver, sink).kernel(kernel)


def settle_expression(node: ir.Expression, solver: DtypeSolver, sink: Sink) -> ir.Expression:
    """An expression outside a kernel with every dtype settled."""
    return _Settler(solver, sink).expression(node)


class _Settler(Rewriter):
    def __init__(self, solver: DtypeSolver, sink: Sink) -> None:
        self._solver = solver
        self._sink = sink
        self._symbols: dict[ir.Symbol, ir.Symbol] = {}

    def kernel(self, kernel: ir.R) -> ir.R:
        return replace(kernel, body=self.block(kernel.body))

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        settled = self._symbols.get(symbol)
        if settled is None:
            type_ = self._type(symbol.type, symbol.span)
            settled = symbol if type_ is symbol.type else replace(symbol, type=type_)
            self._symbols[symbol] = settled
        return settled

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        type_ = self._type(node.type, node.span)
        if type_ is not node.type:
            node = replace(node, type=type_)
        match node:
            case ir.Literal():
                return self._literal(node)
            case ir.Cast(kind=ir.CastKind.RUST_AS, operand=operand) if operand.type == node.type:
                return operand
            case ir.OpCall():
                if not any(isinstance(dtype, DtypeVariable) for dtype in node.dtypes):
                    return node
                dtypes = tuple(self._dtype(dtype, node.span) for dtype in node.dtypes)
                return node if dtypes == node.dtypes else replace(node, dtypes=dtypes)
            case ir.Call():
                dtypes = tuple(self._dtype(dtype, node.span) for dtype in node.dtypes)
                return replace(node, dtypes=dtypes)
            case _:
                return node

    def block_value(self, node: ir.BlockValue) -> ir.BlockValue:
        settled = super().block_value(node)
        return replace(settled, type=self._type(settled.type, settled.span))

    def _literal(self, node: ir.Literal) -> ir.Literal:
        if not isinstance(node.type, Scalar) or not isinstance(node.type.dtype, DType):
            return node
        dtype, value = node.type.dtype, node.value
        if dtype.is_integer and isinstance(value, int) and value not in integer_range(dtype):
            values = integer_range(dtype)
            self._sink.emit(
                "E0406",
                f"the literal {value} does not fit `{dtype.value}`",
                node.span,
                help=f"`{dtype.value}` holds {values[0]} to {values[-1]}",
            )
        if dtype.is_float and node.digits is not None:
            value = round_digits(node.digits, dtype)
            if math.isinf(value):
                self._sink.emit(
                    "E0406",
                    f"the literal {node.digits} is too large for `{dtype.value}`",
                    node.span,
                )
            return replace(node, value=value)
        return node

    def _dtype(self, dtype: ElementType, span: Span) -> DType | DtypeParameter:
        settled = self._solver.settle(dtype)
        if settled is None:
            self._sink.emit(
                "E0408",
                "the dtype of this cannot be inferred",
                span,
                help="write it out, as in `T::zeros::<f32>(…)`",
            )
            # Once is enough: whatever else has this dtype is no further fault.
            self._solver.unify(dtype, DType.F32)
            return DType.F32
        return settled

    def _type(self, type_: Type, span: Span) -> Type:
        match type_:
            case Scalar() | Tensor() | Pointer() | PointerTensor() | Descriptor():
                if not isinstance(type_.dtype, DtypeVariable):
                    return type_
                return replace(type_, dtype=self._dtype(type_.dtype, span))
            case TypeVariable():
                found = self._solver.resolve_type(type_)
                if isinstance(found, TypeVariable):
                    # Nothing is known of it: as of a dtype.
                    return Scalar(dtype=self._dtype(self._solver.fresh(LiteralKind.ANY), span))
                return self._type(found, span)
            case Enumeration():
                return Scalar(dtype=type_.dtype)
            case TupleType():
                settled = tuple(self._type(e, span) for e in type_.elements)
                return type_ if settled == type_.elements else TupleType(elements=settled)
            case _:
                return type_
