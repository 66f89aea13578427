"""A driver of Triton that needs no GPU: it compiles for one, and notes what would be launched."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType


@dataclass(frozen=True, kw_only=True)
class Launched:
    """What a launch hands to the device: the number of what was compiled, the grid, and the arguments."""

    function: int
    grid: tuple[int, ...]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Driver:
    """As much of a driver as Triton asks for; it launches nothing, and does to the arguments what `effect` does."""

    effect: Callable[[tuple[Any, ...]], None] = lambda _arguments: None
    launched: list[Launched] = field(default_factory=list)
    loaded: Iterator[int] = field(default_factory=count)

    @property
    def utils(self) -> Driver:
        return self

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _device: int) -> int:
        return 0

    def get_device_properties(self, _device: int) -> dict[str, int]:
        return {"max_shared_mem": 232448, "multiprocessor_count": 132, "warpSize": 32}

    def load_binary(self, *_binary: object) -> tuple[int, ...]:
        return 0, next(self.loaded), 32, 0, 1024

    def unload_module(self, _module: int) -> None:
        """Nothing is loaded."""

    def get_benchmarker(self) -> Callable[..., list[float]]:
        """Trials are timed by their launches: the more programs a kernel has, the faster it is."""

        def measure(run: Callable[[], None], **_: object) -> list[float]:
            run()
            return [1 / math.prod(self.launched[-1].grid)] * 3

        return measure

    def launcher_cls(self, _source: object, _metadata: object) -> Callable[..., None]:
        def launch(
            x: int, y: int, z: int, _stream: int, function: int, *rest: Any
        ) -> None:  # The metadata and the hooks stand before the arguments.
            self.launched.append(Launched(function=function, grid=(x, y, z), arguments=rest[4:]))
            self.effect(rest[4:])

        return launch


@contextmanager
def noting(
    module: ModuleType, effect: Callable[[tuple[Any, ...]], None] = lambda _arguments: None
) -> Iterator[Driver]:
    """A module takes tensors on the CPU, and what it launches is noted; `effect` takes the place of the kernel."""
    noted = Driver(effect=effect)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_DEFAULT_FP_FUSION", "1")  # Triton 3.9 wants to be told.
        patch.setattr(module, "_RUNS_ON_CPU", True)
        # To reset it, `driver` would look for a GPU.
        patch.setattr(driver, "_active" if hasattr(driver, "_active") else "active", noted)
        yield noted
