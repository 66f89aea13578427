"""What stands before items: doc comments as lines."""

from __future__ import annotations

import re

_STAR = re.compile(r"^[ \t]*\*[ \t]?", re.MULTILINE)


def is_outer_doc(comment: str) -> bool:
    """`///` but not `////`, `/**` but not `/***` or `/**/`."""
    if comment.startswith("///"):
        return not comment.startswith("////")
    return comment.startswith("/**") and not comment.startswith(("/***", "/**/"))


def is_inner_doc(comment: str) -> bool:
    """`//!`, `/*!`."""
    return comment.startswith(("//!", "/*!"))


def doc_lines(comment: str) -> tuple[str, ...]:
    """The lines of a doc comment, without its marks and one space after each."""
    if comment.startswith("//"):
        return (_without_space(comment[3:].rstrip()),)
    lines = comment[3:-2].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    stripped = [_without_space(lines[0].rstrip())]
    body = lines[1:]
    if body and all(line.lstrip().startswith("*") for line in body if line.strip()):
        body = [_STAR.sub("", line) for line in body]
    else:
        margin = min((len(line) - len(line.lstrip()) for line in body if line.strip()), default=0)
        body = [line[margin:] for line in body]
    stripped.extend(line.rstrip() for line in body)
    while stripped and not stripped[0]:
        del stripped[0]
    while stripped and not stripped[-1]:
        del stripped[-1]
    return tuple(stripped)


def _without_space(line: str) -> str:
    return line.removeprefix(" ")
