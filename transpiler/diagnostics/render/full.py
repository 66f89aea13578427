"""Diagnostics for people: message, place, Rust lines with carets and labels, notes, help.

`segments` gives the text in styled pieces; `render` is that text alone. Neither ever holds an
escape sequence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Severity
from transpiler.diagnostics.render.segment import Segment, Style
from transpiler.diagnostics.render.snippet import last_line, snippet
from transpiler.diagnostics.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.diagnostics.model import Diagnostic
    from transpiler.diagnostics.render.report import Report
    from transpiler.source import SourceFile

_STYLES = {
    Severity.ERROR: Style.ERROR,
    Severity.WARNING: Style.WARNING,
    Severity.REMARK: Style.REMARK,
}


def render(reports: Sequence[Report]) -> str:
    """All diagnostics and a line that counts them; an empty text where there are none."""
    return "".join(segment.text for segment in segments(reports))


def segments(reports: Sequence[Report]) -> Iterator[Segment]:
    """What `render` gives, in pieces of one style each."""
    for report in reports:
        for diagnostic in report.diagnostics:
            yield from _diagnostic(report.source, diagnostic)
            yield Segment("\n")
    if counted := count_line(reports):
        yield Segment(counted + "\n", Style.TITLE)


def count_line(reports: Sequence[Report]) -> str:
    """`2 errors and 1 warning in 1 file`; an empty text where there are no diagnostics."""
    found = [diagnostic for report in reports for diagnostic in report.diagnostics]
    if not found:
        return ""
    parts = [
        _plural(number, severity.label)
        for severity in sorted(Severity, reverse=True)
        if (number := sum(diagnostic.severity is severity for diagnostic in found))
    ]
    head = " and ".join(part for part in (", ".join(parts[:-1]), parts[-1]) if part)
    files = {
        report.source.name for report in reports if report.source is not None and report.diagnostics
    }
    return f"{head} in {_plural(len(files), 'file')}" if files else head


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _diagnostic(source: SourceFile | None, diagnostic: Diagnostic) -> Iterator[Segment]:
    yield Segment(f"{diagnostic.severity.label}[{diagnostic.code}]", _STYLES[diagnostic.severity])
    yield Segment(f": {visible(diagnostic.message)}\n", Style.TITLE)
    gutter = 1
    if source is not None:
        labels = [label for label in (diagnostic.primary, *diagnostic.related) if label is not None]
        gutter = len(str(last_line(source, labels))) if labels else 1
        yield Segment(" " * gutter + "--> ", Style.GUTTER)
        yield Segment(_place(source, diagnostic) + "\n")
        if diagnostic.primary is not None:
            yield from snippet(source, diagnostic.primary, diagnostic.related, gutter)
    remarks = [("note", Style.TITLE, note) for note in diagnostic.notes]
    if diagnostic.help is not None:
        remarks.append(("help", Style.HELP, diagnostic.help))
    if remarks and source is not None and diagnostic.primary is not None:
        yield Segment(" " * gutter + " |\n", Style.GUTTER)
    for kind, style, text in remarks:
        yield Segment(" " * gutter + " = ", Style.GUTTER)
        yield Segment(f"{kind}:", style)
        lines = text.split("\n")
        indent = "\n" + " " * (gutter + 3 + len(kind) + 2)
        yield Segment(" " + indent.join(visible(line) for line in lines) + "\n")


def _place(source: SourceFile, diagnostic: Diagnostic) -> str:
    if diagnostic.primary is None:
        return visible(source.name)
    line, column = source.position(diagnostic.primary.span.start)
    return f"{visible(source.name)}:{line}:{column}"
