"""What the transforms of loops and axes say of one kernel: what they did, or why they did nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from transpiler.optimise.flags import (
    BLOCK_AXIS,
    COLLAPSE_AXES,
    SPLIT_INDEX,
    SPLIT_KERNEL,
    SPLIT_REDUCTION,
    SPREAD_LOOP,
    VECTORISE_LOOP,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir import nodes as ir
    from transpiler.optimise.flags import OptimiseOptions, Transform
    from transpiler.optimise.remarks import Remarks
    from transpiler.source import Span

_NOTHING_TO_DO = {
    SPLIT_INDEX: "no loop's index is taken apart by a division",
    SPLIT_KERNEL: "the kernel is one part",
    SPLIT_REDUCTION: "no loop reduces",
    SPREAD_LOOP: "no loop has independent iterations alone",
    VECTORISE_LOOP: "every loop runs over tiles",
    BLOCK_AXIS: "the lanes of tiles are those of loops",
    COLLAPSE_AXES: "no two axes are one contiguous piece of memory",
}
"""The transforms of loops and axes, and what keeps each from a kernel where nothing else does."""


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

    def missed_all(self, message: str, span: Span, *, but: Transform | None = None) -> None:
        """What stands in the way of every transform that has not said anything, `but` one."""
        for transform in _NOTHING_TO_DO:
            if transform not in self._told and transform is not but:
                self.missed(transform, message, span)

    def finish(self) -> None:
        """The transforms that have not said anything had nothing to do."""
        for transform, message in _NOTHING_TO_DO.items():
            if transform not in self._told:
                self.missed(transform, message, self._kernel.name_span)
