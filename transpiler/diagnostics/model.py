"""Diagnostics as plain data: what was found, where, and what to write instead.

Nothing here knows how a diagnostic is shown; `transpiler.diagnostics.render` does.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.source import Span


class Severity(IntEnum):
    """How bad it is; errors alone stop a module from being written."""

    REMARK = 0
    WARNING = 1
    ERROR = 2

    @property
    def label(self) -> str:
        """The word shown to people and written into JSON."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A span with a few words under it."""

    span: Span
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding.

    `message` stands alone: it names what is wrong without the labels. `primary` is where the caret goes (None when the
    finding is about a whole file); `related` are further places; `help` says what to write instead.
    """

    severity: Severity
    code: str
    message: str
    primary: Label | None = None
    related: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None
