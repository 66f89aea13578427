"""What a lint is given, and what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.analysis.facts import Facts
    from transpiler.diagnostics.sink import Sink
    from transpiler.source import SourceFile, Span

_LONGEST_NAME = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A kernel without errors: what is known about it, its text, and where findings go."""

    facts: Facts
    source: SourceFile
    sink: Sink

    def text(self, span: Span, otherwise: str) -> str:
        """The Rust under a span in quotes where it is short, other words where it is not."""
        text = self.source.slice(span)
        if len(text) > _LONGEST_NAME or not text.strip() or "\n" in text:
            return otherwise
        return f"`{text}`"


class Lint(Protocol):
    """A lint: looks at one kernel and reports to the subject's sink."""

    def __call__(self, subject: Subject) -> None:
        """Report what is wrong with the kernel."""
        ...
