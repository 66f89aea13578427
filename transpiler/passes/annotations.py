"""Rust types as written, resolved to types of the IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.types import (
    POISON,
    UNKNOWN_DIMENSION,
    Descriptor,
    DType,
    ElementType,
    LiteralKind,
    Pointer,
    PointerTensor,
    Poison,
    Scalar,
    Tensor,
    TupleType,
    Type,
)
from transpiler.passes.elaboration import near_match
from transpiler.passes.enums import enumeration_type
from transpiler.syntax import nodes as syntax
from transpiler.syntax.printer import print_type

if TYPE_CHECKING:
    from transpiler.passes.elaboration import Elaboration

_PRIMITIVES = {
    **{dtype.value: dtype for dtype in DType},
    # Rust's own widths on the GPUs' hosts.
    "usize": DType.U64,
    "isize": DType.I64,
}

# A written tensor type says nothing of the shape; the value it annotates does.
_ANY_SHAPE = (UNKNOWN_DIMENSION,)


def resolve_dtype(
    state: Elaboration, written: syntax.Type | syntax.GenericArgument
) -> ElementType | None:
    """The dtype a type names (`f32`, `D`, `_`), or None, reported, where it names none."""
    if isinstance(written, syntax.InferredType):
        return state.solver.fresh(LiteralKind.ANY)
    if isinstance(written, syntax.PathType):
        name = written.path.names[-1]
        found = state.items.resolve(written.path.names)
        if found is not None and isinstance(found[0], syntax.AliasedType):
            aliased = _resolve_alias(state, found[0])
            if isinstance(aliased, Scalar | Poison):
                return aliased.dtype if isinstance(aliased, Scalar) else None
        if len(written.path.segments) == 1 and name in state.dtype_parameters:
            return state.dtype_parameters[name]
        if name in _PRIMITIVES and written.path.names[0] != state.hardware:
            return _PRIMITIVES[name]
    text = "this" if isinstance(written, _NOT_A_TYPE) else f"`{print_type(written)}`"
    known = [*(dtype.value for dtype in DType), *state.dtype_parameters]
    state.sink.emit(
        "E0405",
        f"{text} is not a dtype",
        written.span,
        help=near_match(text.strip("`"), known) or f"the dtypes here are {', '.join(known)}",
    )
    return None


_NOT_A_TYPE = (syntax.AssociatedTypeArgument, syntax.LifetimeArgument, syntax.ConstArgument)


def resolve_type(state: Elaboration, written: syntax.Type) -> Type:
    """The type a declaration or annotation names; `Poison`, reported, where it names none of ours.

    A tensor's shape is never written in Rust: the result has one unknown dimension, which stands for any shape.
    """
    match written:
        case syntax.TupleType(elements=elements):
            return TupleType(elements=tuple(resolve_type(state, element) for element in elements))
        case syntax.PathType(path=path):
            return _resolve_path(state, written, path)
        case syntax.InferredType():
            return POISON  # whatever the value is
        case _:
            state.sink.emit(
                "E0405",
                f"`{print_type(written)}` is not a type a kernel can use",
                written.span,
                help="kernels know scalars, `T::Pointer<D>`, `T::Tensor<D>` and tuples of them",
            )
            return POISON


def _resolve_path(state: Elaboration, written: syntax.Type, path: syntax.Path) -> Type:
    if path.names[0] != state.hardware or len(path.segments) != 2:
        found = state.items.resolve(path.names)
        match None if found is None else found[0]:
            case syntax.Enumeration() as item:
                return enumeration_type(state, item) or POISON
            case syntax.AliasedType() as alias:
                return _resolve_alias(state, alias)
            case _:
                pass
        dtype = resolve_dtype(state, written)
        return POISON if dtype is None else Scalar(dtype=dtype)
    segment = path.segments[1]
    generics = segment.generics or ()
    match segment.name, len(generics):
        case "I32Tensor", 0:
            return Tensor(dtype=DType.I32, shape=_ANY_SHAPE)
        case "BoolTensor", 0:
            return Tensor(dtype=DType.BOOL, shape=_ANY_SHAPE)
        case "Pointer", 1:
            dtype = resolve_dtype(state, generics[0])
            return POISON if dtype is None else Pointer(dtype=dtype)
        case "Tensor", 1:
            return _resolve_tensor(state, generics[0])
        case name, _:
            state.sink.emit(
                "E0405",
                f"`{print_type(written)}` is not a type of `Triton`",
                segment.span,
                help=near_match(name, ("I32Tensor", "BoolTensor", "Pointer", "Tensor"))
                or "the types are `Pointer<D>`, `Tensor<D>`, `I32Tensor` and `BoolTensor`",
            )
            return POISON


def _resolve_alias(state: Elaboration, alias: syntax.AliasedType) -> Type:
    """What `type Name = …;` stands for."""
    if alias.span.start in state.callers:
        state.sink.emit("E0601", f"the type `{alias.name}` is defined by itself", alias.span)
        return POISON
    state.callers = (*state.callers, alias.span.start)
    try:
        return resolve_type(state, alias.type)
    finally:
        state.callers = state.callers[:-1]


def _resolve_tensor(state: Elaboration, argument: syntax.GenericArgument) -> Type:
    if isinstance(argument, syntax.PathType) and argument.path.names[0] == state.hardware:
        inner = resolve_type(state, argument)
        if isinstance(inner, Pointer):
            return PointerTensor(dtype=inner.dtype, shape=_ANY_SHAPE)
        if isinstance(inner, Poison):
            return POISON
    dtype = resolve_dtype(state, argument)
    return POISON if dtype is None else Tensor(dtype=dtype, shape=_ANY_SHAPE)


def check_annotation(state: Elaboration, annotation: Type, found: Type) -> bool:
    """Whether a value of type `found` may be bound under `annotation`; unifies their dtypes."""
    match annotation, found:
        case (Poison(), _) | (_, Poison()):
            return True
        case Scalar(), Scalar():
            return state.solver.unify(annotation.dtype, found.dtype)
        case Tensor(), Tensor():
            return state.solver.unify(annotation.dtype, found.dtype)
        case Pointer(), Pointer() | Descriptor():
            # Rust knows block pointers and descriptors by the type of plain pointers.
            return state.solver.unify(annotation.dtype, found.dtype)
        case PointerTensor(), PointerTensor():
            return state.solver.unify(annotation.dtype, found.dtype)
        case TupleType(), TupleType():
            return len(annotation.elements) == len(found.elements) and all(
                check_annotation(state, one, other)
                for one, other in zip(annotation.elements, found.elements, strict=True)
            )
        case _:
            return annotation == found
