"""What the variables of a kernel hold when it returns, in Triton's interpreter.

The interpreter lives in a process of its own, as in `tests.interpreter.process`. There a trace function reads the
kernel's local variables as its frame ends.
"""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.child import Child
from tests.importing import import_file
from tests.interpreter.sparing import spare

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection
    from pathlib import Path
    from types import FrameType

    import torch

Array: TypeAlias = NDArray[Any]
"""Of the dtype a kernel's value happens to have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One program of the kernel `k` of a module."""

    path: Path
    arguments: tuple[torch.Tensor | int | float, ...]
    constants: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a variable holds: its type, in the notation of `tests.properties.triton_types`, and its elements."""

    type: str
    elements: Array


class Interpreter(Child):
    """The child, started at once and ended by `close`."""

    def __init__(self) -> None:
        super().__init__(_serve)

    def run(self, launch: Launch) -> dict[str, Held]:
        """The variables of the kernel after it has run.

        Raises:
            RuntimeError: it did not run; the child's traceback is the message.
        """
        self._connection.send(launch)
        answer: dict[str, Held] | str = self._connection.recv()
        if isinstance(answer, dict):
            return answer
        raise RuntimeError(answer)


def _serve(connection: Connection) -> None:
    os.environ["TRITON_INTERPRET"] = "1"
    spare()
    np.seterr(all="ignore")  # Infinities and overflow are meant.
    while True:
        try:
            launch: Launch = connection.recv()
        except EOFError:
            return
        try:
            connection.send(_variables(launch))
        except Exception:  # noqa: BLE001 - whatever Triton raises is the answer
            connection.send(traceback.format_exc())


def _variables(launch: Launch) -> dict[str, Held]:
    found: dict[str, Held] = {}

    def leave(frame: FrameType, event: str, _argument: object) -> object:
        if event == "return":
            for name, value in frame.f_locals.items():
                held = _held(value)
                if held is not None:
                    found[name] = held
        return leave

    def enter(frame: FrameType, _event: str, _argument: object) -> object:
        if frame.f_code.co_name != "k":
            return None
        frame.f_trace_lines = False
        return leave

    kernel = import_file(launch.path, launch.path.stem).k
    sys.settrace(enter)  # type: ignore[arg-type]
    try:
        kernel[(1,)](*launch.arguments, **launch.constants)
    finally:
        sys.settrace(None)
    return found


def _held(value: object) -> Held | None:
    from tests.properties.triton_types import shown_type  # noqa: PLC0415 - imports Triton's harness

    handle = getattr(value, "handle", None)
    data = getattr(handle, "data", None)
    type_ = getattr(value, "type", None)
    if not isinstance(data, np.ndarray):
        return None
    shown = shown_type(type_)
    if shown.startswith("*"):
        return None
    shape = tuple(int(extent) for extent in getattr(type_, "shape", ()) or ())
    if shown.startswith("bf16"):
        # numpy has none: the interpreter holds its bits.
        data = (data.astype(np.uint32) << 16).view(np.float32)
    return Held(type=shown, elements=data.reshape(shape))
