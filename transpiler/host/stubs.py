"""Tells implementations that nobody has written yet: every method of them only panics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.host.messages import PANICS
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterator


def only_panics(bodies: Iterator[syntax.Block]) -> bool:
    """Whether there are bodies, and each of them is one macro that stops the program."""
    first = next(bodies, None)
    return first is not None and _panics(first) and all(map(_panics, bodies))


def _panics(body: syntax.Block) -> bool:
    match body.statements, body.tail:
        case (), syntax.MacroCall(path=path):
            return path.names[-1] in PANICS
        case (syntax.ExpressionStatement(expression=syntax.MacroCall(path=path)),), None:
            return path.names[-1] in PANICS
        case _:
            return False
