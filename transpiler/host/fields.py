"""Places of host code: fields, elements and slices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.host.sequence_methods import (
    item_of,
)
from transpiler.host.types import (
    INPUT,
    POINTER,
    SHAPE,
    TEXT,
    USIZE,
    HostError,
    HostType,
    Opaque,
    Scalar,
    Sequence,
    Structure,
    Tuple,
    is_integer,
    is_unsigned,
    resolved,
    text_of,
)
from transpiler.host.values import (
    Value,
    constant_of,
    length,
    number,
    sliced,
)
from transpiler.ir.types import DType
from transpiler.ir.types import Scalar as KernelScalar
from transpiler.syntax import nodes as syntax
from transpiler.target.model import (
    Attribute,
    Binary,
    Call,
    Expression,
    Name,
    Number,
    Operator,
    Subscript,
)
from transpiler.target.model import Tuple as TupleDisplay

if TYPE_CHECKING:
    from transpiler.source import Span

from transpiler.host.conversions import Conversions


class Fields(Conversions):
    """Lowers what reads a part of a value."""

    def field_of(self, base: Value, field: str, span: Span) -> Value:
        """`base.field`."""
        self.fields_read.add(field)
        type_ = resolved(base.type)
        match type_:
            case Opaque() if type_ == INPUT and field == "0":
                return replace(base, type=POINTER)
            case Opaque() if type_ == INPUT and field == "1":
                return self.shape_of(base)
            case Tuple(elements=elements) if field.isdigit():
                element = elements[int(field)]
                if isinstance(base.expression, TupleDisplay):
                    return Value(
                        type=element,
                        expression=base.expression.elements[int(field)],
                        low=self.least(element),
                    )
                return Value(
                    type=element,
                    expression=Subscript(base.expression, Number(field)),
                    low=self.least(element),
                )
            case Structure(is_kernel=True):
                return self._kernel_field(base, type_, field, span)
            case Structure() if field in self.owner.fields:
                found = self.owner.fields[field]
                name = self.field_name(field)
                return Value(
                    type=found,
                    expression=Attribute(base.expression, name),
                    low=self.least(found),
                    field=field,
                )
            case _:
                raise HostError(span, f"the field `{field}`", "read fields of the struct")

    def _kernel_field(self, base: Value, type_: Structure, field: str, span: Span) -> Value:
        kernel = next(
            (each for each in self.owner.kernels.values() if each.name == type_.name),
            self.owner.kernel,
        )
        constants = () if kernel is None else kernel.const_generics
        for symbol in constants:
            if symbol.name.lower() == field:
                dtype = symbol.type.dtype if isinstance(symbol.type, KernelScalar) else None
                found = Scalar(dtype.value if isinstance(dtype, DType) else "i32")
                return Value(
                    type=found,
                    expression=Attribute(base.expression, field),
                    low=1 if is_integer(found) else None,
                )
        if field in {"name", "source"}:
            return Value(type=TEXT, expression=Attribute(base.expression, field))
        raise HostError(span, f"the field `{field}` of a kernel", "read its constants")

    def _index(self, node: syntax.Index) -> Value:
        base = self.value(node.base)
        if not isinstance(resolved(base.type), Sequence):
            raise HostError(node.span, f"an index of `{text_of(base.type)}`", "index a slice")
        expression = self.plain(base, node.span)
        match node.index:
            case syntax.Range(start=start, end=end, is_inclusive=is_inclusive):
                first = None if start is None else self._place(start)
                last = None if end is None else self._place(end)
                if last is not None and is_inclusive:
                    known = constant_of(last)
                    last = (
                        Binary(Operator.ADD, last, number(1))
                        if known is None
                        else number(known + 1)
                    )
                part = sliced(expression, first, last)
                return replace(base, expression=part, low=None, elements=None)
            case _:
                index = self.value(node.index, USIZE)
                self.same(index.type, USIZE, node.index.span)
        at = index.expression
        match at:
            case Binary(operator=Operator.SUBTRACT, left=left, right=Number(text=text)) if (
                left == length(expression)
            ):
                at = number(-int(text))
            case Call(function=Name(text="_unsigned"), arguments=(inner,)):
                match inner:
                    case Binary(operator=Operator.SUBTRACT, left=left, right=Number(text=text)) if (
                        left == length(expression)
                    ):
                        at = number(-int(text))
                    case _:
                        pass
            case _:
                pass
        return item_of(self, replace(base, expression=expression), at, constant_of(at))

    def _place(self, node: syntax.Expression) -> Expression:
        value = self.value(node, USIZE)
        self.same(value.type, USIZE, node.span)
        return value.expression

    def least(self, type_: HostType) -> int | None:
        """The least that an integer of the type can be, where that is no negative number."""
        return 0 if is_unsigned(type_) else None

    def shape_of(self, tensor: Value) -> Value:
        """The shape of an input."""
        return Value(type=SHAPE, expression=Attribute(tensor.expression, "shape"))
