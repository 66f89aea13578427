"""The project's own kernels pass their cases."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.harness.conftest import ROOT, verify_in

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = 6


def test_our_kernels_pass_in_the_interpreter(tmp_path: Path) -> None:
    for name in ("batchnorm.rs", "batchnorm_cases.py"):
        shutil.copy(ROOT / "kernels" / name, tmp_path)
    done = verify_in(tmp_path, "batchnorm.rs", "--json", "-k", "=128", "--require-cases")
    assert done.code == 0, done.out
    cases = done.cases().values()
    assert len({case["kernel"] for case in cases}) == KERNELS
    assert len(cases) >= 4 * 4 * KERNELS


@pytest.mark.gpu
def test_our_kernels_pass_on_the_gpu() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    done = verify_in(ROOT, "kernels/batchnorm.rs", "--json", "--device", "cuda")
    assert done.code == 0, done.out
    assert '"kind": "cuda"' in done.out
