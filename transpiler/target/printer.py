"""Prints functions of the target tree as lines, each with the place in the Rust text it comes from."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, assert_never

from transpiler.target.document import INDENT
from transpiler.target.expression_printer import LINE_WIDTH, print_expression
from transpiler.target.flat import flat
from transpiler.target.model import (
    Assignment,
    Break,
    Continue,
    Definition,
    Evaluation,
    For,
    Function,
    If,
    Raise,
    Return,
    Rows,
    Statement,
    Suite,
    Tuple,
    While,
)
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.source import Span
    from transpiler.target.model import Expression


class Line(NamedTuple):
    """A line of generated text and the Rust it comes from; comments, docstrings and empty lines come from none."""

    text: str
    span: Span | None = None


def print_function(
    function: Function, known: dict[int, tuple[Line, ...]] | None = None, *, level: int = 0
) -> tuple[Line, ...]:
    """The lines of a function at a level of indentation: its head and its body, `known` as in `print_body`."""
    return (*print_head(function, level=level), *print_body(function, known, level=level))


def print_head(function: Function, *, level: int = 0) -> tuple[Line, ...]:
    """The lines of a function before its body: comment, decorator, signature, docstring."""
    printer = _Printer(None)
    indent = INDENT * level
    if function.comment is not None:
        printer.comments((function.comment,), level)
    if function.decorator is not None:
        printer.line(f"{indent}@{flat(function.decorator)}", function.span)
    for text in _signature(function, indent):
        printer.line(text, function.span)
    for text in docstring(function.docs, indent + INDENT):
        printer.line(text)
    return tuple(printer.lines)


def print_body(
    function: Function, known: dict[int, tuple[Line, ...]] | None = None, *, level: int = 0
) -> tuple[Line, ...]:
    """The lines of the body of a function whose head is at a level of indentation.

    `known` has the lines of statements, by their `id`s, that were printed before in a block as deep as now; it takes
    those that are printed.
    """
    printer = _Printer(known)
    if function.body.statements or function.body.closing_comments or not function.docs:
        printer.suite(function.body, level + 1)
    return tuple(printer.lines)


def _signature(function: Function, indent: str) -> list[str]:
    parameters = [
        parameter.name
        if parameter.annotation is None
        else f"{parameter.name}: {flat(parameter.annotation)}"
        for parameter in function.parameters
    ]
    opening = f"{indent}def {function.name}("
    closing = "):" if function.returns is None else f") -> {flat(function.returns)}:"
    one_line = f"{opening}{', '.join(parameters)}{closing}"
    if not parameters or (len(one_line) <= LINE_WIDTH and not function.is_spread):
        return [one_line]
    inner, closing = indent + INDENT, indent + closing
    indented = f"{inner}{', '.join(parameters)}"
    if len(indented) <= LINE_WIDTH and not function.is_spread:
        return [opening, indented, closing]
    return [opening, *(f"{inner}{parameter}," for parameter in parameters), closing]


class _Printer:
    """Collects lines."""

    def __init__(self, known: dict[int, tuple[Line, ...]] | None) -> None:
        self.lines: list[Line] = []
        self._known = known

    def line(self, text: str, span: Span | None = None) -> None:
        self.lines.append(Line(text, span))

    def comments(self, comments: tuple[str, ...], level: int) -> None:
        for comment in comments:
            self.line(f"{INDENT * level}{comment_text(comment)}")

    def suite(self, suite: Suite, level: int) -> None:
        for index, statement in enumerate(suite.statements):
            if statement.blank_before and index > 0:
                self.line("")
            self._whole_statement(statement, level)
        self.comments(suite.closing_comments, level)
        if not suite.statements:
            self.line(f"{INDENT * level}pass")

    def _whole_statement(self, statement: Statement, level: int) -> None:
        """A statement with the comments above it."""
        known = self._known
        if known is not None and (lines := known.get(id(statement))) is not None:
            self.lines += lines
            return
        first = len(self.lines)
        self.comments(statement.comments, level)
        self._statement(statement, level)
        if known is not None:
            known[id(statement)] = tuple(self.lines[first:])

    def _statement(self, statement: Statement, level: int) -> None:
        match statement:
            case Assignment(targets=targets, value=value, annotation=annotation):
                target = ", ".join(targets)
                if annotation is not None:
                    target += f": {flat(annotation)}"
                sign = "=" if statement.operator is None else f"{statement.operator.value}="
                before = f"{INDENT * level}{target} {sign} "
                self._put(with_value(before, value, level), statement, level)
            case Evaluation(value=value):
                lines = print_expression(value, before=INDENT * level, behind="", level=level)
                self._put(lines, statement, level)
            case Return(value=Rows() as rows):
                self._rows(rows, statement, level)
            case Return(value=result):
                lines = [f"{INDENT * level}return"]
                if result is not None:
                    lines = with_value(f"{lines[0]} ", result, level)
                self._put(lines, statement, level)
            case While(condition=condition, body=body):
                before = f"{INDENT * level}while "
                lines = print_expression(condition, before=before, behind=":", level=level)
                self._put(lines, statement, level)
                self.suite(body, level + 1)
            case For(target=target, iterable=iterable, body=body):
                before = f"{INDENT * level}for {target} in "
                lines = print_expression(iterable, before=before, behind=":", level=level)
                self._put(lines, statement, level)
                self.suite(body, level + 1)
            case If():
                self._conditional(statement, level)
            case Raise(value=value):
                before = f"{INDENT * level}raise "
                lines = print_expression(value, before=before, behind="", level=level)
                self._put(lines, statement, level)
            case Break():
                self._put([f"{INDENT * level}break"], statement, level)
            case Continue():
                self._put([f"{INDENT * level}continue"], statement, level)
            case Definition(function=function):
                self.lines += print_function(function, level=level)
            case _:
                assert_never(statement)

    def _rows(self, rows: Rows, statement: Return, level: int) -> None:
        """A tuple that is returned: on one line where it fits there and has no comments."""
        has_comments = any(row.comments or row.trailing is not None for row in rows.rows)
        elements = tuple([row.value for row in rows.rows])
        if not has_comments or not elements:
            value = Tuple(elements)
            self._put(with_value(f"{INDENT * level}return ", value, level), statement, level)
            return
        self.line(f"{INDENT * level}return (", statement.span)
        for row in rows.rows:
            inner = Evaluation(
                value=row.value, span=row.span, comments=row.comments, trailing=row.trailing
            )
            before = INDENT * (level + 1)
            self.comments(inner.comments, level + 1)
            lines = print_expression(row.value, before=before, behind=",", level=level + 1)
            self._put(lines, inner, level + 1)
        self.line(f"{INDENT * level})", statement.span)

    def _conditional(self, statement: If, level: int) -> None:
        word = "if"
        while True:
            before = f"{INDENT * level}{word} "
            lines = print_expression(statement.condition, before=before, behind=":", level=level)
            self._put(lines, statement, level)
            self.suite(statement.body, level + 1)
            match statement.other:
                case None:
                    return
                case Suite(statements=(If(comments=()) as nested,), closing_comments=()):
                    statement, word = nested, "elif"
                case other:
                    self.line(f"{INDENT * level}else:", statement.span)
                    self.suite(other, level + 1)
                    return

    def _put(self, lines: list[str], statement: Statement, level: int) -> None:
        """A statement's lines with its trailing comment, which goes above where one line does not hold both."""
        if statement.trailing is not None:
            comment = comment_text(statement.trailing)
            if len(lines) == 1 and len(lines[0]) + 2 + display_width(comment) <= LINE_WIDTH:
                lines = [f"{lines[0]}  {comment}"]
            else:
                self.line(f"{INDENT * level}{comment}")
        for text in lines:
            self.line(text, statement.span)


# --- Comments and docstrings ----------------------------------------------------------------------


def comment_text(comment: str) -> str:
    """`comment` as a Python comment."""
    return f"# {printable(comment)}".rstrip()


def printable(text: str) -> str:
    """`text` without what may not stand in Python source: control characters and lone surrogates."""
    if text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if "\ud800" <= char <= "\udfff" else char
        for char in text.replace("\t", " " * 4)
        if char >= " " and not "\x7f" <= char <= "\x9f" and char not in "\u2028\u2029"
    )


def display_width(text: str) -> int:
    """How many columns `text` takes; wide characters take two."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # noqa: PLC0415 - few texts need its tables

    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in {"W", "F"} else 1 for char in text
    )


def docstring(docs: tuple[str, ...], indent: str) -> list[str]:
    """The lines of a docstring; a single line stands between its quotes, of more the last quotes stand alone."""
    lines = _paragraphs(docs)
    if not lines:
        return []
    text = "\n".join(lines)
    prefix = ""
    if "\\" in text and '"""' not in text and not text.endswith(("\\", '"')):
        prefix = "r"
    else:
        text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if text.startswith('"'):
        text = " " + text
    lines = text.split("\n")
    if len(lines) == 1:
        closing = ' """' if text.endswith('"') else '"""'
        return [f'{indent}{prefix}"""{text}{closing}']
    return [
        f'{indent}{prefix}"""{lines[0]}',
        *(f"{indent}{line}" if line else "" for line in lines[1:]),
        f'{indent}"""',
    ]


def _paragraphs(docs: tuple[str, ...]) -> list[str]:
    """The lines of a doc comment without the space behind its slashes, and without empty lines around it."""
    lines = textwrap.dedent("\n".join(printable(line).rstrip() for line in docs)).split("\n")
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    if lines:
        lines[1:] = textwrap.dedent("\n".join(lines[1:])).split("\n") if lines[1:] else []
        lines[0] = lines[0].lstrip()
    return lines


def with_value(before: str, value: Expression, level: int) -> list[str]:
    """The lines of a statement that ends in a value; a tuple on one line has no parentheses."""
    if isinstance(value, Tuple) and len(value.elements) > 1:
        text = before + flat(value)[1:-1]
        if len(text) <= LINE_WIDTH:
            return [text]
    return print_expression(value, before=before, behind="", level=level)
