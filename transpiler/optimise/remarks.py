"""What the optimiser says about its transforms: for every one, on every kernel, whether it applied, and why not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.optimise.flags import TRANSFORMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.optimise.flags import Transform
    from transpiler.source import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A transform on a kernel: `message` says what became of what stands at `span`, or why it did not apply."""

    transform: Transform
    kernel: str
    is_applied: bool
    message: str
    span: Span


def applied_flags(remarks: Iterable[Remark], kernel: str) -> tuple[str, ...]:
    """The flags of the transforms that were applied to a kernel, in the order in which transforms are."""
    flags = {it.transform.flag for it in remarks if it.is_applied and it.kernel == kernel}
    return tuple(it.flag for it in TRANSFORMS if it.flag in flags)


class Remarks:
    """Collects remarks in the order in which they are made; an exact repetition is kept once."""

    def __init__(self) -> None:
        self._remarks: dict[Remark, None] = {}

    def applied(self, transform: Transform, kernel: str, message: str, span: Span) -> None:
        """A transform did something."""
        self._add(transform, kernel, message, span, is_applied=True)

    def missed(self, transform: Transform, kernel: str, message: str, span: Span) -> None:
        """A transform did not apply, for this reason."""
        self._add(transform, kernel, message, span, is_applied=False)

    def _add(
        self, transform: Transform, kernel: str, message: str, span: Span, *, is_applied: bool
    ) -> None:
        remark = Remark(
            transform=transform, kernel=kernel, is_applied=is_applied, message=message, span=span
        )
        self.add(remark)

    def add(self, remark: Remark) -> None:
        """Add a remark that is made already."""
        self._remarks[remark] = None

    def clear(self) -> None:
        """Forget all of them."""
        self._remarks.clear()

    def give_up(self, reason: str) -> None:
        """What was done is dropped, for this reason."""
        self._remarks = {
            replace(it, is_applied=False, message=reason) if it.is_applied else it: None
            for it in self._remarks
        }

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """All of them."""
        return tuple(self._remarks)
