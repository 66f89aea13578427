"""The corpus on a GPU: every kernel at every shape with every dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.corpus.runner import faults, translated
from tests.gpu.device import DeviceLauncher
from transpiler.harness.load import import_module

if TYPE_CHECKING:
    from tests.corpus.model import Run

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def launchers() -> dict[str, DeviceLauncher]:
    """The modules loaded so far, by topic."""
    return {}


def test_it_computes_what_torch_does(run: Run, launchers: dict[str, DeviceLauncher]) -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    topic = run.case.topic
    if topic not in launchers:
        module = import_module(translated(topic).text, name=f"corpus_{topic}")
        launchers[topic] = DeviceLauncher(module=module)
    assert faults(run, launchers[topic]) == []
