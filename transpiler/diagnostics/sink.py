"""Where the stages put their diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Diagnostic, Label, Severity

if TYPE_CHECKING:
    from transpiler.source import Span


class Sink:
    """Collects the diagnostics of one source text; an exact repetition is kept once."""

    def __init__(self) -> None:
        self._diagnostics: dict[Diagnostic, None] = {}

    def emit(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        *,
        label: str = "",
        related: tuple[Label, ...] = (),
        notes: tuple[str, ...] = (),
        help: str | None = None,  # noqa: A002 - the part's name
    ) -> None:
        """Add one finding of code `code`, whose severity the table of codes gives."""
        from transpiler.diagnostics.codes import CODES  # noqa: PLC0415 - most files have no findings

        primary = None if span is None else Label(span=span, message=label)
        self.add(
            Diagnostic(
                severity=CODES[code].severity,
                code=code,
                message=message,
                primary=primary,
                related=related,
                notes=notes,
                help=help,
            )
        )

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a finding that is made already."""
        self._diagnostics[diagnostic] = None

    @property
    def error_count(self) -> int:
        """How many errors there are so far."""
        return sum(found.severity is Severity.ERROR for found in self._diagnostics)

    @property
    def has_errors(self) -> bool:
        """Whether a module may not be written."""
        return self.error_count > 0

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of the text; those without a place come first."""
        return tuple(
            sorted(
                self._diagnostics,
                key=lambda found: (
                    (-1, -1) if found.primary is None else tuple(found.primary.span),
                    found.code,
                ),
            )
        )
