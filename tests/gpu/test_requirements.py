"""The GPU's tests ask for little: this runs everywhere, as their promise to a bare GPU machine."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.numerics.modules import ROOT

COLLECT = """
import sys
for name in ("transpiler", "lark", "jinja2", "click", "rich", "syrupy", "hypothesis", "jsonschema"):
    sys.modules[name] = None
import pytest
options = ["-m", "gpu", "--collect-only", "-q", "-p", "no:cacheprovider"]
raise SystemExit(pytest.main(["tests/gpu", *options]))
"""


def test_gpu_tests_need_neither_the_compiler_nor_its_dependencies() -> None:
    result = subprocess.run(
        [sys.executable, "-c", COLLECT],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "test_training_step_agrees_with_autograd" in result.stdout
