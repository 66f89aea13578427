"""Which warnings the author has allowed, by a comment in the Rust.

`// teeny: allow(W0601) the reason` above a kernel or function is for all of it, above a statement for that, above a
parameter or behind code for that line. Such a comment is no attribute, so rustc has nothing against it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Diagnostic, Severity
from transpiler.frozen import dataclass
from transpiler.ir.visit import walk_statements
from transpiler.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.diagnostics.sink import Sink
    from transpiler.ir.nodes import Module
    from transpiler.source import SourceFile

_COMMENT = r"(?<![/])//(?![/!])[ \t]*teeny:[ \t]*allow\(([^()\n]*)\)"
_PASSED_OVER = r"\s*(//|#\s*\[|$)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Allowance:
    codes: frozenset[str]
    span: Span


def without_allowed(
    diagnostics: tuple[Diagnostic, ...], module: Module, source: SourceFile
) -> tuple[Diagnostic, ...]:
    """The diagnostics but those that a comment allows; errors cannot be allowed."""
    if not any(found.severity is Severity.WARNING for found in diagnostics):
        return diagnostics
    allowances = list(_allowances(module, source))
    return tuple(found for found in diagnostics if not _is_covered(found, allowances))


def unknown_allowances(source: SourceFile, sink: Sink) -> None:
    """Report codes in such comments that no warning has."""
    if "teeny:" not in source.text:
        return
    from transpiler.diagnostics.codes import CODES  # noqa: PLC0415 - for such comments alone

    for comment in re.finditer(_COMMENT, source.text):
        for code in _codes(comment):
            if code not in CODES or CODES[code].severity is not Severity.WARNING:
                start = comment.start(1) + comment[1].index(code)
                sink.emit(
                    "W0705",
                    f"no warning is called `{code}`",
                    Span(start, start + len(code)),
                    help="warnings are called `W0601` and the like; errors cannot be allowed",
                )


def _is_covered(found: Diagnostic, allowances: list[_Allowance]) -> bool:
    if found.severity is not Severity.WARNING or found.primary is None:
        return False
    start = found.primary.span.start
    return any(
        found.code in each.codes and each.span.start <= start < each.span.end for each in allowances
    )


def _codes(comment: re.Match[str]) -> list[str]:
    return [code for code in re.split(r"[,\s]+", comment[1]) if code]


def _allowances(module: Module, source: SourceFile) -> Iterator[_Allowance]:
    for comment in re.finditer(_COMMENT, source.text):
        codes = frozenset(_codes(comment))
        line = source.position(comment.start()).line
        if source.line_text(line)[: source.position(comment.start()).column - 1].strip():
            yield _Allowance(codes=codes, span=_line(source, line))
            continue
        while line < source.line_count and re.match(_PASSED_OVER, source.line_text(line)):
            line += 1
        yield _Allowance(codes=codes, span=_below(module, source, line))


def _below(module: Module, source: SourceFile, line: int) -> Span:
    """What begins at a line: a kernel or function, a statement, or else the line itself."""
    place = _line(source, line)
    for routine in module.routines:
        if place.start <= routine.name_span.start < place.end:
            return Span(place.start, routine.body.span.end)
        if not routine.body.span.start <= place.start < routine.body.span.end:
            continue
        for statement in walk_statements(routine.body):
            if place.start <= statement.span.start < place.end:
                return statement.span
    return place


def _line(source: SourceFile, line: int) -> Span:
    text = source.line_text(line)
    start = source.offset(line)
    return Span(start, start + len(text) + 1)
