"""What the ways to run the corpus share."""

from __future__ import annotations

import pytest

from tests.corpus.catalogue import all_runs, chosen_runs


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a run: all with `--whole-corpus` and on a GPU, otherwise those that differ most."""
    if "run" in metafunc.fixturenames:
        on_gpu = metafunc.definition.get_closest_marker("gpu") is not None
        whole = on_gpu or metafunc.config.getoption("--whole-corpus")
        runs = all_runs() if whole else chosen_runs()
        metafunc.parametrize("run", [pytest.param(run, id=run.name) for run in runs])
