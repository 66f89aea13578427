"""A generated module on the GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from tests.importing import import_file
from tests.numerics.launchers import LaunchError, explained
from tests.optimising import launch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

    from tests.numerics.fences import Fenced


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLauncher:
    """Launches on the current CUDA device, and waits for each launch to end."""

    module: ModuleType

    @property
    def device(self) -> torch.device:
        """The current CUDA device."""
        return torch.device("cuda")

    @property
    def chops_bfloat16(self) -> bool:
        """The GPU rounds to nearest."""
        return False

    def launch(
        self,
        function: str,
        arguments: Sequence[Fenced | int | float],
        constants: Mapping[str, int],
        grid: tuple[int, ...],
    ) -> None:
        """Run `function` once; see `Launcher`."""
        from triton.compiler.errors import CompilationError  # noqa: PLC0415 - seconds, and optional

        given = [a if isinstance(a, int | float) else a.tensor for a in arguments]
        try:
            launch(self.module, function, grid, given, constants)
        except CompilationError as error:
            raise LaunchError(explained(error)) from error
        torch.cuda.synchronize()


def load(path: Path) -> ModuleType:
    """Imports a generated module from its file.

    Raises:
        FileNotFoundError: There is none.
    """
    return import_file(path, f"on_device_{path.stem}")
