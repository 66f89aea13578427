"""Inference of dtypes: variables for unsuffixed literals and left-out generics, settled by unification.

As in rustc, an integer literal nobody constrains is i32 and a float literal f64.
"""

from __future__ import annotations

from dataclasses import replace

from transpiler.ir.types import (
    Descriptor,
    DType,
    DtypeParameter,
    DtypeVariable,
    ElementType,
    LiteralKind,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    TupleType,
    Type,
    TypeVariable,
)


class DtypeSolver:
    """What is known about the dtype variables of one kernel."""

    def __init__(self) -> None:
        self._count = 0
        self._bindings: dict[int, ElementType] = {}
        self._types: dict[int, Type] = {}

    def fresh(self, kind: LiteralKind) -> DtypeVariable:
        """A variable nothing is known of but its kind."""
        self._count += 1
        return DtypeVariable(id=self._count, kind=kind)

    def fresh_type(self) -> TypeVariable:
        """A type nothing is known of."""
        self._count += 1
        return TypeVariable(id=self._count)

    def bind_type(self, variable: TypeVariable, type_: Type) -> None:
        """Make a type that nothing is known of this one."""
        self._types[variable.id] = type_

    def resolve(self, dtype: ElementType) -> ElementType:
        """What `dtype` stands for so far."""
        while isinstance(dtype, DtypeVariable) and dtype.id in self._bindings:
            dtype = self._bindings[dtype.id]
        return dtype

    def unify(self, left: ElementType, right: ElementType) -> bool:
        """Make both one dtype; False where they cannot be."""
        left = self.resolve(left)
        right = self.resolve(right)
        if left == right:
            return True
        if isinstance(left, DtypeVariable):
            return self._bind(left, right)
        if isinstance(right, DtypeVariable):
            return self._bind(right, left)
        return False

    def _bind(self, variable: DtypeVariable, dtype: ElementType) -> bool:
        match dtype:
            case DtypeVariable():
                if variable.kind is LiteralKind.ANY or variable.kind is dtype.kind:
                    self._bindings[variable.id] = dtype
                    return True
                if dtype.kind is LiteralKind.ANY:
                    self._bindings[dtype.id] = variable
                    return True
                return False
            case DType():
                fits = (
                    variable.kind is LiteralKind.ANY
                    or (variable.kind is LiteralKind.INTEGER and dtype.is_integer)
                    or (variable.kind is LiteralKind.FLOAT and dtype.is_float)
                )
            case DtypeParameter():
                # A literal is no value of a generic type in Rust: that takes `D::from_f64`.
                fits = variable.kind is LiteralKind.ANY
        if fits:
            self._bindings[variable.id] = dtype
        return fits

    def settle(self, dtype: ElementType) -> DType | DtypeParameter | None:
        """The final dtype, with the defaults of literals; None where nothing tells it."""
        dtype = self.resolve(dtype)
        if not isinstance(dtype, DtypeVariable):
            return dtype
        match dtype.kind:
            case LiteralKind.INTEGER:
                return DType.I32
            case LiteralKind.FLOAT:
                return DType.F64
            case LiteralKind.ANY:
                return None

    def resolve_type(self, type_: Type) -> Type:
        """`type_` with what is known so far put in."""
        match type_:
            case Scalar() | Tensor() | Pointer() | PointerTensor() | Descriptor():
                if not isinstance(type_.dtype, DtypeVariable):
                    return type_
                return replace(type_, dtype=self.resolve(type_.dtype))
            case TypeVariable():
                found = self._types.get(type_.id)
                return type_ if found is None else self.resolve_type(found)
            case TupleType():
                return TupleType(elements=tuple(self.resolve_type(e) for e in type_.elements))
            case _:
                return type_
