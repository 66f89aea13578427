"""The one table of diagnostic codes: `--explain`, `docs/diagnostics.md` and the sink read it.

Families: E01 text and syntax, E02 names, E03 operations and their arguments, E04 types and shapes, E05 what Triton
refuses, E06 Rust that is not supported, E07 attributes and generics, E08 files and options. W: warnings. R: remarks.
"""

from __future__ import annotations

from dataclasses import dataclass

from transpiler.diagnostics.model import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A kind of finding.

    `title` is one line; `explanation` is Markdown: what the rule is and why; `wrong` and `right` are Rust (or a shell
    line for E08) that shows it.
    """

    code: str
    severity: Severity
    title: str
    explanation: str
    wrong: str = ""
    right: str = ""


def _error(code: str, title: str, explanation: str, *, wrong: str = "", right: str = "") -> Code:
    return Code(
        code=code,
        severity=Severity.ERROR,
        title=title,
        explanation=explanation,
        wrong=wrong,
        right=right,
    )


_TABLE = (
    # E01: text and syntax
    # E02: names
    # E03: operations and their arguments
    # E04: types and shapes
    # E05: what Triton refuses
    # E06: Rust that is not supported
    # E07: attributes and generics
    # E08: files and options
)

CODES: dict[str, Code] = {entry.code: entry for entry in _TABLE}
