"""What the methods that pack arguments push, in order, and how statements hand on their values."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass
from transpiler.syntax.base import Node, Trivia

if TYPE_CHECKING:
    from collections.abc import Callable as Function_
    from collections.abc import Iterator as Iterable_

    from transpiler.host.surroundings import Routine
    from transpiler.host.values import (
        Value,
    )
    from transpiler.source import Span
    from transpiler.syntax import nodes as syntax


class NeedsListError(Exception):
    """The arguments cannot be one tuple."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """An argument that is pushed: by which method of the visitor, and what."""

    kind: str
    span: Span
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Arguments of which one row is pushed."""

    choices: tuple[tuple[Push, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Many:
    """Arguments that are pushed a number of times that is not known; without any, they are not known either."""

    pushes: tuple[Push, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegated:
    """The arguments that another method pushes, and what its own arguments are."""

    routine: Routine
    arguments: tuple[Value, ...]


Push: TypeAlias = Visit | Branch | Many | Delegated

Deliver: TypeAlias = "Function_[[Value, syntax.Expression, Trivia], None]"
"""What is done with the value at the end of a block."""


def walk(node: object) -> Iterable_[object]:
    """A node of the syntax tree and all within it."""
    if isinstance(node, tuple):
        for each in node:
            yield from walk(each)
    elif isinstance(node, Node):
        yield node
        if is_dataclass(node):
            for it in fields(node):
                yield from walk(getattr(node, it.name))
