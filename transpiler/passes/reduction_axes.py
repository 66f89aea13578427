"""Reductions and sorts as Triton and its interpreter take them.

Triton sorts along no axis that is counted from the right. Its interpreter reduces by a
function along none either, and keeps one dimension of a tile that it reduces along all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import I32, Scalar, Tensor
from transpiler.ops.model import ShapeReduced
from transpiler.ops.table import OPS

if TYPE_CHECKING:
    from transpiler.ops.model import ShapeOfLastAxis


def with_plain_axis(node: ir.OpCall, rule: ShapeReduced | ShapeOfLastAxis) -> ir.OpCall:
    """The same call with its axis counted from the left; of a whole tile, without `keep_dims`."""
    places = {parameter.name: i for i, parameter in enumerate(node.op.parsed.parameters)}
    tile, axis = node.arguments[places[rule.parameter]], node.arguments[places[rule.axis]]
    if isinstance(tile, ir.PLAIN_ARGUMENTS) or not isinstance(tile.type, Tensor):
        return node
    if isinstance(rule, ShapeReduced) and not rule.is_general:
        return node
    rank = len(tile.type.shape)
    match axis:
        case ir.Literal(value=int() as value) if value < 0:
            plain = replace(axis, value=value + rank, digits=None)
            return _with(node, places[rule.axis], plain)
        case ir.AbsentArgument() if isinstance(rule, ShapeReduced) and rule.keep_dims and rank > 1:
            return _kept(node, places[rule.keep_dims])
        case _:
            return node


def _with(node: ir.OpCall, place: int, argument: ir.Argument) -> ir.OpCall:
    arguments = (*node.arguments[:place], argument, *node.arguments[place + 1 :])
    return replace(node, arguments=arguments)


def _kept(node: ir.OpCall, keep_dims: int) -> ir.OpCall:
    """A tile of one element that holds what the reduction gives."""
    flag = node.arguments[keep_dims]
    if not (isinstance(flag, ir.FlagArgument) and flag.value and isinstance(node.type, Tensor)):
        return node
    one = ir.Literal(span=node.span, type=I32, value=1)
    dtype = node.type.dtype
    reduced = _with(node, keep_dims, replace(flag, value=False))
    return ir.OpCall(
        span=node.span,
        type=node.type,
        op=OPS["full"],
        dtypes=(dtype,),
        arguments=(
            ir.ListArgument(span=node.span, elements=(one,) * len(node.type.shape)),
            replace(reduced, type=Scalar(dtype=dtype)),
        ),
    )
