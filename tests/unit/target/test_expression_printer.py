"""Expressions on one line and on several."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sysconfig

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transpiler.target.expression_printer import print_expression
from transpiler.target.flat import flat
from transpiler.target.model import (
    Attribute,
    Binary,
    Call,
    Choice,
    Dict,
    Expression,
    Keyword,
    List,
    Name,
    Number,
    Operator,
    Subscript,
    Text,
    Tuple,
    Unary,
    dotted,
)
from transpiler.target.spelling import parse_spelling

RUFF = shutil.which("ruff", path=sysconfig.get_path("scripts")) or shutil.which("ruff")
UNARY = (Operator.NOT, Operator.NEGATE, Operator.INVERT)
BINARY = tuple(operator for operator in Operator if operator not in UNARY)
NAMES = st.sampled_from(["a", "mask", "offsets_of_the_tile", "accumulated_gradient", "x" * 30])
LEAVES = st.one_of(
    NAMES.map(Name),
    st.integers(0, 999).map(lambda value: Number(str(value))),
    st.sampled_from(["zero", 'say "x"', "it's", "back\\slash", "naïve"]).map(Text),
)


def branches(child: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    arguments = st.lists(child, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Binary, st.sampled_from(BINARY), child, child),
        st.builds(Unary, st.sampled_from(UNARY), child),
        st.builds(Choice, child, child, child),
        st.builds(List, arguments),
        st.builds(Tuple, arguments),
        st.builds(Attribute, child, st.just("field")),
        st.builds(
            Call,
            st.sampled_from([Name("helper"), dotted("tl.load")]),
            arguments,
            st.lists(st.builds(Keyword, st.sampled_from(["mask"]), child), max_size=1).map(tuple),
        ),
        st.builds(lambda value: Call(Attribute(value, "to"), (Name("D"),)), child),
    )


EXPRESSIONS = st.recursive(LEAVES, branches, max_leaves=25)
ELEMENTS = st.builds(Subscript, EXPRESSIONS, EXPRESSIONS)


def without_positions(text: str) -> str:
    return ast.dump(ast.parse(text, mode="eval"))


@given(EXPRESSIONS | ELEMENTS)
@settings(deadline=None, max_examples=300)
def test_what_is_printed_reads_back_as_the_same_tree(expression: Expression) -> None:
    expected = explicit(expression)
    assert without_positions(flat(expression)) == without_positions(expected)


def explicit(expression: Expression) -> str:
    """The expression with parentheses around everything."""
    match expression:
        case Name() | Number() | Text():
            return f"({flat(expression)})"
        case Attribute(value=value, name=name):
            return f"({explicit(value)}.{name})"
        case Subscript(value=value, index=index):
            return f"({explicit(value)}[{explicit(index)}])"
        case Unary(operator=operator, operand=operand):
            return f"({operator.value.removeprefix('unary ')} {explicit(operand)})"
        case Binary(operator=(Operator.AND | Operator.OR) as operator) as logic:
            # A row of these is one node in Python; parentheses would make it several.
            return f"({row(logic, operator)})"
        case Binary(operator=operator, left=left, right=right):
            return f"({explicit(left)} {operator.value} {explicit(right)})"
        case Choice(condition=condition, value=value, other=other):
            return f"({explicit(value)} if {explicit(condition)} else {explicit(other)})"
        case List(elements=elements):
            return f"[{', '.join(map(explicit, elements))}]"
        case Tuple(elements=elements):
            return f"({''.join(f'{explicit(element)},' for element in elements)})"
        case Call(function=function, arguments=arguments, keywords=keywords):
            parts = [explicit(argument) for argument in arguments]
            parts += [f"{keyword.name}={explicit(keyword.value)}" for keyword in keywords]
            return f"({explicit(function)}({', '.join(parts)}))"
    raise AssertionError(expression)


def row(expression: Binary, operator: Operator) -> str:
    match expression.left:
        case Binary(operator=found) as left if found is operator:
            first = row(left, operator)
        case left:
            first = explicit(left)
    return f"{first} {operator.value} {explicit(expression.right)}"


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("a % b * c", "(a % b) * c"),
        ("a // b % c", "(a // b) % c"),
        ("a % b // c", "(a % b) // c"),
        ("a % b % c", "(a % b) % c"),
        ("a // b // c", "a // b // c"),
        ("a * b // c", "a * b // c"),
        ("a + b % c", "a + b % c"),
        ("a / b * c", "a / b * c"),
    ],
)
def test_rounded_quotients_among_products_stand_in_parentheses(written: str, printed: str) -> None:
    assert flat(parse_spelling(written)) == printed


@given(EXPRESSIONS, st.sampled_from(["target = ", "D: tl.constexpr = ", "acc += ", "return ", ""]))
@settings(deadline=None, max_examples=200)
def test_breaking_lines_changes_nothing_but_the_layout(expression: Expression, before: str) -> None:
    lines = print_expression(expression, before=f"    {before}", behind="", level=1)
    whole = f"def f():\n    {before}{flat(expression)}\n"
    broken = "def f():\n" + "\n".join(lines) + "\n"
    assert ast.dump(ast.parse(broken)) == ast.dump(ast.parse(whole))


@pytest.mark.skipif(RUFF is None, reason="the formatter is not installed")
@given(st.lists(EXPRESSIONS, min_size=30, max_size=30))
@settings(deadline=None, max_examples=8, derandomize=True)
def test_the_formatter_leaves_the_layout_alone(expressions: list[Expression]) -> None:
    starts = ["target = ", "D: tl.constexpr = ", "acc += ", "return ", "if ", "while "]
    text = ""
    for index, expression in enumerate(expressions):
        start = starts[index % len(starts)]
        behind = ":" if start in {"if ", "while "} else ""
        lines = print_expression(expression, before=f"    {start}", behind=behind, level=1)
        body = "\n        pass" if behind else ""
        text += f"def f{index}():\n" + "\n".join(lines) + f"{body}\n\n\n"
    formatted = subprocess.run(
        [str(RUFF), "format", "--isolated", "--line-length", "100", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    assert formatted.stdout == text.rstrip("\n") + "\n"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("(a < n) & m", "(a < n) & m"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("-(a + b)", "-(a + b)"),
        ("(-a).to(D)", "(-a).to(D)"),
        ("not (a and b)", "not (a and b)"),
        ("(a < b) == (c < d)", "(a < b) == (c < d)"),
        ("(x if c else y) + 1", "(x if c else y) + 1"),
        ("x if c else (y if d else z)", "x if c else y if d else z"),
        ("(1).to(D)", "(1).to(D)"),
        ("f(a, b=(x, y))", "f(a, b=(x, y))"),
        ("(a,)", "(a,)"),
    ],
)
def test_only_the_parentheses_that_are_needed(expression: str, text: str) -> None:
    assert flat(parse_spelling(expression)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("zero", '"zero"'),
        ('say "x"', "'say \"x\"'"),
        ("it's", '"it\'s"'),
        ("both \" and '", '"both \\" and \'"'),
        ("a\nb\\", '"a\\nb\\\\"'),
        ("\x7f\x00", '"\\x7f\\u0000"'),
    ],
)
def test_strings(value: str, text: str) -> None:
    assert flat(Text(value)) == text
    assert ast.literal_eval(text) == value


def lines(expression: str | Expression, before: str = "    target = ", behind: str = "") -> str:
    if isinstance(expression, str):
        expression = parse_spelling(expression)
    return "\n".join(print_expression(expression, before=before, behind=behind, level=1))


A, B, C = "a" * 40, "b" * 40, "c" * 40


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (
            f"tl.load({A}, mask={B})",
            f"    target = tl.load(\n        {A}, mask={B}\n    )",
        ),
        (
            f"tl.load({A}, {B}, mask={C})",
            f"    target = tl.load(\n        {A},\n        {B},\n        mask={C},\n    )",
        ),
        (
            f"{A} * {B} + {C}",
            f"    target = (\n        {A} * {B}\n        + {C}\n    )",
        ),
        (
            f"({A} + {B}) * {C[:9]}",
            f"    target = (\n        {A} + {B}\n    ) * {C[:9]}",
        ),
        (
            f"x + f({A}, {B})",
            f"    target = x + f(\n        {A}, {B}\n    )",
        ),
        (
            f"{A} if {B} else {C}",
            f"    target = (\n        {A}\n        if {B}\n        else {C}\n    )",
        ),
        (
            f"[{A}, {B}, {C}]",
            f"    target = [\n        {A},\n        {B},\n        {C},\n    ]",
        ),
        (
            f"tl.load({A}, {B[:31]}).to(D)",
            f"    target = tl.load({A}, {B[:31]}).to(\n        D\n    )",
        ),
        (
            f"tl.randint({A}, {B[:30]}).to(tl.int32).to(D)",
            f"    target = (\n        tl.randint({A}, {B[:30]})\n        .to(tl.int32)\n        .to(D)\n    )",
        ),
    ],
)
def test_where_long_lines_break(expression: str, text: str) -> None:
    assert lines(expression) == text


def test_a_long_condition_gets_parentheses_before_its_colon() -> None:
    text = lines(f"{A} < nn and {B} < n", before="    while ", behind=":")
    assert text == f"    while (\n        {A} < nn\n        and {B} < n\n    ):"


def test_a_dict_has_an_entry_a_line() -> None:
    table = Dict(((Text(A), Name(B)), (Text("k"), Name(C))))
    assert lines(table) == f'    target = {{\n        "{A}": {B},\n        "k": {C},\n    }}'
