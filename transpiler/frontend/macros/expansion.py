"""Item-level calls of the file's own macros, replaced by what they expand to where that makes kernels.

Each round replaces the outermost calls in the text, so a round is a level of recursion. What makes no kernel stays as
it is: host code never stands in a kernel's way.
"""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING

from transpiler.frontend.macros.matching import match, transcribe
from transpiler.frontend.macros.trees import Group, Token, Tree, at, is_group, is_token, trees
from transpiler.frozen import dataclass
from transpiler.source import Position, SourceFile, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.diagnostics.sink import Sink
    from transpiler.frontend.macros.matching import Binding, Bindings

_HINT = re.compile(r"\bmacro_rules\s*!")
_KERNEL = re.compile(r"#\s*\[\s*(?:\w+\s*::\s*)*kernel\b")
_LET = re.compile(r"\blet\s+(?:mut\s+)?([^\W\d]\w*)")
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|(?:::|\.)\s*\w+|(?P<word>[^\W\d]\w*)')
_RECURSION_LIMIT = 64
_LARGEST = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Text from offset `start` on that stood at `origin` in the file; `call` is the macro call that made it."""

    start: int
    origin: int
    call: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A text with its macro calls expanded, and where its parts come from."""

    text: str
    chunks: tuple[Chunk, ...]

    def origin(self, span: Span) -> tuple[Span, Span | None]:
        """The span in the file, and the macro call it was expanded from if there is one."""
        first = self._chunk(span.start)
        last = self._chunk(max(span.start, span.end - 1))
        start = first.origin + span.start - first.start
        end = last.origin + span.end - last.start
        call = first.call or last.call
        if call is not None and (end < start or first.call != last.call):
            return call, call
        return Span(start, max(start, end)), call

    def _chunk(self, offset: int) -> Chunk:
        index = bisect.bisect_right(self.chunks, offset, key=lambda chunk: chunk.start)
        return self.chunks[max(0, index - 1)]


class ExpandedSource(SourceFile):
    """An expanded text that tells positions in the file, and the file's digest."""

    def __init__(self, file: SourceFile, expansion: Expansion) -> None:
        super().__init__(file.name, expansion.text)
        object.__setattr__(self, "_file", file)
        object.__setattr__(self, "_expansion", expansion)

    _file: SourceFile
    _expansion: Expansion

    @property
    def digest(self) -> str:
        """That of the file."""
        return self._file.digest

    def position(self, offset: int) -> Position:
        """Where what stands at `offset` is in the file."""
        place, call = self._expansion.origin(Span(offset, offset + 1))
        return self._file.position((call or place).start)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Macro:
    name: str
    arms: tuple[tuple[Group, Group], ...]
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    name: str
    argument: Group
    start: int
    end: int


def expand(text: str, sink: Sink) -> Expansion | None:
    """The text with the macro calls that make kernels expanded; None where there are none."""
    if _HINT.search(text) is None or _KERNEL.search(text) is None:
        return None
    expansion = Expansion(text=text, chunks=(Chunk(start=0, origin=0, call=None),))
    for level in range(_RECURSION_LIMIT + 1):
        found = trees(expansion.text)
        if found is None:
            return None  # the parser says what is wrong
        macros = {macro.name: macro for macro in _definitions(found)}
        makers = _makers(macros, expansion.text)
        calls = [
            call
            for call in _calls(found, macros)
            if call.name in makers or _has_kernel(expansion.text, call.argument)
        ]
        if not calls:
            return expansion if level else None
        if level == _RECURSION_LIMIT or len(expansion.text) > _LARGEST:
            place, outer = expansion.origin(Span(calls[0].start, calls[0].end))
            sink.emit(
                "E0118",
                f"the macro `{calls[0].name}` expands without end",
                outer or place,
                help=f"an expansion may lead to another {_RECURSION_LIMIT} times",
            )
            return None
        replaced = _replace(expansion, calls, macros, sink)
        if replaced is None:
            return None
        expansion = replaced
    return None


def _replace(
    expansion: Expansion, calls: list[_Call], macros: dict[str, _Macro], sink: Sink
) -> Expansion | None:
    """One round."""
    text = expansion.text
    parts: list[str] = []
    chunks: list[Chunk] = []
    length = position = 0

    def add(piece: str, offset: int, call: Span | None) -> None:
        nonlocal length
        if piece:
            for chunk in _sub_chunks(expansion, offset, offset + len(piece)):
                place = max(chunk.start, offset)
                origin = chunk.origin + place - chunk.start
                chunks.append(
                    Chunk(start=length + place - offset, origin=origin, call=call or chunk.call)
                )
            parts.append(piece)
            length += len(piece)

    for call in calls:
        add(text[position : call.start], position, None)
        position = call.end
        macro = macros[call.name]
        whole = Span(call.start, call.end)
        place, outer = expansion.origin(whole)
        for pattern, body in macro.arms:
            bindings = match(pattern.children, call.argument.children)
            if bindings is not None:
                captured = sorted(_let_names(text, body) & _values_read(text, body, bindings))
                if captured:
                    sink.emit(
                        "E0119",
                        f"`{captured[0]}` is a variable of the macro `{call.name}` and a name in this call",
                        outer or place,
                        help="give one of them another name: to Rust they are two",
                    )
                    return None
                for piece, offset in transcribe(text, body, bindings):
                    add(piece, offset, outer or place)
                break
        else:
            from transpiler.diagnostics.model import Label  # noqa: PLC0415 - only after an error

            definition, _ = expansion.origin(Span(macro.start, macro.start + len(macro.name)))
            sink.emit(
                "E0117",
                f"no arm of the macro `{call.name}` matches this call",
                outer or place,
                related=(Label(span=definition, message="the macro is here"),),
            )
            return None
    add(text[position:], position, None)
    return Expansion(text="".join(parts), chunks=tuple(chunks))


def _sub_chunks(expansion: Expansion, start: int, end: int) -> Iterator[Chunk]:
    index = bisect.bisect_right(expansion.chunks, start, key=lambda chunk: chunk.start) - 1
    while index < len(expansion.chunks) and expansion.chunks[index].start < end:
        yield expansion.chunks[index]
        index += 1


def _has_kernel(text: str, group: Group) -> bool:
    return _KERNEL.search(text, group.start, group.end) is not None


def _let_names(text: str, body: Group) -> set[str]:
    return set(_LET.findall(text, body.start, body.end))


def _values_read(text: str, body: Group, bindings: Bindings) -> set[str]:
    """The names that the call passes in where the body may read or bind them as variables."""
    written = text[body.start : body.end]
    return {
        word
        for name, binding in bindings.items()
        if re.search(rf"(?<!::)(?<!fn )(?<!\.)(?<!#\[)\${name}\b", written)
        for word in _words(text, binding)
    }


def _words(text: str, binding: Binding) -> Iterator[str]:
    if isinstance(binding, list):
        for each in binding:
            yield from _words(text, each)
    elif _KERNEL.search(text, binding.start, binding.end) is None:
        for found in _WORD.finditer(text, binding.start, binding.end):
            if found.lastgroup:
                yield found.group()


def _makers(macros: dict[str, _Macro], text: str) -> frozenset[str]:
    """The macros whose expansion may hold a kernel, through other macros too."""
    found: set[str] = set()
    while True:
        more = {
            name
            for name, macro in macros.items()
            if name not in found
            and any(
                _has_kernel(text, body)
                or any(re.search(rf"\b{other}\s*!", text[body.start : body.end]) for other in found)
                for _, body in macro.arms
            )
        }
        if not more:
            return frozenset(found)
        found |= more


def _definitions(items: Sequence[Tree]) -> Iterator[_Macro]:
    for index, tree in enumerate(items):
        if is_token(tree, "macro_rules") and is_token(at(items, index + 1), "!"):
            name, body = at(items, index + 2), at(items, index + 3)
            if isinstance(name, Token) and isinstance(body, Group):
                yield _Macro(name=name.text, arms=tuple(_arms(body.children)), start=name.start)
        elif _is_module(items, index) and isinstance(tree, Group):
            yield from _definitions(tree.children)


def _arms(body: Sequence[Tree]) -> Iterator[tuple[Group, Group]]:
    for index in range(len(body) - 2):
        pattern, arrow, made = body[index : index + 3]
        if isinstance(pattern, Group) and is_token(arrow, "=>") and isinstance(made, Group):
            yield pattern, made


def _is_module(items: Sequence[Tree], index: int) -> bool:
    return index > 1 and is_group(items[index], "{") and is_token(items[index - 2], "mod")


def _calls(items: Sequence[Tree], macros: dict[str, _Macro]) -> Iterator[_Call]:
    """The calls of known macros among items."""
    for index, tree in enumerate(items):
        if _is_module(items, index) and isinstance(tree, Group):
            yield from _calls(tree.children, macros)
        elif isinstance(tree, Token) and tree.text in macros:
            argument = at(items, index + 2)
            begins = (
                index == 0 or is_token(items[index - 1], ";") or is_group(items[index - 1], "{")
                or is_group(items[index - 1], "[")
            )  # fmt: skip
            if begins and is_token(at(items, index + 1), "!") and isinstance(argument, Group):
                last = at(items, index + 3)
                end = last.end if last is not None and is_token(last, ";") else argument.end
                yield _Call(name=tree.text, argument=argument, start=tree.start, end=end)
