"""Triton's interpreter in a process of its own.

Triton decides when it is imported whether `@triton.jit` compiles or interprets, so one process
cannot do both. The tests' process keeps the compiler; the interpreter is a child that loads modules
and runs launches on request.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import torch

from tests.child import Child
from tests.importing import import_file
from tests.interpreter.sparing import spare
from tests.numerics.launchers import LaunchError, explained
from tests.optimising import launch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path
    from types import ModuleType

    from tests.numerics.fences import Fenced


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A tensor inside a buffer of one dimension. Buffers travel as bytes: torch would share memory, which is slow."""

    buffer: torch.Tensor
    start: int
    shape: tuple[int, ...]

    def __reduce__(self) -> tuple[Callable[..., Slice], tuple[object, ...]]:
        return _slice, (_packed(self.buffer), self.start, self.shape)


Packed: TypeAlias = "tuple[bytes, torch.dtype]"


def _packed(buffer: torch.Tensor) -> Packed:
    # numpy has no bfloat16.
    return buffer.view(torch.uint8).numpy().tobytes(), buffer.dtype


def _unpacked(packed: Packed) -> torch.Tensor:
    data, dtype = packed
    if not data:
        return torch.empty(0, dtype=dtype)
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).clone().view(dtype)


def _slice(packed: Packed, start: int, shape: tuple[int, ...]) -> Slice:
    return Slice(buffer=_unpacked(packed), start=start, shape=shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One launch."""

    path: Path
    function: str
    arguments: tuple[Slice | int | float, ...]
    constants: Mapping[str, int]
    grid: tuple[int, ...]


class InterpreterProcess(Child):
    """The child, started at once and ended by `close`."""

    def __init__(self, life: Callable[[Connection], None] | None = None) -> None:
        """`life` is what the child does, `serve` in the end."""
        super().__init__(life or serve)

    def run(self, request: Request) -> tuple[torch.Tensor, ...]:
        """The buffers of the request's slices after the launch, in order.

        Raises:
            LaunchError: Triton refused the launch.
        """
        self._connection.send(request)
        answer: tuple[Packed, ...] | str = self._connection.recv()
        if isinstance(answer, str):
            raise LaunchError(answer)
        return tuple(map(_unpacked, answer))


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterLauncher:
    """A generated module in the child."""

    process: InterpreterProcess
    path: Path

    @property
    def device(self) -> torch.device:
        """The CPU."""
        return torch.device("cpu")

    @property
    def chops_bfloat16(self) -> bool:
        """Triton's interpreter narrows f32 to bfloat16 by a shift (3.4 to 3.9)."""
        return True

    def launch(
        self,
        function: str,
        arguments: Sequence[Fenced | int | float],
        constants: Mapping[str, int],
        grid: tuple[int, ...],
    ) -> None:
        """Run `function` once; see `Launcher`."""
        fenced = [a for a in arguments if not isinstance(a, int | float)]
        request = Request(
            path=self.path,
            function=function,
            arguments=tuple(
                a
                if isinstance(a, int | float)
                else Slice(buffer=a.buffer, start=a.start, shape=a.shape)
                for a in arguments
            ),
            constants=constants,
            grid=grid,
        )
        for argument, after in zip(fenced, self.process.run(request), strict=True):
            argument.buffer.copy_(after)


def serve(connection: Connection) -> None:
    """The child's life: load what is asked for, launch, answer, until the other end closes."""
    os.environ["TRITON_INTERPRET"] = "1"
    spare()
    np.seterr(all="ignore")  # NaN and infinities are planted on purpose.
    modules: dict[Path, ModuleType] = {}
    while True:
        try:
            request: Request = connection.recv()
        except EOFError:
            return
        try:
            connection.send(tuple(map(_packed, _launch(request, modules))))
        except Exception as error:  # noqa: BLE001 - whatever Triton raises is the answer
            connection.send(explained(error))


def _launch(request: Request, modules: dict[Path, ModuleType]) -> tuple[torch.Tensor, ...]:
    if request.path not in modules:
        modules[request.path] = import_file(request.path, f"interpreted_{request.path.stem}")
    tensors = [
        a
        if isinstance(a, int | float)
        else a.buffer[a.start :][: torch.Size(a.shape).numel()].view(a.shape)
        for a in request.arguments
    ]
    module = modules[request.path]
    launch(module, request.function, request.grid, tensors, request.constants)
    return tuple(a.buffer for a in request.arguments if isinstance(a, Slice))
