"""Syntax errors in words: what was found, what was expected, and what is probably missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.frontend.delimiters import CLOSER, UnterminatedError, block_comment_end, landmarks
from transpiler.frontend.faults import Fault
from transpiler.frontend.lexer import TOKEN
from transpiler.frontend.syntax_hints import Stop, character_hint, stop_hint
from transpiler.source import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.frontend.engine import UnexpectedTokenError

_OPENER = {closer: opener for opener, closer in CLOSER.items()}
_STATEMENT_WORDS = frozenset(("let", "while", "for", "loop", "return", "break", "continue"))
_UNSUPPORTED = frozenset(("async", "await", "dyn", "extern", "static", "try", "yield"))
_FUNCTION_WITHOUT_FN = re.compile(r"(?:pub(?:\([^)]*\))?\s+|def\s+)?(?P<name>[^\W\d]\w*)\s*[<(]")
_WORD = re.compile(r"[^\W\d]\w*|\d[\w.]*|\S")


def explain(
    text: str, start: int, error: UnexpectedTokenError, spelling: Mapping[str, str]
) -> Fault:
    """What is wrong where the parser stopped in the slice of `text` that begins at `start`."""
    token = error.token
    place = token.start_pos
    ends = token.type == "$END"
    found = "the end of the text" if ends else _quoted(token.value)
    span = Span(place, token.end_pos)
    marks = _code_marks(text, start, place)
    before = marks[-1][2] if marks else start
    last = Span(*marks[-1][1:]) if marks else Span(start, start)
    opener = _open_delimiter(marks)
    expected = error.expected
    next_line = "\n" in text[before:place]

    if token.value == "'":
        return Fault(
            code="E0103",
            message="the character literal does not hold one character",
            span=span,
            label="not expected here",
            help='text of more than one character stands in double quotes: `"ab"`',
        )
    if token.type == "UNKNOWN":
        return Fault(
            code="E0115",
            message=f"{found} begins nothing in Rust",
            span=span,
            label="unexpected character",
            help=character_hint(token.value),
        )
    if token.value in _OPENER and (opener is None or text[opener] == "{") and token.value != "}":
        return Fault(
            code="E0106",
            message=f"`{token.value}` closes nothing",
            span=span,
            label=f"no `{_OPENER[token.value]}` is open here",
            help="take it out, or open it before",
        )
    if (
        opener is not None
        and text[opener] in "(["
        and (
            ends
            or token.value in (";", "}")
            or (token.value in _OPENER and token.value != CLOSER[text[opener]])
            or token.value in _STATEMENT_WORDS
        )
    ):
        closer = CLOSER[text[opener]]
        return Fault(
            code="E0105",
            message=f"`{text[opener]}` is never closed",
            span=Span(opener, opener + 1),
            label=f"no `{closer}` for this",
            related=(Label(span=span, message=f"a `{closer}` is expected before this"),),
        )
    begins_expression = token.type in (
        "IDENT",
        "INT",
        "FLOAT",
        "TEXT",
        "TRUE",
        "FALSE",
        "LPAR",
    ) or (token.type in ("AMPERSAND", "SELF", "IF", "MATCH", "UNSAFE"))
    is_in_list = opener is not None or "MORETHAN" in expected
    is_arm = (
        {"COMMA", "RBRACE"} <= expected
        and "SEMICOLON" not in expected
        and (begins_expression or token.type in {"UNDERSCORE", "RANGE"})
    )
    if opener is not None and _before(marks, opener) == "for":
        return Fault(
            code="E0110",
            message=f"expected a range, found {found}",
            span=span,
            label="unexpected here",
            help="a loop goes over a range: `for i in 0..n { … }`",
        )
    if ("COMMA" in expected and begins_expression and is_in_list) or is_arm:
        return _missing(text, last, ",", "between these", span, "E0109", found)
    if "SEMICOLON" in expected and (
        next_line or token.value in _STATEMENT_WORDS or token.value == "}"
    ):
        return _missing(text, last, ";", "after this statement", span, "E0108", found)
    if token.value in _UNSUPPORTED:
        return Fault(
            code="E0110",
            message=f"{found} is Rust that no kernel can hold",
            span=span,
            label="not in a kernel",
        )
    if token.type == "RESERVED":
        return Fault(
            code="E0110",
            message=f"{found} is a keyword of Rust and no name",
            span=span,
            label=f"expected {_in_words(expected, spelling)}",
            help=f"take another name, or write `r#{token.value}`",
        )
    stop = Stop(
        found=token.value,
        last=marks[-1][0] if marks else "",
        behind=text[token.end_pos : token.end_pos + 1],
        expected=frozenset(spelling.get(name, name) for name in expected),
        statement=_statement(marks),
    )
    if "->" in stop.expected and "WHERE" in expected and token.value in _STATEMENT_WORDS:
        return Fault(
            code="E0110",
            message=f"expected `{{` and the body of the function, found {found}",
            span=last,
            label="a `{` is missing after this",
            related=(Label(span=span, message="unexpected here"),),
        )
    return Fault(
        code="E0110",
        message=f"expected {_in_words(expected, spelling)}, found {found}",
        span=span,
        label="unexpected here",
        help=stop_hint(stop),
    )


def unclosed(text: str, opener: int, start: int, end: int) -> Fault:
    """The delimiter in `text[start:end]` that has no partner.

    The one the scanner stopped at is the outermost; indentation tells better. The first `}` that stands at another
    indentation than the line of the `{` it closes belongs to an outer one, and that `{` is what was left open.
    """
    culprit, closed_by = opener, None
    stack: list[int] = []
    try:
        marks = landmarks(text, start, end)
    except UnterminatedError as problem:
        return unterminated(text, problem)
    for mark, offset in marks:
        if mark in CLOSER:
            stack.append(offset)
            continue
        if not stack:
            break
        opened = stack.pop()
        if text[opened] != _OPENER[mark] or (
            mark == "}"
            and _starts_line(text, offset)
            and _indent(text, offset) != _indent(text, opened)
        ):
            culprit, closed_by = opened, offset
            break
    else:
        if stack:
            culprit = stack[-1]
    character = text[culprit]
    if character not in CLOSER and character not in _OPENER:
        word = _WORD.match(text, opener)
        return Fault(
            code="E0105",
            message="the item never ends",
            span=Span(opener, word.end() if word else opener + 1),
            label="neither a `;` nor a `{ … }` ends it",
        )
    related: tuple[Label, ...] = ()
    if closed_by is not None:
        words = f"this `{text[closed_by]}` is the first that does not fit"
        related = (Label(span=Span(closed_by, closed_by + 1), message=words),)
    return Fault(
        code="E0105",
        message=f"`{character}` is never closed",
        span=Span(culprit, culprit + 1),
        label=f"no `{CLOSER.get(character, character)}` for this",
        related=related,
    )


def unterminated(text: str, problem: UnterminatedError) -> Fault:
    """A string or comment without an end."""
    start = problem.start
    if problem.is_comment:
        return Fault(
            code="E0104",
            message="the block comment never ends",
            span=Span(start, start + 2),
            label="it starts here",
            help="close it with `*/`; block comments nest, and each `/*` needs one",
        )
    line_end = text.find("\n", start)
    return Fault(
        code="E0103",
        message="the string never ends",
        span=Span(start, len(text) if line_end < 0 else line_end),
        label="it starts here",
        help='close it with `"`',
    )


def unexpected_at_item(text: str, position: int, end: int, *, has_prelude: bool) -> Fault:
    """Something that begins no item."""
    if position >= end:
        return Fault(
            code="E0107",
            message="expected an item after its docs and attributes, found the end",
            span=Span(max(position - 1, 0), position),
            label="nothing follows",
        )
    word = _WORD.match(text, position, end)
    found = word.group() if word else text[position]
    span = Span(position, position + len(found))
    if found in _OPENER:
        return Fault(
            code="E0106",
            message=f"`{found}` closes nothing",
            span=span,
            label="no delimiter is open here",
            help="remove it, or look above for one that closed too early",
        )
    where = "after its docs and attributes" if has_prelude else "here"
    function = _FUNCTION_WITHOUT_FN.match(text, position, end)
    if function is not None:
        name = Span(*function.span("name"))
        return Fault(
            code="E0107",
            message=f"expected `fn` before the name of the function, found `{function['name']}`",
            span=name,
            label="a function begins with `fn`",
            help=f"write `fn {function['name']}`",
        )
    return Fault(
        code="E0107",
        message=f"expected an item, found `{found}`",
        span=span,
        label=f"a function, struct, impl, use or the like belongs {where}",
        help="statements stand in functions; is there a `}` too many above?"
        if found in _STATEMENT_WORDS or "." in text[position : position + 40]
        else None,
    )


def _missing(
    text: str, last: Span, mark: str, where: str, found_span: Span, code: str, found: str
) -> Fault:
    is_division = mark == ";" and text[last.end : found_span.start].lstrip(" ").startswith("//")
    return Fault(
        code=code,
        message=f"expected `{mark}` {where}, found {found}",
        span=last,
        label=f"a `{mark}` is missing after this",
        related=(Label(span=found_span, message="unexpected here"),) if found_span else (),
        notes=("what follows `//` is a comment; integers are divided with `/`",)
        if is_division and text[last.end : last.end + 4].strip() == "//"
        else (),
        help=f"write `{_line_tail(text, last.end)}{mark}`" if _line_tail(text, last.end) else None,
    )


# --- What the parser would have taken ---

_GROUPS = (
    ("a pattern", frozenset(("IDENT", "UNDERSCORE", "MUT", "REF"))),
    ("a type", frozenset(("IDENT", "UNDERSCORE", "DYN"))),
    ("a statement", frozenset(("LET", "IDENT", "ITEM"))),
    ("an expression", frozenset(("IDENT", "INT", "MINUS", "LPAR"))),
    ("a type", frozenset(("IDENT", "UNDERSCORE", "STAR", "LSQB"))),
    ("an operator", frozenset(("PLUS", "STAR", "BINARY"))),
)
_AFTER_LET_PATTERN = frozenset(("COLON", "EQUAL", "SEMICOLON"))
_STARTS = frozenset(
    [
        "IDENT",
        "INT",
        "FLOAT",
        "TEXT",
        "TRUE",
        "FALSE",
        "LPAR",
        "LSQB",
        "LBRACE",
        "MINUS",
        "BANG",
        "STAR",
        "AMPERSAND",
        "VBAR",
        "IF",
        "MATCH",
        "WHILE",
        "LOOP",
        "FOR",
        "UNSAFE",
        "LIFETIME",
        "RETURN",
        "BREAK",
        "CONTINUE",
        "MOVE",
        "RANGE",
        "SELF",
        "LET",
        "ITEM",
        "ATTRIBUTE",
        "UNDERSCORE",
        "MUT",
        "REF",
        "DYN",
        "IMPL",
        "FN",
        "EXTERN",
        "LESSTHAN",
        "QUALIFIED",
        "BRACED",
        "DELIMITED",
    ]
)
_OPERATORS = frozenset(
    [
        "PLUS",
        "MINUS",
        "STAR",
        "BINARY",
        "ASSIGN_OP",
        "EQUAL",
        "AMPERSAND",
        "VBAR",
        "LESSTHAN",
        "MORETHAN",
        "RANGE",
        "AS",
        "DOT",
        "QMARK",
        "LPAR",
        "LSQB",
        "BANG",
    ]
)
_EVERYWHERE = frozenset(("&&", "||", "::", "<="))
_NAMED = {
    "IDENT": "a name",
    "LIFETIME": "a lifetime",
    "INT": "a number",
    "FLOAT": "a number",
    "TUPLE_INDEX": "a field number",
    "TEXT": "a string",
    "BINARY": "an operator",
    "ASSIGN_OP": "an operator",
    "RANGE": "`..`",
    "WHERE": "`where`",
    "LET_ELSE": "`else`",
    "ATTRIBUTE": "an attribute",
    "$END": "the end",
}


def _in_words(expected: frozenset[str], spelling: Mapping[str, str]) -> str:
    """The expected terminals as a person would say it."""
    words: list[str] = []
    left = set(expected)
    if left >= _AFTER_LET_PATTERN:
        left = set(_AFTER_LET_PATTERN)
    for name, marks in _GROUPS:
        if marks <= left:
            words.append(name)
            left -= _OPERATORS if name == "an operator" else _STARTS
            left = {mark for mark in left if spelling.get(mark) not in _EVERYWHERE}
    words.extend(
        sorted({_NAMED.get(mark) or f"`{spelling.get(mark, mark.lower())}`" for mark in left})
    )
    if not words:
        return "the end"
    if len(words) > 5:
        words = [*words[:4], "something else"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


# --- Reading the text around an error ---


def _quoted(found: str) -> str:
    return "'`'" if found == "`" else f"`{found}`"


def _code_marks(text: str, start: int, end: int) -> list[tuple[str, int, int]]:
    """The tokens of `text[start:end]`, with their places."""
    marks = []
    position = start
    while position < end:
        for found in TOKEN.finditer(text, position, end):
            kind = found.lastgroup or ""
            begin, stop = found.span(kind)
            if kind == "comment":
                if found[kind] == "/*":
                    position = block_comment_end(text, begin, end)
                    break
                continue
            marks.append((found[kind], begin, stop))
        else:
            break
    return marks


def _statement(marks: list[tuple[str, int, int]]) -> tuple[str, ...]:
    """The tokens of the statement that the last one is in."""
    words = [mark for mark, _, _ in marks]
    ends = [place for place, word in enumerate(words) if word in {";", "{", "}"}]
    return tuple(words[ends[-1] + 1 :] if ends else words)


def _before(marks: list[tuple[str, int, int]], place: int) -> str:
    """The token before the one at `place`."""
    return next((mark for mark, _, end in reversed(marks) if end <= place), "")


def _open_delimiter(marks: list[tuple[str, int, int]]) -> int | None:
    """Where the innermost delimiter opens that the tokens leave open."""
    stack: list[tuple[str, int]] = []
    for mark, begin, _ in marks:
        if mark in CLOSER:
            stack.append((mark, begin))
        elif mark in _OPENER and stack and stack[-1][0] == _OPENER[mark]:
            stack.pop()
    return stack[-1][1] if stack else None


def _indent(text: str, offset: int) -> str:
    line_start = text.rfind("\n", 0, offset) + 1
    line = text[line_start:offset]
    return line[: len(line) - len(line.lstrip())]


def _starts_line(text: str, offset: int) -> bool:
    line_start = text.rfind("\n", 0, offset) + 1
    return not text[line_start:offset].strip()


def _line_tail(text: str, offset: int) -> str:
    """The last words of the line that ends at `offset`, for showing what to write there."""
    line_start = text.rfind("\n", 0, offset) + 1
    return text[line_start:offset].strip()[-40:]
