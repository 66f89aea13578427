"""Dtypes in Triton: concrete ones, and the lines that read a dtype parameter off a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from transpiler.ir.types import DType, DtypeParameter, DtypeVariable, ElementType, Pointer
from transpiler.target.model import (
    Attribute,
    Binary,
    Choice,
    Expression,
    Name,
    Number,
    Operator,
    dotted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.nodes import Kernel, Symbol

_TRITON = {
    DType.BOOL: "int1",
    DType.I8: "int8",
    DType.I16: "int16",
    DType.I32: "int32",
    DType.I64: "int64",
    DType.U8: "uint8",
    DType.U16: "uint16",
    DType.U32: "uint32",
    DType.U64: "uint64",
    DType.F16: "float16",
    DType.BF16: "bfloat16",
    DType.F32: "float32",
    DType.F64: "float64",
}


def triton_dtype(dtype: ElementType, parameters: Mapping[str, str]) -> Expression:
    """`tl.float32`, or the Python name of a dtype parameter."""
    match dtype:
        case DType():
            return Attribute(Name("tl"), _TRITON[dtype])
        case DtypeParameter():
            return Name(parameters[dtype.name])
        case DtypeVariable():
            raise ValueError(f"the dtype {dtype} is not settled")
    assert_never(dtype)


def carriers(kernel: Kernel, dtype: DtypeParameter) -> tuple[Symbol, ...]:
    """The pointer parameters whose elements are of `dtype`."""
    return tuple(
        symbol
        for symbol in kernel.parameters
        if isinstance(symbol.type, Pointer) and symbol.type.dtype == dtype
    )


def computed_in(dtype: DType) -> DType:
    """The dtype in which arithmetic on stored elements of `dtype` runs."""
    return DType.F32 if dtype.is_float and dtype.bits == 16 else dtype


def element_of(pointer: str) -> Expression:
    """The dtype of the elements of `pointer`, as memory holds them."""
    return Attribute(Attribute(Name(pointer), "dtype"), "element_ty")


def dtype_of_arithmetic(dtype: DtypeParameter, pointer: str) -> Expression:
    """The dtype in which arithmetic on the elements of `pointer` runs: half precision is widened."""
    element = element_of(pointer)
    single = dotted("tl.float32")
    if not dtype.admits_half:
        return element
    if dtype.is_float:
        width = Attribute(element, "primitive_bitwidth")
        return Choice(Binary(Operator.GREATER, width, Number("16")), element, single)
    is_half = Binary(
        Operator.OR,
        Binary(Operator.EQUAL, element, dotted("tl.float16")),
        Binary(Operator.EQUAL, element, dotted("tl.bfloat16")),
    )
    return Choice(is_half, single, element)
