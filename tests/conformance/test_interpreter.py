"""Every case in Triton's interpreter, on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.conformance.runner import faults, translated
from tests.interpreter.process import Request, Slice

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.conformance.model import Run
    from tests.interpreter.process import InterpreterProcess


def test_it_computes_what_the_reference_does(
    run: Run, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    case = run.case
    if case.interpreter_gap is not None:
        pytest.skip(case.interpreter_gap)
    path = tmp_path / "module.py"
    path.write_text(translated(case.rust).text, "utf-8")

    def launch(arguments: Mapping[str, torch.Tensor | int | float]) -> None:
        tensors = [each for each in arguments.values() if isinstance(each, torch.Tensor)]
        request = Request(
            path=path,
            function="k",
            arguments=tuple(
                Slice(buffer=each.flatten(), start=0, shape=tuple(each.shape))
                if isinstance(each, torch.Tensor)
                else each
                for each in arguments.values()
            ),
            constants=case.constants,
            grid=case.grid,
        )
        for tensor, after in zip(tensors, interpreter.run(request), strict=True):
            tensor.copy_(after.view(tensor.shape))

    assert faults(run, launch) == []
