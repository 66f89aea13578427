"""Makes nodes of the IR, all at one place of the Rust."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from transpiler.analysis.values import operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    I32,
    UNIT,
    DType,
    DtypeParameter,
    Pointer,
    PointerTensor,
    Scalar,
    Tensor,
)
from transpiler.ops.scalar_methods import scalar_method
from transpiler.ops.signature import Form
from transpiler.ops.table import OPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from transpiler.ir.types import Dimension, ElementType, Shape, Type
    from transpiler.ops.model import Op
    from transpiler.source import Span


def shape_of(type_: Type) -> Shape:
    """The dimensions of a type; none of what is no tile."""
    return type_.shape if isinstance(type_, Tensor | PointerTensor) else ()


def is_number(node: ir.Expression) -> bool:
    """Whether it has no dimensions."""
    return not shape_of(node.type)


def broadcast(*types: Type) -> Shape:
    """What tiles of one rank, and numbers, broadcast to."""
    shapes = [shape for shape in map(shape_of, types) if shape]
    if not shapes:
        return ()
    return tuple(
        next((extent for extent in extents if extent != 1), 1)
        for extents in zip(*shapes, strict=True)
    )


class Build:
    """Makes nodes at `span`."""

    def __init__(self, span: Span) -> None:
        self.span = span

    def number(self, value: int) -> ir.Literal:
        """An i32."""
        return ir.Literal(span=self.span, type=I32, value=value)

    def literal(self, value: float, dtype: ElementType) -> ir.Literal:
        """A number of a dtype; an infinity is the extreme of an integer's."""
        is_float = dtype.is_float if isinstance(dtype, DType | DtypeParameter) else True
        if isinstance(dtype, DType) and not is_float and math.isinf(value):
            least = -(1 << (dtype.bits - 1)) if dtype.is_signed else 0
            extreme = least if value < 0 else least + (1 << dtype.bits) - 1
            return ir.Literal(span=self.span, type=Scalar(dtype=dtype), value=extreme)
        return ir.Literal(
            span=self.span,
            type=Scalar(dtype=dtype),
            value=float(value) if is_float else int(value),
        )

    def read(self, symbol: ir.Symbol) -> ir.Read:
        """The value of a symbol."""
        return ir.Read(span=self.span, type=symbol.type, symbol=symbol)

    def integer(
        self, operator: ir.BinaryOperator, left: ir.Expression, right: ir.Expression
    ) -> ir.Expression:
        """Arithmetic on integers; what a 0 or a 1 leaves as it is stays as it is."""
        match (operator, left, right):
            case (ir.BinaryOperator.ADD, ir.Literal(value=0), other) | (
                (ir.BinaryOperator.ADD | ir.BinaryOperator.SUBTRACT),
                other,
                ir.Literal(value=0),
            ):
                return other
            case (ir.BinaryOperator.MULTIPLY, ir.Literal(value=0) as nothing, _):
                return nothing
            case (ir.BinaryOperator.MULTIPLY, ir.Literal(value=1), other) | (
                (ir.BinaryOperator.MULTIPLY | ir.BinaryOperator.DIVIDE),
                other,
                ir.Literal(value=1),
            ):
                return other
            case _:
                return self._binary(operator, left, right, DType.I32)

    def add(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """`left + right`."""
        return self.integer(ir.BinaryOperator.ADD, left, right)

    def subtract(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """`left - right`."""
        return self.integer(ir.BinaryOperator.SUBTRACT, left, right)

    def multiply(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """`left * right`."""
        return self.integer(ir.BinaryOperator.MULTIPLY, left, right)

    def divide(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """`left / right`."""
        return self.integer(ir.BinaryOperator.DIVIDE, left, right)

    def remainder(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """`left % right`."""
        return self.integer(ir.BinaryOperator.REMAINDER, left, right)

    def less(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """`left < right`."""
        return self._binary(ir.BinaryOperator.LESS, left, right, DType.BOOL)

    def both(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """Both masks; what one number says of all lanes chooses, since Triton's interpreter has no such masks."""
        numbers, masks = zip(_parted(left), _parted(right), strict=True)
        number, mask = self._all(numbers), self._all(masks)
        if mask is None or number is None:
            return self._all((left, right)) or left
        return self.select(number, mask, self._boolean(is_on=False))

    def either(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """One of two masks, or both; see `both`."""
        for number, mask in ((left, right), (right, left)):
            if is_number(number) and not is_number(mask):
                return self.select(number, self._boolean(is_on=True), mask)
        return self._binary(ir.BinaryOperator.BIT_OR, left, right, DType.BOOL)

    def _all(self, conditions: Iterable[ir.Expression | None]) -> ir.Expression | None:
        """The conditions there are, in one."""
        total: ir.Expression | None = None
        for each in conditions:
            if total is not None and each is not None:
                total = self._binary(ir.BinaryOperator.BIT_AND, total, each, DType.BOOL)
            else:
                total = total or each
        return total

    def _boolean(self, *, is_on: bool) -> ir.Literal:
        return ir.Literal(span=self.span, type=Scalar(dtype=DType.BOOL), value=is_on)

    def _binary(
        self,
        operator: ir.BinaryOperator,
        left: ir.Expression,
        right: ir.Expression,
        dtype: ElementType,
    ) -> ir.Expression:
        is_tile = isinstance(left.type, Tensor) or isinstance(right.type, Tensor)
        type_: Type = (
            Tensor(dtype=dtype, shape=broadcast(left.type, right.type))
            if is_tile
            else Scalar(dtype=dtype)
        )
        return ir.Binary(span=self.span, type=type_, operator=operator, left=left, right=right)

    def least(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """The smaller of two i32."""
        method = scalar_method("min", DType.I32)
        if method is None:
            raise LookupError("integers have a minimum")
        return self.call(method.at_run_time, (DType.I32,), I32, left, right)

    def rounded_up(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """`left / right`, rounded up."""
        return self.call(OPS["cdiv"], (), I32, left, right)

    def program_id(self) -> ir.Expression:
        """The program's place along the first axis."""
        axis = ir.EnumArgument(span=self.span, enum="Axis", member="X")
        return self.call(OPS["program_id"], (), I32, axis)

    def lanes(
        self, extent: ir.Symbol, dimension: Dimension, place: int, rank: int
    ) -> ir.Expression:
        """`0, 1, …` along the dimension `place` of a tile of `rank` dimensions."""
        tile = self.call(
            OPS["arange"],
            (),
            Tensor(dtype=DType.I32, shape=(dimension,)),
            self.number(0),
            self.read(extent),
        )
        return self.along(tile, place, rank)

    def along(self, tile: ir.Expression, place: int, rank: int) -> ir.Expression:
        """The lanes of a tile of one dimension along the dimension `place` of a tile of `rank`."""
        shape, dtype = shape_of(tile.type), dtype_of(tile)
        for axis in range(rank):
            if axis != place:
                shape = (*shape[:axis], 1, *shape[axis:])
                type_ = Tensor(dtype=dtype, shape=shape)
                tile = self.call(OPS["expand_dims"], (dtype,), type_, tile, self.number(axis))
        return tile

    def call(
        self, op: Op, dtypes: tuple[ElementType, ...], type_: Type, *arguments: ir.Argument
    ) -> ir.OpCall:
        """A call of an operation; arguments that are left out are absent."""
        rest = op.parsed.parameters[len(arguments) :]
        given = (*arguments, *(self._left_out(parameter.kind.form) for parameter in rest))
        return ir.OpCall(span=self.span, type=type_, op=op, dtypes=dtypes, arguments=given)

    def _left_out(self, form: Form) -> ir.Argument:
        match form:
            case Form.CONSTANT_LIST:
                return ir.ListArgument(span=self.span, elements=())
            case Form.FLAG:
                return ir.FlagArgument(span=self.span, value=False)
            case _:
                return ir.AbsentArgument(span=self.span)

    def pointer(self, base: ir.Expression, offsets: ir.Expression) -> ir.OffsetPointer:
        """`base + offsets`."""
        if not isinstance(base.type, Pointer | PointerTensor):
            raise TypeError("offsets are counted from a pointer")
        shape = broadcast(base.type, offsets.type)
        type_: Type = (
            PointerTensor(dtype=base.type.dtype, shape=shape)
            if shape
            else Pointer(dtype=base.type.dtype)
        )
        return ir.OffsetPointer(span=self.span, type=type_, pointer=base, offsets=offsets)

    def load(self, pointer: ir.OffsetPointer) -> ir.Expression:
        """What is behind a pointer to memory between launches, which has it in the dtype of arithmetic."""
        if not isinstance(pointer.type, Pointer | PointerTensor):
            raise TypeError("a load is from a pointer")
        type_ = Tensor(dtype=pointer.type.dtype, shape=shape_of(pointer.type))
        absent = ir.AbsentArgument(span=self.span)
        return self.call(OPS["load"], (type_.dtype,), type_, pointer, absent)

    def store(
        self, pointer: ir.OffsetPointer, value: ir.Expression, mask: ir.Argument
    ) -> ir.OpCall:
        """A store."""
        if not isinstance(pointer.type, Pointer | PointerTensor):
            raise TypeError("a store is to a pointer")
        return self.call(OPS["store"], (pointer.type.dtype,), UNIT, pointer, value, mask)

    def select(
        self, mask: ir.Expression, value: ir.Expression, otherwise: ir.Expression
    ) -> ir.Expression:
        """`value` where the mask is on."""
        dtype = dtype_of(value)
        if isinstance(otherwise, ir.Literal) and not is_chosen_as_it_is(value):
            value = self.typed(value)
        shape = broadcast(mask.type, value.type, otherwise.type)
        return self.call(
            OPS["where_"], (dtype,), Tensor(dtype=dtype, shape=shape), mask, value, otherwise
        )

    def typed(self, value: ir.Expression) -> ir.Expression:
        """A number that is of its dtype where nothing beside it is: Triton takes literals for i32 and f32."""
        if not isinstance(value, ir.Literal) or dtype_of(value) in _OF_LITERALS:
            return value
        return ir.Cast(
            span=self.span,
            type=Tensor(dtype=dtype_of(value), shape=()),
            operand=value,
            kind=ir.CastKind.MATERIALISE,
        )

    def full(
        self, shape: Shape, extents: tuple[ir.Expression, ...], value: ir.Expression
    ) -> ir.Expression:
        """A tile of one number."""
        dtype = dtype_of(value)
        listed = ir.ListArgument(span=self.span, elements=extents)
        type_ = Tensor(dtype=dtype, shape=shape)
        if isinstance(value, ir.Literal) and value.value == 0:
            return self.call(OPS["zeros"], (dtype,), type_, listed)
        return self.call(OPS["full"], (dtype,), type_, listed, value)


def _parted(mask: ir.Expression) -> tuple[ir.Expression | None, ir.Expression | None]:
    """What a mask says of all lanes at once, and what of each."""
    if is_number(mask):
        return mask, None
    if isinstance(mask, ir.OpCall) and mask.op.selects is not None:
        number, each, otherwise = operands(mask)
        if (
            not shape_of(number.type)
            and isinstance(otherwise, ir.Literal)
            and otherwise.value is False
        ):
            return number, each
    return None, mask


_OF_LITERALS = frozenset({DType.I32, DType.F32, DType.BOOL})


def is_chosen_as_it_is(value: ir.Expression) -> bool:
    """Whether a literal among two is the same float in f32, and so are the sums of a tile of it."""
    if not isinstance(value, ir.Literal):
        return False
    dtype, number = dtype_of(value), float(value.value)
    if not isinstance(dtype, DType | DtypeParameter) or not dtype.is_float:
        return False
    return math.isinf(number) or (abs(number) <= _FEW and (2 * number).is_integer())


_FEW = 64


def dtype_of(node: ir.Expression | ir.Symbol) -> ElementType:
    """The dtype of a number or a tile."""
    if not isinstance(node.type, Scalar | Tensor):
        raise TypeError("it has no dtype")
    return node.type.dtype


def with_argument(call: ir.OpCall, name: str, value: ir.Argument) -> ir.OpCall:
    """The call with another argument of this name."""
    arguments = tuple(
        value if parameter.name == name else argument
        for parameter, argument in zip(call.op.parsed.parameters, call.arguments, strict=True)
    )
    return replace(call, arguments=arguments)


def conjunction(masks: Sequence[ir.Expression], build: Build) -> ir.Expression | None:
    """All masks in one; None where there are none."""
    return reduce(build.both, masks) if masks else None
