"""Types of the kernel language: dtypes, symbolic dimensions, and the types built from them."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping


class DType(Enum):
    """A concrete element type, by its Rust name (`f16` and `bf16` are ours: Rust has no such primitive)."""

    BOOL = "bool"
    I8 = "i8"
    I16 = "i16"
    I32 = "i32"
    I64 = "i64"
    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    F16 = "f16"
    BF16 = "bf16"
    F32 = "f32"
    F64 = "f64"

    # There is one object a member; the standard method, in Python, is called some hundred times a kernel.
    __hash__ = object.__hash__

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type."""
        return self in _FLOATS

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer type; bool is none."""
        return not self.is_float and self is not DType.BOOL

    @property
    def is_signed(self) -> bool:
        """Whether it is an integer type with a sign."""
        return self in _SIGNED

    @property
    def bits(self) -> int:
        """Its width; bool counts as one bit."""
        return _BITS[self]


_FLOATS = frozenset({DType.F16, DType.BF16, DType.F32, DType.F64})
_SIGNED = frozenset({DType.I8, DType.I16, DType.I32, DType.I64})
_BITS = {
    DType.BOOL: 1,
    DType.I8: 8,
    DType.U8: 8,
    DType.I16: 16,
    DType.U16: 16,
    DType.F16: 16,
    DType.BF16: 16,
    DType.I32: 32,
    DType.U32: 32,
    DType.F32: 32,
    DType.I64: 64,
    DType.U64: 64,
    DType.F64: 64,
}


class Bound(Enum):
    """A trait that bounds a dtype parameter, by its Rust name."""

    FLOAT = "Float"
    INT = "Int"
    NUM = "Num"
    BOOL = "Bool"
    DTYPE = "Dtype"

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """The dtypes it admits, those of Rust first, then half precision, which we add."""
        return _ADMITTED[self]


_RUST_FLOATS_FIRST = (DType.F32, DType.F64, DType.F16, DType.BF16)
_INTEGERS = tuple(dtype for dtype in DType if dtype.is_integer)
_ADMITTED = {
    Bound.FLOAT: _RUST_FLOATS_FIRST,
    Bound.INT: _INTEGERS,
    Bound.NUM: (*_RUST_FLOATS_FIRST, *_INTEGERS),
    Bound.BOOL: (DType.BOOL,),
    Bound.DTYPE: (*_RUST_FLOATS_FIRST, *_INTEGERS, DType.BOOL),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DtypeParameter:
    """A dtype parameter of a kernel, `D: Float`. Two of one kernel have different names.

    `is_stored` marks the dtype memory holds where that may be half precision, which arithmetic does not run in.
    """

    name: str
    bound: Bound
    is_stored: bool = False

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def admits_half(self) -> bool:
        """Whether an instance may store half precision, so that arithmetic has a wider type than memory."""
        return any(dtype.is_float and dtype.bits == 16 for dtype in self.bound.dtypes)

    @property
    def is_float(self) -> bool:
        """Whether every instance is a floating-point type."""
        return self.bound is Bound.FLOAT

    @property
    def is_integer(self) -> bool:
        """Whether every instance is an integer type."""
        return self.bound is Bound.INT


class LiteralKind(Enum):
    """What a dtype that inference has not settled may become."""

    INTEGER = "integer"
    FLOAT = "float"
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class DtypeVariable:
    """A dtype still to be inferred: of an unsuffixed literal, or of a generic argument that was left out.

    None is left after the pass `settle`.
    """

    id: int
    kind: LiteralKind


ElementType: TypeAlias = DType | DtypeParameter | DtypeVariable


# --- Dimensions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedDimension:
    """A dimension given by a const generic."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedDimension:
    """A dimension computed at compile time from others, in the one form that `ir/dimensions.py` gives it."""

    terms: tuple[DimensionTerm, ...]

    @property
    def text(self) -> str:
        """It as it could be written in Rust."""
        text = ""
        for powers, numerator, denominator in sorted(self.terms, key=lambda it: it[1] < 0):
            above = [name for name, power in powers for _ in range(power)]
            below = [name for name, power in powers for _ in range(-power)]
            if abs(numerator) != 1 or not above:
                above.append(str(abs(numerator)))
            if denominator != 1:
                below.append(str(denominator))
            sign = "-" if numerator < 0 else "+"
            text += f" {sign} {' / '.join([' * '.join(above), *below])}"
        text = (
            text.removeprefix(" + ") if text.startswith(" + ") else f"-{text.removeprefix(' - ')}"
        )
        is_whole = len(self.terms) == 1 and text.startswith("(") and text.endswith(")")
        return text if is_whole and self.terms[0][0][0][0] == text else f"({text})"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownDimension:
    """An extent the compiler cannot name; it is compatible with every other."""


DimensionTerm: TypeAlias = tuple[tuple[tuple[str, int], ...], int, int]
"""Names with their powers, times a numerator over a denominator."""
Dimension: TypeAlias = int | NamedDimension | ComputedDimension | UnknownDimension
Shape: TypeAlias = tuple[Dimension, ...]


# --- Types ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value of `dtype` of Rust's own: a parameter, a literal, a program id."""

    dtype: ElementType


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """A tile of values; a full reduction gives one of no dimensions."""

    dtype: ElementType
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A pointer to elements of `dtype`."""

    dtype: ElementType


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerTensor:
    """A tile of pointers to elements of `dtype`."""

    dtype: ElementType
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """A tensor descriptor or block pointer over tiles of `shape`."""

    dtype: ElementType
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleType:
    """Several values at once."""

    elements: tuple[Type, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enumeration:
    """An enum of the file whose variants hold no data; after the pass `settle` its values are integers of `dtype`."""

    name: str
    variants: tuple[tuple[str, int], ...]
    dtype: DType


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeVariable:
    """The type of a variable whose first value comes later; none is left after the pass `settle`."""

    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The type of what has no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Poison:
    """The type of an expression in which an error was reported; every check accepts it, so one fault is told once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """The type of what gives no value because control leaves it: `break`, `continue`, `return`."""


Type: TypeAlias = (
    Scalar
    | Tensor
    | Pointer
    | PointerTensor
    | Descriptor
    | TupleType
    | Enumeration
    | TypeVariable
    | Unit
    | Never
    | Poison
)

BOOL = Scalar(dtype=DType.BOOL)
I32 = Scalar(dtype=DType.I32)
F32 = Scalar(dtype=DType.F32)
F64 = Scalar(dtype=DType.F64)
UNIT = Unit()
NEVER = Never()
POISON = Poison()
UNKNOWN_DIMENSION = UnknownDimension()


def with_dtypes(type_: Type, dtypes: Mapping[DtypeParameter, ElementType]) -> Type:
    """The type with dtypes in the place of its dtype parameters."""
    match type_:
        case Scalar() | Tensor() | Pointer() | PointerTensor() | Descriptor():
            if not isinstance(type_.dtype, DtypeParameter):
                return type_
            return replace(type_, dtype=dtypes.get(type_.dtype, type_.dtype))
        case TupleType(elements=elements):
            return TupleType(elements=tuple(with_dtypes(element, dtypes) for element in elements))
        case _:
            return type_


def with_longs(type_: Type) -> Type:
    """The type with i64 in the place of i32; the very type where it has none."""
    match type_:
        case Scalar(dtype=DType.I32) | Tensor(dtype=DType.I32):
            return replace(type_, dtype=DType.I64)
        case TupleType(elements=elements):
            new = tuple(map(with_longs, elements))
            return type_ if new == elements else TupleType(elements=new)
        case _:
            return type_


# --- Display --------------------------------------------------------------------------------------


def dtype_text(dtype: ElementType) -> str:
    """A dtype as a Rust author knows it: `f32`, `D`, `{integer}`."""
    match dtype:
        case DType():
            return dtype.value
        case DtypeParameter():
            return f"stored {dtype.name}" if dtype.is_stored else dtype.name
        case DtypeVariable():
            return "{" + dtype.kind.value + "}"


def dimension_text(dimension: Dimension) -> str:
    """A dimension as it would be written in Rust; `?` where unknown."""
    match dimension:
        case int():
            return str(dimension)
        case NamedDimension():
            return dimension.name
        case ComputedDimension():
            return dimension.text
        case UnknownDimension():
            return "?"


def shape_text(shape: Shape) -> str:
    """`[BLOCK_N, 1]`."""
    return "[" + ", ".join(dimension_text(dimension) for dimension in shape) + "]"


def type_text(type_: Type) -> str:
    """A type as diagnostics and IR dumps show it: `D[BLOCK_N]`, `*f32`, `*D[1]`, `i32`, `()`."""
    match type_:
        case Scalar():
            return dtype_text(type_.dtype)
        case Tensor():
            return dtype_text(type_.dtype) + shape_text(type_.shape)
        case Pointer():
            return "*" + dtype_text(type_.dtype)
        case PointerTensor():
            return "*" + dtype_text(type_.dtype) + shape_text(type_.shape)
        case Descriptor():
            return "descriptor<" + dtype_text(type_.dtype) + shape_text(type_.shape) + ">"
        case TupleType():
            return "(" + ", ".join(type_text(element) for element in type_.elements) + ")"
        case Enumeration():
            return type_.name
        case TypeVariable():
            return "_"
        case Unit():
            return "()"
        case Never():
            return "!"
        case Poison():
            return "{unknown}"
