"""Short ways to write the diagnostics that renderer tests show."""

from __future__ import annotations

from transpiler.diagnostics.model import Diagnostic, Label, Severity
from transpiler.diagnostics.render.report import Report
from transpiler.source import SourceFile, Span


def span_of(text: str, part: str, *, after: str = "") -> Span:
    """The span of the first `part` behind the first `after`."""
    start = text.index(part, text.index(after) + len(after))
    return Span(start, start + len(part))


def label_of(text: str, part: str, message: str = "", *, after: str = "") -> Label:
    """A label on the first `part` behind the first `after`."""
    return Label(span=span_of(text, part, after=after), message=message)


def error(
    primary: Label | None,
    *related: Label,
    message: str = "it is wrong",
    notes: tuple[str, ...] = (),
    help: str | None = None,  # noqa: A002 - the part's name
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    """A diagnostic of code E0801."""
    return Diagnostic(
        severity=severity,
        code="E0801",
        message=message,
        primary=primary,
        related=related,
        notes=notes,
        help=help,
    )


def report(text: str, *diagnostics: Diagnostic, name: str = "a.rs") -> Report:
    """A report on a file `a.rs` of this text."""
    return Report(source=SourceFile(name, text), diagnostics=diagnostics)
