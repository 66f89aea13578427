"""The types of host code, as far as they decide what is printed, and how they are unified.

References are their referents, and slices, vectors and arrays are all sequences. A variable stands for a type that is
not known yet; one that is an integer in any case ends as i32, as in Rust.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.source import Span


class HostError(Exception):
    """A construct outside what the host side models; what makes an operator of it a diagnostic."""

    def __init__(self, span: Span, message: str, instead: str) -> None:
        super().__init__(message)
        self.span = span
        self.message = message
        self.instead = instead


class UnknownError(HostError):
    """What the Rust leaves open that has to be known of an operator; the message is a clause."""


class NeedsStatementsError(HostError):
    """A value that takes more than an expression."""


class Variable:
    """A type to be found out; `is_integer` and `is_float` tell what a literal says of it."""

    def __init__(self, *, is_integer: bool = False, is_float: bool = False) -> None:
        self.is_integer = is_integer
        self.is_float = is_float
        self.value: HostType | None = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, `bool`, `str` (a string of either kind), `()` or `!`, by its Rust name."""

    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A type that values only pass through: `RawPtr`, the visitor, an input, `PhantomData`."""

    name: str


@dataclass(frozen=True, slots=True)
class Structure:
    """A struct of the file, or that of a kernel, by where its item stands or the kernel's name."""

    name: str
    is_kernel: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """A slice, a vector or an array; `is_array` where its length is part of its type."""

    element: HostType
    is_array: bool = False


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple."""

    elements: tuple[HostType, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """`Option<T>`: in Python the value itself, or None."""

    element: HostType


@dataclass(frozen=True, slots=True)
class Iterator:
    """Anything that iterator methods are called on, ranges among it."""

    element: HostType


@dataclass(frozen=True, slots=True)
class Callable:
    """A closure."""

    parameters: tuple[HostType, ...]
    result: HostType


HostType: TypeAlias = (
    Variable | Scalar | Opaque | Structure | Sequence | Tuple | Option | Iterator | Callable
)

UNSIGNED = {"u8": 8, "u16": 16, "u32": 32, "u64": 64, "u128": 128, "usize": 64}
SIGNED = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128, "isize": 64}
INTEGERS = UNSIGNED | SIGNED
FLOATS = frozenset({"f32", "f64"})

USIZE = Scalar("usize")
U32 = Scalar("u32")
F32 = Scalar("f32")
I32 = Scalar("i32")
BOOL = Scalar("bool")
TEXT = Scalar("str")
UNIT = Scalar("()")
NEVER = Scalar("!")
POINTER = Opaque("RawPtr")
VISITOR = Opaque("ArgVisitor")
INPUT = Opaque("input")
"""A tensor and its shape, `(RawPtr, &[usize])`: in Python the tensor."""
PHANTOM = Opaque("PhantomData")
SHAPE = Sequence(USIZE)


def resolved(type_: HostType) -> HostType:
    """The type, or what a variable has been found to stand for."""
    while isinstance(type_, Variable) and type_.value is not None:
        type_ = type_.value
    return type_


def inner_of(type_: HostType | None) -> HostType:
    """What an option of the type holds, or a type to be found out."""
    found = resolved(type_) if type_ is not None else None
    return found.element if isinstance(found, Option) else Variable()


def settled(type_: HostType) -> HostType:
    """The type as it is where nothing more is found out: an integer is i32, a float f64."""
    type_ = resolved(type_)
    if isinstance(type_, Variable):
        if type_.is_integer:
            return I32
        return Scalar("f64") if type_.is_float else type_
    return type_


def unify(a: HostType, b: HostType) -> bool:
    """Make two types one; whether they can be."""
    a, b = resolved(a), resolved(b)
    if a is b or NEVER in (a, b):
        return True
    if isinstance(a, Variable):
        return _bind(a, b)
    if isinstance(b, Variable):
        return _bind(b, a)
    match a, b:
        case (Sequence(element=x), Sequence(element=y)) | (Option(element=x), Option(element=y)):
            return unify(x, y)
        case Iterator(element=x), Iterator(element=y):
            return unify(x, y)
        case Tuple(elements=xs), Tuple(elements=ys):
            return len(xs) == len(ys) and all(map(unify, xs, ys))
        case Callable(), Callable():
            return len(a.parameters) == len(b.parameters) and all(
                map(unify, (*a.parameters, a.result), (*b.parameters, b.result))
            )
        case _:
            return a == b


def _bind(variable: Variable, type_: HostType) -> bool:
    if isinstance(type_, Variable):
        type_.is_integer |= variable.is_integer
        type_.is_float |= variable.is_float
    elif (variable.is_integer and not (isinstance(type_, Scalar) and type_.name in INTEGERS)) or (
        variable.is_float and not (isinstance(type_, Scalar) and type_.name in FLOATS)
    ):
        return False
    variable.value = type_
    return True


def is_integer(type_: HostType) -> bool:
    """Whether it is an integer type."""
    found = settled(type_)
    return isinstance(found, Scalar) and found.name in INTEGERS


def bits_of(type_: HostType) -> int:
    """The width of an integer type."""
    found = settled(type_)
    return INTEGERS[found.name] if isinstance(found, Scalar) and found.name in INTEGERS else 64


def is_unsigned(type_: HostType) -> bool:
    """Whether it is an unsigned integer type."""
    found = settled(type_)
    return isinstance(found, Scalar) and found.name in UNSIGNED


def is_float(type_: HostType) -> bool:
    """Whether it is a float type."""
    found = settled(type_)
    return isinstance(found, Scalar) and found.name in FLOATS


def text_of(type_: HostType) -> str:
    """The type as Rust would write it, for messages."""
    match settled(type_):
        case Scalar(name=name) | Opaque(name=name) | Structure(name=name):
            return {"input": "(RawPtr, &[usize])"}.get(name, name)
        case Sequence(element=element):
            return f"[{text_of(element)}]"
        case Option(element=element):
            return f"Option<{text_of(element)}>"
        case Tuple(elements=elements):
            return f"({', '.join(map(text_of, elements))})"
        case Iterator():
            return "an iterator"
        case Callable():
            return "a closure"
        case Variable():
            return "_"
