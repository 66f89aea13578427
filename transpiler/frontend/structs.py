"""Structs: their generics, and their fields with what stands before and around them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frontend.delimiters import block_comment_end, group_end
from transpiler.frontend.trivia import attach, take
from transpiler.source import Span
from transpiler.syntax.base import NO_TRIVIA
from transpiler.syntax.nodes import ItemHead, Struct, StructField, StructKind

if TYPE_CHECKING:
    from transpiler.frontend.slices import Prelude, SliceParser
    from transpiler.frontend.trivia import Offsets
    from transpiler.syntax.base import Comment

_NAME = re.compile(r"\s*(?:r\#)?(?P<name>[^\W\d]\w*)")
_FIELD_NAME = re.compile(r"(?:r\#)?(?P<name>[^\W\d]\w*)\s*:(?!:)\s*")
_VISIBILITY = re.compile(r"(?:pub(?:\s*\(\s*(?:crate|self|super|in\b[^()]*)\s*\))?|crate)(?=\s)\s*")
_WHERE = re.compile(r"\s*where\b(?P<clause>.*)", re.DOTALL)
_ANGLE = re.compile(r"->|=>|[<>]")
_MARK = re.compile(r"->|//[^\n]*|/\*|[<>,(\[{]")


class _OutsideModelError(Exception):
    """The struct is kept as written."""


def angle_end(text: str, start: int, end: int) -> int:
    """Where the generics that begin at `start` end."""
    depth = 0
    for mark in _ANGLE.finditer(text, start, end):
        if mark.group() == "<":
            depth += 1
        elif mark.group() == ">":
            depth -= 1
            if depth == 0:
                return mark.end()
    return end


def struct(
    parser: SliceParser, head: ItemHead, span: Span, after: int, brace: int | None
) -> Struct | None:
    """The struct at `span` whose keyword ends at `after`; None where it has no name.

    Args:
        parser: who parses the text; comments among the fields are taken from it.
        head: what stands before the struct.
        span: all of it.
        after: where its keyword ends.
        brace: where the `{` of its fields stands, if it has one.
    """
    name = _NAME.match(parser.text, after, span.end)
    if name is None:
        return None
    found = Struct(span=span, head=head, name=name["name"], name_span=Span(*name.span("name")))
    noted = len(parser.comments)
    try:
        return _parsed(parser, found, name.end(), brace)
    except _OutsideModelError:
        del parser.comments[noted:]
        return replace(found, rest=parser.text[name.end() : span.end].strip())


def _parsed(parser: SliceParser, found: Struct, position: int, brace: int | None) -> Struct:
    text, end = parser.text, found.span.end
    generics, generics_text = found.generics, ""
    if text.startswith("<", position):
        stop = angle_end(text, position, end)
        parameters = parser.generics(position, stop)
        if parameters is None:
            raise _OutsideModelError
        generics, generics_text = parameters, text[position:stop]
        position = stop
    found = replace(found, generics=generics, generics_text=generics_text)
    if brace is not None:
        where = _where_clause(text[position:brace])
        fields, closing = _fields(parser, brace + 1, end - 1, is_tuple=False)
        return replace(
            found,
            where_clause=where,
            kind=StructKind.NAMED,
            fields=fields,
            closing_comments=closing,
        )
    position = parser.skip_space(position)
    if not text.startswith("(", position):
        return replace(found, where_clause=_where_clause(text[position : end - 1]))
    stop = group_end(text, position, end)
    fields, closing = _fields(parser, position + 1, stop - 1, is_tuple=True)
    return replace(
        found,
        where_clause=_where_clause(text[stop : end - 1]),
        kind=StructKind.TUPLE,
        fields=fields,
        closing_comments=closing,
    )


def _where_clause(text: str) -> str | None:
    if not text.strip():
        return None
    where = _WHERE.fullmatch(text)
    if where is None:
        raise _OutsideModelError
    return where["clause"].strip() or None


def _fields(
    parser: SliceParser, start: int, end: int, *, is_tuple: bool
) -> tuple[tuple[StructField, ...], tuple[Comment, ...]]:
    """The fields in `[start, end)`, and the comments after the last."""
    fields: list[StructField] = []
    places: list[Offsets] = []
    prelude = parser.prelude(start, end)
    while prelude.end < end:
        field, position = _field(parser, prelude, end, str(len(fields)) if is_tuple else None)
        fields.append(field)
        places.append((prelude.start, position))
        prelude = parser.prelude(parser.skip_comments(position, end), end)
    trivia, closing = attach(parser.text, places, take(parser.comments, start, end), start)
    return tuple(
        field if around is NO_TRIVIA else replace(field, head=replace(field.head, trivia=around))
        for field, around in zip(fields, trivia, strict=True)
    ), closing


def _field(
    parser: SliceParser, prelude: Prelude, end: int, name: str | None
) -> tuple[StructField, int]:
    """The field behind `prelude` and where it ends, its comma included; `name` where none is written."""
    position = prelude.end
    visibility = _VISIBILITY.match(parser.text, position, end)
    if visibility is not None:
        position = visibility.end()
    if name is None:
        named = _FIELD_NAME.match(parser.text, position, end)
        if named is None:
            raise _OutsideModelError
        name, position = named["name"], named.end()
    stop = _type_end(parser, position, end)
    head = ItemHead(
        docs=prelude.docs,
        attributes=prelude.attributes,
        visibility=visibility.group().strip() if visibility is not None else "",
    )
    type_ = parser.type_(position, stop)
    field = StructField(span=Span(prelude.start, type_.span.end), head=head, name=name, type=type_)
    return field, min(stop + 1, end)


def _type_end(parser: SliceParser, start: int, end: int) -> int:
    """The comma behind the type that begins at `start`, or the end; comments on the way are noted."""
    text = parser.text
    depth, position = 0, start
    while (mark := _MARK.search(text, position, end)) is not None:
        position = mark.end()
        match mark.group():
            case "<":
                depth += 1
            case ">":
                depth -= 1
            case "," if depth == 0:
                return mark.start()
            case "(" | "[" | "{":
                position = group_end(text, mark.start(), end)
            case "/*":
                position = block_comment_end(text, mark.start(), end)
                parser.comments.append((mark.start(), position))
            case comment if comment.startswith("//"):
                parser.comments.append(mark.span())
            case _:
                pass
    return end
