"""Finding the end of a balanced piece of Rust without parsing it.

Comments, strings and characters are stepped over; nothing else of the language is known here.
"""

from __future__ import annotations

import re

STRING = (
    r"""[bc]?"(?:[^"\\]|\\[\s\S])*"|[bc]?r(?P<hashes>\#*)"[\s\S]*?"(?P=hashes)"""
    r"""|b?'(?:\\(?:u\{[^}'\n]*\}|x[\da-fA-F]{2}|[^\n])|[^\\'\n])'"""
)
_LANDMARK = re.compile(
    rf"(?P<delimiter>[(){{}}\[\]])|(?P<line>//[^\n]*)|(?P<block>/\*)"
    rf"|(?P<string>{STRING})|(?P<open>[bc]?r\#*\"|\")|(?P<semicolon>;)"
)
_BLOCK_COMMENT_MARK = re.compile(r"/\*|\*/")
CLOSER = {"(": ")", "[": "]", "{": "}"}


class UnterminatedError(Exception):
    """A string or block comment that starts at `start` never ends."""

    def __init__(self, start: int, *, is_comment: bool) -> None:
        super().__init__(start)
        self.start = start
        self.is_comment = is_comment


class NoItemError(Exception):
    """What stands at `start` begins no item."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


class UnclosedError(Exception):
    """The delimiter at `start` has no partner before the end of the text."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def block_comment_end(text: str, start: int, end: int) -> int:
    """The end of the block comment that starts at `start`; such comments nest.

    Raises:
        UnterminatedError: it does not end before `end`.
    """
    depth = 0
    for mark in _BLOCK_COMMENT_MARK.finditer(text, start, end):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    raise UnterminatedError(start, is_comment=True)


def landmarks(
    text: str, start: int, end: int, *, semicolons: bool = False
) -> list[tuple[str, int]]:
    """The delimiters of `text[start:end]` that stand in code, with their offsets; semicolons too where asked for.

    Raises:
        UnterminatedError: a string or a comment does not end.
    """
    found = []
    position = start
    while position < end:
        for mark in _LANDMARK.finditer(text, position, end):
            kind = mark.lastgroup
            if kind == "delimiter" or (kind == "semicolon" and semicolons):
                found.append((mark.group(), mark.start()))
            elif kind == "block":
                position = block_comment_end(text, mark.start(), end)
                break
            elif kind == "open":
                raise UnterminatedError(mark.start(), is_comment=False)
        else:
            break
    return found


def group_end(text: str, start: int, end: int) -> int:
    """The end of the group that the delimiter at `start` opens, counting delimiters of its own kind only.

    Counting one kind keeps a missing `)` from hiding the end of a body: the parser then says where it is missing.

    Raises:
        UnclosedError: no partner before `end`.
        UnterminatedError: a string or a comment does not end.
    """
    opener = text[start]
    closer = CLOSER[opener]
    depth = 0
    position = start
    while position < end:
        for mark in _LANDMARK.finditer(text, position, end):
            kind = mark.lastgroup
            if kind == "delimiter":
                character = mark.group()
                if character == opener:
                    depth += 1
                elif character == closer:
                    depth -= 1
                    if depth == 0:
                        return mark.end()
            elif kind == "block":
                position = block_comment_end(text, mark.start(), end)
                break
            elif kind == "open":
                raise UnterminatedError(mark.start(), is_comment=False)
        else:
            break
    raise UnclosedError(start)


def item_end(text: str, start: int, end: int, *, needs_semicolon: bool) -> tuple[int, int | None]:
    """The end of the item at `start`, and where its `{` stands if a brace group ends it.

    An item ends with its first `;` outside groups, or, unless `needs_semicolon`, with its first brace group that is no
    const argument (`Foo<{ N }>`).

    Raises:
        UnclosedError: a group of the item has no end, or the item itself has none (`start` is then its own).
        UnterminatedError: a string or a comment does not end.
    """
    position = start
    while position < end:
        for mark in _LANDMARK.finditer(text, position, end):
            kind = mark.lastgroup
            if kind == "delimiter":
                character = mark.group()
                if character not in CLOSER:
                    raise UnclosedError(start)
                position = group_end(text, mark.start(), end)
                if character == "{" and not needs_semicolon and not _is_argument(text, position):
                    return position, mark.start()
                break
            if kind == "semicolon":
                return mark.end(), None
            if kind == "block":
                position = block_comment_end(text, mark.start(), end)
                break
            if kind == "open":
                raise UnterminatedError(mark.start(), is_comment=False)
        else:
            break
    raise UnclosedError(start)


def _is_argument(text: str, position: int) -> bool:
    """Whether a brace group that ends at `position` is followed by what closes generic arguments."""
    following = text[position : position + 80].lstrip()
    return following.startswith((">", ","))
