"""Runs the kernels of programs in a process of their own, and starts another when it dies."""

from __future__ import annotations

import multiprocessing
import signal
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.harness.outcomes import Begun, Device, Finished, Outcome, Planned, Unusable, Verdict
from transpiler.harness.serving import Job, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.harness.outcomes import ComparisonKey, Event, RunKey
    from transpiler.harness.programs import Program
    from transpiler.harness.runs import Filter

_PATIENCE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """The end of a process in the middle of its work: what is to be said of the run that it was at."""

    verdict: Verdict
    told: str


class UnusableError(Exception):
    """Nothing can be launched here; the text says why."""


def verify(
    programs: tuple[Program, ...], device: str, wanted: Filter, timeout: float | None = None
) -> Iterator[Device | Planned | Outcome]:
    """Where kernels run, then the plan of each file, then the outcome of each run.

    Args:
        programs: the files.
        device: where to run, `auto`, `cuda` or `cpu`.
        wanted: which runs.
        timeout: after how many seconds a run is given up, if at all.

    Raises:
        UnusableError: nothing can be launched: torch or a device is missing.
    """
    done: set[RunKey] = set()
    comparisons: set[ComparisonKey] = set()
    is_restarted = False
    while True:
        job = Job(programs=programs, device=device, wanted=wanted, done=frozenset(done))
        current: Begun | None = None
        for event in _events(job, timeout):
            match event:
                case Device() | Planned():
                    if isinstance(event, Planned):
                        comparisons.update(event.comparisons)
                    if not is_restarted:
                        yield event
                case Begun():
                    current = event
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
                case _End():
                    if current is None:
                        raise UnusableError(f"the process that launches kernels {event.told}")
                    for outcome in _lost(current, event, comparisons - done):
                        done.add(outcome.key)
                        yield outcome
        is_restarted = True


def _lost(begun: Begun, end: _End, comparisons: set[ComparisonKey]) -> Iterator[Outcome]:
    """What comes of the run at which a process ended, and of those that would end another in the same way."""
    if not begun.is_search:
        message = f"the process that launched it {end.told}"
        yield Outcome(key=begun.key, verdict=end.verdict, message=message)
        return
    # Nobody said that the kernel takes what it was tried on.
    same = (begun.key.file, begun.key.kernel, begun.key.name)
    for key in sorted(comparisons, key=lambda it: (it.dtypes, it.constants)):
        if (key.file, key.kernel, key.name) == same:
            message = f"the process that tried tensors on `{key.name}` {end.told}"
            yield Outcome(key=key, verdict=Verdict.NOT_COMPARED, message=message)


def _events(job: Job, timeout: float | None) -> Iterator[Event | _End]:
    """What a process for the job tells, and its end where that is untimely or `timeout` is over."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    process = spawn.Process(target=serve, args=(theirs, job), daemon=True)
    process.start()
    theirs.close()
    is_over = is_running = False
    try:
        while not is_over:
            event: Event | _End
            # What comes before a run, such as the import of Triton, takes the time it takes.
            if is_running and not ours.poll(timeout):
                event = _End(verdict=Verdict.TIMED_OUT, told=f"was stopped after {timeout:g} s")
                # It may be anywhere, in a loop of LLVM's too, and not listen to anything else.
                process.kill()
            else:
                try:
                    event = ours.recv()
                except EOFError:
                    process.join(_PATIENCE)
                    event = _End(verdict=Verdict.CRASHED, told=_ended(process.exitcode or 0))
            is_running = isinstance(event, Begun)
            is_over = isinstance(event, Finished | Unusable | _End)
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
