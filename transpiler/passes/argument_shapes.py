"""The shapes of the arguments of an operation, and whether those go together that the row pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Descriptor, PointerTensor, Scalar, Shape, Tensor, shape_text
from transpiler.passes.compile_time import dimension_of
from transpiler.passes.shapes import fits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ops.model import Op
    from transpiler.passes.elaboration import Elaboration


def argument_shape(state: Elaboration, argument: ir.Argument) -> Shape | None:
    """The shape of a tensor, of a scalar (no dimensions), or given by a list; None where it has none."""
    match argument:
        case ir.ListArgument():
            return tuple(dimension_of(element, state.constants) for element in argument.elements)
        case (
            ir.AbsentArgument()
            | ir.EnumArgument()
            | ir.FlagArgument()
            | ir.TextArgument()
            | ir.FunctionArgument()
        ):
            return None
        case _:
            match state.type_of(argument):
                case Tensor(shape=shape) | PointerTensor(shape=shape) | Descriptor(shape=shape):
                    return shape
                case Scalar():
                    return ()
                case _:
                    return None


def arguments_fit(state: Elaboration, op: Op, named: Mapping[str, ir.Argument]) -> bool:
    """Whether each argument fits the one it is paired with; reported where one does not."""
    return all(_fits(state, op, named, *pair) for pair in op.fits) and all(
        _is_as_long(state, op, named, *pair) for pair in op.as_long
    )


def _fits(
    state: Elaboration, op: Op, named: Mapping[str, ir.Argument], name: str, target: str
) -> bool:
    shape, target_shape = argument_shape(state, named[name]), argument_shape(state, named[target])
    if shape is None or target_shape is None or fits(shape, target_shape):
        return True
    state.sink.emit(
        "E0402",
        f"`{name}` of `{op.name}` has shape `{shape_text(shape)}`, which does not "
        f"broadcast to the `{shape_text(target_shape)}` of `{target}`",
        named[name].span,
    )
    return False


def _is_as_long(
    state: Elaboration, op: Op, named: Mapping[str, ir.Argument], name: str, target: str
) -> bool:
    listed, shape = named[name], argument_shape(state, named[target])
    if not isinstance(listed, ir.ListArgument) or shape is None:
        return True
    count, rank = len(listed.elements), len(shape)
    if count == rank:
        return True
    state.sink.emit(
        "E0402",
        f"`{name}` of `{op.name}` has {count} element{'' if count == 1 else 's'} for a tile of "
        f"rank {rank}",
        listed.span,
        help=f"give one for each dimension of `{target}`",
    )
    return False
