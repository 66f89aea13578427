"""The corpus in Triton's interpreter, on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus.runner import faults, translated
from tests.interpreter.process import InterpreterLauncher

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus.model import Run
    from tests.interpreter.process import InterpreterProcess


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the generated modules lie."""
    return tmp_path_factory.mktemp("corpus")


def test_it_computes_what_torch_does(
    run: Run, interpreter: InterpreterProcess, modules: Path
) -> None:
    path = modules / f"{run.case.topic}.py"
    if not path.exists():
        path.write_text(translated(run.case.topic).text, "utf-8")
    assert faults(run, InterpreterLauncher(process=interpreter, path=path)) == []
