"""One line a diagnostic, `file:line:column: error[E0301] message`: what editors and `grep` read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.render.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.diagnostics.model import Diagnostic
    from transpiler.diagnostics.render.report import Report
    from transpiler.source import SourceFile


def render(reports: Sequence[Report]) -> str:
    """All diagnostics, each on a line of its own; an empty text where there are none."""
    return "".join(
        f"{_place(report.source, diagnostic)}{diagnostic.severity.label}[{diagnostic.code}] "
        f"{visible(diagnostic.message)}\n"
        for report in reports
        for diagnostic in report.diagnostics
    )


def _place(source: SourceFile | None, diagnostic: Diagnostic) -> str:
    if source is None:
        return ""
    if diagnostic.primary is None:
        return f"{visible(source.name)}: "
    line, column = source.position(diagnostic.primary.span.start)
    return f"{visible(source.name)}:{line}:{column}: "
