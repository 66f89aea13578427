"""Rust written otherwise that means the same gives the same kernels, or the same numbers."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING

import pytest

from tests.corpus import variations
from tests.corpus.catalogue import all_cases
from tests.corpus.model import KERNELS, Case, Run
from tests.corpus.runner import faults, translated, translated_text
from tests.interpreter.process import InterpreterLauncher

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.interpreter.process import InterpreterProcess

TOPICS = sorted(path.stem for path in KERNELS.glob("*.rs"))
SAME_TEXT = (variations.with_crlf, variations.with_tabs, variations.with_suffixes)
SAME_TREE = (
    *SAME_TEXT,
    variations.on_one_line,
    variations.with_comments,
    variations.in_parentheses,
    variations.in_blocks,
    variations.in_a_module,
    variations.by_a_macro,
    variations.renamed,
)
SAME_NUMBERS = (variations.in_steps, variations.reordered)


def rust(topic: str) -> str:
    return (KERNELS / f"{topic}.rs").read_text("utf-8")


@functools.cache
def kernels(python: str) -> dict[str, str]:
    """The functions of a module that Triton compiles, by name, as `ast` writes them."""
    found = {
        node.name: node
        for node in ast.parse(python).body
        if isinstance(node, ast.FunctionDef)
        and "triton.jit" in map(ast.unparse, node.decorator_list)
    }
    for node in found.values():
        _unwrap(node)
    return {name: ast.unparse(node) for name, node in found.items()}


def _unwrap(function: ast.FunctionDef) -> None:
    """Make its documentation one line: where names are longer, it is wrapped elsewhere."""
    match function.body:
        case [ast.Expr(value=ast.Constant(value=str(text)) as documentation), *_]:
            documentation.value = " ".join(text.split())
        case _:
            pass


@functools.cache
def varied(topic: str, variation: Callable[[str], str]) -> str:
    """The module of a topic whose Rust is varied, which it must be."""
    before = rust(topic)
    after = variation(before)
    assert after != before
    return variations.named_back(translated_text(after, topic).text)


@pytest.mark.parametrize("variation", SAME_TREE, ids=lambda each: each.__name__)
@pytest.mark.parametrize("topic", TOPICS)
def test_the_kernels_are_the_same(topic: str, variation: Callable[[str], str]) -> None:
    before, after = kernels(translated(topic).text), kernels(varied(topic, variation))
    assert list(after) == list(before)
    for name, text in before.items():
        assert after[name] == text


@pytest.mark.parametrize("variation", SAME_TEXT, ids=lambda each: each.__name__)
@pytest.mark.parametrize("topic", TOPICS)
def test_the_text_is_the_same(topic: str, variation: Callable[[str], str]) -> None:
    """But for the header, which has the hash of the Rust."""
    before, after = translated(topic).text, varied(topic, variation)
    assert after.splitlines()[3:] == before.splitlines()[3:]


@pytest.mark.parametrize("variation", SAME_NUMBERS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.topic}-{case.kernel}")
def test_the_numbers_are_the_same(
    case: Case,
    variation: Callable[[str], str],
    interpreter: InterpreterProcess,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder: Path = tmp_path_factory.getbasetemp() / variation.__name__
    path = folder / f"{case.topic}.py"
    if not path.exists():
        folder.mkdir(exist_ok=True)
        path.write_text(varied(case.topic, variation), "utf-8")
    run = Run(case=case, shape=case.shapes[-1], dtype=case.dtypes[0])
    assert faults(run, InterpreterLauncher(process=interpreter, path=path)) == []
