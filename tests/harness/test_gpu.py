"""What only a GPU shows: kernels compiled instead of interpreted, and one that spoils the device for what follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.conftest import verify_in, written
from tests.harness.sources import DOUBLE, DOUBLE_CASES, case, cases_file, kernel

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.gpu

GPU = ("--device", "cuda")


@pytest.fixture(autouse=True)
def needs_a_gpu() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")


def test_kernels_run_on_the_gpu_where_there_is_one(tmp_path: Path) -> None:
    written(tmp_path, {"a.rs": DOUBLE, "a_cases.py": DOUBLE_CASES})
    done = verify_in(tmp_path, "a.rs", "--json", "--device", "auto")
    assert done.code == 0, done.out
    assert '"kind": "cuda"' in done.out


def test_a_kernel_that_spoils_the_device_costs_its_own_case_alone(tmp_path: Path) -> None:
    names = ("spoiling", "long", "short", "spoilt", "right")
    rust = [
        kernel("spoiling", offsets="offsets * 20000000"),
        kernel("long", mask="None"),
        kernel("short", mask="Some(offsets.lt(n - 3))"),
        kernel("spoilt", before='T::static_assert(BLOCK > 100, "BLOCK is too small");\n    '),
        kernel("right"),
    ]
    cases = cases_file(*(case(name, more="dtypes='f32',") for name in names))
    written(tmp_path, {"a.rs": "".join(rust), "a_cases.py": cases})
    done = verify_in(tmp_path, "a.rs", "--json", *GPU)
    found = {str(each["kernel"]): each for each in done.cases().values()}
    assert {name: each["verdict"] for name, each in found.items()} == {
        "spoiling": "error",
        "long": "out-of-bounds write",
        "short": "unwritten elements",
        "spoilt": "refused by Triton",
        "right": "pass",
    }
    assert "CUDA error" in str(found["spoiling"]["message"])
    assert "BLOCK is too small" in str(found["spoilt"]["message"])


def test_what_a_reference_makes_is_made_on_the_gpu(tmp_path: Path) -> None:
    reference = "lambda x: torch.zeros(x.shape[0]) + 2 * x"
    cases = cases_file(case("double", reference=reference, more="dtypes='f32',"))
    written(tmp_path, {"a.rs": DOUBLE, "a_cases.py": cases})
    done = verify_in(tmp_path, "a.rs", *GPU)
    assert done.code == 0, done.out


def test_a_tolerance_admits_tf32(tmp_path: Path) -> None:
    rust = """
#[kernel]
pub fn product<T: Triton, const N: i32>(
    a_ptr: T::Pointer<f32>,
    b_ptr: T::Pointer<f32>,
    c_ptr: T::Pointer<f32>,
) {
    let rows = T::expand_dims(T::arange(0, N), 1) * N;
    let columns = T::expand_dims(T::arange(0, N), 0);
    let at = T::broadcast_to(rows, &[N, N]) + T::broadcast_to(columns, &[N, N]);
    let a = T::load(a_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let b = T::load(b_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let c = T::dot::<f32, f32>(a, b, None, InputPrecision::TF32, None);
    T::store(c_ptr.add_offsets(at), c, None, &[], None, None);
}
"""
    text = """
import torch

def inputs(N):
    return {"a": torch.randn(N, N), "b": torch.randn(N, N)}

common = dict(kernel="product", constants={"N": 64}, inputs=inputs, grid=1, reference=torch.mm)
CASES = [dict(common, name="default"), dict(common, name="stated", tolerance=1e-2)]
"""
    written(tmp_path, {"a.rs": rust, "a_cases.py": text})
    done = verify_in(tmp_path, "a.rs", "--json", *GPU)
    verdicts = {str(each["name"]): each["verdict"] for each in done.cases().values()}
    assert verdicts == {"default": "wrong result", "stated": "pass"}, done.out
