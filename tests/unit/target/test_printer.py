"""Functions as lines: comments, paragraphs, docstrings, places."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from transpiler.source import Span
from transpiler.target.model import (
    Assignment,
    Evaluation,
    For,
    Function,
    If,
    Name,
    Number,
    Operator,
    Parameter,
    Return,
    Statement,
    Suite,
    Tuple,
    While,
    dotted,
)
from transpiler.target.printer import docstring, print_function
from transpiler.target.spelling import parse_spelling


def text_of(*statements: Statement, closing: tuple[str, ...] = ()) -> str:
    """The body of a function without its first two lines, moved to the left."""
    function = Function(
        name="f",
        decorator=dotted("triton.jit"),
        parameters=(),
        docs=(),
        body=Suite(statements=statements, closing_comments=closing),
    )
    lines = [line.text for line in print_function(function)]
    assert lines[:2] == ["@triton.jit", "def f():"]
    ast.parse("\n".join(lines))
    return "\n".join(line[4:] for line in lines[2:])


def let(
    name: str,
    value: str = "1",
    *,
    comments: tuple[str, ...] = (),
    trailing: str | None = None,
    blank_before: bool = False,
) -> Assignment:
    return Assignment(
        targets=(name,),
        value=parse_spelling(value),
        comments=comments,
        trailing=trailing,
        blank_before=blank_before,
    )


def test_comments_stand_above_their_statement_and_blank_lines_between_paragraphs() -> None:
    assert text_of(
        let("a", comments=("First.",), blank_before=True),
        let("b", comments=("Second,", "", "in two parts."), blank_before=True),
        let("c"),
        closing=("The end.",),
    ) == (
        "# First.\n"
        "a = 1\n"
        "\n"
        "# Second,\n"
        "#\n"
        "# in two parts.\n"
        "b = 1\n"
        "c = 1\n"
        "# The end."
    )  # fmt: skip


def test_a_trailing_comment_stays_at_the_end_of_a_line_that_holds_it() -> None:
    assert text_of(let("a", trailing="why")) == "a = 1  # why"


@pytest.mark.parametrize("trailing", ["w" * 88, "い" * 44])
def test_a_trailing_comment_that_makes_the_line_too_long_goes_above(trailing: str) -> None:
    assert text_of(let("a", trailing=trailing)) == f"# {trailing}\na = 1"


def test_a_trailing_comment_of_a_statement_of_several_lines_goes_above() -> None:
    long = f"tl.load({'a' * 60}, {'b' * 60})"
    assert text_of(let("a", long, trailing="why")).split("\n")[:2] == ["# why", "a = tl.load("]


def test_what_python_cannot_hold_in_a_comment_is_left_out() -> None:
    assert text_of(let("a", comments=("nul \0, bell \a, lone \ud800, é",))) == (
        "# nul , bell , lone \N{REPLACEMENT CHARACTER}, é\na = 1"
    )


def test_statements() -> None:
    body = Suite(statements=(let("x", "x + 1"),))
    assert text_of(
        Assignment(targets=("acc",), value=Name("x"), operator=Operator.ADD),
        Assignment(targets=("B",), value=Number("8"), annotation=dotted("tl.constexpr")),
        Assignment(targets=("a", "_", "b"), value=parse_spelling("f(x)")),
        Assignment(targets=("a", "b"), value=Tuple((Name("b"), Name("a")))),
        Evaluation(value=parse_spelling("tl.store(p, x)")),
        While(condition=parse_spelling("n < 3"), body=body),
        For(target="i", iterable=parse_spelling("range(n)"), body=Suite(statements=())),
        Return(),
    ) == (
        "acc += x\n"
        "B: tl.constexpr = 8\n"
        "a, _, b = f(x)\n"
        "a, b = b, a\n"
        "tl.store(p, x)\n"
        "while n < 3:\n"
        "    x = x + 1\n"
        "for i in range(n):\n"
        "    pass\n"
        "return"
    )  # fmt: skip


def test_an_if_alone_in_an_else_is_an_elif() -> None:
    chain = If(
        condition=Name("a"),
        body=Suite(statements=(Return(),)),
        other=Suite(
            statements=(
                If(
                    condition=Name("b"),
                    body=Suite(statements=()),
                    other=Suite(statements=(let("x"),)),
                ),
            )
        ),
    )
    assert text_of(chain) == "if a:\n    return\nelif b:\n    pass\nelse:\n    x = 1"


def test_an_if_in_an_else_keeps_its_comment() -> None:
    inner = If(condition=Name("b"), body=Suite(statements=(Return(),)), comments=("Why.",))
    outer = If(
        condition=Name("a"),
        body=Suite(statements=(Return(),)),
        other=Suite(statements=(inner,)),
    )
    assert text_of(outer) == (
        "if a:\n    return\nelse:\n    # Why.\n    if b:\n        return"
    )  # fmt: skip


def test_a_block_of_comments_alone_has_a_pass() -> None:
    loop = While(condition=Name("a"), body=Suite(statements=(), closing_comments=("Nothing yet.",)))
    assert text_of(loop) == "while a:\n    # Nothing yet.\n    pass"


RETURN = Function(
    name="f",
    decorator=Name("jit"),
    parameters=(),
    docs=(),
    body=Suite(statements=(Return(),)),
)


def signature(names: list[str], *, is_spread: bool = False) -> list[str]:
    parameters = tuple(Parameter(name=name) for name in names)
    function = replace(RETURN, parameters=parameters, is_spread=is_spread)
    lines = [line.text for line in print_function(function)]
    return lines[1 : lines.index("    return")]


def test_signatures() -> None:
    assert signature(["a", "b"]) == ["def f(a, b):"]
    assert signature(["a", "b"], is_spread=True) == ["def f(", "    a,", "    b,", "):"]
    assert signature([], is_spread=True) == ["def f():"]
    many = [letter * 15 for letter in "abcdef"]
    assert signature([*many[:5], "abcdefgh"]) == [
        "def f(",
        "    " + ", ".join([*many[:5], "abcdefgh"]),
        "):",
    ]
    assert signature([*many, "g"]) == ["def f(", *(f"    {name}," for name in [*many, "g"]), "):"]


def test_every_line_of_a_statement_knows_its_place_and_comments_know_none() -> None:
    here, there = Span(1, 2), Span(5, 9)
    long = parse_spelling(f"tl.store({'p' * 60}, {'v' * 60})")
    lines = print_function(
        replace(
            RETURN,
            parameters=(Parameter(name="a"),),
            span=here,
            comment="x.rs:1",
            docs=("Doc.",),
            body=Suite(statements=(Evaluation(value=long, span=there, comments=("Why.",)),)),
        )
    )
    assert [(line.text.strip()[:8], line.span) for line in lines] == [
        ("# x.rs:1", None),
        ("@jit", here),
        ("def f(a)", here),
        ('"""Doc."', None),
        ("# Why.", None),
        ("tl.store", there),
        ("pppppppp", there),
        ("vvvvvvvv", there),
        (")", there),
    ]


@pytest.mark.parametrize(
    ("docs", "text"),
    [
        ((), ""),
        (("", ""), ""),
        ((" One line.",), '"""One line."""'),
        ((" First.", "", "   code", " Last.", ""), '"""First.\n\n  code\nLast.\n"""'),
        ((r" A \ in it.",), r'r"""A \ in it."""'),
        ((' Three """ quotes.',), '"""Three \\"\\"\\" quotes."""'),
        ((' \\ and """.',), '"""\\\\ and \\"\\"\\"."""'),
        ((' Says "so"',), '"""Says "so" """'),
        ((' "So" it says.',), '""" "So" it says."""'),
        ((" Ends in \\",), '"""Ends in \\\\"""'),
        ((" Title", "    indented", "      more"), '"""Title\nindented\n  more\n"""'),
    ],
)
def test_docstrings(docs: tuple[str, ...], text: str) -> None:
    lines = docstring(docs, "")
    assert "\n".join(lines) == text
    if lines:
        compile(text, "docstring", "exec")


def test_a_docstring_keeps_every_character_of_the_text() -> None:
    docs = (' a \\ b """ c', "", "   '''d'''", " é \\N{x}", ' "')
    text = ast.literal_eval("\n".join(docstring(docs, "")))
    assert text.strip() == "a \\ b \"\"\" c\n\n  '''d'''\né \\N{x}\n\""
