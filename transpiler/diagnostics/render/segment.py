"""Pieces of output and what they are."""

from __future__ import annotations

from enum import Enum

from transpiler.tuples import NamedTuple


class Style(Enum):
    """What a piece of text is; who prints it decides on colours."""

    PLAIN = "plain"
    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"
    TITLE = "title"
    GUTTER = "gutter"
    PRIMARY = "primary"
    SECONDARY = "secondary"
    HELP = "help"
    ADDED = "added"
    REMOVED = "removed"


class Segment(NamedTuple):
    """A piece of output in one style."""

    text: str
    style: Style = Style.PLAIN
