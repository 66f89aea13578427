"""Tests run in a process where Triton interprets.

Triton decides when it is imported whether `@triton.jit` compiles or interprets, and the process of pytest keeps the
compiler. Modules and autograd call kernels in the middle of torch's own work, so here it is the whole test that goes to
the other process: its module is imported there, and its function called with what the fixtures gave.
"""

from __future__ import annotations

import importlib
import os
import traceback
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.child import Child
from tests.interpreter.sparing import spare

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A test function, by the names of its module and itself, and what it is called with."""

    module: str
    function: str
    arguments: Mapping[str, object]


class InterpretedProcess(Child):
    """The child, started at once and ended by `close`."""

    def __init__(self) -> None:
        super().__init__(_serve)

    def run(self, call: Call) -> str | None:
        """What the test raised, with its traceback; None if it passed."""
        self._connection.send(call)
        answer: str | None = self._connection.recv()
        return answer


def _serve(connection: Connection) -> None:
    """The child's life: import, call, answer, until the other end closes."""
    os.environ["TRITON_INTERPRET"] = "1"
    spare()
    while True:
        try:
            call: Call = connection.recv()
        except EOFError:
            return
        try:
            function = getattr(importlib.import_module(call.module), call.function)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                function(**call.arguments)
        except BaseException:  # noqa: BLE001 - pytest's own outcomes are no Exceptions
            connection.send(traceback.format_exc())
        else:
            connection.send(None)
