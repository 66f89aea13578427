"""Attaching comments to what they speak about.

The lexer lists comments by offset; when a block, a parameter list or a list of items is complete, the comments that lie
in it and were not taken by something inside go to its entries.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

from transpiler.source import Span
from transpiler.syntax.base import NO_TRIVIA, Comment, Trivia

if TYPE_CHECKING:
    from collections.abc import Sequence

Offsets = tuple[int, int]


def comment(text: str, place: Offsets, *, blank_before: bool = False) -> Comment:
    """The node of the comment at `place`."""
    start, end = place
    written = text[start:end]
    if "\r" in written:
        written = written.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    return Comment(span=Span(start, end), text=written.rstrip(), blank_before=blank_before)


def has_blank_line(text: str, start: int, end: int) -> bool:
    """Whether an empty line stands in the white space between two offsets."""
    return text.count("\n", start, end) > 1


def comment_list(text: str, places: Sequence[Offsets], previous: int | None) -> tuple[Comment, ...]:
    """Comments that follow each other; `previous` is where what stands before them ends, if empty lines there count."""
    comments = []
    for place in places:
        blank = previous is not None and has_blank_line(text, previous, place[0])
        comments.append(comment(text, place, blank_before=blank))
        previous = place[1]
    return tuple(comments)


def take(comments: list[Offsets], start: int, end: int) -> list[Offsets]:
    """Remove the comments inside `[start, end)` from `comments`, which are in order, and give them back."""
    if not comments or comments[-1][0] < start:
        return []
    first = bisect.bisect_left(comments, (start, start))
    last = bisect.bisect_left(comments, (end, end))
    inside = comments[first:last]
    del comments[first:last]
    return inside


def attach(
    text: str, entries: Sequence[Offsets], comments: list[Offsets], start: int
) -> tuple[list[Trivia], tuple[Comment, ...]]:
    """The trivia of each entry, and the comments after the last.

    Args:
        text: the source text.
        entries: where each entry lies, separators included, in order.
        comments: the comments between and inside the entries, in order.
        start: where the list starts (the end of its opening brace).
    """
    result: list[Trivia] = []
    if not comments:
        for index, (begin, end) in enumerate(entries):
            blank = index > 0 and text.count("\n", start, begin) > 1
            result.append(Trivia(blank_before=True) if blank else NO_TRIVIA)
            start = end
        return result, ()
    position, count = 0, len(comments)
    for index, (begin, end) in enumerate(entries):
        first = position
        while position < count and comments[position][0] < begin:
            position += 1
        leading = comments[first:position]
        top = leading[0][0] if leading else begin
        blank_before = index > 0 and has_blank_line(text, start, top)
        blank_after = bool(leading) and has_blank_line(text, leading[-1][1], begin)
        while position < count and comments[position][0] < end:
            position += 1
        above = comment_list(text, leading, None)
        inner = tuple(comment(text, place) for place in comments[first + len(leading) : position])
        trailing = None
        if position < count:
            place = comments[position]
            following = entries[index + 1][0] if index + 1 < len(entries) else len(text)
            if place[0] < following and "\n" not in text[end : place[0]]:
                trailing = comment(text, place)
                position += 1
                end = place[1]  # noqa: PLW2901 - a trailing comment is the last of its entry
        result.append(
            Trivia(
                leading=above + inner,
                trailing=trailing,
                blank_before=blank_before,
                blank_after_leading=blank_after and not inner,
            )
            if above or inner or trailing or blank_before
            else NO_TRIVIA
        )
        start = end
    previous = start if entries else None
    return result, comment_list(text, comments[position:], previous)
