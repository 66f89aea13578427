"""One JSON object a line for each diagnostic (JSON Lines).

Keys of an object, schema version 1:

* `schema_version`: 1; it grows when a key changes its meaning or goes, not when one is added.
* `file`: the name of the file as given, or null for what is about the command line.
* `code`, `severity` (`error`, `warning`, `remark`), `message`.
* `start`, `end`: `{"offset", "line", "column"}` of the primary span, half-open, or null where there
  is none. Offsets are code points from the start of the text, not counting a byte order mark; lines
  and columns count from one, columns in code points.
* `label`: the words at the primary span, or "".
* `related`: further places, each `{"message", "start", "end"}`.
* `notes`: a list of texts. `help`: what to write instead, or null.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.diagnostics.model import Diagnostic
    from transpiler.diagnostics.render.report import Report
    from transpiler.source import SourceFile, Span

SCHEMA_VERSION = 1


def render(reports: Sequence[Report]) -> str:
    """All diagnostics, one object a line; an empty text where there are none."""
    return "".join(
        json.dumps(_object(report.source, diagnostic), ensure_ascii=False) + "\n"
        for report in reports
        for diagnostic in report.diagnostics
    )


def _object(source: SourceFile | None, diagnostic: Diagnostic) -> dict[str, object]:
    primary = diagnostic.primary
    place: dict[str, dict[str, int] | None] = {"start": None, "end": None}
    if source is not None and primary is not None:
        place.update(_range(source, primary.span))
    return {
        "schema_version": SCHEMA_VERSION,
        "file": None if source is None else source.name,
        "code": diagnostic.code,
        "severity": diagnostic.severity.label,
        "message": diagnostic.message,
        **place,
        "label": "" if primary is None else primary.message,
        "related": [
            {"message": label.message, **_range(source, label.span)}
            for label in diagnostic.related
            if source is not None
        ],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
    }


def _range(source: SourceFile, span: Span) -> dict[str, dict[str, int]]:
    return {"start": _point(source, span.start), "end": _point(source, span.end)}


def _point(source: SourceFile, offset: int) -> dict[str, int]:
    line, column = source.position(offset)
    return {"offset": offset, "line": line, "column": column}
