"""Statements, tails, and control flow."""

from __future__ import annotations

import pytest

from tests.unit.frontend.parsing import block, grouped, statement
from transpiler.syntax.nodes import (
    Block,
    ExpressionStatement,
    For,
    If,
    ItemStatement,
    Let,
    Loop,
    MacroCall,
    Match,
    Unary,
    While,
)


def test_an_if_with_values_at_the_end_is_the_value() -> None:
    parsed = block("if c { a } else { b }")
    assert isinstance(parsed.tail, If)
    assert parsed.statements == ()


@pytest.mark.parametrize(
    "written",
    [
        "if c { return; }",
        "if c { f(); } else { g(); }",
        "if c { f(); } else if d { g(); } else { h(); }",
        "while c { f(); }",
        "for i in 0..n { f(); }",
        "match x { 1 => { f(); } _ => {} }",
        "{ f(); }",
        "unsafe { f(); }",
    ],
)
def test_what_has_no_value_is_a_statement(written: str) -> None:
    only = statement(written)
    assert isinstance(only, ExpressionStatement)
    assert not only.has_semicolon


@pytest.mark.parametrize(
    "written",
    [
        "if c { a } else { f(); }",
        "match x { 1 => a, _ => b }",
        "loop { break 1; }",
        "{ a }",
        "a + b",
    ],
)
def test_what_may_have_a_value_is_the_tail(written: str) -> None:
    parsed = block(written)
    assert parsed.statements == ()
    assert parsed.tail is not None


def test_an_operator_after_a_block_begins_a_statement() -> None:
    for written in ("if c {} - 1", "match x {} - 1", "{} - 1"):
        parsed = block(written)
        assert len(parsed.statements) == 1
        assert isinstance(parsed.tail, Unary)


def test_a_method_after_a_match_belongs_to_it() -> None:
    only = statement("match x { _ => y }.f();")
    assert isinstance(only, ExpressionStatement)
    assert grouped(only.expression).endswith(".f()")


def test_lets() -> None:
    let = statement("let mut x: i32 = 1;")
    assert isinstance(let, Let)
    assert let.type is not None
    assert let.value is not None
    plain = statement("let x: Vec<Vec<u8>>= y;")
    assert isinstance(plain, Let)
    assert plain.value is not None


def test_let_else() -> None:
    let = statement("let Some(x) = y else { return; };")
    assert isinstance(let, Let)
    assert isinstance(let.else_block, Block)
    inner = statement("let x = if c { a } else { b };")
    assert isinstance(inner, Let)
    assert inner.else_block is None


def test_attributes_stand_on_statements() -> None:
    let = statement("#[allow(clippy::erasing_op)]\nlet row = lanes * 0 + r;")
    assert isinstance(let, Let)
    assert [attribute.name for attribute in let.attributes] == ["allow"]
    call = statement("#[a] #[b] f();")
    assert isinstance(call, ExpressionStatement)
    assert [attribute.name for attribute in call.attributes] == ["a", "b"]


def test_labels() -> None:
    only = statement("'outer: while c { break 'outer; }")
    assert isinstance(only, ExpressionStatement)
    loop = only.expression
    assert isinstance(loop, While)
    assert loop.label == "outer"
    jump = loop.body.statements[0]
    assert isinstance(jump, ExpressionStatement)
    assert jump.expression.label == "outer"  # type: ignore[union-attr]


def test_items_among_statements() -> None:
    parsed = block(
        "fn inner(x: i32) -> i32 { x }\nconst N: i32 = 3; use a::b;\n#[derive(Debug)] struct S { a: i32 }\nf();"
    )
    kinds = [type(child) for child in parsed.statements]
    assert kinds == [ItemStatement] * 4 + [ExpressionStatement]


def test_macros_with_braces_need_no_semicolon() -> None:
    only = block("foo! { a b }\nf();").statements[0]
    assert isinstance(only, ExpressionStatement)
    assert isinstance(only.expression, MacroCall)


def test_lone_semicolons_are_nothing() -> None:
    parsed = block(";; f();; if c {} ; g();")
    assert [child.has_semicolon for child in parsed.statements] == [True, True, True]  # type: ignore[union-attr]


def test_matches() -> None:
    parsed = block(
        "match x { Some(1) | None if a => {} 1..=5 => b, (a, _) => c, Axis::X => { d } -1 => e }"
    )
    assert isinstance(parsed.tail, Match)
    assert len(parsed.tail.arms) == 5
    assert parsed.tail.arms[0].guard is not None


@pytest.mark.parametrize(
    "pattern",
    [
        "x",
        "mut x",
        "ref x",
        "ref mut x",
        "_",
        "(a, _)",
        "(a,)",
        "()",
        "1",
        "-1",
        "true",
        "Axis::X",
        "Some(x)",
        "Foo { a, b: 1, .. }",
        "1..=5",
        "..=5",
        "1..",
        "A..=B",
        "a | b",
        "&x",
        "&&x",
        "&mut x",
        "[a, .., b]",
        "x @ 1..=5",
        "'a'..='z'",
        "r#type",
    ],
)
def test_patterns(pattern: str) -> None:
    parsed = block(f"match it {{ {pattern} => {{ f(); }} }}")
    assert parsed.tail is None
    assert len(parsed.statements) == 1


@pytest.mark.parametrize(
    "written",
    [
        "i32", "T::Pointer<D>", "Vec<Vec<u8>>", "T::Tensor<T::Tensor<T::Pointer<D>>>", "&T", "&mut T", "&'a T", "&&T",
        "&'static mut [T]", "[T]", "[T; 3]", "[T; N * 2]", "(A, B)", "(A,)", "()", "_", "!", "fn(A, B) -> C", "fn()",
        "*const T", "*mut T", "dyn A + B", "impl Fn(A) -> B", "Box<dyn Fn(A) -> B + 'a>", "<T as X>::Y",
        "Foo<'a, 3, { N + 1 }, -1>",
        "Iterator<Item = T>", "::std::vec::Vec<u8>", 'unsafe extern "C" fn(A) -> B', "&dyn A", "Vec::<u8>",
    ],
)  # fmt: skip
def test_types(written: str) -> None:
    let = statement(f"let x: {written} = y;")
    assert isinstance(let, Let)
    assert let.type is not None


def test_loops() -> None:
    for written, kind in (("for _ in 0.. { f(); }", For), ("while { f(); g } { h(); }", While)):
        only = statement(written)
        assert isinstance(only, ExpressionStatement)
        assert type(only.expression) is kind
    assert isinstance(block("loop {}").tail, Loop)
