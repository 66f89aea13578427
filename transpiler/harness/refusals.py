"""Errors of Triton about a generated module, told of the Rust it comes from.

Triton compiles a function while it reads its calls: the error of a called function is the cause of one that only names
the call. The innermost has the words, and the innermost place that comes from Rust is where to look.
"""

from __future__ import annotations

import ast
import re
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transpiler.diagnostics.model import Diagnostic, Label, Severity
from transpiler.source import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from transpiler.source import SourceFile

_REPRESENTED = re.compile(r"\w*(?:Error|Exception|Failure)\((?P<text>['\"].*['\"]),?\)", re.DOTALL)
_FUNCTION = re.compile(
    r"(?:\s|//[^\n]*\n|#\[[^\]]*\]|pub(?:\([^)]*\))?|const|unsafe)*\bfn\s+(?P<name>\w+)"
)
_LONGEST_LABEL = 72


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why Triton refused a function: its own words, and lines of the module, the innermost first.

    `is_about_code` tells that the error is one of compiling or running the function, and not of the arguments or the
    machine.
    """

    reason: str
    lines: tuple[int, ...]
    is_about_code: bool = True


def refusal_of(error: BaseException, text: str, name: str, file: str) -> Refusal:
    """What an error says about the module `text`, which stands in `file`, while its function `name` was compiled."""
    causes = list(_causes(error))
    lines = [line for cause in reversed(causes) for line in _lines(cause, text, file)]
    is_about_code = bool(lines) or any(_is_of_triton(cause) for cause in causes)
    head = re.search(rf"^def {re.escape(name)}\(", text, re.MULTILINE)
    if head is not None:
        lines.append(_line_of(text, head.start()))
    return Refusal(
        reason=_words(causes), lines=tuple(dict.fromkeys(lines)), is_about_code=is_about_code
    )


def diagnostic(
    refusal: Refusal,
    names: str,
    text: str,
    source: SourceFile,
    rust_span: Callable[[int], Span | None],
) -> Diagnostic:
    """A refusal as a diagnostic at the Rust of `source`; `names` says what was refused, and for which target."""
    primary, notes = None, []
    for line in refusal.lines:
        span = rust_span(line)
        if span is not None:
            primary = _head(source, span)
            written = text.splitlines()[line - 1].strip()
            notes.append(f"line {line} of the generated module is `{written}`")
            break
    is_short = "\n" not in refusal.reason and len(refusal.reason) <= _LONGEST_LABEL
    if primary is None or not is_short:
        notes.insert(0, f"Triton says: {refusal.reason}")
    return Diagnostic(
        severity=Severity.ERROR,
        code="E0810",
        message=f"Triton refused {names}",
        primary=None
        if primary is None
        else Label(span=primary, message=refusal.reason if is_short else ""),
        notes=tuple(notes),
    )


def _head(source: SourceFile, span: Span) -> Span:
    """The span, or of one that covers several lines the name of its function or its first line."""
    text = source.slice(span)
    if "\n" not in text:
        return span
    function = _FUNCTION.match(text)
    if function is not None:
        return Span(span.start + function.start("name"), span.start + function.end("name"))
    return Span(span.start, span.start + len(text.split("\n", 1)[0].rstrip()))


def _is_of_triton(error: BaseException) -> bool:
    """Whether Triton's compiler gave up, or the machine has not what the kernel asks for."""
    return type(error).__module__.startswith("triton.") or "PassManager" in str(error)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, from the outside to the inside."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def _lines(error: BaseException, text: str, file: str) -> Iterator[int]:
    """The lines of the module that an error names: in its source, else in its traceback, the innermost first."""
    source, node = getattr(error, "src", None), getattr(error, "node", None)
    if isinstance(source, str) and isinstance(line := getattr(node, "lineno", None), int):
        start = text.find(source.rstrip())
        if start >= 0:
            yield _line_of(text, start) + line - 1
        return
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == file and frame.lineno is not None:
            yield frame.lineno


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _words(causes: list[BaseException]) -> str:
    """What the innermost error that says something says; Triton shows some errors as Python would write them."""
    for error in reversed(causes):
        message = getattr(error, "error_message", None)
        words = str(message if message is not None else "" if hasattr(error, "node") else error)
        if not words.strip():
            continue
        found = _REPRESENTED.fullmatch(words.strip())
        if found is not None:
            with suppress(ValueError, SyntaxError):
                words = str(ast.literal_eval(found["text"]))
        return words.strip()
    return type(causes[-1]).__name__
