"""The lexer: Rust text to the terminals of the grammar.

It stands in for Lark's contextual lexer for two reasons. Macro arguments, attributes and items among statements are cut
out whole, by balanced delimiters, which no regular expression finds. And Lark's compiles one expression for each set of
terminals that the parse table asks for, two hundred of them: for a file of 33 KB that is 15 ms of a fresh process, and
7 ms to set up, where the whole front end takes 30; it also counts lines from the top of the file for each slice. Warm,
the two are equally fast. A test holds that they find the same tokens.

What depends on context is settled by the token before: `0` in `x.0.1` is no float, `else` after anything but `}`
belongs to `let … else`, `<` where an operand begins opens `<T>::name`. `>` is always a token of its own (see
`grammar/terminals.lark`).
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING

from transpiler.frontend.delimiters import STRING, block_comment_end, group_end, item_end
from transpiler.frontend.faults import too_deep
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_EXPONENT = r"[eE][+-]?_*[0-9][0-9_]*"
TOKEN = re.compile(
    rf"""\s*(?:
        (?P<word>(?:r\#)?[^\W\d]\w*+(?!["'\#]))
      | (?P<comment>//[^\n]*|/\*)
      | (?P<mark>::|->|=>|==|!=|<=|&&|\|\||\.\.[.=]?|[-+*/%^&|]=|[-+*/%^&|!=<>.,;:()\[\]{{}}\#?@$~])
      | (?P<TUPLE_INDEX>(?<=[^.]\.)[0-9]+)
      | (?P<FLOAT>[0-9][0-9_]*(?:\.[0-9][0-9_]*(?:{_EXPONENT})?\w*|\.(?![.\w])|{_EXPONENT}\w*))
      | (?P<INT>[0-9]\w*)
      | (?P<TEXT>{STRING})
      | (?P<LIFETIME>'[^\W\d]\w*)
      | (?P<UNKNOWN>\S)
    )""",
    re.VERBOSE,
)
DEEPEST = 128
_WORD, _COMMENT, _MARK = (TOKEN.groupindex[name] for name in ("word", "comment", "mark"))
_UNKNOWN = TOKEN.groupindex["UNKNOWN"]
_GROUP_NAME = {index: name for name, index in TOKEN.groupindex.items()}

_WHERE = re.compile(
    r"where\b(?:[^{;/\[]|\[[^\]]*\]|//[^\n]*|/\*[\s\S]*?\*/|/|\{[^{}]*\}(?=\s*[>,]))*"
)
_OPERATORS = {
    **dict.fromkeys(("==", "!=", "/", "%", "^"), "BINARY"),
    **dict.fromkeys(("+=", "-=", "*=", "/=", "%=", "^=", "&=", "|="), "ASSIGN_OP"),
    **dict.fromkeys(("..", "..="), "RANGE"),
}
_RESERVED = frozenset(
    [
        "abstract",
        "async",
        "await",
        "become",
        "box",
        "do",
        "enum",
        "extern",
        "final",
        "gen",
        "macro",
        "mod",
        "override",
        "priv",
        "pub",
        "static",
        "struct",
        "super",
        "trait",
        "try",
        "type",
        "typeof",
        "unsized",
        "use",
        "virtual",
        "yield",
        "crate",
    ]
) - {"super", "crate", "gen"}
_ITEM_WORDS = frozenset(
    [
        "const",
        "enum",
        "extern",
        "fn",
        "impl",
        "macro_rules",
        "mod",
        "pub",
        "static",
        "struct",
        "trait",
        "type",
        "use",
        "union",
        "unsafe",
        "async",
    ]
)
_SPECIAL = _ITEM_WORDS | {"else", "where"}
_ATTRIBUTE = re.compile(r"#\s*!?\s*\[")
# Few bodies have items: these are compiled where one has, and kept by `re`.
_ITEM_AFTER = {
    "const": r"const\s+(?:[^\W\d]\w*\s*:|_\s*:|(?:unsafe\s+|async\s+|extern\s+)*fn\b)",
    "unsafe": r"unsafe\s+(?:fn|impl|trait|extern)\b",
    "async": r"async\s+(?:unsafe\s+)?fn\b",
    "union": r"union\s+[^\W\d]\w*\s*[<{]",
    "macro_rules": r"macro_rules\s*!",
}
_SEMICOLON_ITEM = (
    r"(?:pub(?:\s*\([^)]*\))?\s+)?"
    r"(?:const(?!\s+(?:unsafe\s+|async\s+|extern\s+)*fn\b)|static|type|use|extern\s+crate)\b"
)
_BEFORE_OPERAND = ("(", "[", "{", "}", ",", ";", "=", "=>", "+", "-", "*", "&", "!", "return")
_STATEMENT_START = frozenset(("LBRACE", "RBRACE", "SEMICOLON", "ATTRIBUTE", "ITEM"))


class Lexeme:
    """A token of terminal `type` at `[start_pos, end_pos)`; lines are counted when somebody must be told."""

    __slots__ = ("end_pos", "start_pos", "type", "value")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.type = kind
        self.value = text
        self.start_pos = start
        self.end_pos = end


@dataclass(slots=True)
class Slice:
    """A part of a source text to be parsed, and the comments met in it, by their offsets."""

    text: str
    start: int
    end: int
    comments: list[tuple[int, int]] = field(default_factory=list)


class RustLexer:
    """Cuts a text into the terminals of the grammar; see the module's text."""

    def __init__(self, spelled: Mapping[str, str]) -> None:
        self._marks = _OPERATORS | {
            text: name for text, name in spelled.items() if not text[0].isalpha() and text != "_"
        }
        self._before_operand = {spelled[mark] for mark in _BEFORE_OPERAND} | {"BINARY", "ASSIGN_OP"}
        self._words = dict.fromkeys(_RESERVED, "RESERVED") | {
            text: name for text, name in spelled.items() if text[0].isalpha() or text == "_"
        }

    def lex(self, part: Slice) -> Iterator[Lexeme]:
        """The tokens of `part`, to its end.

        Raises:
            Fault: groups nest too deeply.
            UnclosedError: a macro's argument, an attribute or an inner item does not end.
            UnterminatedError: a string or a comment does not end.
        """
        text, position, stop, comments = part.text, part.start, part.end, part.comments
        marks, words = self._marks, self._words
        last = before = ""
        depth = 0
        while position < stop:
            for found in TOKEN.finditer(text, position, stop):
                group = found.lastindex or _UNKNOWN
                start, end = found.span(group)
                if group == _COMMENT:
                    if text[start + 1] == "*":
                        position = block_comment_end(text, start, stop)
                        comments.append((start, position))
                        break
                    comments.append((start, end))
                    continue
                value = text[start:end]
                if group == _MARK:
                    kind = marks.get(value, "UNKNOWN")
                    if value in "([{#":
                        if last == "BANG" and before == "IDENT" and value != "#":
                            kind = "BRACED" if value == "{" else "DELIMITED"
                            end = group_end(text, start, stop)
                        elif value == "#" and (opening := _ATTRIBUTE.match(text, start, stop)):
                            kind = "ATTRIBUTE"
                            end = group_end(text, opening.end() - 1, stop)
                        else:
                            depth += 1
                            if depth > DEEPEST:
                                raise too_deep(start)
                    elif value in ")]}":
                        depth -= 1
                    elif value == "<" and last in self._before_operand:
                        kind = "QUALIFIED"
                elif group == _WORD:
                    kind = words.get(value, "IDENT")
                    if value in _SPECIAL:
                        kind, end = _special_word(text, value, kind, last, (start, end, stop))
                else:
                    kind = _GROUP_NAME[group]
                before, last = last, kind
                if found.end() == end:
                    yield Lexeme(kind, value, start, end)
                else:
                    yield Lexeme(kind, text[start:end], start, end)
                    position = end
                    break
            else:
                return


def _special_word(
    text: str, word: str, kind: str, last: str, place: tuple[int, int, int]
) -> tuple[str, int]:
    """The terminal that a word which depends on its place stands for, and where that ends."""
    start, end, stop = place
    if word == "else":
        return (kind if last == "RBRACE" else "LET_ELSE"), end
    if word == "where":
        found = _WHERE.match(text, start, stop)
        return "WHERE", end if found is None else found.end()
    if last in _STATEMENT_START and (
        word not in _ITEM_AFTER or re.compile(_ITEM_AFTER[word]).match(text, start, stop)
    ):
        needs_semicolon = re.compile(_SEMICOLON_ITEM).match(text, start, stop) is not None
        return "ITEM", item_end(text, start, stop, needs_semicolon=needs_semicolon)[0]
    return kind, end
