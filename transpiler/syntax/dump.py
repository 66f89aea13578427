"""The syntax tree as indented text, for `--emit ast` and for snapshots."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING

from transpiler.source import Span
from transpiler.syntax.hygiene import ROOT_CONTEXT

if TYPE_CHECKING:
    from transpiler.syntax.base import Node
    from transpiler.syntax.nodes import File

_INDENT = "  "
_LEFT_OUT = frozenset({"span", "hygiene", "signature", "fault"})


def dump_file(file: File) -> str:
    """A file's tree, one field a line.

    A node is its class and its span; fields that are None, False, empty, or equal to their default trivia are left out.
    The text depends on the tree alone.
    """
    return dump_node(file)


def dump_node(node: Node) -> str:
    """The tree of any node, as `dump_file` writes it."""
    lines: list[str] = []
    _value(node, "", "", lines)
    return "\n".join(lines) + "\n"


def _value(value: object, indent: str, before: str, lines: list[str]) -> None:
    if is_dataclass(value) and not isinstance(value, type):
        span = getattr(value, "span", None)
        place = f" @{span.start}..{span.end}" if isinstance(span, Span) else ""
        lines.append(f"{indent}{before}{type(value).__name__}{place}")
        for field in fields(value):
            child = getattr(value, field.name)
            is_root = field.name == "context" and child == ROOT_CONTEXT
            if field.name not in _LEFT_OUT and not is_root and not _is_empty(child):
                _value(child, indent + _INDENT, f"{field.name}: ", lines)
    elif isinstance(value, Span):
        lines.append(f"{indent}{before}@{value.start}..{value.end}")
    elif isinstance(value, tuple):
        lines.append(f"{indent}{before}")
        lines[-1] = lines[-1].rstrip()
        for child in value:
            _value(child, indent + _INDENT, "- ", lines)
    elif isinstance(value, Enum):
        lines.append(f"{indent}{before}{value.name}")
    else:
        lines.append(f"{indent}{before}{value!r}")


def _is_empty(value: object) -> bool:
    if value is None or value is False or value in ((), ""):
        return True
    return type(value).__name__ == "Trivia" and all(
        _is_empty(getattr(value, field.name))
        for field in fields(value)  # type: ignore[arg-type]
    )
