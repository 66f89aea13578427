"""Calls of the file's own macros, replaced by what they expand to: among items, and in the bodies of functions.

The walk goes through the file once, in order, as the scopes of macros do; what a call becomes is walked in its place.
What is wrong with a call is told where a kernel needs it: host code never stands in a kernel's way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Label
from transpiler.frontend.macros.call_faults import (
    RECURSION_LIMIT,
    endless,
    no_arm,
    not_an_expression,
    out_of_scope,
    unfit,
)
from transpiler.frontend.macros.definitions import Macro, MacroScopes, definition_at
from transpiler.frontend.macros.matching import Matcher
from transpiler.frontend.macros.origins import CallSite, Chunk, Expansion
from transpiler.frontend.macros.places import (
    before_statement,
    begins_item,
    call_end,
    called_words,
    drop_attribute,
    ends_statement,
    has_attribute,
    is_body,
    path_before,
    position_of,
    take_attributes,
    under_conditions,
)
from transpiler.frontend.macros.presence import KERNEL, calls_own_macros
from transpiler.frontend.macros.transcription import TranscriptionError, transcribe
from transpiler.frontend.macros.trees import (
    Gap,
    Group,
    Token,
    Tree,
    at,
    is_group,
    is_token,
    led_by,
    trees,
)
from transpiler.frontend.macros.writer import Writer
from transpiler.source import Span
from transpiler.syntax.hygiene import ROOT_CONTEXT, Hygiene, SyntaxContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.diagnostics.sink import Sink
    from transpiler.frontend.faults import Fault

_COMMENT = re.compile(r"//|/\*")
_MOST_TOKENS = 400_000
_OPEN_ARGUMENTS = frozenset(
    {"assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"}
    | {"matches", "vec"}
)
"""The macros of Rust that read their argument as expressions: macros may be called in it."""


def expand(text: str, sink: Sink) -> Expansion | None:
    """The text with the calls of its own macros expanded; None where there is nothing to expand.

    Args:
        text: the file.
        sink: where faults of calls go that kernels need, by their places in the file.
    """
    if not calls_own_macros(text):
        return None
    found = trees(text)
    if found is None:
        return None  # the parser says what is wrong
    expander = _Expander(text, found, sink)
    try:
        return expander.expansion(found)
    except RecursionError:
        sink.emit("E0116", "macros and groups nest too deeply", Span(0, 1))
        return None


class _Expander:
    def __init__(self, text: str, found: Sequence[Tree], sink: Sink) -> None:
        self._text = text
        self._sink = sink
        self._scopes = MacroScopes(text, found)
        self._makers = frozenset[str]()
        self._numbers: dict[tuple[int, int], int] = {}
        self._contexts = [SyntaxContext(ROOT_CONTEXT, -1)]
        self._calls: list[CallSite | None] = [None]
        self._failures: dict[tuple[int, int], Fault] = {}
        self._tokens = 0
        self._is_needed = False
        self._has_failed = False
        self._has_expanded = False

    def expansion(self, found: tuple[Tree, ...]) -> Expansion | None:
        """What the file becomes."""
        expanded = self._items(found, None)
        if not (self._has_expanded or self._failures or self._sink.has_errors):
            return None
        writer = Writer(self._text, self._numbers)
        writer.write(expanded)
        last = _end_of(found)
        writer.gap(Gap(last, len(self._text)))
        chunks = writer.chunks or [Chunk(0, 0, ROOT_CONTEXT, is_made=False)]
        return Expansion(
            text=writer.text,
            chunks=tuple(chunks),
            starts=tuple(chunk.start for chunk in chunks),
            calls=tuple(self._calls),
            hygiene=Hygiene(
                contexts=tuple(self._contexts),
                places=tuple(place for place, _ in writer.definitions),
                definitions=tuple(number for _, number in writer.definitions),
            ),
            failures=self._failures,
        )

    # --- Items ------------------------------------------------------------------------------------

    def _items(self, found: Sequence[Tree], site: CallSite | None) -> list[Tree]:
        out: list[Tree] = []
        index = 0
        while index < len(found):
            tree = found[index]
            if not isinstance(tree, Token) or tree.kind != "word":
                out.append(tree)
                index += 1
            elif (macro := definition_at(found, index)) is not None:
                self._define(macro)
                out.extend(found[index : index + 4])
                index += 4
            elif (end := call_end(found, index)) is not None and begins_item(found, index):
                index = self._item_call(found, index, end, out, site)
            elif tree.text == "fn":
                index = self._function(found, index, out, site)
            elif tree.text in {"const", "static"}:
                end = position_of(found, ";", index)
                value = position_of(found, "=", index)
                out.extend(found[index:value])
                walked = self._walk(found[value:end], site, is_block=False)
                out.extend(found[value:end] if walked is None else walked)
                index = end
            elif tree.text == "mod" and is_group(at(found, index + 2), "{"):
                group = found[index + 2]
                assert isinstance(group, Group)  # noqa: S101 - `is_group` says so
                self._scopes.enter_module()
                inner = self._items(group.children, site)
                self._scopes.leave_module(keep=has_attribute(out, "macro_use"))
                out.extend(found[index : index + 2])
                out.append(_with_children(group, inner))
                index += 3
            elif tree.text == "impl":
                index = self._impl(found, index, out, site)
            else:
                out.append(tree)
                index += 1
        return out

    def _define(self, macro: Macro) -> None:
        self._scopes.define(macro)
        if any(
            KERNEL.search(self._text, arm.body.start, arm.body.end)
            or self._makers & called_words(arm.body.children)
            for arm in macro.arms
        ):
            self._makers |= {macro.name.text}

    def _item_call(
        self, found: Sequence[Tree], index: int, end: int, out: list[Tree], site: CallSite | None
    ) -> int:
        """A macro call among items: what it makes goes to `out`; gives where the items go on."""
        group = found[end - 1]
        assert isinstance(group, Group)  # noqa: S101 - `_call_end` says so
        path = found[index : end - 2]
        behind = end + is_token(at(found, end), ";")
        macro = self._scopes.find(path)
        if macro is not None:
            makes_kernels = macro.name.text in self._makers or KERNEL.search(
                self._text, group.start, group.end
            )
            outer, self._is_needed = self._is_needed, bool(makes_kernels)
            made = self._expand(macro, path, group, site, is_item=True)
            self._is_needed = outer
            if made is not None:
                children, inner = made
                if children:
                    children[0] = led_by(children[0], path[0].lead)
                errors = self._sink.error_count
                items = self._items(children, inner)
                if site is not None or self._sink.error_count == errors:
                    out.extend(under_conditions(items, take_attributes(out)))
                    return behind
            self._failures.pop((path[0].start, path[0].context), None)
        out.extend(found[index:behind])
        return behind

    def _impl(
        self, found: Sequence[Tree], index: int, out: list[Tree], site: CallSite | None
    ) -> int:
        """An impl: its items with macros expanded go to `out`; gives where the items go on."""
        end = index
        while end < len(found) and not (is_token(found[end], ";") or is_body(found, end)):
            end += 1
        out.extend(found[index:end])
        body = at(found, end)
        if not isinstance(body, Group):
            return end
        inner = self._items(body.children, site)
        out.append(body if tuple(inner) == body.children else _with_children(body, inner))
        return end + 1

    def _function(
        self, found: Sequence[Tree], index: int, out: list[Tree], site: CallSite | None
    ) -> int:
        """A function: its body with macros expanded goes to `out`; gives where the items go on."""
        end = index
        while end < len(found) and not (is_token(found[end], ";") or is_group(found[end], "{")):
            end += 1
        out.extend(found[index:end])
        body = at(found, end)
        if not isinstance(body, Group):
            return end
        is_kernel = has_attribute(out, "kernel")
        self._is_needed, self._has_failed = is_kernel, False
        walked = self._walk(body.children, site, is_block=True)
        if self._has_failed and is_kernel:
            # What is wrong has been told: as a kernel, the function would be told of again.
            drop_attribute(out, "kernel")
        self._is_needed = False
        out.append(body if walked is None else _with_children(body, walked))
        return end + 1

    # --- Bodies -----------------------------------------------------------------------------------

    def _walk(
        self, found: Sequence[Tree], site: CallSite | None, *, is_block: bool
    ) -> list[Tree] | None:
        """Trees of a body with their macros expanded; None where there are none."""
        if is_block:
            self._scopes.push()
        out: list[Tree] = []
        has_changed = self._walk_into(found, site, out, is_block=is_block)
        if is_block:
            self._scopes.pop()
        return out if has_changed else None

    def _walk_into(
        self, found: Sequence[Tree], site: CallSite | None, out: list[Tree], *, is_block: bool
    ) -> bool:
        has_changed = False
        index = 0
        while index < len(found):
            tree = found[index]
            if isinstance(tree, Group):
                walked = self._walk(tree.children, site, is_block=tree.opener == "{")
                has_changed |= walked is not None
                out.append(tree if walked is None else _with_children(tree, walked))
                index += 1
            elif tree.text == "macro_rules" and (macro := definition_at(found, index)) is not None:
                self._define(macro)
                out.extend(found[index : index + 4])
                index += 4
            elif tree.text == "!" and out and (path := path_before(out)):
                group = at(found, index + 1)
                if isinstance(group, Group) and group.opener:
                    del out[-len(path) :]
                    has_changed |= self._call(found, index + 2, path, out, site, is_block=is_block)
                    index += 2
                else:
                    out.append(tree)
                    index += 1
            else:
                out.append(tree)
                index += 1
        return has_changed

    def _call(
        self,
        found: Sequence[Tree],
        after: int,
        path: Sequence[Tree],
        out: list[Tree],
        site: CallSite | None,
        *,
        is_block: bool,
    ) -> bool:
        """A call whose argument ends before the tree at `after`: what it makes goes to `out`."""
        bang, group = found[after - 2 : after]
        assert isinstance(group, Group)  # noqa: S101 - the caller has looked
        macro = self._scopes.find(path)
        if macro is None:
            name = path[-1]
            walked = None
            if isinstance(name, Token) and name.text in _OPEN_ARGUMENTS:
                walked = self._walk(group.children, site, is_block=False)
            elif (other := self._scopes.elsewhere(path)) is not None:
                self._fail(out_of_scope(other, path), path)
            out.extend((*path, bang, group if walked is None else _with_children(group, walked)))
            return walked is not None
        following = at(found, after)
        begins = is_block and ends_statement(before_statement(out))
        is_statement = begins and (
            is_token(following, ";")
            or (group.opener == "{" and not (is_token(following, ".") or is_token(following, "?")))
        )
        made = self._expand(macro, path, group, site, is_item=False)
        if made is None:
            out.extend((*path, bang, group))
            return False
        children, inner = made
        if is_statement:
            self._statements(children, path[0].lead, inner, out, following)
            return True
        while children and is_token(children[-1], ";"):
            children.pop()
        fault = not_an_expression(macro, children, inner)
        if fault is not None:
            self._fail(fault, path)
            out.extend((*path, bang, group))
            return False
        walked = self._walk(children, inner, is_block=False)
        children = children if walked is None else walked
        start, end = inner.span
        none = Gap(end, end)
        out.append(Group("", tuple(children), start, end, path[0].lead, none, fragment="expr"))
        return True

    def _statements(
        self,
        children: list[Tree],
        lead: Gap,
        site: CallSite,
        out: list[Tree],
        following: Tree | None,
    ) -> None:
        """The statements a call has become."""
        if children:
            first = children[0]
            if _COMMENT.search(self._text, *first.lead):
                # Both are kept, and the line between them once.
                line = self._text.rfind("\n", *lead)
                cut = lead.end if line < 0 or line == lead.start else line
                out.append(Token("mark", "", cut, cut, Gap(lead.start, cut)))
            else:
                children[0] = led_by(first, lead)
        self._walk_into(children, site, out, is_block=True)
        is_closed = following is None or is_token(following, ";")
        if children and not is_closed and not ends_statement(out[-1]):
            place = site.span.end
            out.append(Token("mark", ";", place, place, Gap(place, place)))

    # --- One expansion ----------------------------------------------------------------------------

    def _expand(
        self,
        macro: Macro,
        path: Sequence[Tree],
        group: Group,
        outer: CallSite | None,
        *,
        is_item: bool,
    ) -> tuple[list[Tree], CallSite] | None:
        """What a call becomes, and the call; None after a fault."""
        context = group.context
        first = path[0]
        start = first.start if first.context == context else group.start
        site = CallSite(
            name=macro.name.text,
            span=Span(min(start, group.start), group.end),
            context=context,
            depth=1 if outer is None else outer.depth + 1,
            definition=self._numbers.setdefault(
                (macro.place.start, macro.place.context), len(self._numbers)
            ),
            is_item=is_item,
            outer=outer,
        )
        if site.depth > RECURSION_LIMIT or self._tokens > _MOST_TOKENS:
            self._fail(endless(site, is_wide=site.depth <= RECURSION_LIMIT), path)
            return None
        furthest: Tree | None = None
        reached = -1
        for arm in macro.arms:
            matcher = Matcher()
            bindings = matcher.match(arm.pattern.children, group.children, group.end - 1)
            if bindings is None:
                tree = matcher.furthest
                place = group.end if tree is None else tree.start
                if place > reached:
                    furthest, reached = tree, place
                continue
            marks: dict[int, int] = {}

            def mark(written: int, marks: dict[int, int] = marks) -> int:
                found = marks.get(written)
                if found is None:
                    found = marks[written] = len(self._contexts)
                    self._contexts.append(SyntaxContext(written, site.definition))
                    self._calls.append(site)
                self._tokens += 1
                return found

            try:
                made = transcribe(arm.body.children, bindings, mark)
            except TranscriptionError as problem:
                self._fail(unfit(site, problem), path)
                return None
            self._has_expanded = True
            return made, site
        self._fail(no_arm(macro, site, furthest, self._text), path)
        return None

    def _fail(self, fault: Fault, path: Sequence[Tree]) -> None:
        """A call that is not expanded: a kernel's is told at once, another where a kernel turns out to need it."""
        self._has_failed = True
        first = path[0]
        if not self._is_needed:
            self._failures[first.start, first.context] = fault
            return
        call = self._calls[first.context]
        related = list(fault.related)
        span = fault.span
        while call is not None:
            if call.context == ROOT_CONTEXT:
                related.append(Label(span=span, message=f"in the macro `{call.name}`"))
                span = call.span
                break
            call = self._calls[call.context]
        self._sink.emit(
            fault.code,
            fault.message,
            span,
            label=fault.label if span == fault.span else "",
            related=tuple(label for label in related if label.span != span),
            notes=fault.notes,
            help=fault.help,
        )


# --- Reading trees --------------------------------------------------------------------------------


def _with_children(group: Group, children: Sequence[Tree]) -> Group:
    return group._replace(children=tuple(children), is_verbatim=False)


def _end_of(found: Sequence[Tree]) -> int:
    return found[-1].end if found else 0
