"""`--diff`: what writing would change, as a unified diff."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from transpiler.diagnostics.render.segment import Segment, Style

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STYLES = {"+": Style.ADDED, "-": Style.REMOVED, "@": Style.GUTTER}


def difference(path: Path, new: bytes) -> Iterator[Segment]:
    """The diff from the file at `path`, which may not be there, to `new`."""
    is_there = path.exists()
    old = path.read_bytes() if is_there else b""
    lines = unified_diff(
        old.decode("utf-8", "replace").splitlines(keepends=True),
        new.decode("utf-8", "replace").splitlines(keepends=True),
        fromfile=str(path) if is_there else "/dev/null",
        tofile=str(path),
    )
    for line in lines:
        style = (
            Style.TITLE if line.startswith(("---", "+++")) else _STYLES.get(line[0], Style.PLAIN)
        )
        yield Segment(line, style)
        if not line.endswith("\n"):
            yield Segment("\n\\ No newline at end of file\n")
