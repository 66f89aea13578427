"""Dtypes in Triton: concrete ones, and the lines that read a dtype parameter off a pointer."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, assert_never

from transpiler.ir.nodes import Function
from transpiler.ir.types import (
    DType,
    DtypeParameter,
    DtypeVariable,
    ElementType,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
)
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

    from transpiler.ir.nodes import Routine, Symbol

TRITON_DTYPES = {
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
"""The names of dtypes in Triton, which are those of torch but for bool."""


def triton_dtype(dtype: ElementType, parameters: Mapping[str, str]) -> Expression:
    """`tl.float32`, or the Python name of a dtype parameter."""
    match dtype:
        case DType():
            return Attribute(Name("tl"), TRITON_DTYPES[dtype])
        case DtypeParameter():
            return Name(parameters[dtype.name])
        case DtypeVariable():
            raise ValueError(f"the dtype {dtype} is not settled")
    assert_never(dtype)


def carriers(routine: Routine, dtype: DtypeParameter) -> tuple[Symbol, ...]:
    """The pointer parameters whose elements are of `dtype`."""
    return tuple(
        symbol
        for symbol in routine.parameters
        if isinstance(symbol.type, Pointer | PointerTensor) and symbol.type.dtype == dtype
    )


def dtype_source(routine: Routine, dtype: DtypeParameter) -> Symbol | None:
    """The parameter off which the dtype of arithmetic is read: a tile, or a pointer.

    A scalar is none, since Triton may hold it as a Python number; but for those an operation combines.
    """
    takes_values = isinstance(routine, Function) and routine.is_combine
    for symbol in routine.parameters:
        match symbol.type:
            case Tensor(dtype=found) if found == dtype:
                return symbol
            case Scalar(dtype=found) if found == dtype and takes_values:
                return symbol
            case _:
                pass
    return next(iter(carriers(routine, dtype)), None)


def computed_in(dtype: DType) -> DType:
    """The dtype in which arithmetic on stored elements of `dtype` runs."""
    return DType.F32 if dtype.is_float and dtype.bits == 16 else dtype


def memory_source(routine: Routine, dtype: DtypeParameter) -> Symbol | None:
    """The parameter off which the dtype memory holds is read: a pointer, or a tile that is as memory holds it."""
    stored = replace(dtype, is_stored=True)
    tiles = (
        symbol
        for symbol in routine.parameters
        if isinstance(symbol.type, Tensor) and symbol.type.dtype == stored
    )
    return next(chain(carriers(routine, dtype), tiles), None)


def dtype_of_memory(carrier: Symbol, name: str) -> Expression:
    """The dtype of what `carrier`, called `name`, holds or points to."""
    dtype = Attribute(Name(name), "dtype")
    return dtype if isinstance(carrier.type, Tensor) else Attribute(dtype, "element_ty")


def dtype_of_arithmetic(dtype: DtypeParameter, carrier: Symbol, name: str) -> Expression:
    """The dtype in which arithmetic on what `carrier`, called `name`, holds or points to runs: half is widened."""
    if isinstance(carrier.type, Scalar | Tensor):
        return Attribute(Name(name), "dtype")
    element = dtype_of_memory(carrier, name)
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
