"""What Rust accepts and Triton refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Descriptor, DType, Tensor, dimension_text, shape_text
from transpiler.ir.visit import walk_block, walk_statements
from transpiler.ops.signature import Form
from transpiler.passes.initialisation import check_initialisation

if TYPE_CHECKING:
    from transpiler.diagnostics.sink import Sink
    from transpiler.passes.context import PassContext

# Triton's own limit, `tl.TRITON_MAX_TENSOR_NUMEL`.
_MAX_ELEMENTS = 1_048_576


def check(module: ir.Module, context: PassContext) -> ir.Module:
    """Report tiles Triton cannot make and options it does not have; the module stays as it is."""
    for routine in module.routines:
        check_block(routine.body, context.sink)
        if any(isinstance(node, ir.Declare) for node in walk_statements(routine.body)):
            check_initialisation(routine.body, context.sink)
    return module


def check_block(block: ir.Block, sink: Sink) -> None:
    """Report what Triton refuses in a block; it may hold poisoned expressions."""
    for node in walk_block(block):
        if isinstance(node, ir.OpCall):
            _check_call(node, sink)


def _check_call(node: ir.OpCall, sink: Sink) -> None:
    if isinstance(node.type, Tensor):
        _check_tile(node, node.type, sink)
    named = {
        parameter.name: argument
        for parameter, argument in zip(node.op.parsed.parameters, node.arguments, strict=True)
    }
    other, mask = named.get("other"), named.get("mask")
    if (
        other is not None
        and isinstance(mask, ir.AbsentArgument)
        and not isinstance(other, ir.AbsentArgument)
    ):
        sink.emit(
            "E0505",
            f"`{node.op.name}` has a value for masked lanes but no mask",
            other.span,
            help="give a mask, or pass `None` for `other`",
        )
    eviction, volatile = named.get("eviction_policy"), named.get("volatile")
    if (
        isinstance(eviction, ir.EnumArgument)
        and eviction.member != "NoEvict"
        and isinstance(volatile, ir.FlagArgument)
        and volatile.value
    ):
        sink.emit(
            "E0504",
            "a volatile load has no eviction policy",
            eviction.span,
            help="pass `None` for `eviction_policy`, or `false` for `volatile`",
        )
    bitcast = named.get("bitcast")
    widths = {dtype.bits for dtype in node.dtypes if isinstance(dtype, DType)}
    if isinstance(bitcast, ir.FlagArgument) and bitcast.value and len(widths) > 1:
        sink.emit(
            "E0504",
            "a bitcast is between dtypes of one width",
            bitcast.span,
            help="pass `false` to convert the value",
        )
    boundary = named.get("boundary_check")
    place = named.get("ptr") or named.get("dest")
    is_tiled = isinstance(getattr(place, "type", None), Descriptor)
    if is_tiled and mask is not None and not isinstance(mask, ir.AbsentArgument):
        sink.emit(
            "E0404",
            f"`{node.op.name}` through a block pointer takes no mask",
            mask.span,
            help="list the axes to check in `boundary_check`",
        )
    if not is_tiled and isinstance(boundary, ir.ListArgument) and boundary.elements:
        sink.emit(
            "E0601",
            "a boundary check is not supported in a kernel",
            boundary.span,
            help="mask the lanes outside: `offsets.lt(n)`",
        )


def _check_tile(node: ir.OpCall, type_: Tensor, sink: Sink) -> None:
    makes_tile = any(
        parameter.kind.form in {Form.CONSTANT, Form.CONSTANT_LIST}
        for parameter in node.op.parsed.parameters
    )
    if not makes_tile:
        return
    elements = 1
    for extent in type_.shape:
        if not isinstance(extent, int):
            continue
        elements *= extent
        if extent < 1:
            sink.emit(
                "E0503",
                f"`{node.op.name}` makes an empty tile, of shape `{shape_text(type_.shape)}`",
                node.span,
                help="the extents of a tile are at least 1",
            )
            return
        if extent & (extent - 1):
            sink.emit(
                "E0502",
                f"a tile's extent is a power of two in Triton, and {dimension_text(extent)} is none",
                node.span,
                label=f"this tile is `{shape_text(type_.shape)}`",
                help=f"use {1 << extent.bit_length()} and mask the lanes from {extent} on",
            )
            return
    if elements > _MAX_ELEMENTS:
        sink.emit(
            "E0502",
            f"a tile has at most {_MAX_ELEMENTS} elements in Triton, and this has {elements}",
            node.span,
        )
