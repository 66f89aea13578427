"""Warnings that a comment in the Rust, or an option, takes back."""

from __future__ import annotations

import pytest

import transpiler
from transpiler.diagnostics.model import Severity

BODY = """\
    let last = n - 1;
    let next = n + 1;
"""


def kernel(body: str = BODY, *, above: str = "", parameters: str = "n: i32") -> str:
    return f"{above}#[kernel]\npub fn k<T: Triton>({parameters}) {{\n{body}}}\n"


def told(rust: str, **options: tuple[str, ...] | bool) -> list[str]:
    """The codes of the diagnostics, each with the text under it."""
    diagnostics = transpiler.check(rust, transpiler.Options(**options))  # type: ignore[arg-type] # values fit their names
    return [
        f"{found.code} {rust[found.primary.span.start : found.primary.span.end]}"
        for found in diagnostics
        if found.primary is not None
    ]


def test_without_a_comment_both_are_told() -> None:
    assert told(kernel()) == ["W0702 last", "W0702 next"]


@pytest.mark.parametrize(
    "body",
    [
        BODY.replace("    let last", "    // teeny: allow(W0702) kept for later\n    let last"),
        BODY.replace("n - 1;", "n - 1; // teeny: allow(W0702)"),
        BODY.replace(
            "    let last", "    // teeny: allow(W0601, W0702)\n\n    // more\n    let last"
        ),
        BODY.replace(
            "    let last", "    // teeny: allow(W0702)\n    #[allow(unused)]\n    let last"
        ),
    ],
)
def test_a_comment_at_a_statement_is_for_that_statement(body: str) -> None:
    assert told(kernel(body)) == ["W0702 next"]


def test_a_comment_is_for_all_of_a_statement_that_has_others_inside() -> None:
    loop = "    for i in 0..n {\n" + BODY.replace("    let", "        let") + "    }\n"
    loop = loop.replace("n + 1", "i")
    assert told(kernel(loop)) == ["W0702 last", "W0702 next"]
    assert told(kernel("    // teeny: allow(W0702)\n" + loop)) == []


@pytest.mark.parametrize(
    "above", ["// teeny: allow(W0702)\n", "/// Docs.\n// teeny: allow(W0702) because\n"]
)
def test_a_comment_above_a_kernel_is_for_all_of_it(above: str) -> None:
    rust = kernel(above=above)
    assert told(rust) == []
    assert told(rust + kernel().replace("fn k", "fn l")) == ["W0702 last", "W0702 next"]
    below = rust.replace(above, "").replace("#[kernel]\n", "#[kernel]\n// teeny: allow(W0702)\n")
    assert told(below) == []


def test_a_comment_at_a_parameter_is_for_its_line() -> None:
    parameters = "\n    n: i32, // teeny: allow(W0701)\n    m: i32,\n"
    assert told(kernel("", parameters=parameters)) == ["W0701 m"]
    parameters = "\n    // teeny: allow(W0701)\n    n: i32,\n    m: i32,\n"
    assert told(kernel("", parameters=parameters)) == ["W0701 m"]


def test_other_codes_and_other_comments_allow_nothing() -> None:
    assert told(kernel(above="// teeny: allow(W0701)\n")) == ["W0702 last", "W0702 next"]
    assert told(kernel(above="/// teeny: allow(W0702)\n")) == ["W0702 last", "W0702 next"]


def test_a_code_that_is_no_warning_is_told() -> None:
    assert told(kernel("", above="// teeny: allow(W702)\n", parameters="")) == ["W0705 W702"]
    assert told(kernel("", above="// teeny: allow(E0301)\n", parameters="")) == ["W0705 E0301"]


def test_errors_are_not_allowed() -> None:
    rust = kernel("    T::sum(n);\n", above="// teeny: allow(E0302)\n")
    assert not transpiler.transpile(rust).ok


def test_options_allow_and_deny() -> None:
    assert told(kernel(), allowed=("W0702",)) == []
    assert told(kernel(), allowed=("W07",)) == []
    assert told(kernel(), allowed=("W06",)) == ["W0702 last", "W0702 next"]
    denied = transpiler.transpile(kernel(), transpiler.Options(denies_warnings=True))
    assert denied.text is None
    assert {found.severity for found in denied.diagnostics} == {Severity.ERROR}
    allowed = transpiler.Options(denies_warnings=True, allowed=("W0702",))
    assert transpiler.transpile(kernel(), allowed).text == transpiler.transpile(kernel()).text


def test_there_are_no_warnings_beside_errors() -> None:
    broken = "\n#[kernel]\npub fn broken<T: Triton>() { let x = y; }\n"
    assert told(kernel() + broken) == ["E0201 y"]
