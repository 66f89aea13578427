"""Structs back to Rust."""

from __future__ import annotations

from transpiler.syntax import inline
from transpiler.syntax.layout import INDENT, around, comments_text, head_lines
from transpiler.syntax.nodes import Struct, StructField, StructKind


def struct_rest(item: Struct, indent: str) -> str:
    """What follows the name of a struct."""
    if item.rest is not None:
        return item.rest if item.rest.startswith(("<", "(", ";")) else f" {item.rest}"
    where = ""
    if item.where_clause is not None:
        where = f"\n{indent}where\n{indent}{INDENT}{item.where_clause}"
    match item.kind:
        case StructKind.UNIT:
            return f"{item.generics_text}{where};"
        case StructKind.TUPLE:
            fields = _tuple_fields(item, indent)
            return f"{item.generics_text}({fields}){where};"
        case StructKind.NAMED:
            brace = f"\n{indent}" if where else " "
            return f"{item.generics_text}{where}{brace}{{{_struct_fields(item, indent)}}}"


def _tuple_fields(item: Struct, indent: str) -> str:
    heads = [field.head for field in item.fields]
    if item.closing_comments or any(
        head.docs or head.attributes or head.trivia.leading or head.trivia.trailing
        for head in heads
    ):
        return _struct_fields(item, indent)
    return ", ".join(_visible(field, inline.type_(field.type)) for field in item.fields)


def _struct_fields(item: Struct, indent: str) -> str:
    """The fields, one a line, with the line ends around them."""
    inner = indent + INDENT
    parts = []
    for index, field in enumerate(item.fields):
        name = "" if item.kind is StructKind.TUPLE else f"{inline.name(field.name)}: "
        lines = [
            *head_lines(field.head),
            _visible(field, f"{name}{inline.type_(field.type)},"),
        ]
        text = inner + f"\n{inner}".join(lines)
        parts.append(around(field.head.trivia, inner, text, is_first=index == 0))
    if item.closing_comments:
        parts.append(comments_text(item.closing_comments, inner))
    return "\n" + "\n".join([*parts, indent]) if parts else ""


def _visible(field: StructField, text: str) -> str:
    return f"{field.head.visibility} {text}" if field.head.visibility else text
