"""What goes to which stream, and in which colours: data to stdout, everything else to stderr.

Text is written as UTF-8 whatever the locale. A reader that goes away (`| head`) ends the writing,
not the work. Rich is imported only once something is shown in colour.
"""

from __future__ import annotations

import io
import os
import sys
from enum import Enum
from typing import TYPE_CHECKING, BinaryIO

from transpiler.diagnostics.render.segment import Segment, Style

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

RICH_STYLES = {
    Style.PLAIN: "",
    Style.ERROR: "bold red",
    Style.WARNING: "bold yellow",
    Style.REMARK: "bold blue",
    Style.TITLE: "bold",
    Style.GUTTER: "blue",
    Style.PRIMARY: "bold red",
    Style.SECONDARY: "blue",
    Style.HELP: "bold green",
    Style.ADDED: "green",
    Style.REMOVED: "red",
}


class ColorChoice(Enum):
    """`--color`."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Stream:
    """One of the two output streams of the process."""

    def __init__(self, binary: BinaryIO, *, is_colored: bool) -> None:
        self._binary = binary
        self._is_open = True
        self.is_colored = is_colored

    def write(self, data: str | bytes) -> None:
        """Write text or bytes now; once the reader is gone, nothing."""
        if not self._is_open:
            return
        try:
            self._binary.write(data.encode("utf-8", "replace") if isinstance(data, str) else data)
            self._binary.flush()
        except BrokenPipeError:
            self._is_open = False
            self._discard()

    def segments(self, segments: Iterable[Segment]) -> None:
        """Write styled text."""
        if not self.is_colored:
            self.write("".join(segment.text for segment in segments))
            return
        from rich.text import Text  # noqa: PLC0415 - 50 ms

        text = Text()
        for segment in segments:
            text.append(segment.text, RICH_STYLES[segment.style])
        self.rich(text, end="")

    def rich(self, renderable: RenderableType, *, end: str = "\n") -> None:
        """Write what Rich can render; nothing is wrapped, the terminal does that."""
        from rich.console import Console  # noqa: PLC0415 - 50 ms

        rendered = io.StringIO()
        Console(
            file=rendered,
            force_terminal=self.is_colored,
            color_system="standard" if self.is_colored else None,
            no_color=not self.is_colored,
            highlight=False,
            legacy_windows=False,
            width=10_000,
        ).print(renderable, end=end, soft_wrap=True)
        self.write(rendered.getvalue())

    def _discard(self) -> None:
        """Let what Python flushes at its exit go nowhere instead of failing again."""
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._binary.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            # The stream has no descriptor: nothing will be flushed into a pipe.
            return


class Console:
    """Both streams: `data` is stdout, `notes` is stderr."""

    def __init__(self, color: ColorChoice) -> None:
        self.data = Stream(sys.stdout.buffer, is_colored=_is_colored(color, sys.stdout.isatty()))
        self.notes = Stream(sys.stderr.buffer, is_colored=_is_colored(color, sys.stderr.isatty()))


def _is_colored(color: ColorChoice, is_terminal: bool) -> bool:  # noqa: FBT001 - one fact, one place
    """The flag wins; `auto` means a terminal that has colours, and `NO_COLOR` not set."""
    match color:
        case ColorChoice.ALWAYS:
            return True
        case ColorChoice.NEVER:
            return False
        case ColorChoice.AUTO:
            refused = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
            return is_terminal and not refused
