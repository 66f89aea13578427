"""Comments and blank lines: from what the parser kept to what the generated module shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir.nodes import PLAIN, Layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir.nodes import Statement
    from transpiler.syntax.base import Comment, Trivia


def layout_of(trivia: Trivia) -> Layout:
    """The layout of a statement with this trivia."""
    trailing = None if trivia.trailing is None else " ".join(comment_lines(trivia.trailing))
    return Layout(
        comments=closing_lines(trivia.leading),
        trailing=trailing,
        blank_before=trivia.blank_before,
    )


def closing_lines(comments: Iterable[Comment]) -> tuple[str, ...]:
    """The lines of consecutive comments; an empty string for an empty line between two of them."""
    lines: list[str] = []
    for comment in comments:
        if comment.blank_before and lines:
            lines.append("")
        lines.extend(comment_lines(comment))
    return tuple(lines)


def comment_lines(comment: Comment) -> list[str]:
    """The text of one comment without its delimiters."""
    if not comment.is_block:
        return [comment.text.lstrip("/").removeprefix("!").removeprefix(" ").rstrip()]
    inner = comment.text.removeprefix("/*").removesuffix("*/")
    lines = [line.strip().removeprefix("*").strip() for line in inner.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines or [""]


def with_first_layout(statements: tuple[Statement, ...], layout: Layout) -> tuple[Statement, ...]:
    """The statements that take the place of one with `layout`: the first of them stands under its comments."""
    if not statements or layout == PLAIN:
        return statements
    first, *rest = statements
    merged = Layout(
        comments=(*layout.comments, *first.layout.comments),
        trailing=first.layout.trailing,
        blank_before=layout.blank_before,
    )
    return (replace(first, layout=merged), *rest)
