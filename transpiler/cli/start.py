"""The start and the end of the process: both without what only costs time."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def run() -> None:
    """Run the command and end the process with its exit code."""
    # Trees hold no cycles, so counting references frees them; searching for cycles in what lives
    # until the end anyway takes a tenth of a run, a part of that while modules are imported.
    gc.disable()
    from transpiler.cli.main import run_command  # noqa: PLC0415 - so that it is imported without searches

    _end(run_command())


def _end(code: int) -> None:
    """End the process, at once where nobody wants to be told: freeing all objects one by one takes time."""
    gc.freeze()
    if atexit._ncallbacks() == 0:  # noqa: SLF001 - there is no public way to ask
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            sys.exit(code)  # says what Python says of streams that fail
        os._exit(code)
    sys.exit(code)
