"""Rewrites expressions so that indices are computed in 64 bits; see `transpiler.passes.wide_indices`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, assert_never

from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Scalar, Tensor, TupleType, with_longs
from transpiler.ops.signature import Form
from transpiler.passes.index_values import (
    IndexValues,
    Path,
    addressed,
    compares,
    index_paths,
    index_places,
    is_index,
)
from transpiler.passes.operators import SHIFTS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from transpiler.ir.types import ElementType
    from transpiler.ops.signature import OpParameter

_NARROW = frozenset({DType.BOOL, DType.I8, DType.I16, DType.U8, DType.U16})
"""The dtypes all of whose values are the same in 32 bits and in 64."""


def _wide_dtype(dtype: ElementType) -> ElementType:
    return DType.I64 if dtype is DType.I32 else dtype


def cast(node: ir.Expression, kind: ir.CastKind, dtype: DType) -> ir.Cast:
    """A scalar or a tile in another dtype.

    Raises:
        TypeError: it is neither.
    """
    type_ = node.type
    if not isinstance(type_, Scalar | Tensor):
        raise TypeError("an index is a scalar or a tile")
    return ir.Cast(span=node.span, type=replace(type_, dtype=dtype), operand=node, kind=kind)


class WideExpressions:
    """Rewrites the expressions of one routine; one whose text does not change is given back as it is."""

    def __init__(
        self,
        number: int,
        indices: IndexValues,
        functions: Mapping[ir.FunctionSymbol, ir.FunctionSymbol],
    ) -> None:
        """`number` is that of the routine among the `indices`; `functions` has the forms of those it may call."""
        self._indices = indices
        self._number = number
        self._keys = indices.wide
        self._functions = functions

    def is_wide(self, symbol: ir.Symbol, path: Path = ()) -> bool:
        """Whether a name, or what is at `path` in a tuple it names, is an index."""
        return (self._number, symbol.id, path) in self._keys

    def placed(
        self, value: ir.Expression, is_wide: Callable[[Path], bool], path: Path
    ) -> ir.Expression:
        """A value, or what is at `path` in one, each of its elements as wide as `is_wide` says of its place."""
        if is_index(value.type):
            return self.wide(value) if is_wide(path) else self.narrowed(value)
        if not isinstance(value.type, TupleType):
            return self.plain(value)
        match value:
            case ir.TupleValue(elements=elements):
                new = tuple(
                    self.placed(element, is_wide, (*path, place))
                    for place, element in enumerate(elements)
                )
                return _with_elements(value, new)
            case ir.Conditional():
                return self._chosen(value, lambda arm: self.placed(arm, is_wide, path))
            case ir.OpCall() if any(is_wide((*path, *it)) for it in index_paths(value.type)):
                return self._widened_call(value)
            case _:
                return self.plain(value)

    # --- Integers of 32 bits ----------------------------------------------------------------------

    def touches(self, node: ir.Expression) -> bool:
        """Whether an index is part of an integer, so that Triton has it in 64 bits."""
        return any(name in self._keys for name in self._indices.parts(self._number, node).names)

    def fitted(self, node: ir.Expression) -> ir.Expression:
        """Whatever it is, where an i32 is needed in 32 bits."""
        return self.narrowed(node) if is_index(node.type) else self.plain(node)

    def _natural(self, node: ir.Expression) -> ir.Expression:
        """An integer where any width will do."""
        if is_index(node.type) and self.touches(node):
            return self.wide(node)
        return self.plain(node)

    def narrowed(self, node: ir.Expression) -> ir.Expression:
        """An integer where 32 bits are needed: data is computed in them, an index is cut to them."""
        parts = self._indices.parts(self._number, node)
        if not any(name in self._keys for name in parts.names):
            return self.plain(node)
        if isinstance(node, ir.Unary | ir.Binary) and self._indices.is_data(parts):
            return self.plain(node)
        return cast(self.wide(node), ir.CastKind.RUST_AS, DType.I32)

    def beside(self, node: ir.Expression) -> ir.Expression:
        """An integer that meets one of 64 bits, which makes it as wide; arithmetic must be so itself."""
        return self.plain(node) if self._is_leaf(node) else self.wide(node)

    def _is_leaf(self, node: ir.Expression) -> bool:
        """Whether 32 bits hold the integer for sure: it is no arithmetic, or that of constants."""
        match node:
            case ir.Literal():
                return True
            case ir.Read(symbol=symbol):
                return not self.is_wide(symbol)
            case ir.Unary() | ir.Binary():
                return self._indices.is_compile_time(self._number, node)
            case ir.Cast(kind=kind):
                return kind is not ir.CastKind.MATERIALISE
            case ir.OpCall(op=op):
                return not op.any_width or self._indices.is_compile_time(self._number, node)
            case ir.Call() | ir.TupleElement():
                return not self.touches(node)
            case _:
                return False

    def wide(self, node: ir.Expression) -> ir.Expression:
        """An integer computed in 64 bits."""
        match node:
            case ir.Read() | ir.Call() | ir.TupleElement() if self.touches(node):
                return self.plain(node)
            case _ if self._is_leaf(node):
                return self._widened_leaf(node)
            case ir.Unary(operand=operand):
                new = self.wide(operand)
                return (
                    node
                    if new is operand
                    else replace(node, operand=new, type=with_longs(node.type))
                )
            case ir.Binary():
                return self._widened_binary(node)
            case ir.Cast(operand=operand):
                inner = self.beside(operand)
                return replace(node, operand=inner, type=with_longs(node.type))
            case ir.OpCall():
                return self._widened_call(node)
            case ir.Conditional():
                return self._chosen(node, self.wide)
            case ir.BlockValue(value=value):
                new = self.wide(value)
                return node if new is value else replace(node, value=new, type=new.type)
            case _:
                raise ValueError(f"{type(node).__name__} is no integer")

    def _widened_leaf(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.Literal():
                return cast(node, ir.CastKind.MATERIALISE, DType.I64)
            case ir.Cast(
                kind=ir.CastKind.RUST_AS,
                operand=ir.TypedNode(type=Scalar(dtype=dtype) | Tensor(dtype=dtype)),
            ) if dtype in _NARROW:
                new = self.plain(node)
                return replace(new, type=with_longs(node.type))
            case _:
                return cast(self.plain(node), ir.CastKind.RUST_AS, DType.I64)

    def _widened_binary(self, node: ir.Binary) -> ir.Expression:
        left, right = node.left, node.right
        if node.operator in SHIFTS:
            new = self.wide(left), self.fitted(right)
        elif not self._is_leaf(left):
            new = self.wide(left), self.beside(right)
        elif not self._is_leaf(right) or self._indices.is_compile_time(self._number, left):
            new = self.plain(left), self.wide(right)
        else:
            new = self.wide(left), self.plain(right)
        if new[0] is left and new[1] is right:
            return node
        return replace(node, left=new[0], right=new[1], type=with_longs(node.type))

    def _widened_call(self, node: ir.OpCall) -> ir.OpCall:
        """An operation in 64 bits: all that it takes in the dtype of its result is as wide."""
        places = frozenset(index_places(node))
        # A constant beside an index of 64 bits becomes as wide.
        constants = {
            place
            for place in places
            if self._is_constant(node.arguments[place], node.op.parsed.parameters[place])
        }
        values = [it for it in node.arguments if not isinstance(it, ir.PLAIN_ARGUMENTS)]
        if not any(is_index(value.type) and self.touches(value) for value in values):
            constants = set()
        arguments: list[ir.Argument] = []
        for place, (parameter, argument) in enumerate(
            zip(node.op.parsed.parameters, node.arguments, strict=True)
        ):
            if place not in places or isinstance(argument, ir.PLAIN_ARGUMENTS):
                arguments.append(self._argument(argument))
            elif parameter.name in node.op.converts or place in constants:
                arguments.append(self.beside(argument))
            else:
                arguments.append(self.wide(argument))
        return replace(
            node,
            type=with_longs(node.type),
            dtypes=tuple(map(_wide_dtype, node.dtypes)),
            arguments=tuple(arguments),
        )

    def _is_constant(self, argument: ir.Argument, parameter: OpParameter) -> bool:
        return (
            parameter.kind.form is Form.SCALAR
            and not isinstance(argument, ir.PLAIN_ARGUMENTS)
            and self._indices.is_compile_time(self._number, argument)
        )

    def _chosen(
        self, node: ir.Conditional, change: Callable[[ir.Expression], ir.Expression]
    ) -> ir.Conditional:
        """A choice between changed values."""
        condition = self.fitted(node.condition)
        values = change(node.then_value.value), change(node.else_value.value)
        if (
            condition is node.condition
            and values[0] is node.then_value.value
            and values[1] is node.else_value.value
        ):
            return node
        type_ = values[0].type
        return replace(
            node,
            type=type_,
            condition=condition,
            then_value=replace(node.then_value, value=values[0], type=type_),
            else_value=replace(node.else_value, value=values[1], type=type_),
        )

    # --- Everything else --------------------------------------------------------------------------

    def plain(self, node: ir.Expression) -> ir.Expression:
        """An expression of no width of its own, with what is inside rewritten."""
        match node:
            case ir.Literal() | ir.Read():
                return node
            case ir.OpCall():
                return self._plain_call(node)
            case ir.OffsetPointer(pointer=ir.Read(), offsets=ir.Read()):
                return node  # as most are
            case ir.OffsetPointer(pointer=pointer, offsets=offsets):
                new = self.plain(pointer), self._offsets(offsets)
                if new[0] is pointer and new[1] is offsets:
                    return node
                return replace(node, pointer=new[0], offsets=new[1])
            case ir.Binary(left=left, right=right):
                if compares(node) and (self.touches(left) or self.touches(right)):
                    new = self.beside(left), self.beside(right)
                else:
                    new = self.fitted(left), self.fitted(right)
                if new[0] is left and new[1] is right:
                    return node
                return replace(node, left=new[0], right=new[1])
            case ir.Cast(operand=operand):
                inner = self._natural(operand)
                return node if inner is operand else replace(node, operand=inner)
            case ir.Unary(operand=operand):
                inner = self.fitted(operand)
                return node if inner is operand else replace(node, operand=inner)
            case ir.TupleElement(operand=operand):
                inner = self.plain(operand)
                return node if inner is operand else replace(node, operand=inner)
            case ir.TupleValue(elements=elements):
                return _with_elements(node, tuple(map(self.fitted, elements)))
            case ir.Conditional():
                return self._chosen(node, self.fitted)
            case ir.BlockValue(value=value):
                inner = self.fitted(value)
                return node if inner is value else replace(node, value=inner)
            case ir.Call():
                return self._function_call(node)
        assert_never(node)

    def _offsets(self, node: ir.Expression) -> ir.Expression:
        return self.beside(node) if is_index(node.type) else self.plain(node)

    def _plain_call(self, node: ir.OpCall) -> ir.OpCall:
        op, change = node.op, self.fitted
        values = [it for it in node.arguments if isinstance(it, ir.TypedNode)]
        if any(is_index(it.type) for it in values):
            if compares(node):
                if any(map(self.touches, values)):
                    change = self.beside
            elif op.copies:
                if len(values) == 1 and not _takes_bits(node):
                    change = self._natural
            elif (
                op.any_width
                and not is_index(node.type)
                and any(is_index(it.type) and self.touches(it) for it in values)
            ):
                return self._widened_call(node)
        offsets = {id(each) for each in addressed(node)} if op.addresses else ()
        arguments = tuple(
            self._argument(argument, offsets)
            if isinstance(argument, ir.PLAIN_ARGUMENTS)
            else self._offsets(argument)
            if id(argument) in offsets
            else change(argument)
            for argument in node.arguments
        )
        if all(new is old for new, old in zip(arguments, node.arguments, strict=True)):
            return node
        return replace(node, arguments=arguments)

    def _argument(self, node: ir.Argument, offsets: Container[int] = ()) -> ir.Argument:
        match node:
            case ir.ListArgument(elements=elements):
                new = tuple(
                    self._offsets(each) if id(each) in offsets else self.fitted(each)
                    for each in elements
                )
                if all(it is old for it, old in zip(new, elements, strict=True)):
                    return node
                return replace(node, elements=new)
            case _:
                return node if isinstance(node, ir.PLAIN_ARGUMENTS) else self.fitted(node)

    def _function_call(self, node: ir.Call) -> ir.Call:
        given = self._indices.parameters(node.function)
        arguments = tuple(
            self.placed(
                argument, partial(self._indices.is_wide_parameter, node.function, place), ()
            )
            for place, argument in zip(given, node.arguments, strict=True)
        )
        function = self._functions.get(node.function, node.function)
        if function is node.function and all(
            new is old for new, old in zip(arguments, node.arguments, strict=True)
        ):
            return node
        return replace(node, function=function, arguments=arguments)


def _takes_bits(node: ir.OpCall) -> bool:
    """Whether the operation takes the bits of what it is given, and not the number."""
    return any(isinstance(it, ir.FlagArgument) and it.value for it in node.arguments)


def _with_elements(node: ir.TupleValue, elements: tuple[ir.Expression, ...]) -> ir.TupleValue:
    if all(new is old for new, old in zip(elements, node.elements, strict=True)):
        return node
    type_ = TupleType(elements=tuple(element.type for element in elements))
    return replace(node, elements=elements, type=type_)
