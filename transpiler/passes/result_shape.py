"""The shape of an operation's result, by the rule of its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from transpiler.ir import nodes as ir
from transpiler.ir.dimensions import difference_of, product_of
from transpiler.ir.types import (
    UNKNOWN_DIMENSION,
    Shape,
    UnknownDimension,
    shape_text,
)
from transpiler.ops.model import (
    Op,
    ShapeBroadcast,
    ShapeDescribed,
    ShapeDoubled,
    ShapeExpanded,
    ShapeExtent,
    ShapeGathered,
    ShapeGiven,
    ShapeHalves,
    ShapeInterval,
    ShapeJoined,
    ShapeMatrixProduct,
    ShapeOf,
    ShapeOfLastAxis,
    ShapePermuted,
    ShapeRavelled,
    ShapeReduced,
)
from transpiler.passes.argument_shapes import argument_shape
from transpiler.passes.compile_time import constant_value, dimension_of
from transpiler.passes.shapes import broadcast, normalise_axis, unify_shapes

if TYPE_CHECKING:
    from transpiler.passes.elaboration import Elaboration
    from transpiler.source import Span

Arguments = dict[str, ir.Argument]


def result_shape(state: Elaboration, op: Op, named: Arguments, span: Span) -> Shape | None:
    """The shape of the result of `op`; None, reported, where the arguments do not go together."""
    rule = op.shape
    match rule:
        case None:
            return ()
        case ShapeOf() | ShapeGiven() | ShapeDescribed():
            return _of(state, op, rule, named)
        case ShapeBroadcast():
            return _broadcast(state, op, rule, named)
        case ShapeReduced():
            return _reduced(state, op, rule, named, span)
        case ShapeInterval():
            return _interval(state, op, named[rule.start], named[rule.end], span)
        case ShapeExpanded():
            return _expanded(state, op, rule, named)
        case ShapePermuted():
            return _permuted(state, op, rule, named)
        case ShapeMatrixProduct():
            return _matrix_product(state, op, rule, named, span)
        case ShapeExtent():
            return _extent(state, op, rule, named)
        case ShapeJoined():
            return _joined(state, op, rule, named)
        case ShapeHalves():
            return _halves(state, op, rule, named, span)
        case ShapeDoubled():
            return _doubled(state, op, rule, named, span)
        case ShapeRavelled():
            return (product_of(argument_shape(state, named[rule.parameter]) or ()),)
        case ShapeOfLastAxis():
            return _of_last_axis(state, op, rule, named, span)
        case ShapeGathered():
            return _gathered(state, op, rule, named, span)
        case _:
            assert_never(rule)


def _of(
    state: Elaboration, op: Op, rule: ShapeOf | ShapeGiven | ShapeDescribed, named: Arguments
) -> Shape | None:
    shape = argument_shape(state, named[rule.parameter])
    axis = named[rule.axis] if isinstance(rule, ShapeOf) and rule.axis is not None else None
    if axis is None or isinstance(axis, ir.AbsentArgument):
        return shape
    return None if _axis(state, op, axis, len(shape or ())) is None else shape


def _expanded(state: Elaboration, op: Op, rule: ShapeExpanded, named: Arguments) -> Shape | None:
    shape = argument_shape(state, named[rule.parameter]) or ()
    axis = _axis(state, op, named[rule.axis], len(shape) + 1)
    return None if axis is None else (*shape[:axis], 1, *shape[axis:])


def _broadcast(state: Elaboration, op: Op, rule: ShapeBroadcast, named: Arguments) -> Shape | None:
    shape: Shape = ()
    for name in rule.parameters:
        argument = named[name]
        further = argument_shape(state, argument) or ()
        merged = broadcast(shape, further)
        if merged is None:
            state.sink.emit(
                "E0402",
                f"shapes `{shape_text(shape)}` and `{shape_text(further)}` do not broadcast in `{op.name}`",
                argument.span,
                help="dimensions must be equal, or one of them 1; use `broadcast_to` or `expand_dims`",
            )
            return None
        shape = merged
    return shape


def _joined(state: Elaboration, op: Op, rule: ShapeJoined, named: Arguments) -> Shape | None:
    shape = _broadcast(state, op, ShapeBroadcast(parameters=rule.parameters), named)
    return None if shape is None else (*shape, 2)


def _reduced(
    state: Elaboration, op: Op, rule: ShapeReduced, named: Arguments, span: Span
) -> Shape | None:
    shape = argument_shape(state, named[rule.parameter]) or ()
    keep = named[rule.keep_dims] if rule.keep_dims is not None else None
    keeps = isinstance(keep, ir.FlagArgument) and keep.value
    axis_argument = named[rule.axis]
    if isinstance(axis_argument, ir.AbsentArgument):
        return (1,) * len(shape) if keeps else ()
    if not shape:
        state.sink.emit("E0404", f"`{op.name}` needs a tensor with an axis to reduce", span)
        return None
    axis = _axis(state, op, axis_argument, len(shape))
    if axis is None:
        return None
    return (*shape[:axis], 1, *shape[axis + 1 :]) if keeps else (*shape[:axis], *shape[axis + 1 :])


def _axis(state: Elaboration, op: Op, argument: ir.Argument, rank: int) -> int | None:
    value = (
        constant_value(argument, state.constants)
        if isinstance(argument, ir.Literal | ir.Read | ir.Unary | ir.Binary)
        else None
    )
    axis = None if value is None else normalise_axis(value, rank)
    if axis is None:
        if value is None:
            message, advice = f"the axis of `{op.name}` is not known", "write an integer literal"
        else:
            message = f"`{op.name}` is given axis {value} of a tensor of rank {rank}"
            advice = "the only axis is 0" if rank == 1 else f"the axes are 0 to {rank - 1}"
        state.sink.emit("E0402", message, argument.span, help=advice)
    return axis


def _interval(
    state: Elaboration, op: Op, start: ir.Argument, end: ir.Argument, span: Span
) -> Shape | None:
    if isinstance(start, ir.PLAIN_ARGUMENTS) or isinstance(end, ir.PLAIN_ARGUMENTS):
        return (UNKNOWN_DIMENSION,)
    first = dimension_of(start, state.constants)
    last = dimension_of(end, state.constants)
    if isinstance(first, int) and first < 0:
        state.sink.emit(
            "E0504",
            f"`{op.name}` counts from 0 or above, and this starts at {first}",
            start.span,
            help=f"count from 0 and add the start to the tile: `… - {-first}`",
        )
        return None
    if first == last and not isinstance(first, UnknownDimension):
        state.sink.emit(
            "E0503",
            f"`{op.name}` makes an empty tile: it ends where it starts",
            span,
            help="the extents of a tile are at least 1",
        )
        return None
    if first == 0:
        return (last,)
    return (difference_of(last, first),)


def _permuted(state: Elaboration, op: Op, rule: ShapePermuted, named: Arguments) -> Shape | None:
    shape = argument_shape(state, named[rule.parameter]) or ()
    order_argument = named[rule.order]
    order = argument_shape(state, order_argument) or ()
    axes = [axis for axis in order if isinstance(axis, int)]
    if sorted(axes) != list(range(len(shape))):
        state.sink.emit(
            "E0402",
            f"`{rule.order}` of `{op.name}` must list each axis of a tensor of rank {len(shape)} once",
            order_argument.span,
        )
        return None
    return tuple(shape[axis] for axis in axes)


def _matrix_product(
    state: Elaboration, op: Op, rule: ShapeMatrixProduct, named: Arguments, span: Span
) -> Shape | None:
    left = argument_shape(state, named[rule.left]) or ()
    right = argument_shape(state, named[rule.right]) or ()
    agree = (
        len(left) == len(right) >= 2
        and (rule.is_packed or unify_shapes(left[-1:], right[-2:-1]) is not None)
        and unify_shapes(left[:-2], right[:-2]) is not None
    )
    if not agree:
        state.sink.emit(
            "E0402",
            f"`{op.name}` of shapes `{shape_text(left)}` and `{shape_text(right)}` is not defined",
            span,
            help="the last dimension of the left side must be the second to last of the right side",
        )
        return None
    return (*left[:-1], right[-1])


def _extent(state: Elaboration, op: Op, rule: ShapeExtent, named: Arguments) -> Shape | None:
    source, extent = named[rule.vector], named[rule.extent]
    shape = argument_shape(state, source) or ()
    if len(shape) != 1:
        state.sink.emit(
            "E0402",
            f"`{op.name}` takes a vector, not a tile of shape `{shape_text(shape)}`",
            source.span,
            help="bring it into one dimension with `ravel` first",
        )
        return None
    if isinstance(extent, ir.PLAIN_ARGUMENTS):
        return (UNKNOWN_DIMENSION,)
    return (dimension_of(extent, state.constants),)


def _halves(
    state: Elaboration, op: Op, rule: ShapeHalves, named: Arguments, span: Span
) -> Shape | None:
    shape = argument_shape(state, named[rule.parameter]) or ()
    if unify_shapes(shape[-1:], (2,)) is None:
        state.sink.emit(
            "E0402",
            f"`{op.name}` needs a last dimension of extent 2, and the shape is `{shape_text(shape)}`",
            span,
        )
        return None
    return shape[:-1]


def _doubled(
    state: Elaboration, op: Op, rule: ShapeDoubled, named: Arguments, span: Span
) -> Shape | None:
    left = argument_shape(state, named[rule.left]) or ()
    right = argument_shape(state, named[rule.right]) or ()
    shape = unify_shapes(left, right)
    if not shape or (rule.is_vector and len(shape) != 1):
        kind = "two vectors of one length" if rule.is_vector else "two tensors of one shape"
        state.sink.emit(
            "E0402",
            f"`{op.name}` takes {kind}, not `{shape_text(left)}` and `{shape_text(right)}`",
            span,
        )
        return None
    return (*shape[:-1], product_of((shape[-1], 2)))


def _of_last_axis(
    state: Elaboration, op: Op, rule: ShapeOfLastAxis, named: Arguments, span: Span
) -> Shape | None:
    shape = argument_shape(state, named[rule.parameter]) or ()
    axis_argument = named[rule.axis]
    if isinstance(axis_argument, ir.AbsentArgument):
        return shape
    axis = _axis(state, op, axis_argument, len(shape))
    if axis is not None and axis != len(shape) - 1:
        state.sink.emit(
            "E0402",
            f"`{op.name}` works along the last axis, which is {len(shape) - 1}",
            span,
            help="bring the axis to the end with `permute` first",
        )
        return None
    return None if axis is None else shape


def _gathered(
    state: Elaboration, op: Op, rule: ShapeGathered, named: Arguments, span: Span
) -> Shape | None:
    source = argument_shape(state, named[rule.source]) or ()
    index = argument_shape(state, named[rule.index]) or ()
    axis = _axis(state, op, named[rule.axis], len(source))
    if axis is None:
        return None
    others = unify_shapes(
        (*source[:axis], *source[axis + 1 :]), (*index[:axis], *index[axis + 1 :])
    )
    if len(source) != len(index) or others is None:
        state.sink.emit(
            "E0402",
            f"the indices of `{op.name}` have shape `{shape_text(index)}`, and the source "
            f"`{shape_text(source)}`: they may differ along axis {axis} alone",
            span,
        )
        return None
    return index
