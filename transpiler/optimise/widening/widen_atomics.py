"""Atomic updates for a tile of programs, whose results nobody reads.

What programs add to one element is summed up before: programs are unordered, so it is one of their sums.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.values import named_argument, operands
from transpiler.ir import nodes as ir
from transpiler.ir.types import DType, Tensor
from transpiler.optimise.build import Build, broadcast, dtype_of, shape_of, with_argument
from transpiler.optimise.nests.combining import combines
from transpiler.optimise.refusals import refuse
from transpiler.optimise.widening.widen_memory import MASK

if TYPE_CHECKING:
    from transpiler.optimise.nests.nest import Combine
    from transpiler.optimise.widening.broadcasts import Broadcasts
    from transpiler.optimise.widening.widen_frame import Frame
    from transpiler.optimise.widening.widen_memory import Accesses


class Atomics:
    """Atomic updates by pointers whose arguments are widened."""

    def __init__(self, frame: Frame, broadcasts: Broadcasts, accesses: Accesses) -> None:
        self._frame = frame
        self._broadcasts = broadcasts
        self._accesses = accesses

    def update(self, node: ir.OpCall) -> ir.OpCall:
        """An update.

        Raises:
            RefusedError: it says how it is ordered among others, which the update of a tile would not be.
        """
        made = self._accesses.masked(node)
        if any(named_argument(node, it) is not None for it in ("sem", "scope")):
            refuse(f"`{node.op.name}` {node.op.effect.value}", node.span)
        pointer, value, *masks = operands(made)
        if not self._frame.varies(pointer.type):
            build = Build(node.span)
            exists = build.read(self._frame.exists)
            combine = self._combine(node, value, masks)
            if combine is None:
                masks = [exists if not masks else build.both(exists, masks[0])]
            else:
                identity = build.literal(combine.identity, dtype_of(value))
                value = self._across(combine, build.select(exists, value, identity), build)
        wide = broadcast(pointer.type, value.type, *(it.type for it in masks))
        filled = self._broadcasts.to(wide, pointer)
        made = replace(made, arguments=(filled, value, *made.arguments[2:]))
        if masks:
            made = with_argument(made, MASK, masks[0])
        return replace(made, type=Tensor(dtype=dtype_of(node), shape=wide))

    def _combine(
        self, node: ir.OpCall, value: ir.Expression, masks: list[ir.Expression]
    ) -> Combine | None:
        """How what all programs of a tile bring to one element is made one value; None where it stays several."""
        if dtype_of(value) in _NARROW or any(self._frame.varies(it.type) for it in masks):
            return None
        return next((it for it in combines() if it.reduce.combines == node.op.combines), None)

    def _across(self, combine: Combine, value: ir.Expression, build: Build) -> ir.Expression:
        """The lanes of all programs made one."""
        shape = list(shape_of(value.type))
        shape[self._frame.place] = 1
        dtype = dtype_of(value)
        type_ = Tensor(dtype=dtype, shape=tuple(shape))
        place = build.number(self._frame.place)
        keep = ir.FlagArgument(span=build.span, value=True)
        return build.call(combine.reduce, (dtype,), type_, value, place, keep)


_NARROW = frozenset(it for it in DType if it.bits < 32)
"""Dtypes in which a sum of several is another one than adding one after the other."""
