"""The project's own kernels pass their cases, and those of the reference file all but one."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.harness.conftest import ROOT, verify_in

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = 6
REFERENCE = ROOT.parent / "shared/reference/batchnorm.rs"


def test_our_kernels_pass_in_the_interpreter(tmp_path: Path) -> None:
    for name in ("batchnorm.rs", "batchnorm_cases.py"):
        shutil.copy(ROOT / "kernels" / name, tmp_path)
    done = verify_in(tmp_path, "batchnorm.rs", "--json", "-k", "=128", "--require-cases")
    assert done.code == 0, done.out
    cases = done.cases().values()
    assert len({case["kernel"] for case in cases}) == KERNELS
    assert len(cases) >= 4 * 4 * KERNELS


def test_the_reference_passes_but_where_the_mean_is_large(tmp_path: Path) -> None:
    if not REFERENCE.exists():
        pytest.skip("the reference file is not on this machine")
    shutil.copy(REFERENCE, tmp_path)
    shutil.copy(ROOT / "tests/harness/reference_cases.py", tmp_path / "batchnorm_cases.py")
    shutil.copy(ROOT / "kernels/batchnorm_cases.py", tmp_path / "own_cases.py")
    done = verify_in(tmp_path, "batchnorm.rs", "--json", "-k", "=128", "--require-cases")
    cases = done.cases()
    assert len({case["kernel"] for case in cases.values()}) == KERNELS
    failed = {name: case["verdict"] for name, case in cases.items() if case["verdict"] != "pass"}
    where = "BLOCK_N=128-N=1000-C=3]"
    assert failed == {
        f"batch_norm_stats_forward[far from zero-{dtype}-{where}": "wrong result"
        for dtype in ("f32", "f64")
    }


@pytest.mark.gpu
def test_our_kernels_pass_on_the_gpu() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    done = verify_in(ROOT, "kernels/batchnorm.rs", "--json", "--device", "cuda")
    assert done.code == 0, done.out
    assert '"kind": "cuda"' in done.out
