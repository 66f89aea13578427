"""Sections of Markdown files that scripts write, between marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def renew(path: Path, mark: str, lines: Iterable[str]) -> None:
    """Put lines between `<!-- mark -->` and `<!-- /mark -->`, and leave all the rest of the file alone.

    A file that is not there yet is made, and marks that it lacks are put at its end.
    """
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    text = path.read_text("utf-8") if path.exists() else "# Performance\n"
    section = "\n".join((begin, "", *lines, end))
    before, found, rest = text.partition(begin)
    renewed = before + section + rest.partition(end)[2]
    path.write_text(renewed if found else f"{text.rstrip()}\n\n{section}\n", "utf-8")
