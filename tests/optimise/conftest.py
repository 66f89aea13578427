"""The interpreter's process, and a folder for the modules it loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.optimise.running import Comparison

if TYPE_CHECKING:
    from tests.interpreter.process import InterpreterProcess

# Snapshots carry the names of their tests, and are none.
collect_ignore_glob = ["__snapshots__/*"]


@pytest.fixture(scope="session")
def comparison(
    interpreter: InterpreterProcess, tmp_path_factory: pytest.TempPathFactory
) -> Comparison:
    return Comparison(interpreter, tmp_path_factory.mktemp("optimised"))
