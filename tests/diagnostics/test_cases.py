"""Every case shows exactly its diagnostics, and every code has a case."""

from __future__ import annotations

from itertools import groupby

import pytest

from tests.diagnostics.case_files import Case, cases, shown
from transpiler.diagnostics.codes import CODES
from transpiler.diagnostics.model import Severity
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

CASES = tuple(cases())
OF_COMMAND = ("E08", "W08")
"""Codes of what the command finds, not the compiler in a file; tests of the command have them."""
NESTED_TOO_DEEPLY = [
    f"#[kernel]\nfn k<T: Triton>(n: i32) {{ {statement} }}\n#[kernel]\nfn l<T: Triton>() {{}}\n"
    for levels in (170, 1000, 5000)
    for statement in (
        f"let x = {'(' * levels}1{')' * levels};",
        f"let x = n{' + n' * levels};",
        f"let x = {'T::cdiv(' * levels}n{', 2)' * levels};",
        f"let x = {'if n > 0 { 1 } else ' * levels}{{ 2 }};",
        f"{'if n > 0 { ' * levels}{'}' * levels}",
        f"{'if n > 0 { } else ' * levels}{{ }}",
    )
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}-{case.title}")
def test_shows_its_diagnostics(case: Case) -> None:
    result = case.run()
    assert [found.code for found in result.diagnostics] == list(case.codes)
    assert shown(result) == case.expected, (
        "if this is better: python -m tests.diagnostics.case_files"
    )
    has_errors = any(CODES[code].severity is Severity.ERROR for code in case.codes)
    assert (result.text is None) is has_errors


@pytest.mark.parametrize("code", [code for code in CODES if not code.startswith(OF_COMMAND)])
def test_every_code_has_a_case_of_its_own(code: str) -> None:
    if code == "E0116":
        assert all(codes_of(text) == {code} for text in NESTED_TOO_DEEPLY)
    else:
        assert any(case.codes == (code,) for case in CASES)


def test_deep_but_not_too_deep() -> None:
    for statement in (
        f"let x = {'(' * 100}n{')' * 100};",
        f"let x = n{' + n' * 100};",
        f"let x = {'T::cdiv(' * 40}n{', 2)' * 40};",
        f"let x = {'if n > 0 { 1 } else ' * 100}{{ 2 }};",
        f"{'if n > 0 { ' * 40}{'}' * 40}",
    ):
        assert all(code[0] == "W" for code in codes_of(kernel_of(statement)))


@pytest.mark.parametrize(
    "code", [code for code in CODES if not code.startswith((*OF_COMMAND, "W", "R08"))]
)
def test_what_a_code_calls_wrong_gives_it_and_what_it_calls_right_does_not(code: str) -> None:
    """The examples are parts of files: whole items, statements of a kernel, or an expression in one."""
    entry = CODES[code]
    if "…" in entry.wrong:
        pytest.skip("the example leaves something out")
    assert any(code in codes_of(text) for text in readings(entry.wrong))
    assert any(code not in codes_of(text) for text in readings(entry.right))


def readings(example: str) -> list[str]:
    """The files an example may be part of."""
    return [
        example,
        f"#[kernel]\n{example}",
        f"{example}\n#[kernel]\npub fn k<T: Triton>(n: i32) {{}}",
        kernel_of(example),
        kernel_of(f"let value = {example};"),
    ]


def kernel_of(statements: str) -> str:
    """A kernel that has what the examples name."""
    return f"""
#[kernel]
pub fn k<T: Triton, D: Float, const BLOCK: i32, const BLOCK_M: i32, const BLOCK_N: i32>(
    x_ptr: T::Pointer<D>, n: i32, end: i32,
) {{
    let offset = T::zeros::<D>(&[BLOCK]);
    let offsets = T::arange(0, BLOCK);
    let mask = offsets.lt(n);
    let ptrs = x_ptr.add_offsets(offsets);
    let x = T::zeros::<D>(&[BLOCK]);
    let y = T::zeros::<D>(&[BLOCK_M]);
    let value = x;
    let zeros = x;
    {statements}
}}
"""


def codes_of(text: str) -> set[str]:
    """The codes of a file's diagnostics."""
    return {found.code for found in transpile_source(SourceFile("k.rs", text)).diagnostics}


def test_titles_are_unique_in_a_file() -> None:
    for _, group in groupby(CASES, key=lambda case: case.file):
        titles = [case.title for case in group]
        assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}-{case.title}")
def test_messages_stand_alone(case: Case) -> None:
    """A message says what is wrong without the Rust under it: one line, no full stop, no capital."""
    for found in case.run().diagnostics:
        for text in (found.message, found.help or "x"):
            assert "\n" not in text
            assert not text.endswith(".")
            assert not text[0].isupper()
