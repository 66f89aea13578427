"""A syntax error on its way from where it is found to the sink."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.sink import Sink
from transpiler.source import Span

if TYPE_CHECKING:
    from transpiler.diagnostics.model import Diagnostic, Label


class Fault(Exception):  # noqa: N818 - it is a fault of the text, and stays one after it is caught
    """One syntax error; its parts are those of a diagnostic."""

    def __init__(
        self,
        *,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        related: tuple[Label, ...] = (),
        notes: tuple[str, ...] = (),
        help: str | None = None,  # noqa: A002 - the part's name
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.label = label
        self.related = related
        self.notes = notes
        self.help = help

    def diagnostic(self) -> Diagnostic:
        """The fault as a finding."""
        sink = Sink()
        self.emit(sink)
        (found,) = sink.diagnostics
        return found

    def emit(self, sink: Sink) -> None:
        """Put the fault into `sink`."""
        sink.emit(
            self.code,
            self.message,
            self.span,
            label=self.label,
            related=self.related,
            notes=self.notes,
            help=self.help,
        )


def too_deep(place: int) -> Fault:
    """Groups, modules or operators nest deeper than any tree of them can be walked."""
    return Fault(
        code="E0116",
        message="the text nests too deeply",
        span=Span(max(place - 1, 0), place),
        label="in here",
        help="write it with fewer levels",
    )
