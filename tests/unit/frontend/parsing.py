"""Parsing in one call, and comparing trees without their spans."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING

from transpiler.diagnostics.sink import Sink
from transpiler.frontend.parser import parse_file
from transpiler.source import SourceFile, Span
from transpiler.syntax import nodes
from transpiler.syntax.nodes import Block, Expression, File, Function, Let, Statement
from transpiler.syntax.printer import print_expression, print_pattern, print_type

if TYPE_CHECKING:
    from transpiler.diagnostics.model import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A tree, its text and what was found wrong."""

    source: SourceFile
    file: File
    diagnostics: tuple[Diagnostic, ...]

    def under(self, diagnostic: Diagnostic) -> str:
        """The text a diagnostic points at."""
        assert diagnostic.primary is not None
        return self.source.slice(diagnostic.primary.span)


def parse_any(text: str) -> Parsed:
    """Parse a text whatever is in it."""
    source = SourceFile("test.rs", text)
    sink = Sink()
    file = parse_file(source, sink)
    return Parsed(source=source, file=file, diagnostics=sink.diagnostics)


def parse(text: str) -> File:
    """Parse a text that is right."""
    parsed = parse_any(text)
    assert parsed.diagnostics == ()
    return parsed.file


def kernel(body: str) -> str:
    """A kernel with this body."""
    return f"#[kernel]\nfn k() {{\n{body}\n}}\n"


def block(body: str) -> Block:
    """The body of a kernel."""
    (function,) = parse(kernel(body)).items
    assert isinstance(function, Function)
    assert isinstance(function.body, Block)
    return function.body


def statement(text: str) -> Statement:
    """One statement."""
    parsed = block(text)
    assert parsed.tail is None
    (only,) = parsed.statements
    return only


def value(text: str) -> Expression:
    """One expression."""
    let = statement(f"let it = {text};")
    assert isinstance(let, Let)
    assert let.value is not None
    return let.value


def without_spans(node: object) -> object:
    """A tree as nested tuples, spans left out: equal for texts that differ in white space alone."""
    if isinstance(node, Span):
        return None
    if isinstance(node, Enum):
        return node.name
    if is_dataclass(node) and not isinstance(node, type):
        return (
            type(node).__name__,
            *(
                (field.name, without_spans(getattr(node, field.name)))
                for field in fields(node)
                if field.name not in ("span", "name_span", "method_span")
            ),
        )
    if isinstance(node, tuple):
        return tuple(without_spans(child) for child in node)
    return node


def grouped(node: Expression) -> str:
    """An expression with parentheses around every operator's operands: what binds to what."""
    match node:
        case nodes.Binary():
            return f"({grouped(node.left)} {node.operator.value} {grouped(node.right)})"
        case nodes.Assignment():
            operator = node.operator.value if node.operator else ""
            return f"({grouped(node.target)} {operator}= {grouped(node.value)})"
        case nodes.Unary():
            return f"({node.operator.value}{grouped(node.operand)})"
        case nodes.Reference():
            return f"(&{'mut ' if node.is_mutable else ''}{grouped(node.operand)})"
        case nodes.Cast():
            return f"({grouped(node.operand)} as {print_type(node.type)})"
        case nodes.Range():
            start = grouped(node.start) if node.start else ""
            end = grouped(node.end) if node.end else ""
            return f"({start}{'..=' if node.is_inclusive else '..'}{end})"
        case nodes.MethodCall():
            arguments = ", ".join(grouped(argument) for argument in node.arguments)
            return f"{grouped(node.receiver)}.{node.method}({arguments})"
        case nodes.Field():
            return f"{grouped(node.base)}.{node.name}"
        case nodes.Call():
            arguments = ", ".join(grouped(argument) for argument in node.arguments)
            return f"{grouped(node.callee)}({arguments})"
        case nodes.LetCondition():
            return f"(let {print_pattern(node.pattern)} = {grouped(node.value)})"
        case _:
            return print_expression(node)
