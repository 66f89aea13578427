"""How the steps of the optimiser say that a kernel is not what they can work on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from transpiler.source import Span


class RefusedError(Exception):
    """A kernel that a step cannot work on: `reason` says what stands against it, at `span`."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


def refuse(reason: str, span: Span) -> NoReturn:
    """Give the kernel up.

    Raises:
        RefusedError: always.
    """
    raise RefusedError(reason, span)
