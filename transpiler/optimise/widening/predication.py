"""Which programs of a tile come to a statement: those there are, for which the branches around it are taken.

Branches that programs decide are masks, as whoever vectorises loops makes of them: both arms are done, one after the
other, each in the lanes it is for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.optimise.build import conjunction
from transpiler.optimise.refusals import refuse

if TYPE_CHECKING:
    from transpiler.analysis.effects import Failures
    from transpiler.ir import nodes as ir
    from transpiler.optimise.build import Build
    from transpiler.optimise.widening.widen_frame import Frame


class Predicate:
    """The masks of the programs that come to where we are."""

    def __init__(self, frame: Frame, failures: Failures) -> None:
        self._exists = frame.exists
        self._failures = failures
        self._taken: list[ir.Expression] = []
        """The masks of the branches around, outer ones first."""

    @property
    def is_partial(self) -> bool:
        """Whether some of the programs there are may not come here."""
        return bool(self._taken)

    def enter(self, mask: ir.Expression) -> None:
        """What follows is for the programs of a mask alone, until it is left."""
        self._taken.append(mask)

    def leave(self) -> None:
        """What follows is for all that were there before the last mask."""
        self._taken.pop()

    def taken(self, build: Build) -> ir.Expression:
        """The mask of the branches around.

        Raises:
            ValueError: there are none.
        """
        mask = conjunction(self._taken, build)
        if mask is None:
            raise ValueError("there is no branch")
        return mask

    def with_own(self, own: ir.Expression | None, build: Build) -> ir.Expression:
        """The mask of an access: the programs that come here, and what it masks itself."""
        total: ir.Expression = build.read(self._exists)
        for mask in (*self._taken, *([] if own is None else [own])):
            total = build.both(total, mask)
        return total

    def require_safe(self, node: ir.Expression) -> None:
        """Refuse what may fail in programs that never come to it.

        Raises:
            RefusedError: it may.
        """
        failing = self._failures.first(node)
        if failing is not None:
            refuse("this may fail, and not all programs come to it", failing.span)
