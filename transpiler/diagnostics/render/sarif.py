"""SARIF 2.1.0, the exchange format that code-scanning services read: one log with one run."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

from transpiler.diagnostics.codes import CODES
from transpiler.diagnostics.model import Severity
from transpiler.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.diagnostics.model import Diagnostic, Label
    from transpiler.diagnostics.render.report import Report
    from transpiler.source import SourceFile, Span

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.REMARK: "note"}


def render(reports: Sequence[Report]) -> str:
    """A whole SARIF log, also without diagnostics: a run with no results is an answer."""
    rules = {code: index for index, code in enumerate(CODES)}
    run = {
        "tool": {
            "driver": {
                "name": "teeny-transpile",
                "version": __version__,
                "rules": [_rule(code) for code in CODES],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(report.source, diagnostic, rules)
            for report in reports
            for diagnostic in report.diagnostics
        ],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str) -> dict[str, object]:
    entry = CODES[code]
    return {
        "id": entry.code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.explanation},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }


def _result(
    source: SourceFile | None, diagnostic: Diagnostic, rules: dict[str, int]
) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rules[diagnostic.code],
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": _message(diagnostic)},
    }
    if source is not None:
        result["locations"] = [_location(source, diagnostic.primary)]
        if diagnostic.related:
            result["relatedLocations"] = [
                {"id": number, **_location(source, label)}
                for number, label in enumerate(diagnostic.related)
            ]
    return result


def _message(diagnostic: Diagnostic) -> str:
    """The message with notes and help: viewers show this text and nothing else of ours."""
    parts = [diagnostic.message, *(f"note: {note}" for note in diagnostic.notes)]
    if diagnostic.help is not None:
        parts.append(f"help: {diagnostic.help}")
    return "\n".join(parts)


def _location(source: SourceFile, label: Label | None) -> dict[str, object]:
    physical: dict[str, object] = {"artifactLocation": {"uri": _uri(source.name)}}
    location: dict[str, object] = {"physicalLocation": physical}
    if label is not None:
        physical["region"] = _region(source, label.span)
        if label.message:
            location["message"] = {"text": label.message}
    return location


def _region(source: SourceFile, span: Span) -> dict[str, int]:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
        "charOffset": span.start,
        "charLength": span.end - span.start,
    }


def _uri(name: str) -> str:
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
