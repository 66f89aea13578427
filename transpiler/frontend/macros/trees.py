"""Rust text as token trees: tokens, and groups between delimiters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<word>(?:r\#)?[^\W\d]\w*(?!["'\#]))
    |(?P<text>[bcr]*\#*"(?:[^"\\]|\\.)*"\#*|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'])')
    |(?P<lifetime>'[^\W\d]\w*)
    |(?P<number>\d[\w]*(?:\.\d\w*)?(?:(?<=[eE])[+-]\d\w*)?)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<mark>::|->|=>|\.\.=|\.\.|.|[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL,
)
CLOSERS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word, literal or mark at `[start, end)`."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What stands between the delimiter `opener` and its partner."""

    opener: str
    children: tuple[Tree, ...]
    start: int
    end: int


Tree: TypeAlias = Token | Group


def trees(text: str) -> tuple[Tree, ...] | None:
    """The token trees of a text; None where delimiters do not pair up."""
    stack: list[tuple[str, int, list[Tree]]] = [("", 0, [])]
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        if kind == "open":
            stack.append((found.group(), found.start(), []))
        elif kind == "close":
            opener, start, children = stack.pop()
            if CLOSERS.get(opener) != found.group():
                return None
            stack[-1][2].append(
                Group(opener=opener, children=tuple(children), start=start, end=found.end())
            )
        elif kind != "skip":
            stack[-1][2].append(
                Token(kind=kind, text=found.group(), start=found.start(), end=found.end())
            )
    return tuple(stack[0][2]) if len(stack) == 1 else None


def is_token(tree: Tree | None, text: str) -> bool:
    """Whether the tree is this token."""
    return isinstance(tree, Token) and tree.text == text


def is_group(tree: Tree | None, opener: str = "") -> bool:
    """Whether the tree is a group, of this delimiter where one is given."""
    return isinstance(tree, Group) and opener in {"", tree.opener}


def at(sequence: Sequence[Tree], index: int) -> Tree | None:
    """The tree at an index, None behind the end."""
    return sequence[index] if index < len(sequence) else None
