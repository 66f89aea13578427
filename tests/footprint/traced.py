"""Triton's interpreter in a child that touches no memory: it notes which elements a launch would touch.

Each pointer stands for an endless memory of zeros, so a kernel can be launched with any parameters.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import torch

from tests.child import Child
from tests.importing import import_file
from tests.interpreter.sparing import spare

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection
    from pathlib import Path
    from types import ModuleType

_ROOM = 44
_MIDDLE = 1 << (_ROOM - 1)
_SECONDS = 20.0
"""Of the processor, after which a loop is taken for endless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launched:
    """One launch; pointers are given by their dtypes."""

    path: Path
    function: str
    arguments: tuple[torch.dtype | int | float, ...]
    constants: Mapping[str, int]
    grid: tuple[int, ...]


class TracingProcess(Child):
    """The child, started at once and ended by `close`."""

    def __init__(self) -> None:
        super().__init__(_serve)

    def touched(self, launch: Launched) -> Mapping[int, int] | str:
        """For each pointer, by its place among them, 1 + the largest offset touched; or why that is not known."""
        self._connection.send(launch)
        answer: Mapping[int, int] | str = self._connection.recv()
        return answer


@dataclass(slots=True)
class _Memory:
    """Takes the place of what loads and stores for the interpreter."""

    sizes: list[int] = field(default_factory=list)
    furthest: dict[int, int] = field(default_factory=dict)

    def base(self, tensor: torch.Tensor) -> int:
        """The address of a new pointer."""
        self.sizes.append(tensor.element_size())
        return ((len(self.sizes) - 1) << _ROOM) + _MIDDLE

    def _touch(self, pointers: np.ndarray, mask: np.ndarray) -> None:
        pointers, mask = np.broadcast_arrays(pointers, mask)
        addresses = pointers[mask.astype(bool)].astype(np.int64)
        for place in set((addresses >> _ROOM).tolist()):
            own = addresses[addresses >> _ROOM == place]
            offset = (int(own.max()) - (place << _ROOM) - _MIDDLE) // self.sizes[place]
            self.furthest[place] = max(offset + 1, self.furthest.get(place, offset + 1))

    # What a load, a store and the atomics call; they pass all by position.

    def load(
        self, pointers: np.ndarray, mask: np.ndarray, other: np.ndarray, dtype: np.dtype
    ) -> np.ndarray:
        self._touch(pointers, mask)
        return np.where(mask, np.zeros_like(other), other).astype(dtype)

    def store(self, pointers: np.ndarray, _value: np.ndarray, mask: np.ndarray) -> None:
        self._touch(pointers, mask)

    def atomic_rmw(
        self,
        _operation: object,
        pointers: np.ndarray,
        value: np.ndarray,
        mask: np.ndarray,
        _order: object,
    ) -> np.ndarray:
        self._touch(pointers, mask)
        return np.zeros_like(value)

    def atomic_cas(
        self, pointers: np.ndarray, _expected: np.ndarray, value: np.ndarray, _order: object
    ) -> np.ndarray:
        self._touch(pointers, np.ones_like(pointers, dtype=bool))
        return np.zeros_like(value)


class _TooLongError(Exception):
    """A loop that does not end with these parameters."""


def _give_up(signal_number: int, frame: object) -> NoReturn:  # noqa: ARG001 - a handler's signature
    raise _TooLongError


def _serve(connection: Connection) -> None:
    """The child's life: launch what is asked for, answer, until the other end closes."""
    os.environ["TRITON_INTERPRET"] = "1"
    spare()
    np.seterr(all="ignore")
    signal.signal(signal.SIGPROF, _give_up)
    from triton.runtime import interpreter  # noqa: PLC0415 - it reads the environment

    # What makes a pointer of a tensor, and what loads and stores, have no public names.
    convert = interpreter._implicit_cvt
    memory = _Memory()

    def converted(argument: object) -> object:
        value = convert(argument)
        if isinstance(argument, torch.Tensor):
            value.handle.data = np.array([memory.base(argument)], dtype=np.uint64)
        return value

    interpreter._implicit_cvt = converted
    modules: dict[Path, ModuleType] = {}
    while True:
        try:
            launch: Launched = connection.recv()
        except EOFError:
            return
        memory.sizes.clear()
        memory.furthest.clear()
        interpreter._interpreter = memory
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
        try:
            _run(launch, modules)
            answer: dict[int, int] | str = dict(memory.furthest)
        except Exception as error:  # noqa: BLE001 - whatever Triton raises is the answer
            answer = repr(error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send(answer)


def _run(launch: Launched, modules: dict[Path, ModuleType]) -> None:
    if launch.path not in modules:
        modules[launch.path] = import_file(launch.path, f"traced_{launch.path.stem}")
    arguments = [
        torch.zeros(1, dtype=argument) if isinstance(argument, torch.dtype) else argument
        for argument in launch.arguments
    ]
    function = getattr(modules[launch.path], launch.function)
    function[launch.grid](*arguments, **launch.constants)
