"""Options of the whole suite, and the GPU of each worker.

Imports pytest alone, so that the GPU's tests run where the compiler's dependencies are missing.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# A checkout is enough: `tests.numerics` and `transpiler` are found without being installed.
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tests.spreading import choose_device, devices  # noqa: E402 - found through the path above

# Before anything imports torch.
choose_device()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """`-n auto` is a worker a GPU where the GPU's tests alone are run; elsewhere xdist counts the processors."""
    return len(devices(os.environ)) or None if config.getoption("markexpr") == "gpu" else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--generated` and `--whole-corpus`."""
    parser.addoption(
        "--generated",
        action="append",
        default=[],
        metavar="[ALGORITHM=]PATH",
        help="run the numeric tests on this generated module instead of the project's own; "
        "ALGORITHM, sound or moments, says what its kernels compute and so which bounds hold",
    )
    parser.addoption(
        "--whole-corpus",
        action="store_true",
        help="run every kernel of the corpus at every shape with every dtype, and compile all",
    )
