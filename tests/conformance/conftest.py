"""What the three ways to run a case share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.catalogue import all_runs
from tests.interpreter.process import InterpreterProcess

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a case and dtype."""
    if "run" in metafunc.fixturenames:
        metafunc.parametrize("run", [pytest.param(run, id=run.name) for run in all_runs()])


@pytest.fixture(scope="session")
def interpreter() -> Iterator[InterpreterProcess]:
    """One child for all cases."""
    process = InterpreterProcess()
    yield process
    process.close()
