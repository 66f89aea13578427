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


_Item: TypeAlias = tuple[Document, int, bool]
"""A document still to be laid out, at the level and in the mode, flat or not, of what is around it."""


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
    stack: list[_Item] = [(" " * after, level, True), (document, level, False)]
    while len(stack) > 1:
        document, level, is_flat = stack.pop()
        match document:
            case str(text):
                current.append(text)
                column += len(text)
            case Trailing(text=text):
                if not is_flat:
                    current.append(text)
                    column += len(text)
            case Line(flat=flat):
                if is_flat:
                    current.append(flat)
                    column += len(flat)
                else:
                    lines.append("".join(current))
                    current = [INDENT * level]
                    column = len(current[0])
            case Indented(parts=parts):
                stack.extend([(part, level + 1, is_flat) for part in reversed(parts)])
            case Group(parts=parts):
                is_flat = is_flat or _fits((document, level, True), stack, width - column)
                stack.extend([(part, level, is_flat) for part in reversed(parts)])
            case _:
                assert_never(document)
    lines.append("".join(current))
    return lines


def first_line_fits(document: Document, room: int) -> bool:
    """Whether `document` is within `room` up to the first place at which it can break."""
    return _fits((document, 0, False), [], room)


def _fits(item: _Item, rest: list[_Item], room: int) -> bool:
    """Whether `item` and the text behind it, up to the first break in either, are within `room`."""
    queue = [item]
    behind = len(rest)
    while room >= 0:
        if queue:
            document, _, is_flat = queue.pop()
        elif behind:
            behind -= 1
            document, _, is_flat = rest[behind]
        else:
            return True
        match document:
            case str(text):
                room -= len(text)
            case Trailing(text=text):
                room -= 0 if is_flat else len(text)
            case Line(flat=flat):
                if not is_flat:
                    return True
                room -= len(flat)
            case Indented(parts=parts) | Group(parts=parts):
                queue.extend([(part, 0, is_flat) for part in reversed(parts)])
            case _:
                assert_never(document)
    return False
