"""The interpreter's process, and the modules under test, made from their Rust on the fly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import transpiler
from tests.interpreter.process import InterpreterLauncher, InterpreterProcess

if TYPE_CHECKING:
    from pathlib import Path

    from tests.numerics.modules import Subject


@pytest.fixture(scope="session")
def modules() -> dict[Subject, Path]:
    """The module of each Rust file transpiled so far."""
    return {}


@pytest.fixture
def launcher(
    subject: Subject,
    interpreter: InterpreterProcess,
    modules: dict[Subject, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> InterpreterLauncher:
    """The subject's module in the interpreter; a Rust file is transpiled first."""
    if not subject.path.exists():
        pytest.skip(
            f"{subject.path.name} of the {subject.algorithm} algorithm is not on this machine"
        )
    if subject not in modules:
        modules[subject] = _module(subject, tmp_path_factory.mktemp("generated"))
    return InterpreterLauncher(process=interpreter, path=modules[subject])


def _module(subject: Subject, folder: Path) -> Path:
    path = subject.path
    if path.suffix == ".py":
        return path
    text = transpiler.transpile(path, optimise=subject.is_optimised).text
    assert text is not None, f"{path.name} does not transpile"
    target = folder / f"{path.stem}.py"
    target.write_text(text, encoding="utf-8")
    return target
