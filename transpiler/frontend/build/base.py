"""What all builders share: the text being parsed, and reading children of a reduction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from transpiler.frontend.lexer import Lexeme
from transpiler.frontend.trivia import take
from transpiler.source import Span
from transpiler.syntax.hygiene import ROOT_CONTEXT
from transpiler.syntax.nodes import Path, PathSegment
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.frontend.build.macro_calls import ArmHead
    from transpiler.frontend.macros.origins import Expansion
    from transpiler.frontend.trivia import Offsets
    from transpiler.syntax.base import Node
    from transpiler.syntax.nodes import (
        Attribute,
        ClosureParameter,
        Expression,
        GenericArgument,
        Item,
        MetaItem,
    )

Child: TypeAlias = (
    "Lexeme | Node | GenericList | PathDraft | BoundDraft | StructBase | ClosureParameters"
)


class GenericList(NamedTuple):
    """Generic arguments with their angle brackets' place."""

    span: Span
    arguments: tuple[GenericArgument, ...]


class StructBase(NamedTuple):
    """`..value` behind the fields of a struct literal, or the dots alone."""

    span: Span
    value: Expression | None


class ClosureParameters(NamedTuple):
    """`|a, b|`."""

    span: Span
    parameters: tuple[ClosureParameter, ...]


class BoundDraft(NamedTuple):
    """One bound of a type parameter; `path` where it is nothing but a path."""

    span: Span
    path: Path | None


class PathDraft:
    """A path while its segments arrive."""

    __slots__ = ("is_global", "segments", "start")

    def __init__(self, start: int, *, is_global: bool) -> None:
        self.start = start
        self.is_global = is_global
        self.segments: list[PathSegment] = []

    @property
    def span(self) -> Span:
        """From the first colon or name to the end of the last segment."""
        return Span(self.start, self.segments[-1].span.end)

    def add(self, children: Iterable[Child]) -> PathDraft:
        """Take up names and generic arguments; `::` between them means nothing."""
        for child in children:
            if isinstance(child, GenericList):
                last = self.segments[-1]
                self.segments[-1] = PathSegment(
                    span=Span(last.span.start, child.span.end),
                    name=last.name,
                    generics=child.arguments,
                )
            elif isinstance(child, Lexeme) and child.value != "::":
                self.segments.append(
                    PathSegment(span=Span(child.start_pos, child.end_pos), name=identifier(child))
                )
        return self

    def finish(self) -> Path:
        """The path as a node."""
        return Path(span=self.span, segments=tuple(self.segments), is_global=self.is_global)


def identifier(token: Lexeme) -> str:
    """The name an identifier token spells; `r#x` is `x`."""
    return token.value.removeprefix("r#")


def path_of(path: Lexeme | PathDraft) -> Path:
    """A path, or the path of one name."""
    if isinstance(path, PathDraft):
        return path.finish()
    return PathDraft(path.start_pos, is_global=False).add((path,)).finish()


def span_of(child: Child) -> Span:
    """Where a child of a reduction lies."""
    if isinstance(child, Lexeme):
        return Span(child.start_pos, child.end_pos)
    return child.span


def spanning(first: Child, last: Child) -> Span:
    """From the start of one child to the end of another."""
    return Span(span_of(first).start, span_of(last).end)


class Nested(Protocol):
    """Who parses what the lexer cut out whole."""

    def attribute(self, start: int, end: int) -> Attribute:
        """The attribute at `[start, end)`."""

    def item(self, start: int, end: int, attributes: tuple[Attribute, ...]) -> Item:
        """The item among statements at `[start, end)`, under these attributes."""

    def expression(self, start: int, end: int) -> Expression:
        """The expression at `[start, end)`."""

    def expression_quietly(self, start: int, end: int) -> Expression | None:
        """The expression at `[start, end)`; None where there is none."""

    def arm_head(self, start: int, end: int) -> ArmHead:
        """The pattern and the guard at `[start, end)`."""

    def meta(self, start: int, end: int) -> MetaItem | None:
        """The condition at `[start, end)`."""


class _NothingNested:
    """Stands where nobody has said yet who parses what the lexer cut out."""

    def expression(self, start: int, end: int) -> Expression:
        raise NotImplementedError

    def expression_quietly(self, start: int, end: int) -> Expression | None:
        raise NotImplementedError

    def arm_head(self, start: int, end: int) -> ArmHead:
        raise NotImplementedError

    def meta(self, start: int, end: int) -> MetaItem | None:
        raise NotImplementedError

    def attribute(self, start: int, end: int) -> Attribute:
        raise NotImplementedError

    def item(self, start: int, end: int, attributes: tuple[Attribute, ...]) -> Item:
        raise NotImplementedError


class BuilderBase:
    """The state of one parse; the file parser sets it before it starts one.

    `names` collects the last name of every path, so that the functions a kernel calls can be found. `expansion` tells
    which syntax context a token was written in, where macros wrote some of them.
    """

    def __init__(self) -> None:
        self.text = ""
        self.expansion: Expansion | None = None
        self.comments: list[Offsets] = []
        self.names: set[str] = set()
        self.nested: Nested = _NothingNested()

    def context(self, token: Lexeme) -> int:
        """The syntax context a token was written in."""
        expansion = self.expansion
        return ROOT_CONTEXT if expansion is None else expansion.context(token.start_pos)

    def label(self, token: Lexeme) -> str:
        """The name of a label; one of another syntax context is another name."""
        context = self.context(token)
        name = token.value[1:]
        return name if context == ROOT_CONTEXT else f"{name}'{context}"

    def written(self, span: Span) -> str:
        """The text under `span`; comments in it are part of that text and attach to nothing."""
        take(self.comments, span.start, span.end)
        return self.text[span.start : span.end]
