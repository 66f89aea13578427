"""The forms with offsets in 64 bits, in Triton's interpreter: at sizes that both can have, they leave the same bits.

Without `--whole-corpus`, one run of two kernels a topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.corpus.catalogue import all_cases, all_runs
from tests.corpus.model import KERNELS, Run
from tests.corpus.runner import arguments_of
from tests.interpreter.process import InterpreterLauncher
from tests.numerics.fences import Fenced

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.interpreter.process import InterpreterProcess


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a run: all of them, or few."""
    if "both" in metafunc.fixturenames:
        runs = all_runs() if metafunc.config.getoption("--whole-corpus") else _chosen()
        metafunc.parametrize("both", [pytest.param(run, id=run.name) for run in runs])


def _chosen() -> Iterator[Run]:
    """Of each topic the first case and the last, at the last of its shapes."""
    cases = all_cases()
    for topic in dict.fromkeys(case.topic for case in cases):
        of_topic = [case for case in cases if case.topic == topic]
        for case in (of_topic[0], of_topic[-1]):
            yield Run(case=case, shape=case.shapes[-1], dtype=case.dtypes[0])


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the generated modules lie."""
    return tmp_path_factory.mktemp("corpus")


def test_both_forms_leave_the_same_bits(
    both: Run, interpreter: InterpreterProcess, modules: Path
) -> None:
    path = modules / f"{both.case.topic}.py"
    if not path.exists():
        # As written, also with `--optimised`: what is made of a kernel may add in another order.
        rust = KERNELS / f"{both.case.topic}.rs"
        text = transpiler.transpile(rust).text
        assert text is not None
        path.write_text(text, "utf-8")
    launcher = InterpreterLauncher(process=interpreter, path=path)
    launch = both.launch()
    left = []
    for function in (both.case.kernel, f"{both.case.kernel}__index64"):
        given = tuple(arguments_of(both, launch, launcher.device).values())
        launcher.launch(function, given, launch.constants, launch.grid)
        left.append([each.buffer for each in given if isinstance(each, Fenced)])
    for narrow, wide in zip(*left, strict=True):
        assert torch.equal(narrow.view(torch.uint8), wide.view(torch.uint8))
