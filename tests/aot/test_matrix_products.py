"""Which instructions of the tensor cores matrix products become."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import transpiler
from tests.conformance.catalogue import all_cases
from transpiler.harness import aot
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from pathlib import Path

_PRODUCTS = (
    "dot of matrices, tile by tile",
    "dot of described matrices",
    "dot of what a dot and a softmax gave",
)
_INSTRUCTION = re.compile(r"\b(?:wgmma\.mma_async|mma\.sync|v_mfma)[\w.]*")
_EXPECTED = {
    # The shape, then the dtypes of the sums and of both operands.
    "sm_90": {
        DType.F16: r"wgmma\..*\.m64n64k16\.f32\.f16\.f16",
        DType.BF16: r"wgmma\..*\.m64n64k16\.f32\.bf16\.bf16",
        DType.F32: r"wgmma\..*\.m64n64k8\.f32\.tf32\.tf32",
        DType.F64: r"mma\.sync\..*\.f64\.f64\.f64\.f64",
    },
    "gfx942": {
        DType.F16: r"v_mfma_f32_\d+x\d+x\d+_f16",
        DType.BF16: r"v_mfma_f32_\d+x\d+x\d+_bf16",
        DType.F32: r"v_mfma_f32_\d+x\d+x\d+_xf32",
        DType.F64: r"v_mfma_f64_\d+x\d+x\d+_f64",
    },
}


@pytest.mark.parametrize("name", _PRODUCTS)
@pytest.mark.parametrize("target", _EXPECTED)
def test_halves_are_multiplied_as_halves(
    name: str, target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No product is of widened halves, which would be of TF32; the sums are in f32."""
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    (case,) = (case for case in all_cases() if case.name == name)
    blocks = tuple((constant, (64,)) for constant in case.constants)
    result = transpiler.transpile(case.rust, transpiler.Options(blocks=blocks))
    assert result.text is not None
    (plan,) = result.plans
    with aot.loaded(result.text, "products") as module:
        entries = dict(zip(plan.specialisations, aot.entries(result.plans), strict=True))
        for specialisation, entry in entries.items():
            (dtype,) = specialisation.dtypes
            text = aot.compile_entry(module, entry, aot.parse_target(target), aot.Stage.ASSEMBLY)
            assert isinstance(text, str)
            found = set(_INSTRUCTION.findall(text))
            assert found, entry.name
            for instruction in found:
                assert re.fullmatch(_EXPECTED[target][dtype], instruction), entry.name
