"""What the three ways to run a case share."""

from __future__ import annotations

import pytest

from tests.conformance.catalogue import all_runs


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a case and dtype."""
    if "run" in metafunc.fixturenames:
        metafunc.parametrize("run", [pytest.param(run, id=run.name) for run in all_runs()])
