"""Every case compiled to machine code, for NVIDIA's and AMD's GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.catalogue import all_cases
from tests.conformance.model import Run
from tests.conformance.runner import signature, translated
from transpiler.harness import aot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _pytest.mark.structures import ParameterSet


def _compilations() -> Iterator[ParameterSet]:
    """The first and the last dtype of each case for NVIDIA, the first for AMD; a GPU runs all of them."""
    for case in all_cases():
        for target in case.targets:
            dtypes = dict.fromkeys((case.dtypes[0], case.dtypes[-1]))
            for dtype in dtypes if target.startswith("sm_") else case.dtypes[:1]:
                run = Run(case=case, dtype=dtype)
                yield pytest.param(run, target, id=f"{run.name}-{target}")


@pytest.mark.parametrize(("compiled", "target"), list(_compilations()))
def test_it_compiles(
    compiled: Run, target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415 - slow, and only where it is there
    from triton.compiler import ASTSource  # noqa: PLC0415

    case = compiled.case
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    architecture = aot.parse_target(target)
    with aot.loaded(translated(case.rust).text, "conformance") as generated:
        types = {**signature(compiled), **dict.fromkeys(case.constants, "constexpr")}
        names = generated.k.arg_names
        source = ASTSource(
            fn=generated.k,
            signature=dict(zip(names, types.values(), strict=True)),
            constexprs=dict(
                zip(names[len(names) - len(case.constants) :], case.constants.values(), strict=True)
            ),
        )
        gpu = GPUTarget(architecture.backend, architecture.architecture, architecture.warp_size)
        machine_code = triton.compile(source, target=gpu, options={"enable_fp_fusion": True})
    assert machine_code.asm[architecture.artefact(aot.Stage.BINARY)].startswith(b"\x7fELF")
