"""The module built by hand runs in Triton's interpreter and compiles for a GPU, in processes of their own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.emit.sample import emit, quotients, scale_rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.building import Build

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None or importlib.util.find_spec("torch") is None,
    reason="torch and triton are not installed",
)

INTERPRET = """
import torch, rows
K = rows.KERNELS
for dtype, name in ((torch.float32, "f32"), (torch.float16, "f16")):
    x = torch.tensor([0.5, -1.0, 4.0, 2.0, 7.0], dtype=dtype)
    y = torch.full((6,), 99.0, dtype=dtype)
    K["scale_rows"].specialisations[f"scale_rows__{name}__8"][(1,)](x, y, 5, 2.9, 0.25)
    torch.testing.assert_close(y[:5], ((x.float() - 7) / 2 + 0.25).to(dtype))
    assert y[5] == 99
try:
    rows.scale_rows__f16__8[(1,)](x.double(), y, 5, 2.9, 0.25)
except Exception:
    pass
else:
    raise AssertionError("another dtype was not refused")
for dtype, name, expected in (
    (torch.float32, "f32", -3.5), (torch.int32, "i32", -3)
):
    y = torch.full((8,), -7, dtype=dtype)
    getattr(rows, f"quotients__{name}__true")[(1,)](y)
    assert y.tolist() == [expected] * 8, y
rows.quotients__i32__false[(1,)](y)
assert y.tolist() == [-3] * 8
print("ran")
"""

COMPILE = """
import rows, triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

def check(function, signature, one=()):
    signature = {**signature, **dict.fromkeys(one, "constexpr")}
    source = ASTSource(function, signature=signature, constexprs=dict.fromkeys(one, 1))
    triton.compile(source, target=GPUTarget("cuda", 90, 32))

for name, pointer in (("f32", "*fp32"), ("f16", "*fp16")):
    signature = {
        "x_ptr": pointer, "y_ptr": pointer, "N": "i32", "e": "fp32", "lambda_": "fp32"
    }
    for one in ((), ("N",)):
        check(getattr(rows, f"scale_rows__{name}__8"), signature, one)
check(rows.quotients__f32__true, {"y_ptr": "*fp32"})
check(rows.quotients__i32__true, {"y_ptr": "*i32"})
try:
    check(rows.quotients__i32__true, {"y_ptr": "*i64"})
except Exception as error:
    assert "specialised" in repr(error) + repr(error.__cause__), error
else:
    raise AssertionError("another dtype was not refused")
print("compiled")
"""


@pytest.mark.parametrize(
    ("script", "interpret", "says"), [(INTERPRET, "1", "ran"), (COMPILE, "0", "compiled")]
)
def test_the_module_runs(
    build: Build, tmp_path: Path, script: str, interpret: str, says: str
) -> None:
    (tmp_path / "rows.py").write_text(emit(scale_rows(build), quotients(build)).text, "utf-8")
    environment = {
        **os.environ,
        "TRITON_INTERPRET": interpret,
        "TRITON_DEFAULT_FP_FUSION": "1",
        "TRITON_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": str(tmp_path),
    }
    result = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.strip() == says
