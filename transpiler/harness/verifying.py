"""Runs the kernels of programs in a process of their own, and starts another when it dies."""

from __future__ import annotations

import multiprocessing
import signal
from typing import TYPE_CHECKING

from transpiler.harness.outcomes import Begun, Device, Finished, Outcome, Planned, Unusable, Verdict
from transpiler.harness.serving import Job, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.harness.outcomes import Event, RunKey
    from transpiler.harness.programs import Program
    from transpiler.harness.runs import Filter

_PATIENCE = 10


class UnusableError(Exception):
    """Nothing can be launched here; the text says why."""


def verify(
    programs: tuple[Program, ...], device: str, wanted: Filter
) -> Iterator[Device | Planned | Outcome]:
    """Where kernels run, then the plan of each file, then the outcome of each run.

    Raises:
        UnusableError: nothing can be launched: torch or a device is missing.
    """
    done: set[RunKey] = set()
    is_restarted = False
    while True:
        job = Job(programs=programs, device=device, wanted=wanted, done=frozenset(done))
        current: RunKey | None = None
        for event in _events(job):
            match event:
                case Device() | Planned():
                    if not is_restarted:
                        yield event
                case Begun(key=key):
                    current = key
                case Outcome():
                    done.add(event.key)
                    current = None
                    yield event
                case Unusable(reason=reason):
                    raise UnusableError(reason)
                case Finished(is_broken=False):
                    return
                case Finished():
                    break
                case int():
                    if current is None:
                        raise UnusableError(f"the process that launches kernels {_ended(event)}")
                    done.add(current)
                    yield Outcome(
                        key=current,
                        verdict=Verdict.CRASHED,
                        message=f"the process that launched it {_ended(event)}",
                    )
        is_restarted = True


def _events(job: Job) -> Iterator[Event | int]:
    """What a process for the job tells, and at its untimely end its exit code."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    process = spawn.Process(target=serve, args=(theirs, job), daemon=True)
    process.start()
    theirs.close()
    is_over = False
    try:
        while not is_over:
            try:
                event: Event | int = ours.recv()
            except EOFError:
                process.join(_PATIENCE)
                event = process.exitcode or 0
            is_over = isinstance(event, Finished | Unusable | int)
            if is_over:
                process.join(_PATIENCE)
            yield event
    finally:
        # Still there if nobody wants to know the rest, after an interrupt.
        if process.is_alive():
            process.terminate()
            process.join(_PATIENCE)
        ours.close()


def _ended(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
