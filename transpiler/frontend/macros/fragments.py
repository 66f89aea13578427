"""How far a fragment of a macro's argument reaches: `$x:expr`, `$t:ty` and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frontend.macros.trees import (
    Group,
    Token,
    Tree,
    angle_end,
    at,
    is_group,
    is_token,
    is_word,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

FRAGMENTS = (
    "block",
    "expr",
    "expr_2021",
    "ident",
    "item",
    "lifetime",
    "literal",
    "meta",
    "pat",
    "pat_param",
    "path",
    "stmt",
    "tt",
    "ty",
    "vis",
)
TRANSPARENT = frozenset({"ident", "lifetime", "tt"})
"""The fragments that other macros may look into; all others stay what they are."""

_EXPRESSION_END = frozenset({",", ";", "=>"})
_STOPS = {
    "expr": _EXPRESSION_END,
    "stmt": _EXPRESSION_END,
    "pat": _EXPRESSION_END | {"=", "if", "in"},
    "pat_param": _EXPRESSION_END | {"=", "if", "in", "|"},
}
_NO_EXPRESSION = frozenset(
    {
        "as",
        "else",
        "enum",
        "extern",
        "fn",
        "impl",
        "in",
        "let",
        "mod",
        "mut",
        "pub",
        "ref",
        "static",
    }
    | {"struct", "trait", "type", "use", "where", "_"}
)
_PREFIXES = frozenset({"-", "!", "*", "&", "&&", "|", "||", "..", "..=", "::", "<", "#"})
_PATTERN_STARTS = frozenset({"-", "&", "&&", "|", "..", "..=", "::", "<"})
_ITEM_WORDS = frozenset(
    {"async", "const", "enum", "extern", "fn", "impl", "macro_rules", "mod", "pub", "static"}
    | {"struct", "trait", "type", "union", "unsafe", "use"}
)
_FORWARDED = {
    "expr": frozenset({"expr", "literal", "path", "block", "stmt"}),
    "stmt": frozenset({"stmt", "expr", "literal", "path", "block", "item"}),
    "pat": frozenset({"pat", "pat_param", "literal", "path"}),
    "pat_param": frozenset({"pat_param", "literal", "path"}),
    "ty": frozenset({"ty", "path"}),
}


def fragment_end(  # noqa: C901 - one case a kind
    kind: str, trees: Sequence[Tree], start: int
) -> int | None:
    """The index behind the fragment of this kind at `start`; None where there is none."""
    first = at(trees, start)
    if first is None:
        return start if kind == "vis" else None
    if isinstance(first, Group) and first.fragment and kind not in {"expr", "tt", "stmt"}:
        matches = first.fragment in _FORWARDED.get(kind, frozenset({kind}))
        return start + 1 if matches else (start if kind == "vis" else None)
    match kind:
        case "vis":
            if not is_token(first, "pub"):
                return start
            return start + 2 if is_group(at(trees, start + 1), "(") else start + 1
        case "tt":
            return _joint_end(trees, start)
        case "ident":
            return start + 1 if is_word(first) else None
        case "lifetime":
            return start + 1 if isinstance(first, Token) and first.kind == "lifetime" else None
        case "block":
            return start + 1 if is_group(first, "{") else None
        case "literal":
            return _literal_end(trees, start)
        case "path":
            return _path_end(trees, start)
        case "ty":
            return _type_end(trees, start)
        case "meta":
            end = _path_end(trees, start)
            if end is not None and is_token(at(trees, end), "="):
                return end + 2
            return end + 1 if end is not None and isinstance(at(trees, end), Group) else end
        case "item":
            return _item_end(trees, start)
        case "expr" | "expr_2021":
            return _scan("expr", trees, start) if _begins_expression(first) else None
        case "stmt":
            begins = _begins_expression(first) or is_token(first, "let") or _begins_item(first)
            return _scan("stmt", trees, start) if begins else None
        case "pat" | "pat_param":
            return _scan(kind, trees, start) if _begins_pattern(first) else None
        case _:
            return None


def _begins_expression(tree: Tree) -> bool:
    if isinstance(tree, Group):
        return not tree.fragment or tree.fragment in _FORWARDED["expr"]
    if tree.kind == "word":
        return tree.text not in _NO_EXPRESSION
    return tree.kind != "mark" or tree.text in _PREFIXES


def _begins_pattern(tree: Tree) -> bool:
    if isinstance(tree, Group):
        return tree.opener in "(["
    return tree.kind in {"word", "number", "text"} or tree.text in _PATTERN_STARTS


def _begins_item(tree: Tree) -> bool:
    return is_token(tree, "#") or (isinstance(tree, Token) and tree.text in _ITEM_WORDS)


def _scan(kind: str, trees: Sequence[Tree], start: int) -> int:
    """Up to what may follow; commas in `::<…>` belong to it."""
    stops = _STOPS[kind]
    end = start
    while end < len(trees):
        tree = trees[end]
        if isinstance(tree, Token) and tree.text in stops:
            break
        if is_token(tree, "::") and is_token(at(trees, end + 1), "<"):
            end = angle_end(trees, end + 1) or len(trees)
        else:
            end += 1
    return end


def _joint_end(trees: Sequence[Tree], start: int) -> int:
    """One tree; the marks of `>>`, `>=` and `>>=`, which are read one by one, are one."""
    end = start + 1
    if is_token(trees[start], ">"):
        while end < min(start + 3, len(trees)):
            tree = trees[end]
            if not (isinstance(tree, Token) and tree.text in {">", "="}):
                break
            if tree.start != trees[end - 1].end or is_token(trees[end - 1], "="):
                break
            end += 1
    return end


def _literal_end(trees: Sequence[Tree], start: int) -> int | None:
    first = trees[start]
    if is_token(first, "-"):
        second = at(trees, start + 1)
        return start + 2 if isinstance(second, Token) and second.kind == "number" else None
    is_literal = isinstance(first, Token) and (
        first.kind in {"number", "text"} or first.text in {"true", "false"}
    )
    return start + 1 if is_literal else None


def _item_end(trees: Sequence[Tree], start: int) -> int | None:
    first = trees[start]
    is_call = is_word(first) and is_token(at(trees, start + 1), "!")
    if not (_begins_item(first) or is_call):
        return None
    needs_semicolon = any(
        is_token(tree, word)
        for tree in trees[start : start + 4]
        for word in ("const", "static", "use", "type")
    ) and not any(is_token(tree, "fn") for tree in trees[start : start + 5])
    for index in range(start, len(trees)):
        ends = is_group(trees[index], "{") and not needs_semicolon
        if is_token(trees[index], ";") or ends:
            return index + 1
    return None


def _type_end(trees: Sequence[Tree], start: int) -> int | None:
    first = at(trees, start)
    if isinstance(first, Group):
        return start + 1 if first.opener in {"(", "["} or first.fragment in {"ty", "path"} else None
    if is_token(first, "!") or is_token(first, "_"):
        return start + 1
    if is_token(first, "&") or is_token(first, "&&") or is_token(first, "*"):
        index = start + 1
        tree = at(trees, index)
        index += isinstance(tree, Token) and tree.kind == "lifetime"
        tree = at(trees, index)
        index += isinstance(tree, Token) and tree.text in {"mut", "const"}
        return _type_end(trees, index)
    return _path_end(trees, start)


def _path_end(trees: Sequence[Tree], start: int) -> int | None:
    index = start
    if is_token(at(trees, index), "<"):
        index = angle_end(trees, index) or len(trees)
        if not is_token(at(trees, index), "::"):
            return None
    index += is_token(at(trees, index), "::")
    while True:
        tree = at(trees, index)
        is_part = is_word(tree) or (isinstance(tree, Group) and tree.fragment in {"ty", "path"})
        if not is_part:
            return None
        index += 1
        if is_token(at(trees, index), "::") and is_token(at(trees, index + 1), "<"):
            index += 1
        if is_token(at(trees, index), "<"):
            index = angle_end(trees, index) or len(trees)
        if not is_token(at(trees, index), "::"):
            return index
        index += 1
