"""What combines lanes, a reduction or a scan, for a tile of programs: it does so along the kernel's own.

So no program's lane ever gets to see another program's, nor one that is there to fill the tile up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Tensor, TupleType
from transpiler.optimise.build import Build, shape_of, with_argument
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from transpiler.ir.types import Shape, Type
    from transpiler.ops.model import ShapeOf, ShapeOfLastAxis, ShapeReduced
    from transpiler.optimise.widening.broadcasts import Broadcasts
    from transpiler.optimise.widening.widen_frame import Frame


class OwnLanes:
    """Combines the lanes that tiles of the kernel have themselves."""

    def __init__(self, frame: Frame, broadcasts: Broadcasts) -> None:
        self._frame = frame
        self._broadcasts = broadcasts

    def whole(self, value: ir.Expression, source: ir.Expression) -> ir.Expression:
        """What was `source` and is widened to `value`, with all the lanes the kernel has.

        Raises:
            RefusedError: these are lanes of something else.
        """
        own = shape_of(source.type)
        if len(own) != 1 or self._frame.own < 0:
            refuse("lanes are combined that tiles of programs have not", source.span)
        shape = self._frame.shape(own[0], is_varying=self._frame.varies(value.type))
        return self._broadcasts.to(shape, value)

    def reduced(
        self, node: ir.OpCall, rule: ShapeReduced, value: ir.Expression, source: ir.Expression
    ) -> ir.Expression:
        """A reduction of what was `source` and is widened to `value`.

        Raises:
            RefusedError: it has no form for a tile of programs.
        """
        if shape_of(source.type) in ((), (1,)):
            # What combines elements has nothing to do; what says where one stands, or is given a function, has.
            if node.op.combines is None:
                refuse(f"`{node.op.name}` is of one lane", node.span)
            return value
        value = self.whole(value, source)
        if rule.keep_dims is None:
            refuse(f"`{node.op.name}` keeps no dimensions", node.span)
        made = self._along(node, rule.parameter, rule.axis, value)
        keep = ir.FlagArgument(span=node.span, value=True)
        shape = self._frame.shape(1, is_varying=self._frame.varies(value.type))
        return replace(
            with_argument(made, rule.keep_dims, keep), type=_with_shape(node.type, shape)
        )

    def scanned(
        self, node: ir.OpCall, rule: ShapeOf | ShapeOfLastAxis, axis: str, value: ir.Expression
    ) -> ir.Expression:
        """A scan of `value`, which is whole, along what the parameter `axis` says; it leaves as many lanes behind."""
        made = self._along(node, rule.parameter, axis, value)
        return replace(made, type=_with_shape(node.type, shape_of(value.type)))

    def _along(self, node: ir.OpCall, parameter: str, axis: str, value: ir.Expression) -> ir.OpCall:
        made = with_argument(node, parameter, value)
        return with_argument(made, axis, Build(node.span).number(self._frame.own))


def _with_shape(type_: Type, shape: Shape) -> Type:
    match type_:
        case Tensor():
            return replace(type_, shape=shape)
        case TupleType(elements=elements):
            return TupleType(elements=tuple(_with_shape(it, shape) for it in elements))
        case _:
            return type_
