"""What to write instead where the parser stopped: habits of other languages, and marks that look like those of Rust."""

from __future__ import annotations

import re
import unicodedata

from transpiler.tuples import NamedTuple

_LOOKALIKES = {
    **dict.fromkeys("“”„‟«»", '"'),
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("–—−‐‑‒―", "-"),
    "×": "*",
    "⋅": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "…": "..",
    "→": "->",
    "⇒": "=>",
}
_CHARACTERS = {
    "#": "a comment begins with `//`",
    "`": "names stand in a program as they are, without quotation marks",
    "\\": "a line goes on in the next one without a mark",
    "$": "`$` stands in the arms of `macro_rules!` alone",
    "@": "matrices are multiplied with `T::dot(…)`",
    "?": "write a choice with `if c { a } else { b }`",
}
_WORDS = {"and": "&&", "or": "||", "elif": "else if", "elsif": "else if", "elseif": "else if"}
_MARKS = {
    "@": "matrices are multiplied with `T::dot(…)`",
    "?": "write a choice with `if c { a } else { b }`",
}
_NAME = re.compile(r"[^\W\d]\w*")
_COMPOUND = frozenset("+/%^")
_WITHOUT_TYPE = {
    ")": "write the type of the parameter: `n: i32`",
    ">": "write the type of the constant: `const N: i32`",
}
_AFTER_PARAMETER = frozenset({")", ",", "<", "::", "+"})


class Stop(NamedTuple):
    """Where the parser stopped: at `found`, `before` which `last` stands, `behind` which the text goes on.

    `expected` are the words and marks that could have come; `statement` are those before it from the beginning of its
    statement on.
    """

    found: str
    last: str
    behind: str
    expected: frozenset[str]
    statement: tuple[str, ...]


def character_hint(character: str) -> str | None:
    """What to write instead of a character that begins nothing in Rust."""
    plain = _LOOKALIKES.get(character) or unicodedata.normalize("NFKC", character)
    if plain != character and plain.isascii() and plain.strip():
        return "write `'`" if plain == "`" else f"write `{plain}`"
    return _CHARACTERS.get(character)


def stop_hint(stop: Stop) -> str | None:
    """What to write instead of what the parser stopped at."""
    found, last, expected = stop.found, stop.last, stop.expected
    if found in _WORDS:
        return f"write `{_WORDS[found]}`"
    if last in _WORDS:
        return f"write `{_WORDS[last]}` instead of `{last}`"
    if last == "not":
        return "write `!` instead of `not`"
    if last == "?" or found in _MARKS:
        return _MARKS["?" if last == "?" else found]
    if found == "if" and ";" in expected:
        return "write a choice with `if c { a } else { b }`"
    if found == ":":
        return _colon_hint(stop)
    if found == "[" and "<" in expected:
        return "generics stand between `<` and `>`"
    if found == last == "+":
        return "write `x += 1`: Rust has no `++`"
    if last == "=" and found in _COMPOUND:
        return f"write `{found}=`"
    if found == "=" and expected <= _AFTER_PARAMETER:
        return "a parameter has no default: every call gives it a value"
    if found in _WITHOUT_TYPE and ":" in expected:
        return _WITHOUT_TYPE[found]
    if len(stop.statement) == 1 and ";" in expected and _NAME.fullmatch(found):
        return f"a variable is declared with `let {found} = …`"
    return None


def _colon_hint(stop: Stop) -> str | None:
    if "?" in stop.statement:
        return _MARKS["?"]
    if stop.behind == "=":
        return "write `=`"
    if "=>" in stop.expected:
        return "write `=>`"
    if _NAME.match(stop.behind):
        return "the parts of a path stand between `::`"
    return "a statement ends with `;`" if ";" in stop.expected else None
