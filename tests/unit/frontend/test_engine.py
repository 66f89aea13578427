"""The engine that follows the parse table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import lark
import pytest

from transpiler.frontend.engine import UnexpectedTokenError
from transpiler.frontend.lexer import Slice
from transpiler.frontend.table import START_RULES, grammar, parser

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def reference() -> lark.Lark:
    """Lark's own engine over the same grammar."""
    return lark.Lark(
        grammar(),
        parser="lalr",
        start=list(START_RULES),
        keep_all_tokens=True,
        maybe_placeholders=False,
    )


def prefixes(text: str) -> Iterator[str]:
    """The text cut off after each of its words."""
    words = text.split(" ")
    return (" ".join(words[:count]) for count in range(1, len(words)))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("expression", "a + b * f ( c , - 1 , & [ d ] ) as f32"),
        ("type", "T :: Tensor < T :: Pointer < D > >"),
        ("block", "{ let mut x : i32 = 0 ; while x < n { x += 1 ; } x }"),
        ("meta", 'cfg ( all ( feature = "a" , not ( feature = "b" ) ) )'),
    ],
)
def test_what_is_accepted_and_what_is_expected_is_larks(
    rule: str, text: str, reference: lark.Lark
) -> None:
    parser().parse(rule, Slice(text, 0, len(text)))
    for prefix in prefixes(text):
        assert expected_by_us(rule, prefix) == expected_by_lark(reference, rule, prefix), prefix


def expected_by_us(rule: str, text: str) -> frozenset[str] | None:
    """What could follow the text; None where it is complete."""
    try:
        parser().parse(rule, Slice(text, 0, len(text)))
    except UnexpectedTokenError as error:
        return error.expected
    return None


def expected_by_lark(reference: lark.Lark, rule: str, text: str) -> frozenset[str] | None:
    """The same of Lark."""
    try:
        reference.parse(text, start=rule)
    except lark.UnexpectedToken as error:
        return frozenset(error.accepts)
    return None


def test_a_run_with_a_cached_table_imports_no_lark(tmp_path: Path) -> None:
    program = (
        "import sys, transpiler\n"
        "assert transpiler.transpile('#[kernel] fn k<T: Triton>() {}').kernels\n"
        "print('lark' in sys.modules)\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    environment["HOME"] = str(tmp_path)
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for _ in range(2)
    ]
    assert said == ["True\n", "False\n"]
