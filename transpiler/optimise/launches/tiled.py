"""Expressions of a nest for the tiles of a layout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import named_value, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import Pointer, PointerTensor, Tensor
from transpiler.ir.visit import Rewriter
from transpiler.ops.model import Effect
from transpiler.ops.scalar_methods import FAMILY
from transpiler.optimise.build import (
    Build,
    broadcast,
    conjunction,
    dtype_of,
    is_chosen_as_it_is,
    shape_of,
    with_argument,
)
from transpiler.optimise.lanewise import lanewise_binary, lanewise_type
from transpiler.optimise.launches.beyond import varies
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.types import Type
    from transpiler.optimise.launches.lane_masks import Scope
    from transpiler.optimise.launches.layout import Layout


class Tiler(Rewriter):
    """Rewrites expressions for tiles: symbols by what they stand for, types by the types of parts.

    `values` are what symbols stand for, `scope` has the lanes there are.
    """

    def __init__(
        self, values: Mapping[ir.Symbol, ir.Expression], scope: Scope, layout: Layout
    ) -> None:
        self._values = values
        self._scope = scope
        self._layout = layout

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        """An expression whose parts are rewritten, with its type."""
        match node:
            case ir.Read():
                return self._values.get(node.symbol, node)
            case ir.Literal():
                return node
            case ir.Unary(operand=operand) | ir.Cast(operand=operand):
                return replace(node, type=lanewise_type(node, operand.type))
            case ir.Binary(left=left, right=right):
                return lanewise_binary(node, left, right)
            case ir.OffsetPointer(pointer=pointer, offsets=ir.Literal(value=0)):
                # A tile of one lane, the first one, is where the pointer is.
                return pointer
            case ir.OffsetPointer(pointer=pointer, offsets=offsets):
                if not isinstance(pointer.type, Pointer | PointerTensor):
                    raise TypeError("offsets are counted from a pointer")
                shape = broadcast(pointer.type, offsets.type)
                dtype = pointer.type.dtype
                made: Type = (
                    PointerTensor(dtype=dtype, shape=shape) if shape else Pointer(dtype=dtype)
                )
                return replace(node, type=made)
            case ir.OpCall():
                return self._call(node)
            case _:
                return refuse("this has no form for tiles", node.span)

    def _call(self, node: ir.OpCall) -> ir.Expression:
        op = node.op
        inside = [it.type for it in operands(node)]
        if op.effect is Effect.WRITES:
            return self._masked(node)
        if op.effect is Effect.READS:
            type_ = Tensor(dtype=dtype_of(node), shape=shape_of(inside[0]))
            load = self._masked(replace(node, type=type_))
            if named_value(load, "mask") is None:
                # Its mask said that a loop ends which it does not vary along, or which stays one.
                return with_argument(load, "other", ir.AbsentArgument(span=load.span))
            return load
        if op.family == FAMILY and any(shape_of(it) for it in inside):
            refuse(f"`{op.name}` is a method of numbers, not of tiles", node.span)
        return _of_typed(replace(node, type=lanewise_type(node, *inside)))

    def _masked(self, call: ir.OpCall) -> ir.OpCall:
        """A load or a store with the masks of the lanes its pointers vary in."""
        build = Build(call.span)
        varying = [it for it in self._scope.lanes if varies(call, it, self._layout)]
        lanes = self._scope.mask(varying, build)
        own = named_value(call, "mask")
        total = conjunction([it for it in (lanes, own) if it is not None], build)
        return call if total is None else with_argument(call, "mask", total)


def _of_typed(call: ir.OpCall) -> ir.OpCall:
    """The call, whose literals have dtypes of their own where nothing that is no literal lends them one."""
    lent = {
        dtype_of(it)
        for it in operands(call)
        if isinstance(it.type, Tensor) and not isinstance(it, ir.Literal)
    }
    build = Build(call.span)

    def typed(node: ir.Argument) -> ir.Argument:
        if not isinstance(node, ir.Literal) or dtype_of(node) in lent:
            return node
        is_alike = call.op.selects is not None and is_chosen_as_it_is(node)
        return node if is_alike else build.typed(node)

    return replace(call, arguments=tuple(map(typed, call.arguments)))
