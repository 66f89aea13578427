"""Matching the argument of a macro call against an arm, and writing the arm's body with what matched."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.frontend.macros.trees import Group, Token, Tree, at, is_group, is_token
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_STOPS = {
    "expr": frozenset({",", ";", "=>"}),
    "stmt": frozenset({",", ";", "=>"}),
    "pat": frozenset({",", ";", "=>", "=", "if", "in"}),
    "pat_param": frozenset({",", ";", "=>", "=", "if", "in", "|"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """What a metavariable matched: the text at `[start, end)`; an expression of several tokens keeps together."""

    start: int
    end: int
    is_compound: bool = False


Binding: TypeAlias = "Fragment | list[Binding]"
Bindings: TypeAlias = "dict[str, Binding]"
Piece: TypeAlias = "tuple[str, int | None]"


def match(pattern: Sequence[Tree], trees: Sequence[Tree]) -> Bindings | None:
    """What the metavariables of `pattern` stand for where it matches all of `trees`."""
    bindings: Bindings = {}
    end = _match(pattern, trees, 0, bindings)
    return bindings if end == len(trees) else None


def _match(
    pattern: Sequence[Tree], trees: Sequence[Tree], position: int, bindings: Bindings
) -> int | None:
    index = 0
    while index < len(pattern):
        part = pattern[index]
        after = at(pattern, index + 1)
        if is_token(part, "$") and isinstance(after, Group):
            separator, operator, width = _repetition(pattern, index)
            found = _repeat(after.children, trees, position, bindings, separator, operator)
            index += width
        elif (
            is_token(part, "$")
            and isinstance(after, Token)
            and is_token(at(pattern, index + 2), ":")
        ):
            kind = at(pattern, index + 3)
            found = fragment_end(kind.text if isinstance(kind, Token) else "", trees, position)
            if found is not None:
                bindings[after.text] = _fragment(kind, trees, position, found)
            index += 4
        else:
            found = _match_tree(part, at(trees, position), position, bindings)
            index += 1
        if found is None:
            return None
        position = found
    return position


def _match_tree(part: Tree, tree: Tree | None, position: int, bindings: Bindings) -> int | None:
    if isinstance(part, Token):
        return position + 1 if is_token(tree, part.text) else None
    if not isinstance(tree, Group) or tree.opener != part.opener:
        return None
    end = _match(part.children, tree.children, 0, bindings)
    return position + 1 if end == len(tree.children) else None


def _repetition(pattern: Sequence[Tree], index: int) -> tuple[str, str, int]:
    """The separator, the operator and the width in trees of the repetition at `index`."""
    third, fourth = at(pattern, index + 2), at(pattern, index + 3)
    if isinstance(third, Token) and third.text in {"*", "+", "?"}:
        if not (isinstance(fourth, Token) and fourth.text in {"*", "+"} and third.text != "?"):
            return "", third.text, 3
        if fourth.start > third.end:
            return "", third.text, 3
    if isinstance(third, Token) and isinstance(fourth, Token):
        return third.text, fourth.text, 4
    return "", "*", 3


def _repeat(
    pattern: Sequence[Tree],
    trees: Sequence[Tree],
    position: int,
    bindings: Bindings,
    separator: str,
    operator: str,
) -> int | None:
    rounds: list[Bindings] = []
    while position < len(trees) and not (operator == "?" and rounds):
        start = position
        if rounds and separator:
            if not is_token(trees[position], separator):
                break
            start += 1
        found: Bindings = {}
        end = _match(pattern, trees, start, found)
        if end is None or end == position:
            break
        rounds.append(found)
        position = end
    if operator == "+" and not rounds:
        return None
    for name in _metavariables(pattern):
        bindings[name] = [each[name] for each in rounds if name in each]
    return position


def _metavariables(pattern: Sequence[Tree]) -> Iterator[str]:
    for index, tree in enumerate(pattern):
        if isinstance(tree, Group):
            yield from _metavariables(tree.children)
        elif index and is_token(pattern[index - 1], "$"):
            yield tree.text


def _fragment(kind: Tree | None, trees: Sequence[Tree], start: int, end: int) -> Fragment:
    if start == end:
        place = trees[start].start if start < len(trees) else 0
        return Fragment(start=place, end=place)
    return Fragment(
        start=trees[start].start,
        end=trees[end - 1].end,
        is_compound=is_token(kind, "expr") and end - start > 1,
    )


def fragment_end(  # noqa: C901 - one case a kind
    kind: str, trees: Sequence[Tree], start: int
) -> int | None:
    """The index behind the fragment of this kind at `start`; None where there is none."""
    first = at(trees, start)
    match kind:
        case "vis":
            if not is_token(first, "pub"):
                return start
            return start + 2 if is_group(at(trees, start + 1), "(") else start + 1
        case _ if first is None:
            return None
        case "tt":
            return start + 1
        case "ident":
            is_name = isinstance(first, Token) and first.kind == "word" and first.text != "_"
            return start + 1 if is_name else None
        case "lifetime":
            return start + 1 if isinstance(first, Token) and first.kind == "lifetime" else None
        case "block":
            return start + 1 if is_group(first, "{") else None
        case "literal":
            if is_token(first, "-"):
                second = at(trees, start + 1)
                return start + 2 if isinstance(second, Token) and second.kind == "number" else None
            is_literal = isinstance(first, Token) and (
                first.kind in {"number", "text"} or first.text in {"true", "false"}
            )
            return start + 1 if is_literal else None
        case "path" | "ty":
            return _type_end(trees, start, is_path=kind == "path")
        case "meta":
            end = _type_end(trees, start, is_path=True)
            if end is not None and is_token(at(trees, end), "="):
                return end + 2
            return end + 1 if end is not None and is_group(at(trees, end)) else end
        case "item":
            for index in range(start, len(trees)):
                if is_token(trees[index], ";") or is_group(trees[index], "{"):
                    return index + 1
            return None
        case "expr" | "stmt" | "pat" | "pat_param":
            end = start
            while end < len(trees) and not _stops(trees[end], kind):
                end += 1
            return end if end > start else None
        case _:
            return None


def _stops(tree: Tree, kind: str) -> bool:
    return isinstance(tree, Token) and tree.text in _STOPS[kind]


def _type_end(trees: Sequence[Tree], start: int, *, is_path: bool) -> int | None:
    index = start
    first = at(trees, index)
    if not is_path:
        if is_group(first, "(") or is_group(first, "["):
            return index + 1
        if is_token(first, "&"):
            index += 1
            tree = at(trees, index)
            if isinstance(tree, Token) and tree.kind == "lifetime":
                index += 1
            index += is_token(at(trees, index), "mut")
            return _type_end(trees, index, is_path=False)
    index += is_token(first, "::")
    while True:
        tree = at(trees, index)
        if not isinstance(tree, Token) or tree.kind != "word":
            return None
        index += 1
        if is_token(at(trees, index), "::") and is_token(at(trees, index + 1), "<"):
            index += 1
        if is_token(at(trees, index), "<"):
            index = _angle_end(trees, index)
        if not is_token(at(trees, index), "::"):
            return index
        index += 1


def _angle_end(trees: Sequence[Tree], index: int) -> int:
    depth = 0
    while index < len(trees):
        depth += is_token(trees[index], "<") - is_token(trees[index], ">")
        index += 1
        if depth == 0:
            break
    return index


# --- Writing --------------------------------------------------------------------------------------


def transcribe(text: str, body: Group, bindings: Bindings) -> list[tuple[str, int]]:
    """The body with its metavariables replaced: pieces of text, each with the offset it comes from.

    White space and comments of the body stay.
    """
    pieces: list[tuple[str, int]] = []
    _write(text, body.children, body.start + 1, body.end - 1, bindings, pieces)
    return pieces


def _write(
    text: str,
    trees: Sequence[Tree],
    position: int,
    end: int,
    bindings: Bindings,
    pieces: list[tuple[str, int]],
) -> None:
    index = 0
    while index < len(trees):
        tree = trees[index]
        after = at(trees, index + 1)
        if is_token(tree, "$") and isinstance(after, Token) and after.text in bindings:
            pieces.append((text[position : tree.start], position))
            _write_fragment(text, bindings[after.text], pieces)
            position, index = after.end, index + 2
        elif is_token(tree, "$") and isinstance(after, Group):
            pieces.append((text[position : tree.start], position))
            separator, _, width = _repetition(trees, index)
            for number, inner in enumerate(_rounds(after.children, bindings)):
                if number and separator:
                    pieces.append((separator, after.end))
                _write(text, after.children, after.start + 1, after.end - 1, inner, pieces)
            position, index = trees[min(index + width, len(trees)) - 1].end, index + width
        elif is_token(tree, "$") and is_token(after, "crate"):
            pieces.append((text[position : tree.start], position))
            position, index = tree.end, index + 1
        elif isinstance(tree, Group):
            pieces.append((text[position : tree.start + 1], position))
            _write(text, tree.children, tree.start + 1, tree.end - 1, bindings, pieces)
            position, index = tree.end - 1, index + 1
        else:
            index += 1
    pieces.append((text[position:end], position))


def _write_fragment(text: str, binding: Binding, pieces: list[tuple[str, int]]) -> None:
    if isinstance(binding, list):
        for each in binding:
            _write_fragment(text, each, pieces)
        return
    written = text[binding.start : binding.end]
    if binding.is_compound:
        pieces += [("(", binding.start), (written, binding.start), (")", binding.end)]
    else:
        pieces.append((written, binding.start))


def _rounds(trees: Sequence[Tree], bindings: Bindings) -> Iterator[Bindings]:
    """The bindings of each round of a repetition."""
    repeated = {
        name: binding
        for name in _metavariables(trees)
        if isinstance(binding := bindings.get(name), list)
    }
    count = max((len(each) for each in repeated.values()), default=0)
    for number in range(count):
        yield bindings | {
            name: each[number] for name, each in repeated.items() if number < len(each)
        }
