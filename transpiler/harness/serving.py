"""The process that launches: it may die of what it launches, and its parent starts another.

Triton decides when it is imported whether it interprets, so this is settled here, before it is.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.harness.cases import CaseError, load_cases
from transpiler.harness.comparing import Comparer
from transpiler.harness.comparisons import comparisons_of
from transpiler.harness.launching import Bench, is_usable, launch_and_judge
from transpiler.harness.load import import_module
from transpiler.harness.outcomes import Begun, Device, Finished, Planned, RunKey, Unusable
from transpiler.harness.runs import Run, runs_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    import torch

    from transpiler.harness.comparisons import Comparison
    from transpiler.harness.programs import Program
    from transpiler.harness.runs import Filter

AUTOMATIC = "auto"
GPU = "cuda"
CPU = "cpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to run: `device` is `auto`, `cuda` or `cpu`, `done` are the runs that are over already."""

    programs: tuple[Program, ...]
    device: str
    wanted: Filter
    done: frozenset[RunKey] = frozenset()


def serve(connection: Connection, job: Job) -> None:
    """The life of the process: plan all files, then run what is planned; everything is told through `connection`."""
    # An interrupt reaches the whole group; the parent answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # What a file of cases prints is not the parent's data.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    device = _device(connection, job.device)
    if device is None:
        return
    planned: list[tuple[Program, tuple[Run | Comparison, ...]]] = []
    for program in job.programs:
        plan, runs = _plan(program, job.wanted)
        connection.send(plan)
        planned.append((program, runs))
    for program, runs in planned:
        left = [run for run in runs if run.key not in job.done]
        if not left:
            continue
        module = import_module(program.text, name=program.stem)
        bench = Bench(program=program, module=module, device=device)
        comparer = Comparer(bench)
        for run in left:
            if isinstance(run, Run):
                connection.send(Begun(key=run.key))
                connection.send(launch_and_judge(bench, run))
            else:
                connection.send(Begun(key=run.key, is_search=True))
                comparer.search(run)
                if not is_usable(bench):
                    # As where the process does not survive it: the parent knows what else would end here.
                    sys.exit(1)
                connection.send(Begun(key=run.key))
                connection.send(comparer.compare(run))
            if not is_usable(bench):
                connection.send(Finished(is_broken=True))
                return
    connection.send(Finished())


def _device(connection: Connection, wanted: str) -> torch.device | None:
    """Where to run, which is told; None, with the reason told, where nothing can run."""
    try:
        import torch  # noqa: PLC0415 - an optional dependency of a second

        has_gpu = torch.cuda.is_available()
        if wanted == GPU and not has_gpu:
            connection.send(Unusable(reason="torch finds no GPU"))
            return None
        on_gpu = has_gpu and wanted != CPU
        if on_gpu:
            os.environ.pop("TRITON_INTERPRET", None)
        else:
            os.environ["TRITON_INTERPRET"] = "1"
            _quiet_numpy()
        import triton  # noqa: PLC0415 - an optional dependency of several seconds
    except ImportError as error:
        connection.send(
            Unusable(
                reason=f"torch or triton is not ready ({error}): pip install 'teeny-transpile[run]'"
            )
        )
        return None
    device = torch.device(GPU, torch.cuda.current_device()) if on_gpu else torch.device(CPU)
    name = torch.cuda.get_device_name(device) if on_gpu else "Triton's interpreter"
    connection.send(
        Device(
            kind=GPU if on_gpu else "interpreter",
            name=name,
            # torch's is a class of torch's, which the parent would have to import.
            torch=str(torch.__version__),
            triton=triton.__version__,
        )
    )
    return device


def _quiet_numpy() -> None:
    """Lanes behind a mask compute what they like, NaN and infinities included."""
    import numpy as np  # noqa: PLC0415 - an optional dependency

    np.seterr(all="ignore")


def _plan(program: Program, wanted: Filter) -> tuple[Planned, tuple[Run | Comparison, ...]]:
    path = Path(program.cases)
    runs: tuple[Run, ...] = ()
    faults: tuple[str, ...] = ()
    cased: frozenset[str] = frozenset()
    has_cases = path.is_file()
    if has_cases:
        try:
            cases = load_cases(path)
        except CaseError as error:
            # Nobody knows which kernels have one.
            cased, faults = frozenset(program.known), (str(error),)
        else:
            runs, faults, cased = runs_of(program, cases, wanted)
    uncased = tuple(name for name in program.known if program.is_wanted(name) and name not in cased)
    comparisons: tuple[Comparison, ...] = ()
    incomparable: tuple[tuple[str, str], ...] = ()
    if uncased:
        module = import_module(program.text, name=program.stem)
        comparisons, incomparable = comparisons_of(program, module, uncased, wanted)
    plan = Planned(
        file=program.name,
        cases=program.cases if has_cases else None,
        runs=tuple(run.key for run in runs),
        faults=faults,
        uncased=uncased,
        comparisons=tuple(comparison.key for comparison in comparisons),
        incomparable=incomparable,
    )
    return plan, (*runs, *comparisons)
