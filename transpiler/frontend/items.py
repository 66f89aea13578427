"""Finding the items of a file, and parsing those we model.

The scanner reads what stands before an item (comments, docs, attributes, visibility) and finds the item's end by
balanced delimiters; Lark parses heads of functions, types, and the bodies of kernels. What we do not model, or cannot
read, becomes an `OpaqueItem`: host code never stands in a kernel's way. A kernel that cannot be parsed is reported
and left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.frontend.build.types import FunctionHead
from transpiler.frontend.delimiters import (
    NoItemError,
    UnclosedError,
    UnterminatedError,
    item_end,
)
from transpiler.frontend.enumerations import plain_variants
from transpiler.frontend.faults import Fault, too_deep
from transpiler.frontend.lexer import DEEPEST
from transpiler.frontend.slices import PROBLEMS, Prelude, SliceParser
from transpiler.frontend.structs import angle_end, struct
from transpiler.frontend.trivia import Offsets, attach, take
from transpiler.source import SourceFile, Span
from transpiler.syntax.base import NO_TRIVIA, Comment, Trivia
from transpiler.syntax.nodes import (
    AliasedType,
    Attribute,
    Block,
    Const,
    Enumeration,
    Expression,
    Function,
    GenericParameter,
    Impl,
    Item,
    ItemHead,
    Module,
    OpaqueBody,
    OpaqueItem,
    Use,
)

if TYPE_CHECKING:
    from transpiler.diagnostics.model import Diagnostic
    from transpiler.diagnostics.sink import Sink
    from transpiler.frontend.engine import Parser


_KEYWORDS = (
    "fn|struct|impl|use|mod|const|static|enum|union|trait|type|extern|macro_rules\\s*!|macro"
)
_START = re.compile(
    rf"""(?P<visibility>(?:pub(?:\s*\([^()]*\))?|crate)\s+(?!::))?
    (?P<qualifiers>(?:(?:default|const|async|unsafe|safe|auto|gen|extern(?:\s+"[^"]*")?)\s+)*)
    (?P<word>(?:{_KEYWORDS})(?!\w)|[^\W\d][\w:]*\s*!(?!=))""",
    re.VERBOSE,
)
_NAME = re.compile(r"\s*(?:r\#)?(?P<name>[^\W\d]\w*)")
_FUNCTION = re.compile(r"\b(?:fn|def)\s+(?P<name>[^\W\d]\w*)")
_CONST = re.compile(r"\s*(?:mut\s+)?(?:r\#)?(?P<name>[^\W\d]\w*)\s*:")
_ALIAS = re.compile(r"\s*(?:r\#)?(?P<name>[^\W\d]\w*)\s*=")
_EQUALS = re.compile(r"(?<![=!<>-])=(?![=>])")
_WHERE = re.compile(r"\bwhere\b")
_FOR = re.compile(r"\bfor\b(?!\s*<)")
_NEEDS_SEMICOLON = frozenset(("use", "const", "static", "type"))


class FileParser(SliceParser):
    """Parses the items of one source text; errors go to the sink."""

    def __init__(self, source: SourceFile, sink: Sink, parser: Parser) -> None:
        super().__init__(source.text, parser)
        self.sink = sink
        self._depth = 0

    # --- lists of items ---

    def items(
        self, start: int, end: int, *, is_file: bool = False
    ) -> tuple[tuple[Item, ...], tuple[Comment, ...]]:
        """The items in `[start, end)` and the comments after the last of them.

        Raises:
            Fault: modules and impls nest too deeply.
        """
        if self._depth == DEEPEST:
            raise too_deep(start)
        self._depth += 1
        try:
            return self._items(start, end, is_file=is_file)
        finally:
            self._depth -= 1

    def _items(
        self, start: int, end: int, *, is_file: bool
    ) -> tuple[tuple[Item, ...], tuple[Comment, ...]]:
        found: list[Item] = []
        places: list[Offsets] = []
        position = start
        while True:
            position = self.skip_comments(position, end)
            if position >= end:
                break
            begin = position
            try:
                prelude = self.prelude(position, end)
                item, position = self._item(prelude, end)
            except (Fault, NoItemError, UnclosedError, UnterminatedError) as problem:
                position = self._recover(problem, begin, end, is_alone=is_file and not found)
                broken = _FUNCTION.search(self.text, begin, position)
                if broken is not None:
                    found.append(_told(broken["name"], Span(begin, position), self.text))
                    places.append((begin, position))
                continue
            if item is not None:
                found.append(item)
                places.append((begin, position))
            else:
                position = self._behind_broken(position, end)
        comments = take(self.comments, start, end)
        trivia, closing = attach(self.text, places, comments, start)
        return tuple(
            item if around is NO_TRIVIA else with_trivia(item, around)
            for item, around in zip(found, trivia, strict=True)
        ), closing

    def _behind_broken(self, position: int, end: int) -> int:
        """Behind what is left of a broken kernel, whose error has been told: a lone `}`, or statements before one."""
        after = self.skip_space(position)
        if after < end and self.text[after] == "}":
            return after + 1
        if after >= end or self.text[after] in "#/" or _START.match(self.text, after, end):
            return position
        from transpiler.frontend.recovery import next_item  # noqa: PLC0415 - most files have no errors

        return next_item(self.text, NoItemError(after), after, end)

    def body(self, span: Span) -> Block | None:
        """The block at `span`; an error goes to the sink."""
        try:
            return self.parse("block", Block, *span)
        except PROBLEMS as problem:
            self._report(problem, *span)
            return None

    def body_quietly(self, span: Span) -> Block | None:
        """The block at `span`, or None where the grammar does not know what it holds."""
        found = self.quietly("block", *span)
        return found if isinstance(found, Block) else None

    def fault(self, rule: str, span: Span) -> Diagnostic | None:
        """What is wrong with `span`, which `rule` does not know; None where it has been told."""
        from transpiler.frontend.recovery import fault_of  # noqa: PLC0415 - most files have no errors

        try:
            self._parse_apart(rule, *span)
        except _Reported:
            return None
        except PROBLEMS as problem:
            return fault_of(problem, self.text, *span, self._parser.spelling).diagnostic()
        return None

    # --- one item ---

    def _item(self, prelude: Prelude, end: int) -> tuple[Item | None, int]:
        """The item after `prelude` and where it ends; None for a kernel whose error has been reported."""
        text = self.text
        start = _START.match(text, prelude.end, end)
        if start is None:
            raise NoItemError(prelude.end)
        word = start["word"]
        position = start.start("word")
        has_semicolon = word in _NEEDS_SEMICOLON or (
            word == "extern" and "crate" in text[position : position + 20]
        )
        stop, brace = item_end(text, position, end, needs_semicolon=has_semicolon)
        head = ItemHead(
            docs=prelude.docs,
            attributes=prelude.attributes,
            visibility=(start["visibility"] or "").strip(),
        )
        qualifiers = start["qualifiers"].strip()
        span = Span(prelude.start, stop)
        item: Item | None
        try:
            match word:
                case "fn":
                    item = self._function(head, qualifiers, span, (position, brace, stop))
                    if item is None or prelude.is_kernel:
                        return item, stop
                case "struct" if not qualifiers:
                    item = struct(self, head, span, start.end(), brace)
                case "type" if not qualifiers:
                    item = self._type_alias(head, span, start.end())
                case "enum" if not qualifiers and brace is not None:
                    item = self._enumeration(head, span, start.end(), brace)
                case "impl" if not qualifiers and brace is not None:
                    item = self._impl(head, span, start.end(), brace)
                case "use" if not qualifiers:
                    item = Use(span=span, head=head, tree=text[start.end() : stop - 1].strip())
                case "const" | "static" if not qualifiers:
                    item = self._const(head, word, span, start.end())
                case "mod" if not qualifiers:
                    item = self._module(head, span, start.end(), brace)
                case _:
                    item = None
        except _OutsideModelError:
            item = None
        if item is None:
            first = start.start("qualifiers") if qualifiers else position
            keyword = qualifiers.split()[0] if qualifiers else re.sub(r"\s", "", word)
            name = _NAME.match(text, start.end(), stop) if word == "fn" else None
            item = OpaqueItem(
                span=span,
                head=head,
                keyword=keyword,
                text=text[first:stop],
                name="" if name is None else name["name"],
                signature=Span(position, stop - 1 if brace is None else brace),
            )
        return item, stop

    def _function(
        self, head: ItemHead, qualifiers: str, span: Span, places: tuple[int, int | None, int]
    ) -> Function | None:
        start, brace, stop = places
        is_kernel = any(attribute.name == "kernel" for attribute in head.attributes)
        head_end = stop - 1 if brace is None else brace
        region = start, head_end
        body: Block | OpaqueBody | None = None
        try:
            parsed = self.parse("function_head", FunctionHead, start, head_end)
            if brace is not None:
                if is_kernel:
                    region = brace, stop
                    body = self.parse("block", Block, brace, stop)
                else:
                    body = OpaqueBody(span=Span(brace, stop), text=self.text[brace:stop])
        except PROBLEMS as problem:
            if not is_kernel:
                raise _OutsideModelError from problem
            self._report(problem, *region)
            return None
        return Function(
            span=span,
            head=head,
            name=parsed.name,
            name_span=parsed.name_span,
            generics=parsed.generics,
            parameters=parsed.parameters,
            receiver=parsed.receiver,
            return_type=parsed.return_type,
            where_clause=parsed.where_clause,
            body=body,
            qualifiers=qualifiers,
        )

    def _type_alias(self, head: ItemHead, span: Span, after: int) -> AliasedType | None:
        name = _ALIAS.match(self.text, after, span.end)
        if name is None:
            return None
        return AliasedType(
            span=span, head=head, name=name["name"], type=self.type_(name.end(), span.end - 1)
        )

    def _enumeration(
        self, head: ItemHead, span: Span, after: int, brace: int
    ) -> Enumeration | None:
        name = _NAME.match(self.text, after, span.end)
        if name is None or self.text[name.end() : brace].strip():
            return None
        variants = plain_variants(self, brace + 1, span.end - 1)
        if variants is None:
            return None
        rest = self.text[name.end() : span.end].strip()
        return Enumeration(span=span, head=head, name=name["name"], variants=variants, rest=rest)

    def _impl(self, head: ItemHead, span: Span, after: int, brace: int) -> Impl:
        text = self.text
        position = self.skip_space(after)
        generics: tuple[GenericParameter, ...] = ()
        generics_text = ""
        if text[position] == "<":
            stop = angle_end(text, position, brace)
            generics = self.generics(position, stop) or ()
            generics_text = text[position:stop]
            position = stop
        where = _WHERE.search(text, position, brace)
        types_end = where.start() if where else brace
        for_ = _FOR.search(text, position, types_end)
        trait = self.type_(position, for_.start()) if for_ else None
        items, closing = self.items(brace + 1, span.end - 1)
        return Impl(
            span=span,
            head=head,
            generics=generics,
            generics_text=generics_text,
            trait=trait,
            self_type=self.type_(for_.end() if for_ else position, types_end),
            where_clause=text[where.end() : brace].strip() if where else None,
            items=items,
            closing_comments=closing,
        )

    def _const(self, head: ItemHead, keyword: str, span: Span, after: int) -> Const | None:
        name = _CONST.match(self.text, after, span.end)
        if name is None:
            return None
        stop = span.end - 1
        equals = _EQUALS.search(self.text, name.end(), stop)
        value: Expression | None = None
        value_text = ""
        if equals is not None:
            value_text = self.text[equals.end() : stop].strip()
            found = self.quietly("expression", equals.end(), stop)
            value = found if isinstance(found, Expression) else None
        word = self.text[after : name.start("name")].strip()
        return Const(
            span=span,
            head=head,
            keyword=f"{keyword} {word}".strip(),
            name=name["name"],
            name_span=Span(*name.span("name")),
            type=self.type_(name.end(), equals.start() if equals else stop),
            value=value,
            value_text=value_text,
        )

    def _module(self, head: ItemHead, span: Span, after: int, brace: int | None) -> Module | None:
        name = _NAME.match(self.text, after, span.end)
        if name is None:
            return None
        items: tuple[Item, ...] | None = None
        closing: tuple[Comment, ...] = ()
        if brace is not None:
            items, closing = self.items(brace + 1, span.end - 1)
        return Module(
            span=span, head=head, name=name["name"], items=items, closing_comments=closing
        )

    # --- what the builder asks for ---

    def item(self, start: int, end: int, attributes: tuple[Attribute, ...]) -> Item:
        """The item among statements at `[start, end)`."""
        begin = attributes[0].span.start if attributes else start
        item, _ = self._item(Prelude(begin, start, (), attributes), end)
        if item is None:
            raise _Reported
        return self._with_bodies(item)

    def _with_bodies(self, item: Item) -> Item:
        """An item among statements, with the bodies of its functions: the kernel around it may call them."""
        match item:
            case Function(body=OpaqueBody(span=span)):
                body = self.body_quietly(span)
                return item if body is None else replace(item, body=body)
            case Module(items=tuple(inner)):
                return replace(item, items=tuple(map(self._with_bodies, inner)))
            case _:
                return item

    # --- errors ---

    def _report(self, problem: Exception, start: int, end: int) -> None:
        """Put what is wrong with `[start, end)` into the sink."""
        from transpiler.frontend.recovery import fault_of  # noqa: PLC0415 - most files have no errors

        if not isinstance(problem, _Reported):
            fault_of(problem, self.text, start, end, self._parser.spelling).emit(self.sink)

    def _recover(self, problem: Exception, start: int, end: int, *, is_alone: bool) -> int:
        """Report what is wrong with the item at `start`, and find the next one."""
        from transpiler.frontend.recovery import (  # noqa: PLC0415 - most files have no errors
            fault_of,
            next_item,
            not_rust,
        )

        stop = next_item(self.text, problem, start, end)
        if is_alone and stop == end and isinstance(problem, NoItemError) and problem.start == start:
            problem = not_rust(fault_of(problem, self.text, start, end, self._parser.spelling))
        self._report(problem, start, stop)
        return stop


def _told(name: str, span: Span, text: str) -> OpaqueItem:
    """A function whose error has been reported."""
    head = ItemHead(docs=(), attributes=(), visibility="")
    return OpaqueItem(
        span=span, head=head, keyword="fn", text=text[span.start : span.end], name=name
    )


class _OutsideModelError(Exception):
    """Host code that is kept as written."""


class _Reported(Fault):
    """The error of something inside has been reported already."""

    def __init__(self) -> None:
        super().__init__(code="", message="", span=Span(0, 0))


def with_trivia(item: Item, trivia: Trivia) -> Item:
    """The item with the comments around it."""
    return replace(item, head=replace(item.head, trivia=trivia))
