"""Rust text as token trees: tokens, and groups between delimiters.

A tree knows the white space and comments before it (its lead), so that a text can be written again from trees that
come from several places of it, and the syntax context it was written in (see `transpiler.syntax.hygiene`).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frontend.delimiters import STRING, UnterminatedError, block_comment_end
from transpiler.frontend.heads import doc_lines, is_outer_doc
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<comment>//[^\n]*|/\*)
    |(?P<word>(?:r\#)?[^\W\d]\w*+(?!["'\#]))
    |(?P<text>{STRING})
    |(?P<lifetime>'[^\W\d]\w*)
    |(?P<number>\d\w*(?:\.(?![.\w])|\.\d\w*)?(?:(?<=[eE])[+-]\d\w*)?)
    |(?P<open>[(\[{{])
    |(?P<close>[)\]}}])
    |(?P<mark>::|->|=>|==|!=|<<=|<<|<=|&&|\|\||\.\.[.=]?|[-+*/%^&|]=|.|[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL,
)
CLOSERS = {"(": ")", "[": "]", "{": "}", "": ""}


class Gap(NamedTuple):
    """White space and comments at `[start, end)`."""

    start: int
    end: int


class Token(NamedTuple):
    """A word, literal or mark at `[start, end)`; `text` is what it stands for, and where it was made up, differs."""

    kind: str
    text: str
    start: int
    end: int
    lead: Gap
    context: int = 0


class Group(NamedTuple):
    """What stands between the delimiter `opener` and its partner.

    One without a delimiter is what a metavariable of the kind `fragment` matched, or what a macro became; such a thing
    keeps together. `is_verbatim` tells that it stands in the text as it is.
    """

    opener: str
    children: tuple[Tree, ...]
    start: int
    end: int
    lead: Gap
    last: Gap
    context: int = 0
    fragment: str = ""
    is_verbatim: bool = False


Tree: TypeAlias = Token | Group


def trees(text: str) -> tuple[Tree, ...] | None:
    """The token trees of a text; None where delimiters do not pair up."""
    try:
        return _trees(text)
    except UnterminatedError:
        return None


def _trees(text: str) -> tuple[Tree, ...] | None:
    stack: list[tuple[str, int, Gap, list[Tree]]] = [("", 0, Gap(0, 0), [])]
    position = lead = 0
    end = len(text)
    while position < end:
        for found in _TOKEN.finditer(text, position, end):
            kind = found.lastgroup or ""
            start, stop = found.span()
            if kind == "space":
                continue
            if kind == "comment":
                if text[start + 1] == "*":
                    stop = block_comment_end(text, start, end)
                if is_outer_doc(text[start:stop]):
                    stack[-1][3].extend(_attribute(text, start, stop, Gap(lead, start)))
                    lead = stop
                position = stop
                break
            gap = Gap(lead, start)
            if kind == "open":
                stack.append((found.group(), start, gap, []))
            elif kind == "close":
                opener, begin, before, children = stack.pop()
                if CLOSERS[opener] != found.group():
                    return None
                stack[-1][3].append(
                    Group(opener, tuple(children), begin, stop, before, gap, is_verbatim=True)
                )
            else:
                stack[-1][3].append(Token(kind, found.group(), start, stop, gap))
            lead = stop
        else:
            break
    return tuple(stack[0][3]) if len(stack) == 1 else None


def _attribute(text: str, start: int, end: int, lead: Gap) -> tuple[Tree, Tree]:
    """A doc comment as the attribute that Rust takes it for."""
    none = Gap(end, end)
    words = json.dumps("\n".join(doc_lines(text[start:end])), ensure_ascii=False)
    inside = (
        Token("word", "doc", start, start, none),
        Token("mark", "=", start, start, none),
        Token("text", words, start, end, none),
    )
    return (
        Token("mark", "#", start, start, lead),
        Group("[", inside, start, end, none, none),
    )


def is_token(tree: Tree | None, text: str) -> bool:
    """Whether the tree is this token."""
    return isinstance(tree, Token) and tree.text == text


def is_word(tree: Tree | None) -> bool:
    """Whether the tree is a name or a keyword."""
    return isinstance(tree, Token) and tree.kind == "word" and tree.text != "_"


def is_group(tree: Tree | None, opener: str) -> bool:
    """Whether the tree is a group of this delimiter."""
    return isinstance(tree, Group) and tree.opener == opener


def at(sequence: Sequence[Tree], index: int) -> Tree | None:
    """The tree at an index, None outside."""
    return sequence[index] if 0 <= index < len(sequence) else None


def led_by(tree: Tree, lead: Gap) -> Tree:
    """The tree with other white space and comments before it."""
    return tree._replace(lead=lead)


def angle_end(trees: Sequence[Tree], index: int) -> int | None:
    """The index behind the `>` that closes the `<` at `index`; None where none does."""
    depth = 0
    while index < len(trees):
        tree = trees[index]
        if isinstance(tree, Token):
            depth += {"<": 1, "<<": 2, ">": -1}.get(tree.text, 0)
        index += 1
        if depth == 0:
            return index
    return None
