"""A process beside that of pytest, which answers what it is sent.

Triton decides when it is imported whether `@triton.jit` compiles or interprets, so one process cannot do both.
"""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

from tests.collecting import collect_rarely

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection


class Child:
    """The child, started at once and ended by `close`."""

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        """`serve` is its whole life; it is found by its name in a fresh interpreter."""
        spawn = multiprocessing.get_context("spawn")
        self._connection, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_live, args=(serve, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def close(self) -> None:
        """Ends the child."""
        self._connection.close()
        self._process.join(timeout=10)


def _live(serve: Callable[[Connection], None], connection: Connection) -> None:
    """The child's life, once what it needs is imported."""
    collect_rarely()
    serve(connection)
