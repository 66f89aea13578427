"""Kernels made from the op table.

Statement by statement: a row is chosen, or an operator, and arguments of the forms its signature asks for, from the
values there are so far. Whether the whole fits together is not known here: a statement the compiler refuses is left
out again, so that every kernel is one it accepts, and the table alone says what may occur.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.properties.growing import Generated, GrowingKernel, dtype_of, extent, shape_of
from transpiler.ir.types import (
    Bound,
    Descriptor,
    DType,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
    Type,
)
from transpiler.ops.enums import ENUMS
from transpiler.ops.model import Effect, ShapeInterval, ShapeMatrixProduct, ShapePermuted
from transpiler.ops.signature import Form, TupleKind, ValueKind
from transpiler.ops.table import OPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from transpiler.ops.model import Op

_EXTENTS = ("16", "M", "N", "2", "1", "S", "M * 2", "N / 2")
_RANKS = st.sampled_from((1, 1, 1, 2, 2, 3))
ROWS = tuple(
    op
    for op in OPS.values()
    if op.family != "debug"
    # Inline assembly takes no dtype that a kernel reads off a pointer.
    and all(parameter.kind.form is not Form.TEXT for parameter in op.parsed.parameters)
    and not (isinstance(op.shape, ShapeMatrixProduct) and op.shape.is_packed)
)
"""The rows that have a value; but where two operands are packed, their formats say which shapes go together."""

PURE_ROWS = tuple(
    op for op in ROWS if op.effect is Effect.PURE and op.family not in {"random", "memory"}
)

_ARITHMETIC = ("+", "-", "*", "/", "%")
_DIVISIONS = ("/", "%")
_BITS = ("&", "|", "^")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


@st.composite
def kernels(draw: st.DrawFn, *, is_defined: bool = False) -> Generated:
    """A kernel of some statements.

    Where `is_defined` is asked for, one that may run: it reads no more than `READABLE` elements of what a pointer
    leads to, writes none, and divides integers by none that may be 0.
    """
    return _Maker(draw, is_defined=is_defined).kernel(10)


READABLE = 64


class _Maker:
    def __init__(self, draw: st.DrawFn, *, is_defined: bool) -> None:
        self._draw = draw
        self._is_defined = is_defined
        self._rows = PURE_ROWS if is_defined else ROWS
        bounds = {"D": draw(st.sampled_from((Bound.FLOAT, Bound.NUM, Bound.DTYPE, Bound.INT)))}
        if draw(st.booleans()):
            bounds["E"] = draw(st.sampled_from((Bound.FLOAT, Bound.NUM, Bound.BOOL)))
        concrete = draw(st.sampled_from([dtype for dtype in DType if dtype not in _HALVES]))
        self._dtypes = [*bounds, "i32", "f32", concrete.value]
        self._bounds = {name: frozenset(bound.dtypes) for name, bound in bounds.items()}
        self._kernel = GrowingKernel(
            bounds=bounds,
            parameters=(
                *(f"{name.lower()}_ptr: T::Pointer<{name}>" for name in bounds),
                "i_ptr: T::Pointer<i32>",
                f"c_ptr: T::Pointer<{concrete.value}>",
                "n: i32",
                "m: i32",
                "a: f32",
                f"c: {concrete.value}",
            ),
        )
        self._count = 0

    def kernel(self, statements: int) -> Generated:
        self._kernel.extend("let v0 = T::arange(0, M);")
        self._count = 1
        made = (
            self._operation,
            self._operation,
            self._operation,
            self._operation,
            self._load,
            self._operator,
            self._operator,
            self._chosen,
            self._loop,
            self._scalar,
        )
        for _ in range(statements):
            # What is refused is worth another attempt or two, not more: the examples are many.
            for _ in range(3):
                if self._kernel.extend(*self._draw(st.sampled_from(made))()):
                    break
        kernel = self._kernel.accepted
        if kernel is None:
            raise AssertionError(self._kernel.rust())
        return kernel

    # --- Choices ----------------------------------------------------------------------------------

    def pick(self, choices: Iterable[str]) -> str | None:
        # The last are the youngest: chains of values show more than values of the first.
        known = list(choices)[::-1]
        return self._draw(st.sampled_from(known)) if known else None

    def named(
        self, kind: type[Type], dtype: str | None = None, shape: str | None = None
    ) -> list[str]:
        return [
            name
            for name, type_ in self._kernel.values.items()
            if isinstance(type_, kind)
            and (dtype is None or dtype_of(type_) == dtype)
            and (shape is None or shape_of(type_) == shape)
        ]

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def shape(self) -> str:
        rank = self._draw(_RANKS)
        extents = [self._draw(st.sampled_from(_EXTENTS)) for _ in range(rank)]
        return f"&[{', '.join(extents)}]"

    def tile(self, dtype: str | None, shape: str | None = None) -> str:
        """A tile there is, or a new one; of the shape, if any is given, nearly always."""
        dtype = dtype or self._draw(st.sampled_from(self._dtypes))
        if shape is not None and self._draw(st.integers(0, 9)) == 9:
            shape = None
        known = self.pick(self.named(Tensor, dtype, shape))
        if known is not None and self._draw(st.integers(0, 3)):
            return known
        extents = self.shape() if shape is None or "?" in shape else f"&{shape}"
        if self._draw(st.booleans()):
            return f"T::zeros::<{dtype}>({extents})"
        return f"T::full::<{dtype}>({extents}, {self.number(dtype)})"

    def shape_of(self, tile: str) -> str | None:
        """The shape of a tile by its name, or of one that is made where it is used."""
        known = shape_of(self._kernel.values.get(tile))
        made = re.search(r"&(\[.*?\])", tile)
        return known if made is None else made[1]

    def number(self, dtype: str) -> str:
        """A scalar."""
        known = self.pick(self.named(Scalar, dtype))
        if known is not None and self._draw(st.booleans()):
            return known
        if dtype in self._kernel.bounds and self._kernel.bounds[dtype] is not Bound.FLOAT:
            return self._draw(st.sampled_from((f"{dtype}::ZERO", f"{dtype}::ONE")))
        if dtype in self._kernel.bounds:
            value = self._draw(st.sampled_from(("0.0", "0.5", "1.0", "a as f64")))
            return f"{dtype}::from_f64({value})"
        return self._literal(dtype)

    def _literal(self, dtype: str) -> str:
        """A constant that is not 0."""
        if dtype in self._kernel.bounds:
            return f"{dtype}::ONE"
        if dtype == "bool":
            return self._draw(st.sampled_from(("true", "false")))
        if dtype[0] == "f":
            return f"{self._draw(st.sampled_from(('0.5', '1.5', '-2.0')))}_{dtype}"
        return f"{self._draw(st.integers(1, 5))}_{dtype}"

    # --- Statements -------------------------------------------------------------------------------

    def _operation(self) -> Sequence[str]:
        op = self._draw(st.sampled_from(self._rows))
        call = _Call(self, op).text()
        match op.parsed.result:
            case TupleKind(elements=()):
                return (f"{call};",)
            case TupleKind(elements=elements):
                return (f"let ({', '.join(self._name() for _ in elements)}) = {call};",)
            case _:
                return (f"let {self._name()} = {call};",)

    def _load(self) -> Sequence[str]:
        pointer = self.pick(self.named(Pointer)) or ""
        offsets = self.tile("i32")
        shape = self.shape_of(offsets)
        mask, other = "None", "None"
        if self._draw(st.booleans()):
            mask = f"Some({self.tile('bool', shape)})"
            if self._is_defined:
                other = f"Some({self.tile(dtype_of(self._kernel.values[pointer]), shape)})"
        if self._is_defined:
            offsets = f"({offsets} & {READABLE - 1})"
        call = f"T::load({pointer}.add_offsets({offsets}), {mask}, {other}, &[], None, None, None, false)"
        return (f"let {self._name()} = {call};",)

    def _operator(self) -> Sequence[str]:
        left = self.tile(None)
        dtype = dtype_of(self._kernel.values.get(left))
        kind = self._draw(st.integers(0, 9))
        if kind == 0:
            return (f"let {self._name()} = -{left};",)
        if kind == 1:
            return (f"let {self._name()} = !{left};",)
        shape = self.shape_of(left)
        right = self.tile(dtype, shape)
        if dtype is not None and self._draw(st.integers(0, 3)) == 0:
            right = self.number(dtype)
        if kind < 4:
            return (
                f"let {self._name()} = {left}.{self._draw(st.sampled_from(_COMPARISONS))}({right});",
            )
        operators = _BITS if dtype == "bool" else (*_ARITHMETIC, *_ARITHMETIC, *_BITS)
        operator = self._draw(st.sampled_from(operators))
        if self._is_defined and dtype is not None and operator in _DIVISIONS:
            right = self._literal(dtype)
        return (f"let {self._name()} = {left} {operator} {right};",)

    def _condition(self) -> str:
        operator = self._draw(st.sampled_from(("<", ">=", "==")))
        left, right = (self._draw(st.sampled_from(("n", "m", "S", "3"))) for _ in range(2))
        return f"{left} {operator} {right}"

    def _chosen(self) -> Sequence[str]:
        """A value chosen by a condition."""
        first = self.tile(None)
        type_ = self._kernel.values.get(first)
        second = self.tile(dtype_of(type_), self.shape_of(first))
        condition = self._condition()
        return (f"let {self._name()} = if {condition} {{ {first} }} else {{ {second} }};",)

    def _loop(self) -> Sequence[str]:
        """A variable that a loop changes."""
        start = self.tile(None)
        type_ = self._kernel.values.get(start)
        name, index = self._name(), self._name()
        change = self.tile(dtype_of(type_), self.shape_of(start))
        operator = "&" if dtype_of(type_) == "bool" else self._draw(st.sampled_from("+-*"))
        bound = self._draw(st.sampled_from(("n", "S", "3")))
        return (
            f"let mut {name} = {start};",
            f"for {index} in 0..{bound} {{",
            f"    {name} = {name} {operator} {change};",
            "}",
        )

    def _scalar(self) -> Sequence[str]:
        """Arithmetic on scalars."""
        left = self.pick(self.named(Scalar)) or "n"
        dtype = dtype_of(self._kernel.values.get(left)) or "i32"
        if self._draw(st.booleans()):
            target = self._draw(
                st.sampled_from([dtype.value for dtype in DType if dtype not in _HALVES])
            )
            return (f"let {self._name()} = {left} as {target};",)
        operator = self._draw(st.sampled_from((*_ARITHMETIC, *_BITS)))
        is_literal = self._is_defined and operator in _DIVISIONS
        right = self._literal(dtype) if is_literal else self.number(dtype)
        return (f"let {self._name()} = {left} {operator} {right};",)


class _Call:
    """A call of a row."""

    def __init__(self, maker: _Maker, op: Op) -> None:
        self._maker = maker
        self._draw = maker._draw
        self._op = op
        self._generics: dict[str, str] = {}
        self._shape: str | None = None
        self._start = "0"

    def text(self) -> str:
        arguments = [
            self._argument(parameter.name, parameter.kind)
            for parameter in self._op.parsed.parameters
        ]
        names = [name for name, _ in self._op.parsed.generics]
        turbofish = ""
        if names and not (set(names) <= set(self._generics) and self._draw(st.booleans())):
            turbofish = f"::<{', '.join(map(self._dtype, names))}>"
        return f"T::{self._op.name}{turbofish}({', '.join(arguments)})"

    def _dtype(self, generic: DType | str | None) -> str:
        """What stands for a dtype of the signature."""
        if isinstance(generic, DType):
            return generic.value
        if generic is None:
            return "i32"
        if generic not in self._generics:
            bound = dict(self._op.parsed.generics)[generic]
            limits = self._op.dtypes.get(generic, frozenset(DType)) & frozenset(bound.dtypes)
            fitting = [
                dtype
                for dtype in self._maker._dtypes
                if self._maker._bounds.get(dtype, frozenset({_DTYPES.get(dtype)})) <= limits
            ]
            self._generics[generic] = self._draw(
                st.sampled_from(fitting or [limit.value for limit in sorted(limits, key=str)])
            )
        return self._generics[generic]

    def _argument(self, name: str, kind: ValueKind) -> str:
        if kind.is_optional:
            if self._draw(st.booleans()):
                return "None"
            inner = ValueKind(form=kind.form, dtype=kind.dtype, enum=kind.enum)
            return f"Some({self._argument(name, inner)})"
        match kind.form:
            case Form.TENSOR | Form.POINTERS | Form.POINTER | Form.DESCRIPTOR | Form.SCALAR:
                return self._value(kind)
            case Form.CONSTANT:
                return self._constant(name, kind)
            case Form.CONSTANT_LIST | Form.LIST:
                return self._list(name, kind)
            case Form.FLAG if name == "bitcast":
                # The dtypes an instance has decide whether their widths are one.
                return "false"
            case Form.FLAG:
                return self._draw(st.sampled_from(("false", "true")))
            case Form.ENUM:
                return f"{kind.enum}::{self._draw(st.sampled_from(sorted(ENUMS[kind.enum or ''])))}"
            case Form.TEXT:
                return '"mov.u32 $0, 7;"' if name == "asm" else '"=r"'
            case Form.FUNCTION:
                return "f"

    def _value(self, kind: ValueKind) -> str:
        maker, dtype = self._maker, self._dtype(kind.dtype)
        match kind.form:
            case Form.TENSOR:
                return self._seen(maker.tile(dtype, self._shape))
            case Form.POINTERS:
                known = maker.pick(maker.named(PointerTensor, dtype))
                if known is not None and self._draw(st.booleans()):
                    return self._seen(known)
                offsets = self._seen(maker.tile("i32", self._shape))
                return (
                    f"{maker.pick(maker.named(Pointer, dtype)) or 'i_ptr'}.add_offsets({offsets})"
                )
            case Form.POINTER:
                return maker.pick(maker.named(Pointer, dtype)) or "i_ptr"
            case Form.DESCRIPTOR:
                return self._seen(maker.pick(maker.named(Descriptor, dtype)) or "n")
            case _:
                return maker.number(dtype)

    def _constant(self, name: str, kind: ValueKind) -> str:
        if kind.dtype is DType.BOOL:
            return self._draw(st.sampled_from(("true", "S > 1")))
        if isinstance(self._op.shape, ShapeInterval):
            return self._bound(is_end=name == self._op.shape.end)
        if name == "pack":
            return "1"
        return self._draw(st.sampled_from(("0", "0", "1", "2", "-1", "4", "16", "M", "S")))

    def _seen(self, argument: str) -> str:
        """An argument, after which others have its shape."""
        if self._shape is None:
            self._shape = self._maker.shape_of(argument)
        return argument

    def _bound(self, *, is_end: bool) -> str:
        """A bound of an interval whose length is a power of two."""
        if not is_end:
            self._start = self._draw(st.sampled_from(("0", "0", "0", "16", "M", "1")))
            return self._start
        ends = {
            "0": ("2", "M", "N", "16", "M * 2", "S"),
            "1": ("2", "3", "M + 1"),
            "M": ("N", "M + 1"),
        }
        return self._draw(st.sampled_from(ends.get(self._start, ("32", "N", "M + 16"))))

    def _as_many(self) -> str:
        """A shape of as many elements as the argument before has, or one it broadcasts to."""
        known = (self._shape or "[]")[1:-1].split(", ")
        if isinstance(self._op.fits, tuple) and self._op.fits:
            return f"&[{', '.join((self._draw(st.sampled_from(_EXTENTS)) if e == '1' else e) for e in known)}]"
        count = math.prod(extent(text) for text in known if text)
        found: list[str] = []
        while count > 1 and len(found) < 3:
            part = self._draw(
                st.sampled_from([e for e in ("M", "N", "S", "2", "1") if count % extent(e) == 0])
            )
            found.append(part)
            count //= extent(part)
        return f"&[{', '.join([*found, str(count)])}]"

    def _list(self, name: str, kind: ValueKind) -> str:
        if name == "boundary_check":
            return "&[]"
        if kind.form is Form.LIST:
            return f"&[{', '.join(self._draw(st.sampled_from(('n', 'm', '1'))) for _ in range(self._rank()))}]"
        if isinstance(self._op.shape, ShapePermuted):
            return f"&[{', '.join(map(str, self._draw(st.permutations(range(self._rank())))))}]"
        if self._op.as_long:
            extents = [self._draw(st.sampled_from(("16", "M", "N"))) for _ in range(self._rank())]
            return f"&[{', '.join(extents)}]"
        if name == "shape":
            return self._maker.shape() if self._shape is None else self._as_many()
        return f"&[{', '.join('1' for _ in range(self._rank()))}]"

    def _rank(self) -> int:
        """That of what came before; of nothing, the same at each call."""
        if self._shape is None:
            self._shape = f"[{', '.join('?' for _ in range(self._draw(st.integers(1, 2))))}]"
        return self._shape.count(",") + 1


_HALVES = frozenset({DType.F16, DType.BF16})
_DTYPES = {dtype.value: dtype for dtype in DType}
