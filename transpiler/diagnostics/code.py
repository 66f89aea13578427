"""What a diagnostic code is."""

from __future__ import annotations

from transpiler.diagnostics.model import Severity
from transpiler.frozen import dataclass


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


def error(code: str, title: str, explanation: str, *, wrong: str = "", right: str = "") -> Code:
    """A code whose findings stop a module from being written."""
    return Code(
        code=code,
        severity=Severity.ERROR,
        title=title,
        explanation=explanation,
        wrong=wrong,
        right=right,
    )


def warning(code: str, title: str, explanation: str, *, wrong: str = "", right: str = "") -> Code:
    """A code whose findings are told and stop nothing."""
    return Code(
        code=code,
        severity=Severity.WARNING,
        title=title,
        explanation=explanation,
        wrong=wrong,
        right=right,
    )


def remark(code: str, title: str, explanation: str, *, wrong: str = "", right: str = "") -> Code:
    """A code whose findings are told to who asks for more."""
    return Code(
        code=code,
        severity=Severity.REMARK,
        title=title,
        explanation=explanation,
        wrong=wrong,
        right=right,
    )
