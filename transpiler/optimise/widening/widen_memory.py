"""Loads and stores for a tile of programs: in the programs there are that come to them, one lane for each of theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import named_argument, named_value, operands
from transpiler.ir.types import Pointer, PointerTensor, Tensor
from transpiler.optimise.build import Build, broadcast, dtype_of, shape_of, with_argument
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from transpiler.ir import nodes as ir
    from transpiler.optimise.widening.broadcasts import Broadcasts
    from transpiler.optimise.widening.predication import Predicate
    from transpiler.optimise.widening.widen_frame import Frame

MASK = "mask"
"""What the parameter of accesses is called that says which lanes there are."""


def is_by_pointers(node: ir.OpCall) -> bool:
    """Whether an access goes where pointers point, lane by lane, rather than by a shape and strides."""
    return (
        isinstance(operands(node)[0].type, Pointer | PointerTensor)
        and any(it.name == MASK for it in node.op.parsed.parameters)
        and named_argument(node, "strides") is None
    )


class Accesses:
    """Accesses by pointers whose arguments are widened."""

    def __init__(self, frame: Frame, broadcasts: Broadcasts, predicate: Predicate) -> None:
        self._frame = frame
        self._broadcasts = broadcasts
        self._predicate = predicate

    def masked(self, node: ir.OpCall) -> ir.OpCall:
        """An access in the programs that come to it; one that goes to one place in all of them is left as it is."""
        if not self._frame.varies(operands(node)[0].type) and not self._predicate.is_partial:
            return node
        total = self._predicate.with_own(named_value(node, MASK), Build(node.span))
        return with_argument(node, MASK, total)

    def load(self, node: ir.OpCall) -> ir.OpCall:
        """A load."""
        made = self.masked(node)
        pointer, *others = operands(made)
        wide = broadcast(pointer.type, *(it.type for it in others))
        if wide != shape_of(pointer.type):
            # Pointers are masked lane by lane, so there has to be one for each lane of the mask.
            made = replace(
                made, arguments=(self._broadcasts.to(wide, pointer), *made.arguments[1:])
            )
        return replace(made, type=Tensor(dtype=dtype_of(node), shape=wide))

    def store(self, node: ir.OpCall, written: ir.OpCall) -> ir.OpCall:
        """A store, `written` so by the kernel.

        Raises:
            RefusedError: more than one lane would store to an element.
        """
        made = self.masked(node)
        pointer, *others = (it.type for it in operands(made))
        if self._frame.lanes(pointer) != (shape_of(operands(written)[0].type)[:1] or (1,))[0]:
            refuse("several lanes store to one element", node.span)
        if any(map(self._frame.varies, others)) and not self._frame.varies(pointer):
            refuse("several programs store to one element", node.span)
        return made
