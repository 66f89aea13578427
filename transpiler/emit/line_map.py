"""From lines of a generated module back to the Rust."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.source import Span


@dataclass(frozen=True)
class LineMap:
    """The Rust that each line of a generated module comes from.

    `entries` are pairs of a line, counted from one, and a span, in the order of the lines. Every
    line of a statement, a signature and a decorator is there.
    """

    entries: tuple[tuple[int, Span], ...]

    @cached_property
    def _spans(self) -> dict[int, Span]:
        return dict(self.entries)

    def rust_span(self, line: int) -> Span | None:
        """The span that line `line` (from one) comes from; None for what comes from no Rust."""
        return self._spans.get(line)

    def __iter__(self) -> Iterator[tuple[int, Span]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)
