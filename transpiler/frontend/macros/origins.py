"""An expanded text, and where each part of it comes from."""

from __future__ import annotations

import bisect
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.frozen import dataclass
from transpiler.source import Position, SourceFile, Span
from transpiler.syntax.hygiene import NO_MACROS, ROOT_CONTEXT, Hygiene
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.diagnostics.model import Diagnostic
    from transpiler.frontend.faults import Fault

_SHOWN_LEVELS = 4


class Chunk(NamedTuple):
    """Text from offset `start` on that stood at `origin` in the file, written in `context`.

    `is_made` tells that it was made up there: all of it stands at `origin`.
    """

    start: int
    origin: int
    context: int
    is_made: bool


class CallSite(NamedTuple):
    """A macro call that was expanded.

    `span` is its place in the file and `context` the one it was written in; `depth` is how many expansions it is in,
    `outer` the innermost of them. `definition` numbers the macro; `is_item` tells that items were made of it.
    """

    name: str
    span: Span
    context: int
    depth: int
    definition: int
    is_item: bool
    outer: CallSite | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A text with its macro calls expanded; `starts` are the places where its chunks begin.

    `calls` gives for each syntax context the call whose expansion it is, None for that of the file. `failures` tells
    why calls that still stand there were not expanded, by their place in the file and their context.
    """

    text: str
    chunks: tuple[Chunk, ...]
    starts: tuple[int, ...]
    calls: tuple[CallSite | None, ...]
    hygiene: Hygiene = NO_MACROS
    failures: Mapping[tuple[int, int], Fault]

    def context(self, offset: int) -> int:
        """The syntax context of the token at `offset`."""
        return self._chunk(offset).context

    def failure(self, offset: int) -> Fault | None:
        """Why the macro call at `offset` was not expanded, where that is known."""
        chunk = self._chunk(offset)
        return self.failures.get((_origin(chunk, offset), chunk.context))

    def place(self, span: Span) -> Span:
        """Where a part of the text is in the file: itself, or the outermost call that made it."""
        first, last = self._ends(span)
        start = self._outermost(first, span.start)
        end = self._outermost(last, max(span.start, span.end - 1))
        return start.to(end)

    def line_place(self, span: Span) -> Span:
        """Where a line of the text is in the file: as `place`, and in the macro where that makes items."""
        first, last = self._ends(span)
        call = self._call(first.context)
        while call is not None and call.context != ROOT_CONTEXT:
            call = self._call(call.context)
        if call is None or not call.is_item:
            return self.place(span)
        start = _origin(first, span.start)
        end = _origin(last, max(span.start, span.end - 1)) + 1
        if first.context != last.context or not start < end:
            end = start + 1
        return Span(start, end)

    def placed(self, found: Diagnostic) -> Diagnostic:
        """A diagnostic about the text as one about the file."""
        if found.primary is None:
            return found
        primary = replace(found.primary, span=self.place(found.primary.span))
        related = [replace(label, span=self.place(label.span)) for label in found.related]
        related += self._chain(found.primary.span)
        return replace(
            found,
            primary=primary,
            related=tuple(label for label in dict.fromkeys(related) if label.span != primary.span),
        )

    def _chain(self, span: Span) -> Iterator[Label]:
        """Where in the macros a part of the text was written, from the innermost to the outermost."""
        first, last = self._ends(span)
        chunk = first if first.context != ROOT_CONTEXT else last
        offset = span.start if chunk is first else max(span.start, span.end - 1)
        call = self._call(chunk.context)
        if call is None:
            return
        start = _origin(chunk, offset)
        end = _origin(last, max(span.start, span.end - 1)) + 1 if last is chunk else start + 1
        if first.context == last.context and first is not last:
            end = max(end, _origin(last, span.end - 1) + 1)
        yield Label(span=Span(start, max(end, start + 1)), message=f"in the macro `{call.name}`")
        for _ in range(_SHOWN_LEVELS):
            if call is None or call.context == ROOT_CONTEXT:
                return
            outer = self._call(call.context)
            if outer is not None:
                words = f"`{call.name}!` is called in the macro `{outer.name}`"
                yield Label(span=call.span, message=words)
            call = outer

    def _ends(self, span: Span) -> tuple[Chunk, Chunk]:
        return self._chunk(span.start), self._chunk(max(span.start, span.end - 1))

    def _call(self, context: int) -> CallSite | None:
        return self.calls[context]

    def _outermost(self, chunk: Chunk, offset: int) -> Span:
        call = self._call(chunk.context)
        if call is None:
            origin = _origin(chunk, offset)
            return Span(origin, origin + 1)
        while call.context != ROOT_CONTEXT:
            outer = self._call(call.context)
            if outer is None:
                break
            call = outer
        return call.span

    def _chunk(self, offset: int) -> Chunk:
        return self.chunks[max(0, bisect.bisect_right(self.starts, offset) - 1)]


def _origin(chunk: Chunk, offset: int) -> int:
    return chunk.origin if chunk.is_made else chunk.origin + offset - chunk.start


class ExpandedSource(SourceFile):
    """An expanded text that tells positions in the file, and the file's digest."""

    def __init__(self, file: SourceFile, expansion: Expansion) -> None:
        super().__init__(file.name, expansion.text)
        object.__setattr__(self, "_file", file)
        object.__setattr__(self, "expansion", expansion)

    _file: SourceFile
    expansion: Expansion

    @property
    def digest(self) -> str:
        """That of the file."""
        return self._file.digest

    def position(self, offset: int) -> Position:
        """Where what stands at `offset` is in the file."""
        return self._file.position(self.expansion.place(Span(offset, offset + 1)).start)
