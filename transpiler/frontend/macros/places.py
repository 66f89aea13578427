"""What stands where among token trees: items, attributes, statements, and the paths of macro calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frontend.macros.trees import Group, Token, at, is_group, is_token, is_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.frontend.macros.trees import Tree

_NO_MACROS = frozenset(
    {"as", "break", "else", "if", "in", "let", "match", "mut", "return", "while", "macro_rules"}
)


def position_of(found: Sequence[Tree], mark: str, start: int) -> int:
    """The index of the mark of an item that begins at `start`, or of what ends the item before it."""
    for index in range(start, len(found)):
        if is_token(found[index], mark):
            return index
        if is_token(found[index], ";") or is_token(found[index], "fn"):
            return index
    return len(found)


def call_end(found: Sequence[Tree], index: int) -> int | None:
    """The index behind the argument of the macro call that begins at `index`."""
    while is_word(at(found, index)) and is_token(at(found, index + 1), "::"):
        index += 2
    is_call = is_word(at(found, index)) and is_token(at(found, index + 1), "!")
    return index + 3 if is_call and isinstance(at(found, index + 2), Group) else None


def begins_item(found: Sequence[Tree], index: int) -> bool:
    """Whether an item begins at `index`."""
    before = at(found, index - 1)
    return before is None or is_token(before, ";") or isinstance(before, Group)


def is_body(found: Sequence[Tree], index: int) -> bool:
    """Whether a group in braces stands there that is no const argument, as in `Foo<{ N }>`."""
    following = at(found, index + 1)
    is_argument = is_token(following, ">") or is_token(following, ",")
    return is_group(found[index], "{") and not is_argument


def called_words(found: Sequence[Tree]) -> set[str]:
    """The names before a `!` among trees, at any depth."""
    words: set[str] = set()
    for index, tree in enumerate(found):
        if isinstance(tree, Group):
            words |= called_words(tree.children)
        elif tree.kind == "word" and is_token(at(found, index + 1), "!"):
            words.add(tree.text)
    return words


def has_attribute(out: Sequence[Tree], name: str) -> bool:
    """Whether the item whose head ends `out` is under `#[name]`."""
    return _attribute_index(out, name) is not None


def drop_attribute(out: list[Tree], name: str) -> None:
    """Take `#[name]` off the item whose head ends `out`."""
    index = _attribute_index(out, name)
    if index is not None:
        del out[index - 1 : index + 1]


def _attribute_index(out: Sequence[Tree], name: str) -> int | None:
    for index in range(len(out) - 1, 0, -1):
        tree = out[index]
        if is_token(tree, ";") or is_group(tree, "{"):
            return None
        if isinstance(tree, Group) and tree.opener == "[" and is_token(out[index - 1], "#"):
            path = [each for each in tree.children if isinstance(each, Token)]
            words = [each.text for each in path if each.kind == "word"]
            if name in words[: 1 + sum(each.text == "::" for each in path)]:
                return index
    return None


def path_before(out: Sequence[Tree]) -> tuple[Tree, ...]:
    """The path that ends `out`, empty where it is none of a macro."""
    start = len(out) - 1
    last = out[start]
    if not (isinstance(last, Token) and last.kind == "word") or last.text in _NO_MACROS:
        return ()
    while start >= 2 and is_token(out[start - 1], "::") and is_word(out[start - 2]):
        start -= 2
    if start and is_token(out[start - 1], "::"):
        start -= 1
    return tuple(out[start:])


def ends_statement(before: Tree | None) -> bool:
    """Whether what stands behind this tree of a block begins a statement."""
    return before is None or is_token(before, ";") or is_group(before, "{")


def before_statement(out: Sequence[Tree]) -> Tree | None:
    """What stands before the statement that `out` leads up to, over its attributes."""
    index = len(out) - 1
    while index >= 0:
        if is_token(out[index], ""):
            index -= 1
        elif index and is_group(out[index], "[") and is_token(out[index - 1], "#"):
            index -= 2
        else:
            return out[index]
    return None


def take_attributes(out: list[Tree]) -> list[tuple[Tree, Group]]:
    """Take the attributes off the end of `out`."""
    taken: list[tuple[Tree, Group]] = []
    while len(out) > 1 and is_token(out[-2], "#"):
        last = out[-1]
        if not isinstance(last, Group) or last.opener != "[":
            break
        taken.insert(0, (out[-2], last))
        del out[-2:]
    return taken


def under_conditions(
    items: Sequence[Tree], attributes: Sequence[tuple[Tree, Group]]
) -> Sequence[Tree]:
    """The items of a macro call, each under the `#[cfg(…)]` of the call; other attributes mean nothing there."""
    conditions = [
        tree for pair in attributes if is_token(at(pair[1].children, 0), "cfg") for tree in pair
    ]
    if not conditions:
        return items
    result: list[Tree] = []
    begins = True
    for tree in items:
        ends = is_token(tree, ";")
        if begins and not ends:
            result.extend(conditions)
        result.append(tree)
        begins = ends or is_group(tree, "{")
    return result
