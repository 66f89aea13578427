"""Values as tiles of the shapes that are needed, where broadcasting does not do that by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import NamedDimension, Pointer, PointerTensor, Tensor
from transpiler.ops.model import ShapeGiven
from transpiler.ops.table import OPS
from transpiler.optimise.build import Build, dtype_of, shape_of, with_argument
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir.types import Dimension, Shape


class Broadcasts:
    """Makes tiles whose extents are numbers, or called as one of some const generics is, `extents`."""

    def __init__(self, extents: Iterable[ir.Symbol]) -> None:
        self._extents = {it.name: it for it in extents}
        self._fills: dict[ir.Symbol, ir.OpCall] = {}
        """Names of tiles of one number, which are made anew where more of it is needed."""

    def note(self, symbol: ir.Symbol, value: ir.Expression) -> None:
        """Note the value of a name."""
        if isinstance(value, ir.OpCall) and _is_fill(value):
            self._fills[symbol] = value

    def to(self, shape: Shape, value: ir.Expression) -> ir.Expression:
        """A value as a tile of a shape that it broadcasts to.

        Raises:
            RefusedError: the kernel does not know such an extent.
        """
        build = Build(value.span)
        if shape_of(value.type) == shape:
            return value
        extents = self.extents(shape, value)
        listed = ir.ListArgument(span=value.span, elements=extents)
        if isinstance(value.type, Pointer | PointerTensor):
            return build.pointer(value, build.full(shape, extents, build.number(0)))
        made = self._fills.get(value.symbol) if isinstance(value, ir.Read) else value
        dtype = dtype_of(value)
        type_ = Tensor(dtype=dtype, shape=shape)
        if isinstance(made, ir.OpCall) and isinstance(made.op.shape, ShapeGiven) and _is_fill(made):
            return replace(with_argument(made, made.op.shape.parameter, listed), type=type_)
        if not shape_of(value.type):
            return build.full(shape, extents, value)
        return build.call(OPS["broadcast_to"], (dtype,), type_, value, listed)

    def extents(self, shape: Shape, node: ir.Node) -> tuple[ir.Expression, ...]:
        """The extents of a shape, at a node.

        Raises:
            RefusedError: the kernel does not know one of them.
        """
        return tuple(self._extent(it, node) for it in shape)

    def _extent(self, dimension: Dimension, node: ir.Node) -> ir.Expression:
        build = Build(node.span)
        match dimension:
            case int():
                return build.number(dimension)
            case NamedDimension(name=name) if name in self._extents:
                return build.read(self._extents[name])
            case _:
                return refuse("the extent of a tile is not known", node.span)


def _is_fill(node: ir.OpCall) -> bool:
    """Whether it is a tile of one number that is the same wherever it is computed."""
    return (
        isinstance(node.op.shape, ShapeGiven)
        and bool(node.op.copies or node.op.value)
        and all(
            isinstance(it, ir.Literal) or (isinstance(it, ir.Read) and not it.symbol.is_mutable)
            for it in operands(node)
        )
        and not any(shape_of(it.type) for it in operands(node))
    )
