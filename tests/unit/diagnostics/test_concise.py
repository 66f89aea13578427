"""The renderer of one line a diagnostic."""

from __future__ import annotations

from tests.unit.diagnostics.reports import error, label_of, report
from transpiler.diagnostics.model import Severity
from transpiler.diagnostics.render.concise import render
from transpiler.diagnostics.render.report import Report


def test_one_line_each_with_and_without_a_place() -> None:
    text = "fn f() {\n    T::lod(p);\n}\n"
    reports = [
        report(
            text,
            error(label_of(text, "T::lod", "a label"), notes=("a note",), message="unknown"),
            error(None, severity=Severity.WARNING),
        ),
        Report(source=None, diagnostics=(error(None),)),
    ]

    assert render(reports).splitlines() == [
        "a.rs:2:5: error[E0801] unknown",
        "a.rs: warning[E0801] it is wrong",
        "error[E0801] it is wrong",
    ]


def test_line_ends_and_escapes_in_names_and_messages_cannot_break_the_format() -> None:
    rendered = render([report("", error(None, message="a\nb\x1b[0m"), name="x\ny.rs")])

    assert rendered == "x␊y.rs: error[E0801] a␊b␛[0m\n"


def test_nothing_found_is_nothing_said() -> None:
    assert render([report("fn f() {}")]) == ""
