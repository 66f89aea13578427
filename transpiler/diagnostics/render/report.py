"""What every renderer takes: the diagnostics of a text beside the text they point into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.diagnostics.model import Diagnostic
    from transpiler.source import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The diagnostics of one text; `source` is None if they are about the command line."""

    source: SourceFile | None
    diagnostics: tuple[Diagnostic, ...]
