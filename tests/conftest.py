"""Options of the whole suite, and the GPU of each worker.

Imports pytest alone, so that the GPU's tests run where the compiler's dependencies are missing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.interpreter.process import InterpreterProcess

ROOT = Path(__file__).resolve().parent.parent

# A checkout is enough: `tests.numerics` and `transpiler` are found without being installed.
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests import optimising  # noqa: E402 - found through the path above
from tests.collecting import collect_rarely  # noqa: E402 - the same
from tests.spreading import choose_device, devices  # noqa: E402 - the same

# Before anything imports torch.
choose_device()


@pytest.fixture(scope="session")
def interpreter() -> Iterator[InterpreterProcess]:
    """Triton's interpreter in a process of its own: one for all tests of a worker, since it starts slowly."""
    from tests.interpreter.process import InterpreterProcess  # noqa: PLC0415 - imports torch

    process = InterpreterProcess()
    yield process
    process.close()


@pytest.fixture(scope="session")
def spoiling_interpreter() -> Iterator[InterpreterProcess]:
    """The same, but the lanes a load leaves undefined hold what spoils a result."""
    from tests.properties.nest_runs import started_spoiling  # noqa: PLC0415 - imports torch

    process = started_spoiling()
    yield process
    process.close()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """`-n auto` is a worker a GPU where the GPU's tests alone are run; elsewhere xdist counts the processors."""
    return len(devices(os.environ)) or None if config.getoption("markexpr") == "gpu" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--generated`, `--whole-corpus`, `--optimised` and `--without-transform`."""
    parser.addoption(
        "--generated",
        action="append",
        default=[],
        metavar="[ALGORITHM=]PATH",
        help="run the numeric tests on this generated module instead of the project's own; "
        "ALGORITHM, sound, moments or unpadded-moments, says what its kernels compute and so which bounds hold",
    )
    parser.addoption(
        "--whole-corpus",
        action="store_true",
        help="run every kernel of the corpus at every shape with every dtype, and compile all",
    )
    parser.addoption(
        "--optimised",
        action="store_true",
        help="run the kernels of the corpus and the conformance cases that the optimiser makes something of, by "
        "their launchers",
    )
    parser.addoption(
        "--without-transform",
        action="append",
        default=[],
        metavar="FLAG",
        help="a transform that --optimised leaves out",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Heeds `--optimised`."""
    optimising.ask(
        optimising.Asked(
            is_on=config.getoption("--optimised"),
            off=frozenset(config.getoption("--without-transform")),
        )
    )


def pytest_collection_finish() -> None:
    """All tests are there, and what they import."""
    collect_rarely()
