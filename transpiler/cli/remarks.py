"""What the optimiser says, as diagnostics: the remarks that `-Rpass` and `-Rpass-missed` ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.sink import Sink
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from transpiler.diagnostics.model import Diagnostic
    from transpiler.optimise.remarks import Remark

APPLIED = "R0801"
MISSED = "R0802"
OPTIMISER_CODES = frozenset({APPLIED, MISSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedRemarks:
    """Of which transforms to show where they were applied, and where not; None for no transform."""

    applied: re.Pattern[str] | None = None
    missed: re.Pattern[str] | None = None

    def has(self, remark: Remark) -> bool:
        """Whether a remark is asked for."""
        pattern = self.applied if remark.is_applied else self.missed
        return pattern is not None and pattern.search(remark.transform.flag) is not None


def with_remarks(
    diagnostics: Iterable[Diagnostic], remarks: Iterable[Remark], wanted: WantedRemarks
) -> tuple[Diagnostic, ...]:
    """The diagnostics with the remarks asked for among them, in the order of the text."""
    sink = Sink()
    for found in diagnostics:
        sink.add(found)
    for remark in filter(wanted.has, remarks):
        flag = remark.transform.flag
        option = "-Rpass" if remark.is_applied else "-Rpass-missed"
        sink.emit(
            APPLIED if remark.is_applied else MISSED,
            f"{flag}: `{remark.kernel}`: {remark.message} [{option}={flag}]",
            remark.span,
        )
    return sink.diagnostics
