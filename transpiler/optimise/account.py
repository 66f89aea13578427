"""What the transforms of loops and axes say of one kernel: what they did, or why they did nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.optimise.flags import (
    BLOCK_AXIS,
    COLLAPSE_AXES,
    SPLIT_INDEX,
    SPLIT_KERNEL,
    SPLIT_REDUCTION,
    SPREAD_LOOP,
    VECTORISE_LOOP,
)
from transpiler.optimise.nests.work import loops
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.optimise.flags import OptimiseOptions, Transform
    from transpiler.optimise.nests.nest import Nest
    from transpiler.optimise.refusals import RefusedError
    from transpiler.optimise.remarks import Remarks
    from transpiler.source import Span

_TRANSFORMS = (
    SPLIT_INDEX,
    SPLIT_KERNEL,
    SPLIT_REDUCTION,
    SPREAD_LOOP,
    VECTORISE_LOOP,
    BLOCK_AXIS,
    COLLAPSE_AXES,
)
"""The transforms of loops and axes, in the order in which they are told of."""
_OF_LOOPS = (SPLIT_REDUCTION, SPREAD_LOOP, VECTORISE_LOOP)
_NO_LOOP = "there is no loop"


class Note(NamedTuple):
    """That a transform was applied, and to what."""

    transform: Transform
    message: str
    span: Span


class Account:
    """Each transform says of the kernel what it did, or one thing that stands in its way."""

    def __init__(self, kernel: ir.Kernel, options: OptimiseOptions, remarks: Remarks) -> None:
        self._kernel = kernel
        self._options = options
        self._remarks = remarks
        self._told: set[Transform] = set()

    def applied(self, notes: Iterable[Note]) -> None:
        """What was done."""
        for transform, message, span in notes:
            self._told.add(transform)
            self._remarks.applied(transform, self._kernel.name, message, span)

    def missed(self, transform: Transform, message: str, span: Span) -> None:
        """What stands in the way of a transform; one that is off has nothing to say."""
        self._told.add(transform)
        if self._options.has(transform):
            self._remarks.missed(transform, self._kernel.name, message, span)

    def missed_all(self, message: str, span: Span) -> None:
        """What stands in the way of every transform that has not said anything."""
        for transform in _TRANSFORMS:
            if transform not in self._told:
                self.missed(transform, message, span)

    def is_no_nest(self, refusal: RefusedError) -> None:
        """What stands in the way of all transforms, but for `block-axis`, which there may be without a nest."""
        statements = self._kernel.body.contents.statements
        self._told.add(BLOCK_AXIS)
        if not any(isinstance(it, ir.For | ir.While) for it in statements):
            for transform in _OF_LOOPS:
                self.missed(transform, _NO_LOOP, self._kernel.name_span)
        self.missed_all(refusal.reason, refusal.span)

    def finish(self, nest: Nest) -> None:
        """The transforms that have not said anything had nothing to do in the nest."""
        for transform, message in _nothing_to_do(nest, self._options).items():
            if transform not in self._told:
                self.missed(transform, message, self._kernel.name_span)


def _nothing_to_do(nest: Nest, options: OptimiseOptions) -> dict[Transform, str]:
    """For each transform what is not there, as far as that can be told of a nest."""
    every = list(loops(nest.items))
    found = {
        SPLIT_INDEX: "no loop's index is taken apart by a division",
        SPLIT_KERNEL: "the kernel is one part",
        SPLIT_REDUCTION: "no loop reduces",
        SPREAD_LOOP: "no loop has independent iterations alone",
        VECTORISE_LOOP: "every loop runs over tiles",
        BLOCK_AXIS: "the lanes of tiles are those of loops",
        COLLAPSE_AXES: "no two axes are one contiguous piece of memory",
    }
    if not nest.programs:
        found[BLOCK_AXIS] = "the kernel does not ask for its place in the grid"
    if not every:
        return found | dict.fromkeys(_OF_LOOPS, _NO_LOOP)
    if any(it.reductions for it in every):
        found[SPLIT_REDUCTION] = "what a loop reduces is wanted in the iterations of another one"
    if any(it.axis.tile is None for it in every):
        found[VECTORISE_LOOP] = "the lanes of tiles are those of other axes"
        if not options.has(VECTORISE_LOOP):
            found[SPLIT_REDUCTION] = found[SPREAD_LOOP] = f"`{VECTORISE_LOOP.flag}` is off"
    return found
