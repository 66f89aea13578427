"""After a syntax error: what to say, and where the next item begins. Read by those alone who have an error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.frontend.delimiters import NoItemError, UnclosedError, UnterminatedError
from transpiler.frontend.engine import UnexpectedTokenError
from transpiler.frontend.faults import Fault, too_deep
from transpiler.frontend.syntax_errors import explain, unclosed, unexpected_at_item, unterminated

if TYPE_CHECKING:
    from collections.abc import Mapping

_ITEM_LINE = re.compile(
    r"^(?P<indent>[ \t]*)(?=\#!?\[|///|pub\b|(?:(?:unsafe|const|async)[ ]+)*fn\b|impl\b|struct\b|enum\b|trait\b"
    r"|mod\b|use\b|static\b|const\b|type\b|macro_rules!|extern\b)",
    re.MULTILINE,
)


def fault_of(
    problem: Exception, text: str, start: int, end: int, spelling: Mapping[str, str]
) -> Fault:
    """What is wrong with `text[start:end]`, which raised `problem`.

    Raises:
        Exception: the problem is none of the text's.
    """
    match problem:
        case Fault():
            return problem
        case RecursionError():
            return too_deep(start)
        case NoItemError():
            return unexpected_at_item(text, problem.start, end, has_prelude=problem.start > start)
        case UnclosedError():
            return unclosed(text, problem.start, start, end)
        case UnterminatedError():
            return unterminated(text, problem)
        case UnexpectedTokenError():
            return explain(text, start, problem, spelling)
        case _:
            raise problem


def not_rust(fault: Fault) -> Fault:
    """The fault of a file in which nothing at all is an item."""
    return Fault(code="E0102", message="the file is not Rust", span=fault.span, label=fault.message)


def next_item(text: str, problem: Exception, start: int, end: int) -> int:
    """Where the item after the broken one at `start` begins.

    That is the next line after the error which begins as items do and is not indented deeper; `end` without one.
    """
    before = text[text.rfind("\n", 0, start) + 1 : start]
    indent = len(before) if before.isspace() else 0
    for found in _ITEM_LINE.finditer(text, max(place_of(problem), start) + 1, end):
        if len(found["indent"]) <= indent:
            return found.start()
    return end


def place_of(problem: Exception) -> int:
    """Where an error was found; 0 where it does not say."""
    match problem:
        case Fault():
            return problem.span.start
        case NoItemError() | UnclosedError() | UnterminatedError():
            return problem.start
        case UnexpectedTokenError():
            return problem.token.start_pos
        case _:
            return 0
