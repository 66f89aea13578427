"""Types of unary and binary operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    BOOL,
    Bound,
    DType,
    DtypeParameter,
    DtypeVariable,
    ElementType,
    Enumeration,
    LiteralKind,
    Never,
    PointerTensor,
    Scalar,
    Tensor,
    TupleType,
    Type,
    shape_text,
)
from transpiler.passes.elaboration import is_poison
from transpiler.passes.shapes import broadcast

if TYPE_CHECKING:
    from transpiler.passes.elaboration import Elaboration
    from transpiler.source import Span

_BITWISE = frozenset(
    {ir.BinaryOperator.BIT_AND, ir.BinaryOperator.BIT_OR, ir.BinaryOperator.BIT_XOR}
)
SHIFTS = frozenset({ir.BinaryOperator.SHIFT_LEFT, ir.BinaryOperator.SHIFT_RIGHT})
_METHOD_OF = {
    ir.BinaryOperator.EQUAL: "eq",
    ir.BinaryOperator.NOT_EQUAL: "ne",
    ir.BinaryOperator.LESS: "lt",
    ir.BinaryOperator.GREATER: "gt",
    ir.BinaryOperator.LESS_EQUAL: "le",
    ir.BinaryOperator.GREATER_EQUAL: "ge",
}


def unary(
    state: Elaboration, operator: ir.UnaryOperator, operand: ir.Expression, span: Span
) -> ir.Expression:
    """`-x` on numbers, `!x` on bools and integers, of scalars and tensors."""
    if is_poison(operand):
        return state.poison(span)
    type_ = state.type_of(operand)
    if isinstance(type_, Scalar | Tensor):
        dtype = type_.dtype
        if operator is ir.UnaryOperator.NEGATE:
            allowed = not _is_bool(dtype) and not _is_unsigned(dtype)
        else:
            allowed = _is_bool(dtype) or _may_be_integer(dtype)
        if allowed:
            return ir.Unary(span=span, type=type_, operator=operator, operand=operand)
    state.sink.emit(
        "E0407",
        f"`{operator.value}` is not defined for `{state.text(type_)}`",
        span,
        label=f"the operand is `{state.text(type_)}`",
    )
    return state.poison(span)


def conversion(
    state: Elaboration, operand: ir.Expression, dtype: ElementType, span: Span
) -> ir.Expression:
    """`operand as dtype`, of scalars."""
    type_ = state.type_of(operand)
    message, advice = "", ""
    if not isinstance(type_, Scalar | Enumeration):
        message = f"`as` converts scalars, not `{state.text(type_)}`"
        advice = f"convert a tensor with `{state.hardware}::cast::<_, _>(…, None, false)`"
    elif isinstance(dtype, DtypeParameter):
        message = f"`as` converts to primitive types, not to the generic `{dtype.name}`"
        advice = f"write `{dtype.name}::from_f64(… as f64)`"
    elif dtype is DType.BOOL and not state.solver.unify(type_.dtype, DType.BOOL):
        message = f"`as` converts no `{state.text(type_)}` to `bool`"
        advice = "compare it: `… != 0`"
    if message:
        state.sink.emit("E0407", message, span, help=advice)
        return state.poison(span)
    return ir.Cast(span=span, type=Scalar(dtype=dtype), operand=operand, kind=ir.CastKind.RUST_AS)


def binary(
    state: Elaboration,
    operator: ir.BinaryOperator,
    left: ir.Expression,
    right: ir.Expression,
    span: Span,
) -> ir.Expression:
    """`left operator right`: scalars with scalars, tensors with tensors that broadcast, tensors with scalars."""
    if is_poison(left, right):
        return state.poison(span)
    for operand in (left, right):
        if isinstance(operand.type, Never):
            return state.unsupported(
                f"a jump inside `{operator.value}`",
                operand.span,
                instead="make it a statement of its own, under an `if`",
            )
    parts = _equal_tuples(state, operator, left, right, span)
    if parts is not None:
        return parts
    type_ = _binary_type(state, operator, left, right, span)
    if type_ is None:
        return state.poison(span)
    return ir.Binary(span=span, type=type_, operator=operator, left=left, right=right)


def _equal_tuples(
    state: Elaboration,
    operator: ir.BinaryOperator,
    left: ir.Expression,
    right: ir.Expression,
    span: Span,
) -> ir.Expression | None:
    """`==` and `!=` of two tuples, element by element; None where it is something else."""
    if operator not in {ir.BinaryOperator.EQUAL, ir.BinaryOperator.NOT_EQUAL}:
        return None
    ones, others = _elements(state, left), _elements(state, right)
    if not ones or len(ones) != len(others):
        return None
    is_equal = operator is ir.BinaryOperator.EQUAL
    joint = ir.BinaryOperator.AND if is_equal else ir.BinaryOperator.OR
    first, *rest = (
        binary(state, operator, one, other, span) for one, other in zip(ones, others, strict=True)
    )
    for each in rest:
        first = binary(state, joint, first, each, span)
    return first


def _elements(state: Elaboration, node: ir.Expression) -> tuple[ir.Expression, ...]:
    """The elements of a tuple that can each be read by itself."""
    match node, state.type_of(node):
        case ir.TupleValue(elements=elements), _:
            return elements
        case ((ir.Read() | ir.TupleElement()), TupleType(elements=types)):
            return tuple(
                ir.TupleElement(span=node.span, type=type_, operand=node, index=index)
                for index, type_ in enumerate(types)
            )
        case _:
            return ()


def has_python_form(
    state: Elaboration, operator: ir.BinaryOperator | None, target: Type, value: ir.Expression
) -> bool:
    """Whether `target operator= value` is an assignment of Python's.

    The distance of a shift has a dtype of its own and is taken modulo the width, unless it is a literal.
    """
    if operator not in SHIFTS or not isinstance(target, Scalar):
        return True
    return (
        isinstance(value, ir.Literal)
        and isinstance(value.type, Scalar)
        and state.solver.unify(value.type.dtype, target.dtype)
    )


def _binary_type(
    state: Elaboration,
    operator: ir.BinaryOperator,
    left: ir.Expression,
    right: ir.Expression,
    span: Span,
) -> Type | None:
    left_type, right_type = state.type_of(left), state.type_of(right)
    if isinstance(left_type, Enumeration) and left_type == right_type and operator.is_comparison:
        return BOOL
    if isinstance(left_type, TupleType) and isinstance(right_type, TupleType):
        instead = "compare their elements, or match on them"
        state.unsupported(f"`{operator.value}` of tuples", span, instead=instead)
        return None
    if not isinstance(left_type, Scalar | Tensor) or not isinstance(right_type, Scalar | Tensor):
        advice = None
        if isinstance(left_type, PointerTensor) or "*" in state.text(left_type):
            advice = "move a pointer with `.add_offsets(…)`"
        _undefined(state, operator, left_type, right_type, span, advice=advice)
        return None
    are_scalars = isinstance(left_type, Scalar) and isinstance(right_type, Scalar)
    if operator.is_logical:
        if left_type == BOOL and right_type == BOOL:
            return BOOL
        advice = "combine tiles of bool with `&` and `|`" if not are_scalars else None
        _undefined(state, operator, left_type, right_type, span, advice=advice)
        return None
    if operator in SHIFTS and are_scalars:
        # Rust lets the two sides of a shift have different integer types; a literal without one takes that of the left.
        right_dtype = right_type.dtype
        if isinstance(right_dtype, DtypeVariable) and right_dtype.kind is LiteralKind.INTEGER:
            state.solver.unify(right_dtype, left_type.dtype)
        if _may_be_integer(left_type.dtype) and _may_be_integer(right_type.dtype):
            return left_type
        _undefined(state, operator, left_type, right_type, span)
        return None
    if operator.is_comparison:
        return _comparison_type(state, operator, left, right, span)
    if not _unify_operands(state, operator, left, right, span):
        return None
    dtype = state.solver.resolve(left_type.dtype)
    if not _operator_allows(operator, dtype):
        _undefined(state, operator, left_type, right_type, span)
        return None
    if are_scalars:
        return Scalar(dtype=dtype)
    return tensor_of(state, dtype, left, right, span)


def _comparison_type(
    state: Elaboration,
    operator: ir.BinaryOperator,
    left: ir.Expression,
    right: ir.Expression,
    span: Span,
) -> Type | None:
    left_type, right_type = state.type_of(left), state.type_of(right)
    if not isinstance(left_type, Scalar) or not isinstance(right_type, Scalar):
        method = _METHOD_OF[operator]
        advice = f"compare tiles with `.{method}(…)` or `{state.hardware}::{method}(…)`"
        _undefined(state, operator, left_type, right_type, span, advice=advice)
        return None
    return BOOL if _unify_operands(state, operator, left, right, span) else None


def compare_tiles(
    state: Elaboration,
    operator: ir.BinaryOperator,
    left: ir.Expression,
    right: ir.Expression,
    span: Span,
) -> ir.Expression:
    """`tile.lt(x)` and its kin: a tile of bool."""
    if is_poison(left, right) or not _unify_operands(state, operator, left, right, span):
        return state.poison(span)
    type_ = tensor_of(state, DType.BOOL, left, right, span)
    if type_ is None:
        return state.poison(span)
    return ir.Binary(span=span, type=type_, operator=operator, left=left, right=right)


def tensor_of(
    state: Elaboration, dtype: ElementType, left: ir.Expression, right: ir.Expression, span: Span
) -> Tensor | None:
    """A tensor of `dtype` in the shape both sides broadcast to; None, reported, where they do not."""
    left_type, right_type = state.type_of(left), state.type_of(right)
    left_shape = left_type.shape if isinstance(left_type, Tensor | PointerTensor) else ()
    right_shape = right_type.shape if isinstance(right_type, Tensor | PointerTensor) else ()
    shape = broadcast(left_shape, right_shape)
    if shape is None:
        state.sink.emit(
            "E0402",
            f"shapes `{shape_text(left_shape)}` and `{shape_text(right_shape)}` do not broadcast",
            span,
            related=(),
            notes=(
                f"the left side is `{state.text(left_type)}`",
                f"the right side is `{state.text(right_type)}`",
            ),
            help="dimensions must be equal, or one of them 1; use `broadcast_to` or `expand_dims`",
        )
        return None
    return Tensor(dtype=dtype, shape=shape)


def _unify_operands(
    state: Elaboration,
    operator: ir.BinaryOperator,
    left: ir.Expression,
    right: ir.Expression,
    span: Span,
) -> bool:
    left_type, right_type = state.type_of(left), state.type_of(right)
    if (
        isinstance(left_type, Scalar | Tensor)
        and isinstance(right_type, Scalar | Tensor)
        and state.solver.unify(left_type.dtype, right_type.dtype)
    ):
        return True
    state.sink.emit(
        "E0401",
        f"mismatched types: `{state.text(left_type)}` {operator.value} `{state.text(right_type)}`",
        span,
        label="the two sides have different dtypes",
        help=_mismatch_help(state, left_type, right_type),
    )
    return False


def _mismatch_help(state: Elaboration, left: Type, right: Type) -> str:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Scalar) and isinstance(one.dtype, DtypeVariable):
            wanted = (
                state.text(Scalar(dtype=other.dtype)) if isinstance(other, Scalar | Tensor) else "D"
            )
            if isinstance(other, Scalar | Tensor) and isinstance(other.dtype, DtypeParameter):
                return f"a literal is not of a generic dtype: write `{wanted}::from_f64(…)`"
            if isinstance(other, Scalar | Tensor) and other.dtype is DType.BOOL:
                return "a bool is no number: it is `true` or `false`"
            if isinstance(other, Scalar | Tensor) and one.dtype.kind is LiteralKind.INTEGER:
                return f"write the literal as a float, as in `1.0_{wanted}`"
            if one.dtype.kind is LiteralKind.FLOAT and isinstance(other, Scalar):
                return "write the literal without a point, or convert the other side: `… as f32`"
            if one.dtype.kind is LiteralKind.FLOAT and isinstance(other, Tensor):
                return "write the literal without a point"
            return f"write the literal with the suffix of the other side, as in `1_{wanted}`"
    source, target = _conversion(left, right)
    found, wanted = (state.text(Scalar(dtype=dtype)) for dtype in (source, target))
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return (
            f"convert one side, as in `{state.hardware}::cast::<{found}, {wanted}>(…, None, false)`"
        )
    return f"convert one side, as in `(…) as {wanted}`"


def _conversion(left: Type, right: Type) -> tuple[ElementType, ElementType]:
    """From which dtype to which the two sides are likely to be brought together: an integer becomes the float."""
    dtypes = [type_.dtype for type_ in (left, right) if isinstance(type_, Scalar | Tensor)]
    integer_first = sorted(
        dtypes, key=lambda dtype: not (isinstance(dtype, DType) and dtype.is_integer)
    )
    return integer_first[0], integer_first[-1]


def _undefined(
    state: Elaboration,
    operator: ir.BinaryOperator,
    left: Type,
    right: Type,
    span: Span,
    *,
    advice: str | None = None,
) -> None:
    state.sink.emit(
        "E0407",
        f"`{operator.value}` is not defined for `{state.text(left)}` and `{state.text(right)}`",
        span,
        help=advice,
    )


def _operator_allows(operator: ir.BinaryOperator, dtype: ElementType) -> bool:
    if operator in _BITWISE:
        return _is_bool(dtype) or _may_be_integer(dtype)
    if operator in SHIFTS:
        return _may_be_integer(dtype)
    return not _is_bool(dtype)


def _is_bool(dtype: ElementType) -> bool:
    return dtype is DType.BOOL or (isinstance(dtype, DtypeParameter) and dtype.bound is Bound.BOOL)


def _is_unsigned(dtype: ElementType) -> bool:
    return isinstance(dtype, DType) and dtype.is_integer and not dtype.is_signed


def _may_be_integer(dtype: ElementType) -> bool:
    match dtype:
        case DType():
            return dtype.is_integer
        case DtypeParameter():
            return dtype.is_integer
        case DtypeVariable():
            return dtype.kind is not LiteralKind.FLOAT
