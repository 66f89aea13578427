"""Comments and empty lines, and what they hang on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.frontend.parsing import block, parse
from transpiler.syntax.nodes import ExpressionStatement, If

if TYPE_CHECKING:
    from transpiler.syntax.base import Comment


def texts(comments: tuple[Comment, ...]) -> list[str]:
    return [comment.text for comment in comments]


def test_comments_above_and_beside() -> None:
    first, second = block("// above\n// too\na(); // beside\n// next\nb();").statements
    assert texts(first.trivia.leading) == ["// above", "// too"]
    assert first.trivia.trailing is not None
    assert first.trivia.trailing.text == "// beside"
    assert texts(second.trivia.leading) == ["// next"]
    assert second.trivia.trailing is None


def test_empty_lines() -> None:
    first, second, third = block("\n\na();\n\n// above\n\n// more\nb();\nc();").statements
    assert not first.trivia.blank_before
    assert second.trivia.blank_before
    assert [comment.blank_before for comment in second.trivia.leading] == [False, True]
    assert not second.trivia.blank_after_leading
    assert not third.trivia.blank_before


def test_a_heading_keeps_its_distance() -> None:
    (only,) = block("// heading\n\na();").statements
    assert only.trivia.blank_after_leading


def test_comments_in_arguments_stay_with_the_statement() -> None:
    (only,) = block("// above\nf(\n    a, // one\n    /* two */ b,\n); // beside").statements
    assert texts(only.trivia.leading) == ["// above", "// one", "/* two */"]
    assert only.trivia.trailing is not None


def test_comments_in_inner_blocks_stay_there() -> None:
    (only,) = block("if c {\n    // inside\n    a();\n    // closing\n} // beside").statements
    assert only.trivia.leading == ()
    assert isinstance(only, ExpressionStatement)
    assert isinstance(only.expression, If)
    inner = only.expression.then_block
    assert texts(inner.statements[0].trivia.leading) == ["// inside"]
    assert texts(inner.closing_comments) == ["// closing"]
    assert only.trivia.trailing is not None


def test_comments_on_the_tail() -> None:
    parsed = block("a();\n\n// the value\nb // really\n// done")
    assert parsed.tail_trivia.blank_before
    assert texts(parsed.tail_trivia.leading) == ["// the value"]
    assert parsed.tail_trivia.trailing is not None
    assert texts(parsed.closing_comments) == ["// done"]


def test_a_block_with_comments_alone() -> None:
    assert texts(block("// nothing\n\n/* yet */").closing_comments) == ["// nothing", "/* yet */"]


def test_comments_in_text_that_is_kept_as_written_are_not_doubled() -> None:
    (only,) = block("let f = |x| { /* in */ x }; // beside").statements
    assert only.trivia.leading == ()
    (macro,) = block("m!(a /* in */);").statements
    assert macro.trivia.leading == ()


def test_nested_block_comments() -> None:
    (only,) = block("/* a /* b */ c */ f();").statements
    assert texts(only.trivia.leading) == ["/* a /* b */ c */"]


def test_line_ends_in_comments_are_normalised() -> None:
    (only,) = block("/* a\r\n b */\r\nf();").statements
    assert texts(only.trivia.leading) == ["/* a\n b */"]


def test_comments_around_items() -> None:
    file = parse(
        "use a;\n\n// ─── section ───\n\n/// doc\n// between\n#[x]\nfn f() {} // beside\n// end"
    )
    item = file.items[1]
    assert item.head.trivia.blank_before
    assert texts(item.head.trivia.leading) == ["// ─── section ───", "// between"]
    assert item.head.trivia.trailing is not None
    assert texts(file.closing_comments) == ["// end"]
