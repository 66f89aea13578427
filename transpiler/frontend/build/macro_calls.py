"""What macros of Rust itself are made of: those whose argument a kernel can use are read here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from transpiler.frontend.faults import Fault
from transpiler.source import Span
from transpiler.syntax.nodes import (
    Array,
    ArrayRepeat,
    BooleanLiteral,
    Expression,
    Match,
    MatchArm,
    Parenthesized,
    TextLiteral,
    Tuple,
    WildcardPattern,
)
from transpiler.syntax.text_literals import text_value
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.frontend.build.base import Nested
    from transpiler.syntax.nodes import MacroCall, Pattern

ASSERTIONS = frozenset(
    {"assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"}
)

TEXTS = frozenset(
    {"panic", "todo", "unimplemented", "unreachable", "format", "format_args", "write", "writeln"}
    | {"print", "println", "eprint", "eprintln", "dbg"}
)
"""The macros that make a text of values."""


class ArmHead(NamedTuple):
    """`pattern if guard`."""

    pattern: Pattern
    guard: Expression | None


def arguments_of(text: str, inside: Span, nested: Nested) -> tuple[Expression, ...]:
    """The expressions between commas at `inside`.

    Raises:
        Fault: one of them is no expression; or another problem of the parser.
    """
    return tuple(nested.expression(*part) for part in _parts(text, inside))


def arguments_quietly(text: str, inside: Span, nested: Nested) -> tuple[Expression, ...]:
    """The expressions between commas at `inside`; none where one of them cannot be read."""
    found = [nested.expression_quietly(*part) for part in _parts(text, inside)]
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else ()


def array_of(text: str, tokens: Span, nested: Nested) -> Array | ArrayRepeat | None:
    """What `vec!` makes a vector of, where its argument is `tokens`, delimiters included."""
    match nested.expression_quietly(*tokens):
        case Array() | ArrayRepeat() as array:
            return array
        case Parenthesized(span=span, inner=inner):
            return Array(span=span, elements=(inner,))
        case Tuple(span=span, elements=elements):
            return Array(span=span, elements=elements)
        case _:
            return _repeated(text, tokens, nested)


def _repeated(text: str, tokens: Span, nested: Nested) -> ArrayRepeat | None:
    """`vec!(a; n)`, whose delimiters are no array's."""
    parts = _parts(text, Span(tokens.start + 1, tokens.end - 1), ";")
    if len(parts) != 2:
        return None
    element, length = (nested.expression_quietly(*part) for part in parts)
    if element is None or length is None:
        return None
    return ArrayRepeat(span=tokens, element=element, length=length)


def matches(text: str, call: MacroCall, inside: Span, nested: Nested) -> Expression:
    """`matches!(value, pattern if guard)` is a `match` that gives a bool.

    Raises:
        Fault: it is not of this form; or another problem of the parser.
    """
    parts = list(_parts(text, inside))
    if len(parts) < 2:
        raise Fault(
            code="E0110",
            message="`matches!` takes a value and a pattern",
            span=call.span,
            help="write `matches!(x, 0 | 4)`",
        )
    value = nested.expression(*parts[0])
    head = nested.arm_head(parts[1].start, parts[-1].end)
    span = call.span
    return Match(
        span=span,
        scrutinee=value,
        arms=(
            MatchArm(
                span=span,
                pattern=head.pattern,
                guard=head.guard,
                body=BooleanLiteral(span=span, value=True),
            ),
            MatchArm(
                span=span,
                pattern=WildcardPattern(span=span),
                guard=None,
                body=BooleanLiteral(span=span, value=False),
            ),
        ),
    )


def stringify(text: str, call: MacroCall, inside: Span) -> TextLiteral:
    """`stringify!(tokens)` is their text."""
    return _literal(call, " ".join(text[inside.start : inside.end].split()))


def concat(text: str, call: MacroCall, inside: Span) -> TextLiteral | None:
    """`concat!(literals)` is their texts in a row; None where there is something else among them."""
    words = []
    for part in _parts(text, inside):
        written = text[part.start : part.end].strip()
        value = text_value(written)
        if value is None and not _is_literal(written):
            return None
        words.append(written if value is None else value)
    return _literal(call, "".join(words))


def _is_literal(written: str) -> bool:
    from transpiler.frontend.macros.fragments import fragment_end  # noqa: PLC0415 - for few calls
    from transpiler.frontend.macros.trees import trees  # noqa: PLC0415

    found = trees(written)
    return bool(found) and fragment_end("literal", found or (), 0) == len(found or ())


def _literal(call: MacroCall, value: str) -> TextLiteral:
    return TextLiteral(span=call.span, text=json.dumps(value, ensure_ascii=False))


def _parts(text: str, inside: Span, separator: str = ",") -> list[Span]:
    """What stands between the commas, or another separator; without a last one."""
    from transpiler.frontend.macros.fragments import fragment_end  # noqa: PLC0415 - for few calls
    from transpiler.frontend.macros.trees import is_token, trees  # noqa: PLC0415

    found = trees(text[inside.start : inside.end]) or ()
    parts: list[Span] = []
    index = 0
    while index < len(found):
        end = fragment_end("expr", found, index) or index
        while end < len(found) and not is_token(found[end], separator):
            end += 1
        if end > index:
            first, last = found[index], found[end - 1]
            parts.append(Span(inside.start + first.start, inside.start + last.end))
        index = end + 1
    return parts
