"""Whatever is done to the text of a kernel, the compiler answers: with a module that Python takes, or with diagnostics.

The texts are our own kernels, those of the conformance suite and those that show diagnostics. Tokens are deleted,
doubled, exchanged, and taken from elsewhere in the text: most of a kernel stays, and a little of it breaks.
`MUTATION_EXAMPLES=20000` in the environment tries that many.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import transpiler
from tests.conformance.catalogue import all_cases
from tests.diagnostics.case_files import cases
from transpiler.diagnostics.render.full import render as render_full
from transpiler.diagnostics.render.json import render as render_json
from transpiler.diagnostics.render.report import Report
from transpiler.diagnostics.render.sarif import render as render_sarif

EXAMPLES = int(os.environ.get("MUTATION_EXAMPLES", "400"))
LIMIT = 4.0
"""Seconds of processor time for one text: a hundred times what one takes."""
IMPORTED = 25
"""How many of the modules the interpreter imports."""
ROOT = Path(__file__).resolve().parents[2]

_TOKEN = re.compile(r'\s+|//[^\n]*|\w+|"[^"]*"|::|->|=>|[=<>!]=|&&|\|\||\.\.=?|.', re.DOTALL)
_FOREIGN = (
    "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "-", "!", "&", "1", "0", "-1", "1.5", "2.0_f32",
    "4_000_000_000", "x", "n", "_", "T", "D", "i64", "bool", "u8", "f16", "None", "Some", "true", "as u32",
    "as f64", "if n > 0 {", "} else {", "for i in 0..n {", "while true {", "loop {", "break", "continue",
    "return;", "match n {", "=> ", "let mut q = ", "let (a, b) = ", "fn f() {}",
    "macro_rules! m { () => {} }", "#[kernel]", "#[cfg(test)]", "mod m {", "const C: i32 = 3;", "T::sum",
    "T::zeros::<D>(&[16])", "T::program_id(Axis::X)", ".max(1)", ".0", "..=", ".rev()", "'a:", "|x| x", "?",
    "é", '"', "'", "/*", "//", "\\", "\x00", "r#type", "<< 40", "/ 0", "% 0", "i32::MIN", "&[]", "&[0]",
)  # fmt: skip

MUTATIONS = st.lists(
    st.tuples(
        # Most of what replaces like by like is still a kernel, and gets far.
        st.sampled_from(
            (
                "like",
                "like",
                "like",
                "like",
                "line",
                "line",
                "delete",
                "double",
                "exchange",
                "copy",
                "foreign",
                "cut",
            )
        ),
        st.integers(0, 2**16),
        st.integers(0, 2**16),
    ),
    min_size=1,
    max_size=3,
)


@cache
def texts() -> tuple[str, ...]:
    own = [path.read_text("utf-8") for path in sorted((ROOT / "kernels").glob("*.rs"))]
    return tuple(
        dict.fromkeys(
            (*own, *(case.rust for case in all_cases()), *(c.source.text for c in cases()))
        )
    )


_NAMES = (
    "i64",
    "f32",
    "bool",
    "u8",
    "D",
    "E",
    "T",
    "mut",
    "max",
    "sum",
    "load",
    "zeros",
    "cumsum",
    "where_",
    "f16",
)
_NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "16",
    "-1",
    "0.5",
    "2.0_f32",
    "7_i64",
    "255_u8",
    "2147483647",
    "1e30",
    "1e-45_f32",
)
_OPERATORS = (
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "<",
    ">",
    "==",
    "!=",
    "&&",
    "||",
    "=",
    "+=",
    "..",
    "..=",
)


def mutated(text: str, changes: list[tuple[str, int, int]]) -> str:
    tokens = _TOKEN.findall(text)
    for kind, first, second in changes:
        if not tokens:
            break
        here, there = first % len(tokens), second % len(tokens)
        match kind:
            case "like":
                _replace_by_like(tokens, here, second)
            case "line":
                tokens = _with_another_line(tokens, first, second)
            case "delete":
                del tokens[here : here + 1 + second % 3]
            case "double":
                tokens.insert(here, tokens[here])
            case "exchange":
                tokens[here], tokens[there] = tokens[there], tokens[here]
            case "copy":
                tokens[here:here] = tokens[there : there + 8]
            case "cut":
                del tokens[here : here + second % 40]
            case _:
                tokens[here] = _FOREIGN[second % len(_FOREIGN)]
    return "".join(tokens)


def _replace_by_like(tokens: list[str], here: int, choice: int) -> None:
    """A name by a name, a number by a number, an operator by an operator: the next one from `here` on."""
    for place in (*range(here, len(tokens)), *range(here)):
        token = tokens[place]
        if token[0].isdigit():
            tokens[place] = _NUMBERS[choice % len(_NUMBERS)]
        elif token.isidentifier() and token not in {"fn", "pub", "let", "kernel"}:
            names = [*filter(str.isidentifier, tokens), *_NAMES]
            tokens[place] = names[choice % len(names)]
        elif token in _OPERATORS:
            tokens[place] = _OPERATORS[choice % len(_OPERATORS)]
        else:
            continue
        return


def _with_another_line(tokens: list[str], first: int, second: int) -> list[str]:
    """A line moved, doubled or left out."""
    lines = "".join(tokens).splitlines(keepends=True)
    here, there = first % len(lines), second % len(lines)
    line = lines[here]
    if second % 3:
        del lines[here]
    if second % 3 != 1:
        lines.insert(there, line)
    return _TOKEN.findall("".join(lines))


_modules: list[str] = []


@given(st.integers(0, 2**16), MUTATIONS)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
def test_there_is_always_an_answer(which: int, changes: list[tuple[str, int, int]]) -> None:
    rust = mutated(texts()[which % len(texts())], changes)
    started = time.process_time()
    result = transpiler.transpile(rust)
    assert time.process_time() - started < LIMIT
    reports = [Report(source=result.source, diagnostics=result.diagnostics)]
    for line in render_json(reports).splitlines():
        json.loads(line)
    json.loads(render_sarif(reports))
    render_full(reports)
    if result.text is None:
        assert result.diagnostics
    else:
        ast.parse(result.text)
        _modules.append(result.text)


def test_triton_imports_what_mutations_become(tmp_path: Path) -> None:
    test_there_is_always_an_answer() if not _modules else None
    chosen = _modules[:: max(1, len(_modules) // IMPORTED)][:IMPORTED]
    assert len(chosen) == IMPORTED
    for index, text in enumerate(chosen):
        (tmp_path / f"mutation_{index}.py").write_text(text, "utf-8")
    program = f"for i in range({IMPORTED}): __import__(f'mutation_{{i}}')"
    subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        check=True,
    )
