"""Time on the device: replays of CUDA graphs, contestants by turns in a random order, medians."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.kernels.contestants import Name, Run
    from benchmarks.kernels.workloads import Arguments, Outputs

ROUNDS = 7
"""How often each contestant gets its turn."""

REPLAYS = 4
"""Replays a turn, of which the first does not count: it finds in the cache what the contestant before left there."""

LENGTH = 3e-3
"""What a graph takes at least, in seconds: starting one takes microseconds."""

MOST_RUNS = 400
"""What a graph holds at most."""

SLOW = 20e-3
"""A graph that takes longer is replayed once a turn, and counts: nothing of the cache is left after that time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A graph of several runs; it keeps alive what they gave."""

    graph: torch.cuda.CUDAGraph
    runs: int
    kept: list[Outputs | None] = field(repr=False)

    def seconds(self) -> float:
        """One replay's time for one run."""
        return timed(self.graph.replay) / self.runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The median over all replays that count, the quartiles, and how many there were; in seconds for one run."""

    median: float
    low: float
    high: float
    samples: int


def timed(action: Callable[[], object]) -> float:
    """What an action takes on the device."""
    start, end = (
        torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call] # so torch leaves it
        for _ in range(2)
    )
    start.record()
    action()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / 1000


def capture(run: Run, sets: Sequence[Arguments], length: float = LENGTH) -> Replay:
    """A graph over all sets of arguments in turns, as often as it takes to last; everything is compiled before."""
    stream = torch.cuda.Stream()  # type: ignore[no-untyped-call] # so torch leaves it
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for arguments in sets[:2]:
            run(arguments)
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    first = _captured(run, sets, len(sets))
    first.seconds()
    runs = math.ceil(length / first.seconds() / len(sets)) * len(sets)
    if runs <= len(sets):
        return first
    del first
    return _captured(run, sets, min(runs, max(MOST_RUNS, len(sets))))


def _captured(run: Run, sets: Sequence[Arguments], runs: int) -> Replay:
    # What is given is held until the same arguments come again. Otherwise the allocator would give the same memory to
    # each run that makes its outputs, and these would stay in the cache.
    kept: list[Outputs | None] = [None] * len(sets)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for place in range(runs):
            kept[place % len(sets)] = run(sets[place % len(sets)])
    return Replay(graph=graph, runs=runs, kept=kept)


def race(replays: Mapping[Name, Replay], seed: int) -> dict[Name, Timing]:
    """Time several graphs by turns: what changes on the device over time changes for all of them."""
    order = random.Random(seed)  # noqa: S311 - an order, and no secret
    samples: dict[Name, list[float]] = {name: [] for name in replays}
    for _ in range(ROUNDS):
        names = list(replays)
        order.shuffle(names)
        for name in names:
            replay = replays[name]
            first = replay.seconds()
            if first * replay.runs > SLOW:
                samples[name].append(first)
                continue
            samples[name] += [replay.seconds() for _ in range(REPLAYS - 1)]
    return {name: _timing(each) for name, each in samples.items()}


def _timing(samples: list[float]) -> Timing:
    low, median, high = statistics.quantiles(samples, n=4, method="inclusive")
    return Timing(median=median, low=low, high=high, samples=len(samples))


def quickest(runs: Sequence[Run], sets: Sequence[Arguments]) -> tuple[int, list[float]]:
    """The place of the quickest of several runs, and the times of all, roughly; infinite for one that fails.

    Raises:
        Exception: what the last one raised, if all fail.
    """
    times: list[float] = []
    for run in runs:
        try:
            times.append(_rough(run, sets))
        except Exception:
            times.append(math.inf)
            torch.cuda.synchronize()
            if len(times) == len(runs) and min(times) == math.inf:
                raise
    return times.index(min(times)), times


def _rough(run: Run, sets: Sequence[Arguments]) -> float:
    replay = capture(run, sets, LENGTH / 3)
    first = replay.seconds()
    again = 0 if first * replay.runs > SLOW else 5
    return min([first, *(replay.seconds() for _ in range(again))])


def copy_bandwidth() -> float:
    """What a copy of 1 GiB reaches, reading and writing, in bytes a second."""
    source = torch.empty(2**28, device="cuda", dtype=torch.float32).normal_()
    target = torch.empty_like(source)
    times = [timed(lambda: target.copy_(source)) for _ in range(24)]
    return 2 * source.nbytes / statistics.median(times[4:])


def sets_needed(size: int) -> int:
    """How many sets of arguments of a size are twice as large as the cache, and one more."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    return max(2, math.ceil(2 * cache / size) + 1)
