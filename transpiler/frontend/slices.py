"""Parsing parts of a file: comments and attributes, and slices that one rule of the grammar reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar, cast

from transpiler.frontend.build.macro_calls import ArmHead
from transpiler.frontend.build.types import Generics
from transpiler.frontend.delimiters import (
    UnclosedError,
    UnterminatedError,
    block_comment_end,
    group_end,
)
from transpiler.frontend.engine import UnexpectedTokenError
from transpiler.frontend.faults import Fault
from transpiler.frontend.heads import doc_lines, is_outer_doc
from transpiler.frontend.lexer import Slice
from transpiler.source import Span
from transpiler.syntax.base import Node
from transpiler.syntax.nodes import Attribute, MetaItem, OpaqueType, TextLiteral, Type
from transpiler.syntax.text_literals import text_value
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.frontend.engine import Parser
    from transpiler.frontend.trivia import Offsets
    from transpiler.syntax.nodes import Expression, GenericParameter, Item

# What a text can do to the parser. Recursion is as deep as the operators of one expression nest.
PROBLEMS = (UnexpectedTokenError, Fault, UnclosedError, UnterminatedError, RecursionError)

_SPACE = re.compile(r"\s*")
_ATTRIBUTE_START = re.compile(r"#\s*!?\s*\[")
_LINE = re.compile(r"[^\r\n]*")

Made = TypeVar("Made")


class Prelude(NamedTuple):
    """What stands before an item, from `start`; the item itself begins at `end`."""

    start: int
    end: int
    docs: tuple[str, ...]
    attributes: tuple[Attribute, ...]

    @property
    def is_kernel(self) -> bool:
        """Whether `#[kernel]` is among the attributes."""
        return any(attribute.name == "kernel" for attribute in self.attributes)


class SliceParser:
    """Parses slices of one text; what it says of comments and attributes holds for the whole file."""

    def __init__(self, text: str, parser: Parser) -> None:
        self.text = text
        self.comments: list[Offsets] = []
        self._parser = parser

    # --- between tokens ---

    def skip_comments(self, position: int, end: int) -> int:
        """The next offset that is neither white space nor in a comment; comments are noted."""
        text = self.text
        while True:
            found = _SPACE.match(text, position, end)
            position = found.end() if found else position
            if position < end and text[position] == "/" and not self.is_outer_doc_at(position):
                stop = self.comment_end(position, end)
                if stop is None:
                    return position
                self.comments.append((position, stop))
                position = stop
            else:
                return position

    def skip_space(self, position: int) -> int:
        """The next offset that holds no white space."""
        found = _SPACE.match(self.text, position)
        return found.end() if found else position

    def comment_end(self, start: int, end: int) -> int | None:
        """Where the comment at `start` ends; None where there is none, or where it does not end."""
        if self.text.startswith("//", start):
            found = _LINE.match(self.text, start, end)
            return found.end() if found else end
        if self.text.startswith("/*", start):
            try:
                return block_comment_end(self.text, start, end)
            except UnterminatedError:
                return None
        return None

    def is_outer_doc_at(self, position: int) -> bool:
        """Whether a comment at `position` is the documentation of what follows."""
        return is_outer_doc(self.text[position : position + 5])

    def prelude(self, start: int, end: int) -> Prelude:
        """The docs and attributes that begin at `start`; comments among them are noted.

        Raises:
            UnclosedError: an attribute does not end.
            UnterminatedError: a comment or a string in an attribute does not end.
        """
        docs: list[str] = []
        attributes: list[Attribute] = []
        position = start
        while True:
            position = self.skip_comments(position, end)
            if position < end and self.text[position] == "/":
                stop = self.comment_end(position, end)
                if stop is None:
                    if self.text.startswith("/*", position):
                        raise UnterminatedError(position, is_comment=True)
                    break
                docs.extend(doc_lines(self.text[position:stop]))
                position = stop
                continue
            opening = _ATTRIBUTE_START.match(self.text, position, end)
            if opening is None:
                break
            stop = group_end(self.text, opening.end() - 1, end)
            attribute = self.attribute(position, stop)
            lines = _doc_of(attribute)
            if lines is None:
                attributes.append(attribute)
            else:
                docs.extend(lines)
            position = stop
        return Prelude(start, position, tuple(docs), tuple(attributes))

    def attribute(self, start: int, end: int) -> Attribute:
        """The attribute at `[start, end)`; its content is parsed where it is a meta item."""
        opening = _ATTRIBUTE_START.match(self.text, start, end)
        content = start if opening is None else opening.end()
        meta = self.quietly("meta", content, end - 1)
        return Attribute(
            span=Span(start, end),
            text=self.text[start:end],
            meta=meta if isinstance(meta, MetaItem) else None,
            is_inner="!" in self.text[start:content],
        )

    def item(self, start: int, end: int, attributes: tuple[Attribute, ...]) -> Item:
        """The item among statements at `[start, end)`, under these attributes."""
        raise NotImplementedError

    def expression(self, start: int, end: int) -> Expression:
        """The expression at `[start, end)`, which stands in an argument of a macro.

        Raises:
            UnexpectedTokenError: it is none.
        """
        found, _ = self._parse_apart("expression", start, end)
        if not isinstance(found, Node):
            raise TypeError("an expression made no node")
        return cast("Expression", found)

    def expression_quietly(self, start: int, end: int) -> Expression | None:
        """The expression at `[start, end)`; None where there is none."""
        found = self.quietly("expression", start, end)
        return cast("Expression | None", found)

    def arm_head(self, start: int, end: int) -> ArmHead:
        """The pattern and the guard at `[start, end)`.

        Raises:
            UnexpectedTokenError: it is no such thing.
        """
        found, _ = self._parse_apart("arm_head", start, end)
        if not isinstance(found, ArmHead):
            raise TypeError("an arm made no head")
        return found

    def meta(self, start: int, end: int) -> MetaItem | None:
        """The condition at `[start, end)`; None where it is none."""
        found = self.quietly("meta", start, end)
        return found if isinstance(found, MetaItem) else None

    # --- what one rule reads ---

    def parse(self, rule: str, kind: type[Made], start: int, end: int) -> Made:
        """What `rule` makes of `[start, end)`; comments that nothing in it took become comments of the file."""
        result, comments = self._parse_apart(rule, start, end)
        if comments:
            self.comments.extend(comments)
            self.comments.sort()
        if not isinstance(result, kind):
            raise TypeError(f"the rule {rule} made a {type(result).__name__}")
        return result

    def _parse_apart(self, rule: str, start: int, end: int) -> tuple[object, list[Offsets]]:
        """What `rule` makes of `[start, end)`, and the comments that nothing in it took."""
        builder = self._parser.builder
        part = Slice(self.text, start, end)
        saved = builder.text, builder.comments, builder.nested
        builder.text, builder.comments, builder.nested = self.text, part.comments, self
        try:
            result = self._parser.parse(rule, part)
        finally:
            builder.text, builder.comments, builder.nested = saved
        return result, part.comments

    def quietly(self, rule: str, start: int, end: int) -> Node | None:
        """The node that `rule` makes of `[start, end)`; None where it is no such thing."""
        try:
            result, _ = self._parse_apart(rule, start, end)
        except PROBLEMS:
            return None
        return result if isinstance(result, Node) else None

    def generics(self, start: int, end: int) -> tuple[GenericParameter, ...] | None:
        """The generic parameters at `[start, end)`, which holds their brackets; None where they are none."""
        try:
            found, _ = self._parse_apart("generics", start, end)
        except PROBLEMS:
            return None
        return found.parameters if isinstance(found, Generics) else None

    def type_(self, start: int, end: int) -> Type:
        """The type at `[start, end)`; one that the grammar does not know stays text."""
        found = self.quietly("type", start, end)
        if isinstance(found, Type):
            return found
        text = self.text[start:end]
        begin = start + len(text) - len(text.lstrip())
        return OpaqueType(span=Span(begin, begin + len(text.strip())), text=text.strip())


def _doc_of(attribute: Attribute) -> tuple[str, ...] | None:
    """The lines of `#[doc = "…"]`; None for any other attribute."""
    meta = attribute.meta
    if meta is None or meta.path is None or meta.path.identifier != "doc" or attribute.is_inner:
        return None
    if not isinstance(meta.value, TextLiteral):
        return None
    value = text_value(meta.value.text)
    return (
        None if value is None else tuple(doc_lines("///" + line)[0] for line in value.split("\n"))
    )
