"""The variants of enums that hold no data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.frontend.delimiters import group_end
from transpiler.source import Span
from transpiler.syntax.nodes import EnumVariant, Expression

if TYPE_CHECKING:
    from transpiler.frontend.slices import SliceParser

_NAME = re.compile(r"(?:r\#)?(?P<name>[^\W\d]\w*)\s*(?P<mark>[,=]?)")


def plain_variants(parser: SliceParser, start: int, end: int) -> tuple[EnumVariant, ...] | None:
    """The variants written in `[start, end)`; None where one holds data, or is written in another way."""
    noted = len(parser.comments)
    try:
        return _variants(parser, start, end)
    finally:
        del parser.comments[noted:]


def _variants(parser: SliceParser, start: int, end: int) -> tuple[EnumVariant, ...] | None:
    found: list[EnumVariant] = []
    position = parser.prelude(start, end).end
    while position < end:
        name = _NAME.match(parser.text, position, end)
        if name is None:
            return None
        stop = parser.skip_comments(name.end(), end)
        value: Expression | None = None
        if name["mark"] == "=":
            stop = _comma(parser.text, name.end(), end)
            parsed = parser.quietly("expression", name.end(), stop)
            if not isinstance(parsed, Expression):
                return None
            value = parsed
            stop = min(stop + 1, end)
        elif not name["mark"] and stop < end:
            return None
        found.append(
            EnumVariant(span=Span(name.start("name"), stop), name=name["name"], value=value)
        )
        position = parser.prelude(stop, end).end
    return tuple(found)


def _comma(text: str, start: int, end: int) -> int:
    """The next comma outside brackets, or the end."""
    position = start
    while position < end:
        if text[position] == ",":
            return position
        if text[position] in "([{":
            position = group_end(text, position, end)
        else:
            position += 1
    return end
