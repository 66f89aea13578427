"""The forms with offsets in 64 bits of all cases, in Triton's interpreter: they leave the same bits.

Cases whose offsets never leave 32 bits, which is most, get a form here all the same. Without `--whole-corpus`, each
case in the first of its dtypes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.conformance.catalogue import all_runs
from tests.conformance.runner import arguments
from tests.interpreter.process import Request, Slice
from transpiler.passes.index_values import IndexValues

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.model import Run
    from tests.interpreter.process import InterpreterProcess


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a case, or a case and dtype."""
    if "both" in metafunc.fixturenames:
        whole = metafunc.config.getoption("--whole-corpus")
        runs = [run for run in all_runs() if whole or run.dtype is run.case.dtypes[0]]
        metafunc.parametrize("both", [pytest.param(run, id=run.name) for run in runs])


def test_both_forms_leave_the_same_bits(
    both: Run,
    interpreter: InterpreterProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if both.case.interpreter_gap is not None:
        pytest.skip(both.case.interpreter_gap)
    monkeypatch.setattr(IndexValues, "may_leave", lambda _, __: True)
    text = transpiler.transpile(both.case.rust).text
    assert text is not None
    path = tmp_path / "module.py"
    path.write_text(text, "utf-8")
    narrow, wide = (
        interpreter.run(
            Request(
                path=path,
                function=function,
                arguments=tuple(
                    Slice(buffer=each.flatten(), start=0, shape=tuple(each.shape))
                    if isinstance(each, torch.Tensor)
                    else each
                    for each in arguments(both).values()
                ),
                constants=both.case.constants,
                grid=both.case.grid,
            )
        )
        for function in ("k", "k__index64")
    )
    assert narrow
    for one, other in zip(narrow, wide, strict=True):
        assert torch.equal(one.view(torch.uint8), other.view(torch.uint8))
