"""Where the time of a contestant goes: its launches one by one, as torch's profiler sees them."""

from __future__ import annotations

import json
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.kernels.contestants import Run
    from benchmarks.kernels.workloads import Arguments

_ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")

RUNS = 12
"""How many runs are watched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A kernel or a copy of a run, with the median of its time over all runs."""

    name: str
    microseconds: float
    grid: list[int]
    threads: int
    registers: int
    shared: int

    def line(self) -> str:
        """The launch as the terminal shows it."""
        grid = "x".join(map(str, self.grid))
        return (
            f"{self.microseconds:9.1f} us  {self.name[:70]} (grid {grid}, {self.threads} threads, "
            f"{self.registers} registers, {self.shared} bytes shared)"
        )


def launches(run: Run, sets: Sequence[Arguments]) -> list[Launch]:
    """The launches of one run, in their order; everything is compiled before."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        for place in range(RUNS):
            run(sets[place % len(sets)])
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profile.export_chrome_trace(str(path))
        return read_trace(json.loads(path.read_text("utf-8")), RUNS)


def read_trace(trace: Mapping[str, list[dict[str, object]]], runs: int) -> list[Launch]:
    """The launches of one run from a trace of several, in which each run has as many."""
    found = [it for it in trace["traceEvents"] if it.get("cat") in _ON_DEVICE]
    found.sort(key=lambda it: _number(it["ts"]))
    if not found or len(found) % runs:
        return []
    each = len(found) // runs
    return [_launch(found[place::each]) for place in range(each)]


def _launch(events: Sequence[dict[str, object]]) -> Launch:
    arguments = events[0].get("args")
    known: Mapping[str, object] = arguments if isinstance(arguments, dict) else {}
    grid, block = known.get("grid"), known.get("block")
    threads = [int(_number(it)) for it in block] if isinstance(block, list) else [0]
    return Launch(
        name=str(events[0]["name"]),
        microseconds=statistics.median(_number(it["dur"]) for it in events),
        grid=[int(_number(it)) for it in grid] if isinstance(grid, list) else [],
        threads=threads[0],
        registers=int(_number(known.get("registers per thread", 0))),
        shared=int(_number(known.get("shared memory", 0))),
    )


def _number(value: object) -> float:
    """A number of the trace, which has some of them as text.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, int | float | str):
        raise TypeError(f"{value!r} is no number")
    return float(value)
