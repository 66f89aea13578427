"""`macro_rules!` definitions among token trees, and which of them a name means at a place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.frontend.macros.trees import Group, Token, at, is_token, is_word
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.frontend.macros.trees import Tree

_USE = re.compile(r"\buse\b([^;]*);")
_NAME = re.compile(r"[^\W\d]\w*")


class Arm(NamedTuple):
    """`(pattern) => { body }`."""

    pattern: Group
    body: Group


class Macro(NamedTuple):
    """A definition; `name` is its token, and `place` the token `macro_rules` it begins with."""

    name: Token
    arms: tuple[Arm, ...]
    place: Token
    is_exported: bool


def definition_at(trees: Sequence[Tree], index: int) -> Macro | None:
    """The macro that is defined at `index`, which takes four trees."""
    place, name, body = trees[index], at(trees, index + 2), at(trees, index + 3)
    if not (
        isinstance(place, Token)
        and place.text == "macro_rules"
        and is_token(at(trees, index + 1), "!")
        and isinstance(name, Token)
        and isinstance(body, Group)
    ):
        return None
    attribute = at(trees, index - 1)
    is_exported = isinstance(attribute, Group) and any(
        is_token(tree, "macro_export") for tree in attribute.children
    )
    return Macro(name, tuple(_arms(body.children)), place, is_exported)


def _arms(body: Sequence[Tree]) -> Iterator[Arm]:
    for index in range(len(body) - 2):
        pattern, arrow, made = body[index : index + 3]
        if isinstance(pattern, Group) and is_token(arrow, "=>") and isinstance(made, Group):
            yield Arm(pattern, made)


class MacroScopes:
    """The macros that can be called: those defined above in this scope or one around it, and exported ones by path."""

    def __init__(self, text: str, trees: Sequence[Tree]) -> None:
        self._stack: list[dict[str, Macro]] = [{}]
        self._modules = 0
        self._everywhere: dict[str, Macro] = {}
        self._used = {
            name for found in _USE.finditer(text) for name in _NAME.findall(found.group(1))
        }
        for macro in _all_definitions(trees):
            self._everywhere.setdefault(macro.name.text, macro)

    def push(self) -> None:
        """Enter a block."""
        self._stack.append({})

    def pop(self) -> None:
        """Leave it."""
        self._stack.pop()

    def enter_module(self) -> None:
        """Enter a module."""
        self._modules += 1
        self._stack.append({})

    def leave_module(self, *, keep: bool) -> None:
        """Leave it; `keep` what it defined, as `#[macro_use]` does."""
        self._modules -= 1
        left = self._stack.pop()
        if keep:
            self._stack[-1].update(left)

    def define(self, macro: Macro) -> None:
        """A definition, from here on."""
        self._stack[-1][macro.name.text] = macro
        self._everywhere.setdefault(macro.name.text, macro)

    def find(self, path: Sequence[Tree]) -> Macro | None:
        """What the path of a call means here."""
        name = path[-1]
        if not isinstance(name, Token):
            return None
        if len(path) == 1:
            for scope in reversed(self._stack):
                if name.text in scope:
                    return scope[name.text]
        macro = self._everywhere.get(name.text)
        if macro is None or is_token(path[0], "std") or is_token(path[0], "core"):
            return None
        if name.text in self._used or (macro.is_exported and (len(path) > 1 or not self._modules)):
            return macro
        return None

    def elsewhere(self, path: Sequence[Tree]) -> Macro | None:
        """The macro of this name that cannot be called here."""
        name = path[-1]
        return self._everywhere.get(name.text) if isinstance(name, Token) else None


def _all_definitions(trees: Sequence[Tree]) -> Iterator[Macro]:
    """Definitions at any depth outside of macros."""
    skipped = -1
    for index, tree in enumerate(trees):
        if isinstance(tree, Group):
            if index != skipped:
                yield from _all_definitions(tree.children)
        elif tree.text == "macro_rules" and is_word(at(trees, index + 2)):
            macro = definition_at(trees, index)
            if macro is not None:
                skipped = index + 3
                yield macro
