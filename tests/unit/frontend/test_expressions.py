"""What binds to what, and what each literal means."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.frontend.parsing import grouped, kernel, parse_any, statement, value
from transpiler.syntax.nodes import (
    Array,
    ArrayRepeat,
    Call,
    Closure,
    ExpressionStatement,
    Field,
    FloatLiteral,
    Index,
    IntegerLiteral,
    MacroCall,
    Match,
    MethodCall,
    Parenthesized,
    PathExpression,
    Range,
    Reference,
    StructLiteral,
    TextLiteral,
    Try,
    Tuple,
    Unary,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b % c", "((a / b) % c)"),
        ("a + b << c - d", "((a + b) << (c - d))"),
        ("a | b ^ c & d", "(a | (b ^ (c & d)))"),
        ("a & b == c", "((a & b) == c)"),
        ("a == b && c < d || e", "(((a == b) && (c < d)) || e)"),
        ("a || b && c", "(a || (b && c))"),
        ("a >> b", "(a >> b)"),
        ("a >= b", "(a >= b)"),
        ("a <= b", "(a <= b)"),
        ("a < b", "(a < b)"),
        ("x as f32 * y", "((x as f32) * y)"),
        ("y * x as f32", "(y * (x as f32))"),
        ("1.0 / beta as f64", "(1.0 / (beta as f64))"),
        ("-x as f32", "((-x) as f32)"),
        ("a as i32 as f32", "((a as i32) as f32)"),
        ("a as i32 + b as i32 * c", "((a as i32) + ((b as i32) * c))"),
        ("-a * b", "((-a) * b)"),
        ("a * -b", "(a * (-b))"),
        ("a - -b", "(a - (-b))"),
        ("!a && !b", "((!a) && (!b))"),
        ("-1.0_f32.abs()", "(-1.0_f32.abs())"),
        ("-x.y * z", "((-x.y) * z)"),
        ("*p + 1", "((*p) + 1)"),
        ("&a + b", "((&a) + b)"),
        ("&&a", "(&(&a))"),
        ("&&mut a", "(&(&mut a))"),
        ("&mut a", "(&mut a)"),
        ("0..n + 1", "(0..(n + 1))"),
        ("a * 2..=b", "((a * 2)..=b)"),
        ("..n - 1", "(..(n - 1))"),
        ("a..", "(a..)"),
        ("..", "(..)"),
        ("a = b = c", "(a = (b = c))"),
        ("a += b + c", "(a += (b + c))"),
        ("a >>= b", "(a >>= b)"),
        ("a <<= b", "(a <<= b)"),
        ("a = b..c", "(a = (b..c))"),
        ("a = b as i32", "(a = (b as i32))"),
        ("offsets.lt(n) & mask", "(offsets.lt(n) & mask)"),
    ],
)
def test_precedence(written: str, meant: str) -> None:
    assert grouped(value(written)) == meant


@pytest.mark.parametrize(
    ("written", "digits", "suffix"),
    [
        ("1.0", "1.0", None),
        ("1.", "1.", None),
        ("1.0f32", "1.0", "f32"),
        ("1.0_f32", "1.0", "f32"),
        ("1f32", "1", "f32"),
        ("1_f64", "1", "f64"),
        ("1e-12_f32", "1e-12", "f32"),
        ("3.4028235e38_f32", "3.4028235e38", "f32"),
        ("1.128_379_2_f32", "1.1283792", "f32"),
        ("1E+3", "1E+3", None),
        ("2e5", "2e5", None),
    ],
)
def test_float_literals(written: str, digits: str, suffix: str | None) -> None:
    literal = value(written)
    assert isinstance(literal, FloatLiteral)
    assert (literal.digits, literal.suffix, literal.text) == (digits, suffix, written)
    float(literal.digits)


@pytest.mark.parametrize(
    ("written", "number", "suffix"),
    [
        ("0", 0, None),
        ("1_000_i64", 1000, "i64"),
        ("0xFF_u8", 255, "u8"),
        ("0xffu32", 255, "u32"),
        ("0x1f32", 0x1F32, None),
        ("0o17", 15, None),
        ("0b1010_1010", 170, None),
        ("7usize", 7, "usize"),
        ("340282366920938463463374607431768211455", 2**128 - 1, None),
    ],
)
def test_integer_literals(written: str, number: int, suffix: str | None) -> None:
    literal = value(written)
    assert isinstance(literal, IntegerLiteral)
    assert (literal.value, literal.suffix, literal.text) == (number, suffix, written)


@pytest.mark.parametrize(
    "written",
    [
        '"a"',
        '"a \\" b"',
        '"// no comment"',
        'r"\\"',
        'r#"a "quoted" b"#',
        'b"x"',
        'br#"x"#',
        'c"x"',
        "'a'",
        "'\\n'",
        "'\\''",
        "'\"'",
        "'{'",
        "'\\u{1F600}'",
        "b'x'",
        "'é'",
    ],
)
def test_text_literals(written: str) -> None:
    literal = value(written)
    assert isinstance(literal, TextLiteral)
    assert literal.text == written


def test_tuple_fields_are_no_floats() -> None:
    outer = value("x.0.1")
    assert isinstance(outer, Field)
    assert isinstance(outer.base, Field)
    assert (outer.name, outer.base.name) == ("1", "0")


def test_a_method_of_an_integer_is_no_float() -> None:
    call = value("1.max(2)")
    assert isinstance(call, MethodCall)
    assert isinstance(call.receiver, IntegerLiteral)
    assert call.method == "max"


def test_a_range_of_integers_is_no_float() -> None:
    span = value("1..2")
    assert isinstance(span, Range)
    assert isinstance(span.start, IntegerLiteral)


def test_method_calls_know_the_place_of_their_name() -> None:
    text = kernel("let it = p.add_offsets(i);")
    parsed = parse_any(text)
    function = parsed.file.items[0]
    call = function.body.statements[0].value  # type: ignore[union-attr]
    assert isinstance(call, MethodCall)
    assert parsed.source.slice(call.method_span) == "add_offsets"
    assert parsed.source.slice(call.span) == "p.add_offsets(i)"


def test_turbofish() -> None:
    call = value("T::cast::<f32, D>(x, None, false)")
    assert isinstance(call, Call)
    assert isinstance(call.callee, PathExpression)
    assert call.callee.path.names == ("T", "cast")
    assert call.callee.path.segments[1].generics is not None
    assert len(call.callee.path.segments[1].generics) == 2
    method = value("x.into::<Vec<Vec<u8>>>()")
    assert isinstance(method, MethodCall)
    assert method.generics is not None


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("[]", Array),
        ("&[1, 2,]", Reference),
        ("[0; N]", ArrayRepeat),
        ("()", Tuple),
        ("(a,)", Tuple),
        ("(a, b)", Tuple),
        ("(a)", Parenthesized),
        ("x[i]", Index),
        ("x?", Try),
        ("f(a, b,)", Call),
        ("(x.f)(a)", Call),
        ("|x| x + 1", Closure),
        ("|| 3", Closure),
        ("move |a: i32, (b, c)| -> i32 { a }", Closure),
        ("vec![1, 2]", MacroCall),
        ("std::matches!(x, Some(_))", Match),
        ('concat!("a", 1)', TextLiteral),
        ("stringify!(a + b)", TextLiteral),
        ("Foo { a: 1, b, ..c }", StructLiteral),
        ("a::Foo {}", StructLiteral),
        ("-1", Unary),
        ("self", PathExpression),
        ("Self::x", PathExpression),
        ("r#type", PathExpression),
        ("größe", PathExpression),
    ],
)
def test_kinds(written: str, kind: type) -> None:
    assert type(value(written)) is kind


def test_raw_identifiers_are_names() -> None:
    name = value("r#type")
    assert isinstance(name, PathExpression)
    assert name.path.identifier == "type"


def test_a_condition_ends_before_its_block() -> None:
    branch = statement("if x == y { f(); }")
    assert isinstance(branch, ExpressionStatement)
    assert grouped(branch.expression.condition) == "(x == y)"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("let Some(x) = y", "(let Some(x) = y)"),
        ("let Some(x) = y && z", "((let Some(x) = y) && z)"),
        ("a && let Some(x) = y", "(a && (let Some(x) = y))"),
        ("let A = a && let B = b", "((let A = a) && (let B = b))"),
        ("a == (Foo { x: 1 })", "(a == (Foo { x: 1 }))"),
        ("a(Foo { x: 1 })", "a(Foo { x: 1 })"),
    ],
)
def test_conditions(written: str, meant: str) -> None:
    branch = statement(f"if {written} {{ f(); }}")
    assert isinstance(branch, ExpressionStatement)
    assert grouped(branch.expression.condition) == meant  # type: ignore[union-attr]


LEVELS = (
    ("||",),
    ("&&",),
    ("==", "!=", "<", ">", "<=", ">="),
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)


def expected(operands: list[str], operators: list[str]) -> str:
    """The grouping of a chain, by splitting it at the last operator of the lowest level."""
    if not operators:
        return operands[0]
    for level in LEVELS:
        places = [place for place, operator in enumerate(operators) if operator in level]
        if places:
            place = places[-1]
            left = expected(operands[: place + 1], operators[:place])
            right = expected(operands[place + 1 :], operators[place + 1 :])
            return f"({left} {operators[place]} {right})"
    raise AssertionError(operators)


@given(st.lists(st.sampled_from([operator for level in LEVELS for operator in level]), max_size=9))
@settings(deadline=None)
def test_chains_group_by_level(operators: list[str]) -> None:
    operands = [f"x{number}" for number in range(len(operators) + 1)]
    written = operands[0] + "".join(
        f" {operator} {operand}" for operator, operand in zip(operators, operands[1:], strict=True)
    )
    text = kernel(f"let it = {written};")
    parsed = parse_any(text)
    if parsed.diagnostics:
        assert [found.code for found in parsed.diagnostics] == ["E0111"]
        assert len([operator for operator in operators if operator in LEVELS[2]]) > 1
    else:
        assert grouped(value(written)) == expected(operands, operators)
