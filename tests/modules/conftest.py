"""Runs this folder's tests in the interpreter's process, on modules made from their Rust on the fly."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest

import transpiler
from tests.modules.interpreted import Call, InterpretedProcess
from tests.numerics.modules import OWN_RUST, REFERENCE_RUST, Subject, chosen_subjects

if TYPE_CHECKING:
    from pathlib import Path

CHILD = pytest.StashKey[InterpretedProcess]()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "made" in metafunc.fixturenames:
        chosen = chosen_subjects(metafunc.config, OWN_RUST, REFERENCE_RUST)
        metafunc.parametrize("subject", [pytest.param(each, id=each.name) for each in chosen])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Calls the test there instead of here."""
    stash = pyfuncitem.config.stash
    if CHILD not in stash:
        stash[CHILD] = InterpretedProcess()
        pyfuncitem.config.add_cleanup(stash[CHILD].close)
    names = inspect.signature(pyfuncitem.obj).parameters
    call = Call(
        module=pyfuncitem.function.__module__,
        function=pyfuncitem.originalname,
        arguments={name: pyfuncitem.funcargs[name] for name in names},
    )
    failure = stash[CHILD].run(call)
    if failure is not None:
        pytest.fail(failure, pytrace=False)
    return True


@pytest.fixture(scope="session")
def modules() -> dict[Path, Path]:
    """The module of each Rust file transpiled so far."""
    return {}


@pytest.fixture
def made(
    subject: Subject, modules: dict[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Subject:
    """The subject as a generated module; a Rust file is transpiled first."""
    if not subject.path.exists():
        pytest.skip(
            f"{subject.path.name} of the {subject.algorithm} algorithm is not on this machine"
        )
    if subject.path.suffix == ".py":
        return subject
    if subject.path not in modules:
        text = transpiler.transpile(subject.path).text
        assert text is not None, f"{subject.path.name} does not transpile"
        target = tmp_path_factory.mktemp("generated") / f"{subject.path.stem}.py"
        target.write_text(text, encoding="utf-8")
        modules[subject.path] = target
    return Subject(path=modules[subject.path], algorithm=subject.algorithm)
