"""Triton's interpreter in a process of its own.

Triton decides when it is imported whether `@triton.jit` compiles or interprets, so one process
cannot do both. The tests' process keeps the compiler; the interpreter is a child that loads modules
and runs launches on request.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from tests.numerics.launchers import LaunchError, explained

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path
    from types import ModuleType

    from tests.numerics.fences import Fenced


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A tensor inside a buffer. Buffers travel as bytes, numpy having no bfloat16 of its own."""

    buffer: torch.Tensor
    start: int
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One launch."""

    path: Path
    function: str
    arguments: tuple[Slice | int | float, ...]
    constants: Mapping[str, int]
    grid: tuple[int, ...]


class InterpreterProcess:
    """The child, started at once and ended by `close`."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._connection, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def run(self, request: Request) -> tuple[torch.Tensor, ...]:
        """The buffers of the request's slices after the launch, in order.

        Raises:
            LaunchError: Triton refused the launch.
        """
        self._connection.send(request)
        answer: tuple[torch.Tensor, ...] | str = self._connection.recv()
        if isinstance(answer, str):
            raise LaunchError(answer)
        return answer

    def close(self) -> None:
        """Ends the child."""
        self._connection.close()
        self._process.join(timeout=10)


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


def _serve(connection: Connection) -> None:
    """The child's life: load what is asked for, launch, answer, until the other end closes."""
    os.environ["TRITON_INTERPRET"] = "1"
    np.seterr(all="ignore")  # NaN and infinities are planted on purpose.
    modules: dict[Path, ModuleType] = {}
    while True:
        try:
            request: Request = connection.recv()
        except EOFError:
            return
        try:
            connection.send(_launch(request, modules))
        except Exception as error:  # noqa: BLE001 - whatever Triton raises is the answer
            connection.send(explained(error))


def _launch(request: Request, modules: dict[Path, ModuleType]) -> tuple[torch.Tensor, ...]:
    if request.path not in modules:
        modules[request.path] = _load(request.path)
    function = getattr(modules[request.path], request.function)
    tensors = [
        a
        if isinstance(a, int | float)
        else a.buffer[a.start :][: torch.Size(a.shape).numel()].view(a.shape)
        for a in request.arguments
    ]
    function[request.grid](*tensors, **request.constants)
    return tuple(a.buffer for a in request.arguments if isinstance(a, Slice))


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"interpreted_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
