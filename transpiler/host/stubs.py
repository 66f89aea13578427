"""Tells implementations that nobody has written yet: every method of them only panics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.host.messages import PANICS
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterable


def only_panics(bodies: Iterable[syntax.Block]) -> bool:
    """Whether each of the bodies is one macro that stops the program."""
    return all(map(_panics, bodies))


def _panics(body: syntax.Block) -> bool:
    match body.statements, body.tail:
        case (), syntax.MacroCall(path=path):
            return path.names[-1] in PANICS
        case (syntax.ExpressionStatement(expression=syntax.MacroCall(path=path)),), None:
            return path.names[-1] in PANICS
        case _:
            return False
