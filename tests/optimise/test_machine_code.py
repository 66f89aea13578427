"""`--emit ptx` and its like: the kernels of stages are compiled beside the specialisations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.optimise.hand_made import OPTIMISED, plan, planned
from tests.optimise.realistic.describing import KERNELS
from transpiler.harness import aot
from transpiler.harness.stage_entries import stage_entries
from transpiler.ir.types import DType
from transpiler.optimise.flags import OptimiseOptions
from transpiler.pipeline import Options, transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

    from transpiler.harness.aot import Entry
    from transpiler.pipeline import Result

OPTIONS = replace(
    OPTIMISED, blocks=(("BLOCK_N", (128,)), ("HAS_BIAS", (1,))), dtypes=(DType.F32, DType.BF16)
)


@pytest.fixture(scope="module")
def result() -> Result:
    return planned(plan(), OPTIONS)


def entries(result: Result) -> dict[str, Entry]:
    """The entries of the stages by name."""
    (kernel,) = result.plans
    return {entry.name: entry for entry in stage_entries(kernel)}


def test_stages_have_the_tiles_of_a_large_launch(result: Result) -> None:
    found = entries(result)
    assert list(found) == [
        f"column_sums__{stage}__{dtype}__128__true"
        for dtype in ("f32", "bf16")
        for stage in ("partial", "finish")
    ]
    partial = found["column_sums__partial__bf16__128__true"]
    # Memory between launches is in the dtype of arithmetic.
    assert partial.signature == ("*bf16", "*fp32", "i32", "i32", "i32")
    assert (partial.constants, partial.warps) == ((64,), 4)
    finish = found["column_sums__finish__f32__128__true"]
    assert finish.signature == ("*fp32", "*fp32", "*fp32", "i32", "i32", "fp32")
    assert (finish.constants, finish.warps) == ((16, True), 1)


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
@pytest.mark.parametrize("form", ["", "__index64"])
def test_stages_become_machine_code(
    result: Result, target: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    assert result.text is not None
    with aot.loaded(result.text, "column_sums") as module:
        for entry in entries(result).values():
            asked = replace(entry, function=f"{entry.function}{form}")
            made = aot.compile_entry(module, asked, aot.parse_target(target), aot.Stage.BINARY)
            assert isinstance(made, bytes)
            assert made.startswith(b"\x7fELF")


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.rs")), ids=lambda path: path.stem)
def test_stages_have_tiles_whatever_their_numbers_depend_on(path: Path) -> None:
    result = transpile_source(
        SourceFile(path.name, path.read_text("utf-8")),
        Options(
            optimise=OptimiseOptions(is_on=True),
            blocks=(("BLOCK", (64,)),),
            dtypes=(DType.F64, DType.F32, DType.F16, DType.I64, DType.I32, DType.I16, DType.I8),
        ),
    )
    found = [entry for kernel in result.plans for entry in stage_entries(kernel)]
    assert found
    for entry in found:
        assert all(value > 0 and value & (value - 1) == 0 for value in entry.constants), entry


def test_a_stage_runs_with_its_warps(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    assert result.text is not None
    with aot.loaded(result.text, "column_sums") as module:
        texts = [
            str(aot.compile_entry(module, entry, aot.parse_target("sm_90"), aot.Stage.ASSEMBLY))
            for entry in list(entries(result).values())[:2]
        ]
    assert [text.partition(".reqntid ")[2].partition("\n")[0] for text in texts] == ["128", "32"]
