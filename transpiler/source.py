"""Source text and positions in it.

Offsets are Python code points into `SourceFile.text`; lines and columns count from one.
"""

from __future__ import annotations

import bisect
import hashlib
import re
from functools import cached_property

from transpiler.frozen import dataclass
from transpiler.tuples import NamedTuple

_LINE_END = re.compile(r"\r\n|\r|\n")


class Span(NamedTuple):
    """A half-open range of offsets, `[start, end)`, in one source text."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The smallest span that holds both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


class Position(NamedTuple):
    """A place as people count it: line and column from one, the column in code points."""

    line: int
    column: int


@dataclass(frozen=True)
class SourceFile:
    """One Rust text under the name diagnostics and headers show for it.

    `name` is what the user typed (or `<stdin>`), never an absolute path of ours. A byte order mark
    is no part of `text`.
    """

    name: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text))]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the text, line ends as they are, in hexadecimal."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def line_count(self) -> int:
        """How many lines there are; an empty text has one."""
        return len(self._line_starts)

    def position(self, offset: int) -> Position:
        """Where `offset` stands; the end of the text is a position too."""
        line = bisect.bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def offset(self, line: int) -> int:
        """Where line `line` (from one) begins."""
        return self._line_starts[line - 1]

    def line_text(self, line: int) -> str:
        """The text of line `line` (from one), without its line end."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] if line < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def slice(self, span: Span) -> str:
        """The text under `span`."""
        return self.text[span.start : span.end]
