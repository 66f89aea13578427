"""Every case on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.conformance.runner import faults, translated
from tests.optimising import launch
from transpiler.harness.load import import_module

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conformance.model import Run

pytestmark = pytest.mark.gpu


def test_it_computes_what_the_reference_does(run: Run) -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    case = run.case
    module = import_module(translated(case.rust).text, name="conformance")

    def run_there(arguments: Mapping[str, torch.Tensor | int | float]) -> None:
        there = [
            each.cuda() if isinstance(each, torch.Tensor) else each for each in arguments.values()
        ]
        launch(module, "k", case.grid, there, case.constants)
        torch.cuda.synchronize()
        for here, after in zip(arguments.values(), there, strict=True):
            if isinstance(here, torch.Tensor) and isinstance(after, torch.Tensor):
                here.copy_(after)

    assert faults(run, run_there) == []
