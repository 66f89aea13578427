"""Binds the methods of scalars: `x.max(y)`, `f32::sqrt(x)`, `i64::from(n)`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    BOOL,
    F64,
    DType,
    DtypeParameter,
    DtypeVariable,
    ElementType,
    LiteralKind,
    Scalar,
    TupleType,
    dtype_text,
)
from transpiler.ops.scalar_methods import (
    FROM_BITS,
    OVERFLOWING,
    WRAPPING,
    Operand,
    method_names,
    overflow_test,
    scalar_method,
)
from transpiler.passes.elaboration import is_poison, near_match
from transpiler.passes.integer import truncating_binary, wrap
from transpiler.passes.operators import binary, unary
from transpiler.syntax.text_literals import text_value

if TYPE_CHECKING:
    from transpiler.ops.scalar_methods import ScalarMethod
    from transpiler.passes.elaboration import Elaboration
    from transpiler.passes.functions import Elaborator
    from transpiler.source import Span
    from transpiler.syntax.nodes import Call, Path, TextLiteral

_PRIMITIVES = {
    **{dtype.value: dtype for dtype in DType},
    # Rust's own widths on the GPUs' hosts.
    "usize": DType.U64,
    "isize": DType.I64,
}


def primitive(name: str) -> DType | None:
    """The dtype of that Rust name."""
    return _PRIMITIVES.get(name)


def byte_literal(node: TextLiteral) -> ir.Literal:
    """`b'a'`, an integer."""
    inner = node.text[2:-1]
    value = ord(text_value(f'"{inner}"') or "\0") if inner != '"' else ord('"')
    return ir.Literal(span=node.span, type=Scalar(dtype=DType.U8), value=value)


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
    if name == "default" and not arguments:
        zero: bool | int | float = 0.0 if dtype.is_float else dtype is DType.BOOL and False
        return ir.Literal(span=span, type=Scalar(dtype=dtype), value=zero)
    if name == "try_from":
        return state.unsupported(
            "`try_from`, whose result is an enum,", span, instead=instead_of_enum("try_into")
        )
    if name == "from_bits" and dtype.is_float:
        return _from_bits(state, dtype, arguments, span)
    if not arguments:
        return _unknown(state, dtype, name, span)
    receiver = arguments[0]
    if not isinstance(state.type_of(receiver), Scalar) or not state.unify_dtype(
        receiver, dtype, what="the first argument"
    ):
        return state.poison(span)
    return bind_method(state, name, receiver, arguments[1:], span, span)


def dtype_function(elaborator: Elaborator, node: Call, path: Path) -> ir.Expression:
    """A call of a function of a dtype parameter: `D::from_f64(x)`."""
    state = elaborator.state
    name = path.names[0]
    dtype = state.dtype_parameters[name]
    if path.names[1] != "from_f64":
        arguments = tuple(elaborator.expression(argument) for argument in node.arguments)
        return dtype_method(state, dtype, path, arguments, node.span)
    if len(node.arguments) != 1:
        state.sink.emit(
            "E0302",
            f"`{name}::from_f64` takes 1 argument, not {len(node.arguments)}",
            node.span,
        )
        return state.poison(node.span)
    operand = elaborator.expression(node.arguments[0])
    if is_poison(operand):
        return state.poison(node.span)
    type_ = state.type_of(operand)
    if not isinstance(type_, Scalar) or not state.solver.unify(type_.dtype, F64.dtype):
        state.sink.emit(
            "E0401",
            f"`{name}::from_f64` takes an `f64`, not `{state.text(type_)}`",
            operand.span,
            help="convert it with `as f64`" if isinstance(type_, Scalar) else None,
        )
        return state.poison(node.span)
    return ir.Cast(
        span=node.span, type=Scalar(dtype=dtype), operand=operand, kind=ir.CastKind.FROM_F64
    )


def dtype_method(
    state: Elaboration,
    dtype: ElementType,
    path: Path,
    arguments: tuple[ir.Expression, ...],
    span: Span,
) -> ir.Expression:
    """`D::max(a, b)` of a dtype parameter."""
    owner, name = path.names
    known = method_names(dtype) if isinstance(dtype, DType | DtypeParameter) else ()
    if name not in known or not arguments:
        state.sink.emit(
            "E0201",
            f"`{owner}` has no function `{name}`",
            path.span,
            help=near_match(name, ("from_f64", *known)),
        )
        return state.poison(span)
    if is_poison(*arguments):
        return state.poison(span)
    if not state.unify_dtype(arguments[0], dtype, what="the first argument"):
        return state.poison(span)
    return bind_method(state, name, arguments[0], arguments[1:], span, path.span)


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
    if name == "into" and not arguments:
        return _into(state, receiver, span)
    if dtype is None:
        return _unknown(state, dtype, name, name_span, text=state.text(type_))
    composed = _composed(state, name, dtype, (receiver, *arguments), span)
    if composed is not None:
        return composed
    method = scalar_method(name, dtype)
    if method is not None and isinstance(dtype, DtypeParameter) and not _is_generic(method):
        method = None
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


def _is_generic(method: ScalarMethod) -> bool:
    """Whether a dtype parameter may be the receiver: no other dtype follows from it."""
    followers = {Operand.UNSIGNED, Operand.BITS, Operand.SIGNED}
    return followers.isdisjoint((*method.parameters, method.result))


def compare_function(
    state: Elaboration, name: str, arguments: tuple[ir.Expression, ...], span: Span
) -> ir.Expression:
    """`std::cmp::max(a, b)`, of integers: floats have no total order."""
    if is_poison(*arguments):
        return state.poison(span)
    if len(arguments) != 2:
        state.sink.emit("E0302", f"`{name}` takes 2 arguments, not {len(arguments)}", span)
        return state.poison(span)
    left, right = arguments
    left_type, right_type = state.type_of(left), state.type_of(right)
    if isinstance(left_type, Scalar) and isinstance(right_type, Scalar):
        state.solver.unify(left_type.dtype, right_type.dtype)
        dtype = state.solver.resolve(left_type.dtype)
        if isinstance(dtype, DtypeVariable) and dtype.kind is LiteralKind.INTEGER:
            state.solver.unify(dtype, DType.I32)
            dtype = DType.I32
        if not isinstance(dtype, DtypeVariable) and dtype.is_integer:
            return bind_method(state, name, left, (right,), span, span)
    state.sink.emit(
        "E0407",
        f"`{name}` of `std::cmp` is not defined for `{state.text(left.type)}`",
        span,
        help=f"write `a.{name}(b)` for floats, and `{state.hardware}::{name}imum(a, b)` for tiles",
    )
    return state.poison(span)


def _composed(
    state: Elaboration,
    name: str,
    dtype: DType | DtypeParameter,
    operands: tuple[ir.Expression, ...],
    span: Span,
) -> ir.Expression | None:
    """A method that is made of operators or of other methods; None where it is a row of its own."""
    receiver, *arguments = operands
    if name in WRAPPING and dtype.is_integer and len(arguments) == 1:
        wrapped = _wrapped(state, ir.BinaryOperator(WRAPPING[name]), dtype, receiver, arguments[0])
        if wrapped is not None:
            return replace(wrapped, span=span)
        return binary(state, ir.BinaryOperator(WRAPPING[name]), receiver, arguments[0], span)
    if isinstance(dtype, DType) and dtype.is_signed and name == "wrapping_neg" and not arguments:
        return unary(state, ir.UnaryOperator.NEGATE, receiver, span)
    if (
        name in OVERFLOWING
        and isinstance(dtype, DType)
        and dtype.is_integer
        and len(arguments) == 1
    ):
        if not state.unify_dtype(arguments[0], dtype, what="the argument"):
            return state.poison(span)
        statements, (left, right) = read_twice(state, operands)
        test = ir.OpCall(
            span=span, type=BOOL, op=overflow_test(name), dtypes=(dtype,), arguments=(left, right)
        )
        operator = ir.BinaryOperator(OVERFLOWING[name][0])
        result = binary(state, operator, left, right, span)
        return _tuple_after(statements, (result, test), span)
    if name == "sin_cos" and dtype.is_float and not arguments:
        statements, (angle,) = read_twice(state, operands)
        both = tuple(bind_method(state, each, angle, (), span, span) for each in ("sin", "cos"))
        return _tuple_after(statements, both, span)
    is_power = name in {"pow", "wrapping_pow"} if dtype.is_integer else name == "powi"
    match arguments:
        case [ir.Literal(value=int() as exponent) as literal] if is_power and exponent in {2, 3}:
            state.unify_dtype(
                literal, DType.U32 if dtype.is_integer else DType.I32, what="the power"
            )
            if isinstance(receiver, ir.Read):
                square = binary(state, ir.BinaryOperator.MULTIPLY, receiver, receiver, span)
                if exponent == 2:
                    return square
                return binary(state, ir.BinaryOperator.MULTIPLY, square, receiver, span)
        case _:
            pass
    return None


def _wrapped(
    state: Elaboration,
    operator: ir.BinaryOperator,
    dtype: DType | DtypeParameter,
    left: ir.Expression,
    right: ir.Expression,
) -> ir.Literal | None:
    """The result of an operator that may overflow, of constants; None where they are none."""
    if not (isinstance(left, ir.Literal) and isinstance(right, ir.Literal)):
        return None
    if not isinstance(dtype, DType) or not isinstance(right.type, Scalar):
        return None
    distance = int(right.value)
    if operator in {ir.BinaryOperator.SHIFT_LEFT, ir.BinaryOperator.SHIFT_RIGHT}:
        distance %= dtype.bits
    elif not state.solver.unify(right.type.dtype, dtype):
        return None
    value = truncating_binary(operator, int(left.value), distance)
    return None if value is None else replace(left, value=wrap(value, dtype), digits=None)


def read_twice(
    state: Elaboration, operands: tuple[ir.Expression, ...]
) -> tuple[tuple[ir.Statement, ...], tuple[ir.Expression, ...]]:
    """Operands that may stand in two places, and what gives names to those that are computed."""
    statements: list[ir.Statement] = []
    result: list[ir.Expression] = []
    for operand in operands:
        if isinstance(operand, ir.Read | ir.Literal):
            result.append(operand)
            continue
        symbol = state.symbol("value", ir.SymbolKind.LOCAL, operand.type, operand.span)
        statements.append(ir.Let(span=operand.span, symbol=symbol, value=operand))
        result.append(ir.Read(span=operand.span, type=operand.type, symbol=symbol))
    return tuple(statements), tuple(result)


def _tuple_after(
    statements: tuple[ir.Statement, ...], elements: tuple[ir.Expression, ...], span: Span
) -> ir.Expression:
    type_ = TupleType(elements=tuple(each.type for each in elements))
    value = ir.TupleValue(span=span, type=type_, elements=elements)
    if not statements:
        return value
    return ir.BlockValue(span=span, type=type_, statements=statements, value=value)


def gives_an_enum(name: str) -> bool:
    """Whether a method of scalars gives an `Option`, a `Result` or an `Ordering`."""
    return name.startswith("checked_") or name in {"try_into", "partial_cmp", "total_cmp", "cmp"}


def instead_of_enum(name: str) -> str:
    """What to write instead of a method that gives an enum."""
    if name.startswith("checked_"):
        rest = name.removeprefix("checked_")
        if f"overflowing_{rest}" in OVERFLOWING:
            return f"test the case first, or use `wrapping_{rest}`, `saturating_{rest}` or `overflowing_{rest}`"
        return "test the case first, and use the operator"
    if name == "try_into":
        return "convert with `as`, which may change the value"
    return "compare with `<`, `==` and `>`"


def _from_bits(
    state: Elaboration, dtype: DType, arguments: tuple[ir.Expression, ...], span: Span
) -> ir.Expression:
    if len(arguments) != 1:
        state.sink.emit("E0302", f"`from_bits` takes 1 argument, not {len(arguments)}", span)
        return state.poison(span)
    bits = DType(f"u{dtype.bits}")
    if not state.unify_dtype(arguments[0], bits, what="the argument"):
        return state.poison(span)
    return ir.OpCall(
        span=span,
        type=Scalar(dtype=dtype),
        op=FROM_BITS.at_run_time,
        dtypes=(dtype,),
        arguments=arguments,
    )


def _into(state: Elaboration, receiver: ir.Expression, span: Span) -> ir.Expression:
    """`x.into()`: a lossless conversion to the dtype that its place asks for."""
    target = Scalar(dtype=state.solver.fresh(LiteralKind.ANY))
    state.conversions.append((receiver, target, span))
    return ir.Cast(span=span, type=target, operand=receiver, kind=ir.CastKind.RUST_AS)


def check_conversions(state: Elaboration) -> None:
    """Report every `.into()` that goes where not every value has a place, now that the dtypes are known."""
    for receiver, target, span in state.conversions:
        found = state.type_of(receiver)
        source = state.solver.settle(found.dtype) if isinstance(found, Scalar) else None
        dtype = state.solver.settle(target.dtype)
        if isinstance(source, DType) and isinstance(dtype, DType):
            if not _is_lossless(source, dtype):
                state.sink.emit(
                    "E0407",
                    f"`into` does not convert `{source.value}` to `{dtype.value}`",
                    span,
                    help=f"convert with `as {dtype.value}`, which may change the value",
                )
        elif source is not None and dtype is not None and source != dtype:
            state.sink.emit(
                "E0407",
                f"`into` does not convert `{state.text(found)}` to `{state.text(target)}`",
                span,
                help="a value of a generic dtype is made by `D::from_f64(…)`",
            )


def _call(
    method: ScalarMethod, dtype: ElementType, operands: tuple[ir.Expression, ...], span: Span
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


def _dtype_of(operand: Operand, receiver: ElementType) -> ElementType:
    match operand:
        case Operand.SELF:
            return receiver
        case Operand.UNSIGNED | Operand.BITS | Operand.SIGNED:
            if not isinstance(receiver, DType):
                raise TypeError(f"{receiver} has no width")
            return DType(f"{'i' if operand is Operand.SIGNED else 'u'}{receiver.bits}")
        case Operand.BOOL | Operand.I32 | Operand.U32:
            return DType(operand.value)


def _unknown(
    state: Elaboration, dtype: object, name: str, span: Span, *, text: str | None = None
) -> ir.Expression:
    known = method_names(dtype) if isinstance(dtype, DType | DtypeParameter) else ()
    shown = text or (dtype_text(dtype) if isinstance(dtype, DType | DtypeParameter) else "")
    state.sink.emit(
        "E0306",
        f"`{shown}` has no method `{name}`",
        span,
        help=f"put the range in parentheses: `(a..b).{name}(…)`"
        if name in {"rev", "step_by"}
        else near_match(name, known),
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
