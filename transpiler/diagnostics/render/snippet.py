"""The source lines under a diagnostic, with what its labels say drawn beneath them.

Everything is laid out in terminal cells: tabs advance by four, wide East Asian characters take two
cells and combining marks none, so that a caret stands under what it means.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from transpiler.diagnostics.render.segment import Segment, Style
from transpiler.diagnostics.render.visible import visible, width
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.diagnostics.model import Label
    from transpiler.source import SourceFile

_TAB = 4
_WIDEST_LINE = 160
_CONTEXT_OF_LONG_LINES = 30
_ELLIPSIS = "…"
_LONGEST_WHOLE_SPAN = 8
_ASCII_PICTURE = range(0x20, 0x7F)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """A label in lines and columns: columns are code points from zero, half-open."""

    first_line: int
    first_column: int
    last_line: int
    last_column: int
    message: str
    is_primary: bool

    @property
    def style(self) -> Style:
        return Style.PRIMARY if self.is_primary else Style.SECONDARY

    @property
    def sign(self) -> str:
        return "^" if self.is_primary else "-"

    @property
    def is_multiline(self) -> bool:
        return self.first_line != self.last_line


class _Row:
    """One row of a drawing, cell by cell, so that styles follow the cells."""

    def __init__(self) -> None:
        self._cells: list[Segment] = []

    def put(self, column: int, text: str, style: Style) -> None:
        """Write `text` from cell `column`, over what is there."""
        self._cells.extend(Segment(" ") for _ in range(column + len(text) - len(self._cells)))
        self._cells[column : column + len(text)] = [Segment(each, style) for each in text]

    def segments(self) -> Iterator[Segment]:
        """The row without trailing spaces."""
        while self._cells and self._cells[-1].text == " ":
            self._cells.pop()
        for style, cells in groupby(self._cells, key=lambda cell: cell.style):
            yield Segment("".join(cell.text for cell in cells), style)


class _Line:
    """A source line as it is shown, and where its characters stand in it."""

    def __init__(self, text: str, marks: Sequence[tuple[int, int]]) -> None:
        shown: list[str] = []
        starts: list[int] = []
        cell = 0
        for character in text:
            starts.append(cell)
            if character == "\t":
                step = _TAB - cell % _TAB
                shown.append(" " * step)
            elif ord(character) in _ASCII_PICTURE:
                step = 1
                shown.append(character)
            else:
                picture = visible(character)
                step = width(picture)
                shown.append(picture)
            cell += step
        starts.append(cell)
        self._starts = starts
        self._cut = 0
        self.text = "".join(shown).rstrip()
        if cell > _WIDEST_LINE:
            self._crop(text, shown, marks)

    def _crop(self, text: str, shown: list[str], marks: Sequence[tuple[int, int]]) -> None:
        """Keep the part of a very long line that has the first mark in it."""
        first = min((start for start, _ in marks), default=0)
        begin = max(0, first - _CONTEXT_OF_LONG_LINES)
        if self._starts[first] < _WIDEST_LINE - _CONTEXT_OF_LONG_LINES:
            begin = 0
        end = begin
        limit = self._starts[begin] + _WIDEST_LINE
        while end < len(text) and self._starts[end + 1] <= limit:
            end += 1
        lead = _ELLIPSIS if begin else ""
        tail = _ELLIPSIS if end < len(text) else ""
        self._cut = self._starts[begin] - len(lead)
        self._starts = [min(start, self._starts[end]) for start in self._starts]
        self.text = lead + "".join(shown[begin:end]) + tail

    def cell(self, column: int) -> int:
        """The cell in which code point `column` starts."""
        return max(0, self._starts[min(column, len(self._starts) - 1)] - self._cut)

    def cells(self, start: int, end: int) -> tuple[int, int]:
        """The cells of `[start, end)`: at least one, so that an empty span has its caret."""
        first = self.cell(start)
        return first, max(self.cell(end), first + 1)

    def begins_at(self, column: int) -> bool:
        """Whether nothing but white space stands before code point `column`."""
        return not self.text[: self.cell(column)].strip()


def snippet(
    source: SourceFile, primary: Label, related: Sequence[Label], gutter: int
) -> Iterator[Segment]:
    """The lines with labels, drawn; `gutter` is the width of the widest line number shown."""
    marks = [_mark(source, primary, is_primary=True)]
    marks.extend(_mark(source, label, is_primary=False) for label in related)
    yield Segment(" " * gutter + " |\n", Style.GUTTER)
    multiline = sorted(
        (mark for mark in marks if mark.is_multiline),
        key=lambda mark: (mark.first_line, -mark.last_line, mark.first_column),
    )
    numbers = _shown_lines(marks)
    for number, following in pairwise([*numbers, numbers[-1]]):
        yield from _draw_line(source, number, marks, multiline, gutter)
        if following > number + 1:
            yield from _gap(_margin(multiline, number, number + 1), gutter)


def last_line(source: SourceFile, labels: Sequence[Label]) -> int:
    """The greatest line number a snippet of these labels shows."""
    return max(_mark(source, label, is_primary=True).last_line for label in labels)


def _mark(source: SourceFile, label: Label, *, is_primary: bool) -> _Mark:
    start = min(label.span.start, len(source.text))
    end = min(max(label.span.end, start), len(source.text))
    while end > start and source.text[end - 1] in "\r\n":
        end -= 1
    first, last = source.position(start), source.position(end)
    return _Mark(
        first_line=first.line,
        first_column=first.column - 1,
        last_line=last.line,
        last_column=last.column - 1,
        message=visible(label.message),
        is_primary=is_primary,
    )


def _shown_lines(marks: Sequence[_Mark]) -> list[int]:
    """The ends of each mark, all lines of a short one, and gaps of a single line."""
    chosen: set[int] = set()
    for mark in marks:
        if mark.last_line - mark.first_line < _LONGEST_WHOLE_SPAN:
            chosen.update(range(mark.first_line, mark.last_line + 1))
        else:
            chosen.update(
                (mark.first_line, mark.first_line + 1, mark.last_line - 1, mark.last_line)
            )
    chosen.update(first + 1 for first, second in pairwise(sorted(chosen)) if second == first + 2)
    return sorted(chosen)


def _draw_line(
    source: SourceFile,
    number: int,
    marks: Sequence[_Mark],
    multiline: Sequence[_Mark],
    gutter: int,
) -> Iterator[Segment]:
    single = [mark for mark in marks if not mark.is_multiline and mark.first_line == number]
    starting = [mark for mark in multiline if mark.first_line == number]
    ending = [mark for mark in multiline if mark.last_line == number]
    edges = [(mark.first_column, mark.last_column) for mark in single]
    edges += [(mark.first_column, mark.first_column) for mark in starting]
    edges += [(max(0, mark.last_column - 1), mark.last_column) for mark in ending]
    line = _Line(source.line_text(number), edges)

    indent = 2 * len(multiline)
    # A span that begins its line needs no arrow: its bar starts beside the line itself.
    flush = [mark for mark in starting if line.begins_at(mark.first_column)]
    margin = _margin(multiline, number - 1, number)
    for mark in flush:
        margin.put(2 * multiline.index(mark) + 1, "/", mark.style)
    yield Segment(f"{number:>{gutter}} |", Style.GUTTER)
    yield from margin.segments()
    if line.text:
        padding = indent + 1 - sum(len(segment.text) for segment in margin.segments())
        yield Segment(" " * padding + line.text)
    yield Segment("\n")

    opened = list(flush)
    for row in _underlines(line, single):
        drawn = _margin_among(multiline, number, opened, ending)
        for column, text, style in row:
            drawn.put(indent + 1 + column, text, style)
        yield from _annotation(drawn, gutter)
    for mark in starting:
        if mark in flush:
            continue
        drawn = _margin_among(multiline, number, opened, ending)
        bar = 2 * multiline.index(mark) + 1
        caret = indent + 1 + line.cell(mark.first_column)
        drawn.put(bar + 1, "_" * (caret - bar - 1) + mark.sign, mark.style)
        opened.append(mark)
        yield from _annotation(drawn, gutter)
    closed: list[_Mark] = []
    for mark in ending:
        still = [each for each in ending if each not in closed]
        drawn = _margin_among(multiline, number, opened, still)
        bar = 2 * multiline.index(mark) + 1
        caret = indent + 1 + line.cells(max(0, mark.last_column - 1), mark.last_column)[0]
        label = f" {mark.message}" if mark.message else ""
        drawn.put(bar, "|" + "_" * (caret - bar - 1) + mark.sign + label, mark.style)
        closed.append(mark)
        yield from _annotation(drawn, gutter)


def _annotation(row: _Row, gutter: int) -> Iterator[Segment]:
    yield Segment(" " * gutter + " |", Style.GUTTER)
    yield from row.segments()
    yield Segment("\n")


def _gap(margin: _Row, gutter: int) -> Iterator[Segment]:
    """The row that stands for lines left out."""
    bars = list(margin.segments())
    yield Segment("..." + " " * (gutter - 1) if bars else "...", Style.GUTTER)
    yield from bars
    yield Segment("\n")


def _margin(multiline: Sequence[_Mark], before: int, after: int) -> _Row:
    """The bars of the spans that reach from line `before` into line `after`."""
    row = _Row()
    for index, mark in enumerate(multiline):
        if mark.first_line <= before and mark.last_line >= after:
            row.put(2 * index + 1, "|", mark.style)
    return row


def _margin_among(
    multiline: Sequence[_Mark], number: int, opened: Sequence[_Mark], ending: Sequence[_Mark]
) -> _Row:
    """The bars beside an annotation under line `number`; `opened` and `ending` touch it."""
    row = _Row()
    for index, mark in enumerate(multiline):
        is_inside = mark.first_line < number < mark.last_line
        is_opened = mark.first_line == number and mark in opened
        is_ending = mark.last_line == number and mark in ending
        if is_inside or is_opened or is_ending:
            row.put(2 * index + 1, "|", mark.style)
    return row


_Piece = tuple[int, str, Style]


def _underlines(line: _Line, marks: Sequence[_Mark]) -> Iterator[list[_Piece]]:
    """The rows under a line: signs, then labels with no room beside them, rightmost first."""
    if not marks:
        return
    placed = sorted(
        ((*line.cells(mark.first_column, mark.last_column), mark) for mark in marks),
        key=lambda entry: (entry[0], entry[1], entry[2].is_primary),
    )
    signs: list[_Piece] = []
    # A shorter span is drawn over a longer one, so that both are seen.
    for start, end, mark in sorted(
        placed, key=lambda entry: (entry[0] - entry[1], not entry[2].is_primary)
    ):
        signs.append((start, mark.sign * (end - start), mark.style))
    beside = placed[-1] if all(end <= placed[-1][0] for _, end, _ in placed[:-1]) else None
    if beside is not None and beside[2].message:
        signs.append((beside[1] + 1, beside[2].message, beside[2].style))
    yield signs

    hanging = [
        (start, mark)
        for start, end, mark in placed
        if mark.message and (start, end, mark) != beside
    ]
    if hanging:
        yield [(start, "|", mark.style) for start, mark in hanging]
    while hanging:
        column, mark = hanging.pop()
        bars = [(start, "|", each.style) for start, each in hanging if start < column]
        yield [*bars, (column, mark.message, mark.style)]
