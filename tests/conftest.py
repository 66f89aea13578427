"""Options of the whole suite.

Imports pytest alone, so that the GPU's tests run where the compiler's dependencies are missing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parent.parent

# A checkout is enough: `tests.numerics` and `transpiler` are found without being installed.
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))


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
