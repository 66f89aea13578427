"""Matching the argument of a macro call against the pattern of an arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.frontend.macros.fragments import TRANSPARENT, fragment_end
from transpiler.frontend.macros.trees import Group, Token, Tree, at, is_token
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Binding: TypeAlias = "tuple[Tree, ...] | list[Binding]"
"""What a metavariable matched: trees, or what it matched in each round of a repetition."""
Bindings: TypeAlias = "dict[str, Binding]"


class Repetition(NamedTuple):
    """`$( … ) separator operator` at some place among trees, and how many of them it takes."""

    inner: Group
    separator: str
    operator: str
    width: int


class Matcher:
    """One attempt to match a pattern; `furthest` is the tree that stopped it, None where the argument ended."""

    def __init__(self) -> None:
        self.furthest: Tree | None = None
        self._reached = -1

    def match(self, pattern: Sequence[Tree], trees: Sequence[Tree], end: int) -> Bindings | None:
        """What the metavariables of `pattern` stand for where it matches all of `trees`, which end at `end`."""
        bindings: Bindings = {}
        stop = self._match(pattern, trees, 0, bindings, end)
        if stop is not None and stop < len(trees):
            self._stopped(trees, stop, end)
        return bindings if stop == len(trees) else None

    def _stopped(self, trees: Sequence[Tree], position: int, end: int) -> None:
        tree = at(trees, position)
        place = end if tree is None else tree.start
        if place > self._reached:
            self._reached, self.furthest = place, tree

    def _match(
        self,
        pattern: Sequence[Tree],
        trees: Sequence[Tree],
        position: int,
        bindings: Bindings,
        end: int,
    ) -> int | None:
        index = 0
        while index < len(pattern):
            part = pattern[index]
            repetition = repetition_at(pattern, index)
            if repetition is not None:
                found = self._repeat(repetition, trees, position, bindings, end)
                index += repetition.width
            elif is_metavariable(pattern, index) and is_token(at(pattern, index + 2), ":"):
                name, kind = pattern[index + 1], at(pattern, index + 3)
                fragment = kind.text if isinstance(kind, Token) else ""
                found = fragment_end(fragment, trees, position)
                if found is not None and isinstance(name, Token):
                    bindings[name.text] = _bound(fragment, trees[position:found])
                index += 4
            else:
                found = self._match_tree(part, trees, position, bindings)
                index += 1
            if found is None:
                self._stopped(trees, position, end)
                return None
            position = found
        return position

    def _match_tree(
        self, part: Tree, trees: Sequence[Tree], position: int, bindings: Bindings
    ) -> int | None:
        tree = at(trees, position)
        if isinstance(part, Token):
            return position + 1 if is_token(tree, part.text) else None
        if not isinstance(tree, Group) or tree.opener != part.opener:
            return None
        end = self._match(part.children, tree.children, 0, bindings, tree.end - 1)
        if end is not None and end < len(tree.children):
            self._stopped(tree.children, end, tree.end - 1)
        return position + 1 if end == len(tree.children) else None

    def _repeat(
        self,
        repetition: Repetition,
        trees: Sequence[Tree],
        position: int,
        bindings: Bindings,
        end: int,
    ) -> int | None:
        rounds: list[Bindings] = []
        while position < len(trees) and not (repetition.operator == "?" and rounds):
            start = position
            if rounds and repetition.separator:
                if not is_token(trees[position], repetition.separator):
                    break
                start += 1
            found: Bindings = {}
            stop = self._match(repetition.inner.children, trees, start, found, end)
            if stop is None or stop == position:
                break
            rounds.append(found)
            position = stop
        if repetition.operator == "+" and not rounds:
            return None
        for name in metavariables(repetition.inner.children):
            bindings[name] = [each[name] for each in rounds if name in each]
        return position


def _bound(kind: str, found: Sequence[Tree]) -> tuple[Tree, ...]:
    """What a fragment matched; all but the transparent kinds keep together from here on."""
    trees = tuple(found)
    if kind in TRANSPARENT or not trees:
        return trees
    if len(trees) == 1 and isinstance(trees[0], Group) and trees[0].fragment == kind:
        return trees
    first, last = trees[0], trees[-1]
    kept = Group("", trees, first.start, last.end, first.lead, last.lead, fragment=kind)
    return (kept._replace(last=kept.last._replace(start=last.end, end=last.end)),)


def is_metavariable(trees: Sequence[Tree], index: int) -> bool:
    """Whether `$name` stands at `index`."""
    after = at(trees, index + 1)
    return is_token(trees[index], "$") and isinstance(after, Token) and after.kind == "word"


def repetition_at(trees: Sequence[Tree], index: int) -> Repetition | None:
    """The repetition at `index`; None where there is none."""
    inner = at(trees, index + 1)
    if not is_token(trees[index], "$") or not isinstance(inner, Group) or inner.opener != "(":
        return None
    third, fourth = at(trees, index + 2), at(trees, index + 3)
    if isinstance(third, Token) and third.text in {"*", "+", "?"}:
        is_separator = third.text != "?" and is_operator(fourth) and fourth_is_joint(third, fourth)
        if not is_separator:
            return Repetition(inner, "", third.text, 3)
    if isinstance(third, Token) and isinstance(fourth, Token) and is_operator(fourth):
        return Repetition(inner, third.text, fourth.text, 4)
    return Repetition(inner, "", "*", 2)


def is_operator(tree: Tree | None) -> bool:
    """Whether the tree says how often something is repeated."""
    return isinstance(tree, Token) and tree.text in {"*", "+", "?"}


def fourth_is_joint(third: Tree, fourth: Tree | None) -> bool:
    """Whether two marks stand without space, as in `$(…)+*`: the first is then a separator."""
    return fourth is not None and fourth.start == third.end


def metavariables(pattern: Sequence[Tree]) -> Iterator[str]:
    """The names after `$` among trees, at any depth."""
    for index, tree in enumerate(pattern):
        if isinstance(tree, Group):
            yield from metavariables(tree.children)
        elif index and is_token(pattern[index - 1], "$") and tree.kind == "word":
            yield tree.text
