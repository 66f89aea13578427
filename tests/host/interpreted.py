"""Runs tests in a process in which Triton interprets.

Triton decides when it is imported whether `@triton.jit` compiles or interprets, and the tests' own process compiles.
A test that `interpreted` decorates is sent by its name to a child, which imports its module and calls it there.
"""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import os
import traceback
import warnings
from typing import TYPE_CHECKING, ParamSpec

import pytest

from tests import optimising
from tests.collecting import collect_rarely
from tests.interpreter.sparing import spare

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

P = ParamSpec("P")

_IN_CHILD = "TESTS_ARE_INTERPRETED"


def interpreted(test: Callable[P, None]) -> Callable[P, None]:
    """The test, run in the child; its arguments must be such as can be pickled."""
    if _IN_CHILD in os.environ:
        return test

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        connection = _child()
        connection.send((test.__module__, test.__qualname__, args, kwargs))
        failure = connection.recv()
        if failure is not None:
            pytest.fail(failure, pytrace=False)

    return run


@functools.cache
def _child() -> Connection:
    """The connection to the child, which ends with this process."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    spawn.Process(target=_serve, args=(theirs, optimising.asked()), daemon=True).start()
    theirs.close()
    return ours


def _serve(connection: Connection, asked: optimising.Asked) -> None:
    optimising.ask(asked)
    os.environ[_IN_CHILD] = "1"
    os.environ["TRITON_INTERPRET"] = "1"
    spare()
    collect_rarely()
    warnings.simplefilter("error")
    while True:
        try:
            module, name, args, kwargs = connection.recv()
        except EOFError:
            return
        try:
            getattr(importlib.import_module(module), name)(*args, **kwargs)
        except BaseException:  # noqa: BLE001 - pytest's failures are no exceptions; all are told
            connection.send(traceback.format_exc())
        else:
            connection.send(None)
