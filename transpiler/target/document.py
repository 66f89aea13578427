"""Documents: text that may be laid out on one line or on several.

A document is a nesting of text, lines (which are a space, or nothing, or a line break) and groups. A group is laid out
flat where it fits up to the next place at which the text around it may break, and broken otherwise. This is Oppen's
algorithm ("Prettyprinting", 1980) as the formatters of today use it, so that their layout of a text is ours.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from transpiler.frozen import dataclass

INDENT = "    "


@dataclass(frozen=True, slots=True)
class Line:
    """A line break in a broken group, `flat` in a flat one."""

    flat: str


@dataclass(frozen=True, slots=True)
class Trailing:
    """`text` in a broken group, nothing in a flat one."""

    text: str


@dataclass(frozen=True, slots=True)
class Indented:
    """Parts of the group around them whose lines stand one level further in."""

    parts: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that are laid out flat together or broken together."""

    parts: tuple[Document, ...]


Document: TypeAlias = str | Line | Trailing | Indented | Group

SPACE = Line(" ")
NOTHING = Line("")


@dataclass(frozen=True, slots=True)
class _Item:
    """A document still to be laid out, in the mode and at the level of what is around it."""

    document: Document
    level: int
    is_flat: bool


def bracketed(opening: str, content: tuple[Document, ...], closing: str) -> Group:
    """`content` between brackets; broken, it stands on lines of its own, one level further in."""
    return Group((opening, Indented((NOTHING, *content)), NOTHING, closing))


def lay_out(document: Document, *, column: int, level: int, width: int, after: int) -> list[str]:
    """The lines of `document`.

    The first continues a line at `column`; the others are indented for their place in code at `level`. `after` is the
    width of what is written behind the last one.
    """
    lines: list[str] = []
    current: list[str] = []
    stack = [_Item(" " * after, level, is_flat=True), _Item(document, level, is_flat=False)]
    while len(stack) > 1:
        item = stack.pop()
        match item.document:
            case str(text):
                current.append(text)
                column += len(text)
            case Trailing(text=text):
                if not item.is_flat:
                    current.append(text)
                    column += len(text)
            case Line(flat=flat):
                if item.is_flat:
                    current.append(flat)
                    column += len(flat)
                else:
                    lines.append("".join(current))
                    current = [INDENT * item.level]
                    column = len(current[0])
            case Indented(parts=parts):
                stack.extend(_Item(part, item.level + 1, item.is_flat) for part in reversed(parts))
            case Group(parts=parts):
                whole = _Item(item.document, item.level, is_flat=True)
                is_flat = item.is_flat or _fits(whole, stack, width - column)
                stack.extend(_Item(part, item.level, is_flat) for part in reversed(parts))
            case _:
                assert_never(item.document)
    lines.append("".join(current))
    return lines


def first_line_fits(document: Document, room: int) -> bool:
    """Whether `document` is within `room` up to the first place at which it can break."""
    return _fits(_Item(document, 0, is_flat=False), [], room)


def _fits(item: _Item, rest: list[_Item], room: int) -> bool:
    """Whether `item` and the text behind it, up to the first break in either, are within `room`."""
    queue = [item]
    behind = len(rest)
    while room >= 0:
        if queue:
            item = queue.pop()
        elif behind:
            behind -= 1
            item = rest[behind]
        else:
            return True
        match item.document:
            case str(text):
                room -= len(text)
            case Trailing(text=text):
                room -= 0 if item.is_flat else len(text)
            case Line(flat=flat):
                if not item.is_flat:
                    return True
                room -= len(flat)
            case Indented(parts=parts) | Group(parts=parts):
                queue.extend(_Item(part, 0, item.is_flat) for part in reversed(parts))
            case _:
                assert_never(item.document)
    return False
