"""Skips without a GPU, and loads the generated modules on one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.gpu.device import DeviceLauncher, load

if TYPE_CHECKING:
    from pathlib import Path

    from tests.numerics.modules import Subject


@pytest.fixture(scope="session")
def launchers() -> dict[Path, DeviceLauncher]:
    """The modules loaded so far."""
    return {}


@pytest.fixture
def launcher(subject: Subject, launchers: dict[Path, DeviceLauncher]) -> DeviceLauncher:
    """The subject's module on the device."""
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    if subject.path not in launchers:
        launchers[subject.path] = DeviceLauncher(module=load(subject.path))
    return launchers[subject.path]
