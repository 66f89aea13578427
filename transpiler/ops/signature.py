"""The notation of op signatures, and its parser.

`<D: Num, O: Num>(x: Tensor<D>, axis: Option<const i32>, keep_dims: bool) -> Tensor<D>`

| written | an argument that is |
| --- | --- |
| `Tensor<D>`, `Pointers<D>`, `Pointer<D>`, `Descriptor<D>` | a tile, a tile of pointers, a pointer, a descriptor |
| `Mask` | a tile of bool |
| `D`, `i32`, `f32` … | a scalar of that dtype |
| `const i32` | a scalar known at compile time |
| `[const i32]`, `[i32]` | `&[…]` of compile-time or run-time scalars |
| `bool` | a compile-time flag |
| `str` | a string literal |
| `fn<D>` | the name of a function that makes one value of two of that dtype |
| `Option<…>` | `None` or `Some(…)` |
| any other name | a member of that enum (`transpiler.ops.enums`) |

A result is one of the first two rows, `()`, or a tuple of results.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NoReturn, TypeAlias

from transpiler.frozen import dataclass
from transpiler.ir.types import Bound, DType
from transpiler.ops.enums import ENUMS


class Form(Enum):
    """What an argument or a result is made of, apart from its dtype."""

    TENSOR = "Tensor"
    POINTERS = "Pointers"
    POINTER = "Pointer"
    DESCRIPTOR = "Descriptor"
    SCALAR = "scalar"
    CONSTANT = "const"
    CONSTANT_LIST = "[const]"
    LIST = "[]"
    FLAG = "bool"
    TEXT = "str"
    FUNCTION = "fn"
    ENUM = "enum"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueKind:
    """One argument or result: its form, its dtype (a DType, or the name of a generic), or the name of its enum."""

    form: Form
    dtype: DType | str | None = None
    enum: str | None = None
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleKind:
    """A result of several values; no elements for the unit type."""

    elements: tuple[ValueKind, ...]


ResultKind: TypeAlias = ValueKind | TupleKind


@dataclass(frozen=True, slots=True, kw_only=True)
class OpParameter:
    """One parameter of an operation."""

    name: str
    kind: ValueKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A whole signature: generics with their bounds, parameters, result."""

    generics: tuple[tuple[str, Bound], ...]
    parameters: tuple[OpParameter, ...]
    result: ResultKind


_TOKEN = re.compile(r"\s*(->|[A-Za-z_]\w*|[<>()\[\],:])")
_CONTAINERS = {
    form.value: form for form in (Form.TENSOR, Form.POINTERS, Form.POINTER, Form.DESCRIPTOR)
}
_DTYPES = {dtype.value: dtype for dtype in DType}


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _TOKEN.findall(text)
        self._index = 0
        self._generics: dict[str, Bound] = {}

    def _fail(self) -> NoReturn:
        raise ValueError(f"malformed op signature at token {self._index}: {self._text}")

    def _peek(self) -> str:
        return self._tokens[self._index] if self._index < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._index += 1
        return token

    def _accept(self, token: str) -> bool:
        if self._peek() == token:
            self._index += 1
            return True
        return False

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            self._fail()

    def signature(self) -> Signature:
        if self._accept("<"):
            while not self._accept(">"):
                name = self._next()
                self._expect(":")
                self._generics[name] = Bound(self._next())
                self._accept(",")
        self._expect("(")
        parameters = []
        while not self._accept(")"):
            name = self._next()
            self._expect(":")
            parameters.append(OpParameter(name=name, kind=self._kind()))
            self._accept(",")
        self._expect("->")
        result = self._result()
        if self._peek():
            self._fail()
        return Signature(
            generics=tuple(self._generics.items()), parameters=tuple(parameters), result=result
        )

    def _result(self) -> ResultKind:
        if not self._accept("("):
            return self._kind()
        elements = []
        while not self._accept(")"):
            elements.append(self._kind())
            self._accept(",")
        return TupleKind(elements=tuple(elements))

    def _dtype(self) -> DType | str:
        name = self._next()
        if name in self._generics:
            return name
        if name not in _DTYPES:
            self._fail()
        return _DTYPES[name]

    def _kind(self) -> ValueKind:
        if self._accept("Option"):
            self._expect("<")
            inner = self._kind()
            self._expect(">")
            return ValueKind(form=inner.form, dtype=inner.dtype, enum=inner.enum, is_optional=True)
        if self._accept("["):
            form = Form.CONSTANT_LIST if self._accept("const") else Form.LIST
            dtype = self._dtype()
            self._expect("]")
            return ValueKind(form=form, dtype=dtype)
        if self._accept("const"):
            return ValueKind(form=Form.CONSTANT, dtype=self._dtype())
        return self._named_kind()

    def _named_kind(self) -> ValueKind:
        name = self._peek()
        if name in _CONTAINERS:
            self._next()
            self._expect("<")
            dtype = self._dtype()
            self._expect(">")
            return ValueKind(form=_CONTAINERS[name], dtype=dtype)
        if name in ENUMS:
            self._next()
            return ValueKind(form=Form.ENUM, enum=name)
        match name:
            case "Mask":
                self._next()
                return ValueKind(form=Form.TENSOR, dtype=DType.BOOL)
            case "bool":
                self._next()
                return ValueKind(form=Form.FLAG, dtype=DType.BOOL)
            case "str":
                self._next()
                return ValueKind(form=Form.TEXT)
            case "fn":
                self._next()
                self._expect("<")
                dtype = self._dtype()
                self._expect(">")
                return ValueKind(form=Form.FUNCTION, dtype=dtype)
            case _:
                return ValueKind(form=Form.SCALAR, dtype=self._dtype())


def parse_signature(text: str) -> Signature:
    """Take a signature apart.

    Raises:
        ValueError: the text is not in the notation; rows are ours, so this is a fault of the table.
    """
    return _Parser(text).signature()
