"""Binds the methods of scalars: `x.max(y)`, `f32::sqrt(x)`, `i64::from(n)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, DtypeVariable, Scalar
from transpiler.ops.scalar_methods import WRAPPING, Operand, method_names, scalar_method
from transpiler.passes.elaboration import is_poison, near_match
from transpiler.passes.operators import binary, unary

if TYPE_CHECKING:
    from transpiler.ops.scalar_methods import ScalarMethod
    from transpiler.passes.elaboration import Elaboration
    from transpiler.source import Span

_PRIMITIVES = {dtype.value: dtype for dtype in DType}


def primitive(name: str) -> DType | None:
    """The dtype of that Rust name."""
    return _PRIMITIVES.get(name)


def bad_suffix(state: Elaboration, span: Span, suffix: str) -> ir.Expression:
    """Report a literal whose suffix is no dtype."""
    state.sink.emit(
        "E0405",
        f"`{suffix}` is not the suffix of a literal a kernel can use",
        span,
        help=near_match(suffix, _PRIMITIVES) or f"the suffixes are {', '.join(_PRIMITIVES)}",
    )
    return state.poison(span)


def bind_function(
    state: Elaboration,
    dtype: DType,
    name: str,
    arguments: tuple[ir.Expression, ...],
    span: Span,
) -> ir.Expression:
    """`f32::max(a, b)`, or the lossless conversion `i64::from(n)`."""
    if is_poison(*arguments):
        return state.poison(span)
    if name == "from":
        return _from(state, dtype, arguments, span)
    if not arguments:
        return _unknown(state, dtype, name, span)
    receiver = arguments[0]
    if not isinstance(state.type_of(receiver), Scalar) or not state.unify_dtype(
        receiver, dtype, what="the first argument"
    ):
        return state.poison(span)
    return bind_method(state, name, receiver, arguments[1:], span, span)


def bind_method(
    state: Elaboration,
    name: str,
    receiver: ir.Expression,
    arguments: tuple[ir.Expression, ...],
    span: Span,
    name_span: Span,
) -> ir.Expression:
    """`receiver.name(arguments)` of a scalar."""
    type_ = state.type_of(receiver)
    dtype = type_.dtype if isinstance(type_, Scalar) else None
    if isinstance(dtype, DtypeVariable):
        state.sink.emit(
            "E0408",
            f"the dtype that `{name}` is called on cannot be inferred",
            name_span,
            help="give the number a suffix, as in `2.0_f32`",
        )
        return state.poison(span)
    if not isinstance(dtype, DType):
        return _unknown(state, dtype, name, name_span, text=state.text(type_))
    if dtype.is_integer and name in WRAPPING and len(arguments) == 1:
        return binary(state, ir.BinaryOperator(WRAPPING[name]), receiver, arguments[0], span)
    if dtype.is_signed and name == "wrapping_neg" and not arguments:
        return unary(state, ir.UnaryOperator.NEGATE, receiver, span)
    method = scalar_method(name, dtype)
    if method is None:
        return _unknown(state, dtype, name, name_span)
    if len(arguments) != len(method.parameters):
        plural = "" if len(method.parameters) == 1 else "s"
        state.sink.emit(
            "E0302",
            f"`{name}` takes {len(method.parameters)} argument{plural}, not {len(arguments)}",
            span,
        )
        return state.poison(span)
    for argument, operand in zip(arguments, method.parameters, strict=True):
        if not isinstance(state.type_of(argument), Scalar):
            state.sink.emit(
                "E0401",
                f"`{name}` takes scalars, not `{state.text(argument.type)}`",
                argument.span,
            )
            return state.poison(span)
        if not state.unify_dtype(argument, _dtype_of(operand, dtype), what="the argument"):
            return state.poison(span)
    return _call(method, dtype, (receiver, *arguments), span)


def _call(
    method: ScalarMethod, dtype: DType, operands: tuple[ir.Expression, ...], span: Span
) -> ir.Expression:
    result = _dtype_of(method.result, dtype)
    computed = dtype if method.result is Operand.UNSIGNED else result
    call = ir.OpCall(
        span=span,
        type=Scalar(dtype=computed),
        op=method.at_run_time,
        dtypes=(dtype,),
        arguments=operands,
    )
    if computed is result:
        return call
    return ir.Cast(span=span, type=Scalar(dtype=result), operand=call, kind=ir.CastKind.RUST_AS)


def _dtype_of(operand: Operand, receiver: DType) -> DType:
    match operand:
        case Operand.SELF:
            return receiver
        case Operand.UNSIGNED:
            return DType(f"u{receiver.bits}")
        case Operand.BOOL | Operand.I32 | Operand.U32:
            return DType(operand.value)


def _unknown(
    state: Elaboration, dtype: object, name: str, span: Span, *, text: str | None = None
) -> ir.Expression:
    known = method_names(dtype) if isinstance(dtype, DType) else ()
    shown = text or (dtype.value if isinstance(dtype, DType) else "")
    state.sink.emit(
        "E0306", f"`{shown}` has no method `{name}`", span, help=near_match(name, known)
    )
    return state.poison(span)


def _from(
    state: Elaboration, dtype: DType, arguments: tuple[ir.Expression, ...], span: Span
) -> ir.Expression:
    if len(arguments) != 1:
        state.sink.emit(
            "E0302", f"`{dtype.value}::from` takes 1 argument, not {len(arguments)}", span
        )
        return state.poison(span)
    operand = arguments[0]
    type_ = state.type_of(operand)
    source = type_.dtype if isinstance(type_, Scalar) else None
    if isinstance(source, DtypeVariable) and state.solver.unify(source, dtype):
        return operand
    if not isinstance(source, DType) or not _is_lossless(source, dtype):
        state.sink.emit(
            "E0407",
            f"`{dtype.value}::from` does not take `{state.text(type_)}`",
            operand.span,
            help=f"convert with `as {dtype.value}`, which may change the value",
        )
        return state.poison(span)
    if source is dtype:
        return operand
    return ir.Cast(span=span, type=Scalar(dtype=dtype), operand=operand, kind=ir.CastKind.RUST_AS)


def _is_lossless(source: DType, target: DType) -> bool:
    """Whether Rust's `From` goes from one to the other: every value has a place."""
    if source is target:
        return True
    if source is DType.BOOL:
        return target.is_integer
    if source.is_float:
        return target.is_float and source.bits < target.bits
    if target.is_float:
        return source.bits < target.bits and source.bits <= 32
    if target is DType.BOOL or source.bits >= target.bits:
        return False
    return target.is_signed or not source.is_signed
