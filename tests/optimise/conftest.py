"""The interpreter's process, and a folder for the modules it loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.interpreter.process import InterpreterProcess
from tests.optimise.running import Comparison

if TYPE_CHECKING:
    from collections.abc import Iterator


# Snapshots carry the names of their tests, and are none.
collect_ignore_glob = ["__snapshots__/*"]


@pytest.fixture(scope="session")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Comparison]:
    process = InterpreterProcess()
    yield Comparison(process, tmp_path_factory.mktemp("optimised"))
    process.close()
