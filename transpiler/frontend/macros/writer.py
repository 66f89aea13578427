"""Token trees as text again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frontend.macros.origins import Chunk
from transpiler.frontend.macros.trees import (
    CLOSERS,
    Gap,
    Group,
    Token,
    Tree,
    angle_end,
    at,
    is_group,
    is_token,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE_WHOLE = frozenset(
    {"", "(", "[", "{", "}", ",", ";", "=", "=>", "return"}
    | {f"{operator}=" for operator in "+-*/%^&|"}
)
_AFTER_WHOLE = frozenset({"", ")", "]", "}", ",", ";", "=>"})
_REACHING = frozenset({"return", "break", "continue", "move"})
_PARTS = frozenset({"word", "number", "text", "lifetime"})


class Writer:
    """Writes trees, and notes where each part of the text comes from.

    An expression that a macro was given, or became, keeps together: it gets parentheses where what stands around it
    would take it apart, and there alone, so that the text stays as a person would write it.
    """

    def __init__(self, text: str, macros: dict[tuple[int, int], int]) -> None:
        self.chunks: list[Chunk] = []
        self.definitions: list[tuple[int, int]] = []
        self._text = text
        self._macros = macros
        self._parts: list[str] = []
        self._length = 0
        self._last = ""
        self._last_kind = ""

    @property
    def text(self) -> str:
        """What has been written."""
        return "".join(self._parts)

    def write(self, trees: Sequence[Tree], after: str = "") -> None:
        """Write trees that the token `after` follows."""
        for index, tree in enumerate(trees):
            if isinstance(tree, Token):
                self._token(tree)
            elif tree.opener:
                self._group(tree)
            else:
                self._whole(tree, first_text(trees, index + 1) or after)

    def gap(self, gap: Gap) -> None:
        """Write white space and comments."""
        self._piece(self._text[gap.start : gap.end], gap.start, 0)

    def _token(self, token: Token) -> None:
        self.gap(token.lead)
        if not token.text:
            return
        self._part_from(token)
        if token.text == "macro_rules":
            number = self._macros.get((token.start, token.context))
            if number is not None:
                self.definitions.append((self._length, number))
        is_made = self._text[token.start : token.end] != token.text
        self._piece(token.text, token.start, token.context, is_made=is_made)
        self._last, self._last_kind = token.text, token.kind

    def _group(self, group: Group) -> None:
        self.gap(group.lead)
        if group.is_verbatim:
            self._piece(self._text[group.start : group.end], group.start, 0)
        else:
            self._piece(group.opener, group.start, group.context, is_made=True)
            self._last, self._last_kind = group.opener, "open"
            closer = CLOSERS[group.opener]
            self.write(group.children, closer)
            self.gap(group.last)
            self._piece(closer, max(group.start, group.end - 1), group.context, is_made=True)
        self._last, self._last_kind = CLOSERS[group.opener], "close"

    def _whole(self, group: Group, after: str) -> None:
        """What keeps together."""
        children = group.children
        if not children:
            self.gap(group.lead)
            return
        stands_alone = self._last in _BEFORE_WHOLE and after in _AFTER_WHOLE
        if group.fragment not in {"expr", "literal"} or stands_alone or is_operand(children):
            first, *rest = children
            self.write([first._replace(lead=group.lead), *rest], after)
            return
        self.gap(group.lead)
        self._piece("(", group.start, group.context, is_made=True)
        self._last, self._last_kind = "(", "open"
        first, *rest = children
        self.write([first._replace(lead=Gap(first.start, first.start)), *rest], ")")
        self._piece(")", max(group.start, group.end - 1), group.context, is_made=True)
        self._last, self._last_kind = ")", "close"

    def _part_from(self, token: Token) -> None:
        """Keep a token that came from another place apart from the one before it."""
        if token.lead.start == token.lead.end and self._parts:
            before = self._last_kind
            both_words = before in _PARTS and token.kind in _PARTS
            if both_words or (before == "mark" == token.kind and not self._continues(token)):
                self._piece(" ", token.start, token.context, is_made=True)

    def _continues(self, token: Token) -> bool:
        """Whether the token stood in the file right behind what was written last."""
        last = self.chunks[-1]
        return not last.is_made and last.origin + self._length - last.start == token.start

    def _piece(self, piece: str, origin: int, context: int, *, is_made: bool = False) -> None:
        if not piece:
            return
        last = self.chunks[-1] if self.chunks else None
        if (
            last is None
            or is_made
            or last.is_made
            or last.context != context
            or last.origin + self._length - last.start != origin
        ):
            self.chunks.append(Chunk(self._length, origin, context, is_made))
        self._parts.append(piece)
        self._length += len(piece)


def first_text(trees: Sequence[Tree], start: int = 0) -> str:
    """The first token of the trees from `start` on, empty where there is none."""
    for index in range(start, len(trees)):
        tree = trees[index]
        if isinstance(tree, Token):
            if tree.text:
                return tree.text
        elif tree.opener:
            return tree.opener
        elif found := first_text(tree.children):
            return found
    return ""


def is_operand(trees: Sequence[Tree]) -> bool:
    """Whether trees are one operand whatever stands around them: a literal, a path, and what follows such a thing."""
    first = trees[0]
    if isinstance(first, Group):
        if first.opener == "{" or (not first.opener and not is_operand(first.children)):
            return False
        index = 1
    elif first.kind in {"number", "text"} or (first.kind == "word" and first.text not in _REACHING):
        index = 1
    else:
        return False
    while index < len(trees):
        tree = trees[index]
        if isinstance(tree, Group):
            if tree.opener not in {"(", "["}:
                return False
            index += 1
        elif tree.text == ".":
            index += 2
        elif tree.text == "?":
            index += 1
        elif tree.text == "::":
            after = at(trees, index + 1)
            if is_token(after, "<"):
                return _is_generic_call(trees, index + 1)
            index += 2
        elif tree.text == "!" and is_group(at(trees, index + 1), "("):
            index += 2
        else:
            return False
    return True


def _is_generic_call(trees: Sequence[Tree], index: int) -> bool:
    """Whether `<…>` and what follows it end the operand."""
    end = angle_end(trees, index)
    return end is not None and (end == len(trees) or is_operand((_NAME, *trees[end:])))


_NAME = Token("word", "f", 0, 0, Gap(0, 0))
