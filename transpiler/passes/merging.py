"""The one type of values that take each other's place: the arms of a choice, a variable and what it is assigned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir.types import (
    Descriptor,
    Never,
    Pointer,
    PointerTensor,
    Poison,
    Scalar,
    Tensor,
    TupleType,
    Type,
)
from transpiler.passes.shapes import unify_shapes

if TYPE_CHECKING:
    from transpiler.passes.elaboration import Elaboration


def merge_types(state: Elaboration, left: Type, right: Type) -> Type | None:
    """Unify two types, dtype and shape; None where they differ."""
    match left, right:
        case (Poison(), _):
            return right
        case (_, Poison()):
            return left
        case (Never(), _):
            return right
        case (_, Never()):
            return left
        case (Scalar(), Scalar()):
            return left if state.solver.unify(left.dtype, right.dtype) else None
        case (Pointer(), Pointer()):
            return left if state.solver.unify(left.dtype, right.dtype) else None
        case (Tensor(), Tensor()):
            shape = unify_shapes(left.shape, right.shape)
            if shape is None or not state.solver.unify(left.dtype, right.dtype):
                return None
            return Tensor(dtype=left.dtype, shape=shape)
        case (Descriptor(), Descriptor()):
            shape = unify_shapes(left.shape, right.shape)
            if shape is None or not state.solver.unify(left.dtype, right.dtype):
                return None
            return Descriptor(dtype=left.dtype, shape=shape)
        case (PointerTensor(), PointerTensor()):
            shape = unify_shapes(left.shape, right.shape)
            if shape is None or not state.solver.unify(left.dtype, right.dtype):
                return None
            return PointerTensor(dtype=left.dtype, shape=shape)
        case (TupleType(), TupleType()) if len(left.elements) == len(right.elements):
            merged = [
                merge_types(state, one, other)
                for one, other in zip(left.elements, right.elements, strict=True)
            ]
            if any(element is None for element in merged):
                return None
            return TupleType(elements=tuple(e for e in merged if e is not None))
        case _:
            return left if left == right else None
