"""The front end's entrance: source text in, syntax tree out, errors into the sink."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frontend.delimiters import UnclosedError, UnterminatedError, group_end
from transpiler.frontend.heads import doc_lines, is_inner_doc
from transpiler.frontend.items import FileParser
from transpiler.frontend.table import parser
from transpiler.frontend.trivia import comment_list, has_blank_line
from transpiler.source import SourceFile, Span
from transpiler.syntax.hygiene import NO_MACROS
from transpiler.syntax.nodes import (
    Block,
    File,
    Function,
    Item,
    Module,
    OpaqueBody,
    OpaqueItem,
    Use,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.diagnostics.sink import Sink
    from transpiler.frontend.macros.origins import Expansion
    from transpiler.frontend.trivia import Offsets
    from transpiler.syntax.nodes import Attribute

_SPACE = re.compile(r"\s*")
_SHEBANG = re.compile(r"#!(?!\s*\[)[^\n]*")
_RENAMED = re.compile(r"(\w+)\s+as\b")
_INNER_ATTRIBUTE = re.compile(r"#\s*!\s*\[")


def parse_file(source: SourceFile, sink: Sink, expansion: Expansion | None = None) -> File:
    """Parse a whole source text.

    Bodies of kernels are parsed, and those of the free functions whose names occur in them, as far as the grammar knows
    what they hold; `parse_body` does it for any other function.

    Args:
        source: the text.
        sink: where syntax errors go (E01xx). A broken kernel is left out, all other items are there.
        expansion: what the text was made from, where macro calls were expanded in it.

    Returns:
        The tree, whatever the text is: this never raises on bad Rust.
    """
    text = source.text
    end = len(text)
    if "\0" in text:
        place = text.index("\0")
        sink.emit(
            "E0102",
            "the file is not Rust: it holds NUL bytes",
            Span(place, place + 1),
            label="the first one",
        )
        return File(span=Span(0, end), docs=(), attributes=(), items=())
    engine = parser()
    engine.builder.names = names = set[str]()
    engine.builder.expansion = expansion
    file = FileParser(source, sink, engine)
    start, docs, attributes, header = _top(text, file)
    items, closing = file.items(start, end, is_file=True)
    if not items and not sink.has_errors:
        sink.emit(
            "E0101",
            "the file holds no Rust item",
            help="write a function under `#[kernel]`",
        )
    return File(
        span=Span(0, end),
        docs=docs,
        attributes=attributes,
        items=_with_called(items, names, file),
        header_comments=comment_list(text, header, None),
        closing_comments=closing,
        hygiene=NO_MACROS if expansion is None else expansion.hygiene,
    )


def parse_body(function: Function, source: SourceFile, sink: Sink) -> Block | None:
    """The body of a function of `source` as a tree, however it is kept.

    Args:
        function: a function of the tree that `parse_file` made of `source`.
        source: its text.
        sink: where a syntax error goes.

    Returns:
        None for a function without a body, and after an error.
    """
    match function.body:
        case None:
            return None
        case Block():
            return function.body
        case OpaqueBody():
            engine = parser()
            engine.builder.names = set()
            engine.builder.expansion = _expansion_of(source)
            return FileParser(source, sink, engine).body(function.body.span)


def _expansion_of(source: SourceFile) -> Expansion | None:
    """What an expanded text was made from."""
    if type(source) is SourceFile:
        return None
    from transpiler.frontend.macros.origins import ExpandedSource  # noqa: PLC0415 - few files define macros

    return source.expansion if isinstance(source, ExpandedSource) else None


def _top(
    text: str, file: FileParser
) -> tuple[int, tuple[str, ...], tuple[Attribute, ...], list[Offsets]]:
    """What stands before the items: where they start, inner docs, inner attributes, and the comments of the header.

    Without inner docs and attributes, the comments that an empty line parts from what follows are the header.
    """
    position = 1 if text.startswith("\ufeff") else 0
    shebang = _SHEBANG.match(text, position)
    if shebang is not None:
        position = shebang.end()
    start, end = position, len(text)
    docs: list[str] = []
    attributes: list[Attribute] = []
    comments: list[Offsets] = []
    header = 0
    while True:
        space = _SPACE.match(text, position)
        position = space.end() if space else position
        stop = file.comment_end(position, end)
        if (
            comments
            and has_blank_line(text, comments[-1][1], position)
            and not (docs or attributes)
        ):
            start, header = comments[-1][1], len(comments)
        if stop is not None and is_inner_doc(text[position:stop]):
            docs.extend(doc_lines(text[position:stop]))
        elif stop is not None:
            if file.is_outer_doc_at(position):
                break
            comments.append((position, stop))
            position = stop
            continue
        elif opening := _INNER_ATTRIBUTE.match(text, position):
            try:
                stop = group_end(text, opening.end() - 1, end)
            except (UnclosedError, UnterminatedError):
                break
            attributes.append(file.attribute(position, stop))
        else:
            break
        position = start = stop
        header = len(comments)
    return start, tuple(docs), tuple(attributes), comments[:header]


def _with_called(items: tuple[Item, ...], names: set[str], file: FileParser) -> tuple[Item, ...]:
    """The items, with the bodies of free functions parsed whose names occur in what is parsed already."""
    names.update(_renamed(items))
    while True:
        known = len(names)
        items = tuple(_parsed_if_called(item, names, file) for item in items)
        if len(names) == known:
            return items


def _renamed(items: tuple[Item, ...]) -> Iterator[str]:
    """The names that `use` gives another."""
    for item in items:
        match item:
            case Use(tree=tree):
                yield from _RENAMED.findall(tree)
            case Module(items=tuple(inner)):
                yield from _renamed(inner)
            case _:
                pass


def _parsed_if_called(item: Item, names: set[str], file: FileParser) -> Item:
    match item:
        case Function(body=OpaqueBody(span=span, fault=None) as opaque) if item.name in names:
            body = file.body_quietly(span)
            if body is None:
                return replace(item, body=replace(opaque, fault=file.fault("block", span)))
            return replace(item, body=body)
        case OpaqueItem(signature=Span() as signature, fault=None) if item.name in names:
            return replace(item, fault=file.fault("function_head", signature))
        case Module(items=tuple(inner)):
            parsed = tuple(_parsed_if_called(child, names, file) for child in inner)
            same = all(new is old for new, old in zip(parsed, inner, strict=True))
            return item if same else replace(item, items=parsed)
        case _:
            return item
