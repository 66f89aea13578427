"""The full renderer, drawing by drawing."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.diagnostics.reports import error, label_of, report
from transpiler.diagnostics.model import Diagnostic, Label, Severity
from transpiler.diagnostics.render.full import count_line, render, segments
from transpiler.diagnostics.render.report import Report
from transpiler.diagnostics.render.segment import Style
from transpiler.source import Span


def drawn(text: str, diagnostic: Diagnostic) -> str:
    """The rendering without its head and its count line."""
    lines = render([report(text, diagnostic)]).splitlines()
    return "\n".join(lines[1:-2]) + "\n"


def picture(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def test_a_whole_diagnostic() -> None:
    text = "fn f() {\n    T::lod(p);\n}\n"
    diagnostic = error(
        label_of(text, "T::lod", "no such operation"),
        message="unknown operation `T::lod`",
        notes=("first line\nsecond line",),
        help="write `T::load`",
    )

    assert render([report(text, diagnostic)]) == picture("""
        error[E0801]: unknown operation `T::lod`
         --> a.rs:2:5
          |
        2 |     T::lod(p);
          |     ^^^^^^ no such operation
          |
          = note: first line
                  second line
          = help: write `T::load`

        1 error in 1 file
        """)


def test_labels_on_one_line_that_do_not_overlap() -> None:
    text = "let x = a + b;\n"
    diagnostic = error(label_of(text, "a", "an i32"), label_of(text, "b", "an f32"))

    assert drawn(text, diagnostic) == picture("""
         --> a.rs:1:9
          |
        1 | let x = a + b;
          |         ^   - an f32
          |         |
          |         an i32
        """)


def test_labels_that_overlap_are_all_seen() -> None:
    text = "let x = a + b;\n"
    diagnostic = error(
        label_of(text, "a + b", "these differ"),
        label_of(text, "a", "an i32"),
        label_of(text, "b", "an f32"),
    )

    assert drawn(text, diagnostic) == picture("""
         --> a.rs:1:9
          |
        1 | let x = a + b;
          |         -^^^-
          |         |   |
          |         |   an f32
          |         these differ
          |         an i32
        """)


def test_labels_on_lines_far_apart() -> None:
    text = "let a = 1;\n" + "\n" * 10 + "b(a);\n"
    diagnostic = error(
        label_of(text, "a", "used here", after="b("), label_of(text, "a", "declared here")
    )

    assert drawn(text, diagnostic) == picture("""
          --> a.rs:12:3
           |
         1 | let a = 1;
           |     - declared here
        ...
        12 | b(a);
           |   ^ used here
        """)


def test_one_line_between_labels_is_shown_rather_than_left_out() -> None:
    text = "let a = 1;\n\nb(a);\n"
    diagnostic = error(label_of(text, "a", after="b("), label_of(text, "a"))

    assert drawn(text, diagnostic) == picture("""
         --> a.rs:3:3
          |
        1 | let a = 1;
          |     -
        2 |
        3 | b(a);
          |   ^
        """)


def test_a_span_of_several_lines() -> None:
    text = "fn f() {\n    if a {\n        b\n    }\n}\n"
    diagnostic = error(label_of(text, "if a {\n        b\n    }", "this block"))

    assert drawn(text, diagnostic) == picture("""
         --> a.rs:2:5
          |
        2 | /     if a {
        3 | |         b
        4 | |     }
          | |_____^ this block
        """)


def test_a_span_of_several_lines_that_starts_within_one() -> None:
    text = "let y = if a {\n    b\n} else {\n    c\n};\n"
    diagnostic = error(label_of(text, "if a {\n    b\n} else {\n    c\n}", "of two types"))

    assert drawn(text, diagnostic) == picture("""
         --> a.rs:1:9
          |
        1 |   let y = if a {
          |  _________^
        2 | |     b
        3 | | } else {
        4 | |     c
        5 | | };
          | |_^ of two types
        """)


def test_nested_spans_of_several_lines() -> None:
    text = "fn f() {\n    if a {\n        b\n    }\n}\n"
    diagnostic = error(
        label_of(text, "{\n        b\n    }", "this block"),
        Label(span=Span(0, len(text)), message="in this function"),
    )

    assert drawn(text, diagnostic) == picture("""
         --> a.rs:2:10
          |
        1 | /   fn f() {
        2 | |       if a {
          | |  __________^
        3 | | |         b
        4 | | |     }
          | | |_____^ this block
        5 | |   }
          | |___- in this function
        """)


def test_the_middle_of_a_long_span_is_left_out() -> None:
    text = "f(\n" + "    a,\n" * 50 + ");\n"
    diagnostic = error(label_of(text, text.strip().rstrip(";"), "too many"))

    assert drawn(text, diagnostic) == picture("""
          --> a.rs:1:1
           |
         1 | / f(
         2 | |     a,
        ...  |
        51 | |     a,
        52 | | );
           | |_^ too many
        """)


@pytest.mark.parametrize(
    ("line", "shown", "caret_at"),
    [
        pytest.param("\tx", "    x", 4, id="tab"),
        pytest.param("a\tx", "a   x", 4, id="tab after a letter"),
        pytest.param("変数x", "変数x", 4, id="wide characters"),
        pytest.param("éx", "éx", 1, id="accent"),
        pytest.param("e\u0301x", "e\u0301x", 1, id="combining accent"),
        pytest.param("\x1b[31mx", "␛[31mx", 5, id="escape sequence"),
        pytest.param("\u202ex", "\ufffdx", 1, id="override of direction"),
    ],
)
def test_carets_stand_under_what_they_mean(line: str, shown: str, caret_at: int) -> None:
    source, carets = drawn(line, error(label_of(line, "x"))).splitlines()[2:4]

    assert source == f"1 | {shown}"
    assert carets == "  | " + " " * caret_at + "^"


def test_wide_characters_are_underlined_in_full() -> None:
    assert drawn("変数", error(label_of("変数", "変数"))).splitlines()[3] == "  | ^^^^"


def test_an_empty_span_has_one_caret() -> None:
    text = "f(a)\n"
    assert drawn(text, error(Label(span=Span(4, 4)))).splitlines()[3] == "  |     ^"


def test_the_end_of_the_text_can_be_pointed_at() -> None:
    text = "f(\n"
    assert drawn(text, error(Label(span=Span(3, 3), message="here"))) == picture("""
         --> a.rs:2:1
          |
        2 |
          | ^ here
        """)


def test_a_line_end_in_the_span_does_not_reach_into_the_next_line() -> None:
    text = "abc\r\ndef\r\n"
    assert drawn(text, error(Label(span=Span(0, 5)))).splitlines()[2:] == ["1 | abc", "  | ^^^"]


@pytest.mark.parametrize("column", [0, 100, 5_000, 9_999])
def test_very_long_lines_are_cut_around_the_label(column: int) -> None:
    text = "a" * column + "x" + "a" * (9_999 - column)
    _, _, source, carets = drawn(text, error(label_of(text, "x"))).splitlines()

    assert len(source) < 180
    assert source[carets.index("^")] == "x"


def test_without_a_place_the_file_is_named() -> None:
    assert render([report("", error(None, message="no such file"))]) == picture("""
        error[E0801]: no such file
         --> a.rs

        1 error in 1 file
        """)


def test_without_a_file_there_is_only_the_message() -> None:
    rendered = render([Report(source=None, diagnostics=(error(None, notes=("a note",)),))])

    assert rendered == "error[E0801]: it is wrong\n  = note: a note\n\n1 error\n"


def test_nothing_found_is_nothing_said() -> None:
    assert render([]) == ""
    assert render([report("fn f() {}")]) == ""


def test_counts_by_severity_and_file() -> None:
    text = "x"
    place = label_of(text, "x")
    reports = [
        report(text, error(place), error(place), error(place, severity=Severity.WARNING)),
        report(text, error(place, severity=Severity.REMARK), name="b.rs"),
        report(text, name="without.rs"),
    ]

    assert count_line(reports) == "2 errors, 1 warning and 1 remark in 2 files"


def test_the_pieces_carry_styles() -> None:
    text = "a + b"
    diagnostic = error(label_of(text, "a", "one"), label_of(text, "b", "two"), help="do")
    styles = {piece.style: piece.text for piece in segments([report(text, diagnostic)])}

    assert styles[Style.ERROR] == "error[E0801]"
    assert styles[Style.PRIMARY] == "one"
    assert styles[Style.SECONDARY] == "two"
    assert styles[Style.HELP] == "help:"


_TEXTS = st.text(st.sampled_from("ab \t\n\r変é\u0301\x1b\x00\u202e{}"), max_size=60)


# How fast inputs come is what else the machine does; it is not what is asked here.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(text=_TEXTS, places=st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), min_size=1))
def test_any_spans_can_be_drawn_and_no_control_character_gets_out(
    text: str, places: list[tuple[int, int]]
) -> None:
    labels = [
        Label(span=Span(min(pair), max(pair)), message=f"label {number}")
        for number, pair in enumerate(places)
    ]
    rendered = render([report(text, error(labels[0], *labels[1:], message=text))])

    for number in range(len(places)):
        assert f"label {number}" in rendered
    assert all(each == "\n" or each.isprintable() or each == "\u0301" for each in rendered)
