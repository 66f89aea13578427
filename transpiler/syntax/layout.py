"""Printed text with the comments and the empty lines around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transpiler.syntax.base import Comment, Trivia
    from transpiler.syntax.nodes import ItemHead

INDENT = "    "


def comments_text(comments: tuple[Comment, ...], indent: str) -> str:
    """Comments, one after the other."""
    lines = []
    for comment in comments:
        if comment.blank_before:
            lines.append("")
        lines.append(f"{indent}{comment.text}")
    return "\n".join(lines)


def around(trivia: Trivia, indent: str, text: str, *, is_first: bool) -> str:
    """The text (already indented) with its comments and the empty line before it."""
    lines = []
    if trivia.blank_before and not is_first:
        lines.append("")
    if trivia.leading:
        lines.append(comments_text(trivia.leading, indent))
        if trivia.blank_after_leading:
            lines.append("")
    lines.append(f"{text} {trivia.trailing.text}" if trivia.trailing else text)
    return "\n".join(lines)


def head_lines(head: ItemHead) -> list[str]:
    """The lines of the docs and attributes of an item."""
    docs = [f"/// {line}".rstrip() for line in head.docs]
    return docs + [attribute.text for attribute in head.attributes]
