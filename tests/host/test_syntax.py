"""Bodies of host methods: every one is parsed, comes back from print, and leads to its place in the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import transpiler
from tests.unit.frontend.parsing import without_spans
from transpiler.diagnostics.sink import Sink
from transpiler.frontend.macros.expansion import expand
from transpiler.frontend.macros.origins import ExpandedSource
from transpiler.frontend.parser import parse_body, parse_file
from transpiler.source import SourceFile, Span
from transpiler.syntax.nodes import ExpressionStatement, Function, Impl, MethodCall
from transpiler.syntax.printer import print_expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.syntax.nodes import Block

CASES = sorted((Path(__file__).parent / "cases").glob("*.rs"))
REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "batchnorm.rs"
TEXTS = [*CASES, REFERENCE] if REFERENCE.exists() else CASES


def source_of(text: str) -> tuple[SourceFile, Iterator[Function]]:
    """The text with its macros expanded, and the methods of its impls."""
    file = SourceFile("test.rs", text)
    sink = Sink()
    expansion = expand(text, sink)
    source = file if expansion is None else ExpandedSource(file, expansion)
    tree = parse_file(source, sink, expansion)
    assert sink.diagnostics == ()
    return source, (
        method
        for item in tree.items
        if isinstance(item, Impl)
        for method in item.items
        if isinstance(method, Function)
    )


def body_of(method: Function, source: SourceFile) -> Block:
    sink = Sink()
    body = parse_body(method, source, sink)
    assert sink.diagnostics == ()
    assert body is not None
    return body


def shape(body: Block) -> object:
    """A tree without its places, and without the numbers of the expansions that its names were written in."""

    def bare(node: object) -> object:
        if not isinstance(node, tuple):
            return node
        return None if node[:1] == ("context",) else tuple(map(bare, node))

    return bare(without_spans(body))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_body_comes_back_from_print(path: Path) -> None:
    text = path.read_text("utf-8")
    source, methods = source_of(text)
    count = 0
    for method in methods:
        body = body_of(method, source)
        printed = print_expression(body)
        again = f"impl A {{ fn f(&self) {printed} }}"
        other, others = source_of(again)
        (same,) = (body_of(each, other) for each in others)
        assert shape(same) == shape(body)
        count += 1
    assert (count > 1) == ("RuntimeOp for" in text)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_kernels_of_the_cases_are_accepted(path: Path) -> None:
    assert transpiler.transpile(path.read_text("utf-8")).ok


def test_a_method_that_a_macro_made_leads_to_its_call() -> None:
    text = (
        "#[kernel]\nfn k<T: Triton>() {}\n"
        "macro_rules! op { ($Op:ident) => { impl RuntimeOp for $Op { fn f(&self) { self.g(); } } } }\n"
        "op!(First);\nop!(Second);\n"
    )
    source, methods = source_of(text)
    assert isinstance(source, ExpandedSource)
    places = []
    for method in methods:
        (statement,) = body_of(method, source).statements
        assert isinstance(statement, ExpressionStatement)
        assert isinstance(statement.expression, MethodCall)
        place: Span = source.expansion.place(statement.span)
        places.append(text[place.start : place.end])
    assert places == ["op!(First)", "op!(Second)"]


def test_macros_are_expanded_in_the_methods_of_impls() -> None:
    text = (
        "#[kernel]\nfn k<T: Triton>() {}\n"
        "macro_rules! twice { ($e:expr) => { $e + $e } }\n"
        "impl A { fn f(&self) -> usize { vec![twice!(self.n)].len() } }\n"
    )
    source, methods = source_of(text)
    (body,) = (body_of(method, source) for method in methods)
    assert "twice" not in print_expression(body)
