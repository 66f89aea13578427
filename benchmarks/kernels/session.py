"""A row of the table: everybody checked, and timed by turns."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import torch

from benchmarks.kernels.contestants import Contestant, Name
from benchmarks.kernels.lineup import Item
from benchmarks.kernels.measure import capture, quickest, race, sets_needed
from benchmarks.kernels.profile import launches
from benchmarks.kernels.results import Cell
from benchmarks.kernels.trial import brief
from benchmarks.kernels.truth import find_truth, judge
from benchmarks.kernels.workloads import draw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.kernels.contestants import Candidate
    from benchmarks.kernels.lineup import LineUp
    from benchmarks.kernels.measure import Replay
    from benchmarks.kernels.profile import Launch
    from benchmarks.kernels.truth import Truth
    from benchmarks.kernels.workloads import Arguments, Row
    from transpiler.ir.types import DType

SEED = 20

_REPEATABLE = (Name.PLAIN, Name.OPTIMISED, Name.HAND_WRITTEN)
"""Those that promise the same bits for the same inputs."""


def check_row(lineup: LineUp, row: Row, dtype: DType) -> list[Cell]:
    """Everybody's every candidate, judged and not timed."""
    truth = find_truth(row, dtype, draw(row, dtype, lineup.device, SEED))
    cells: list[Cell] = []
    for name in lineup.names:
        contestant = lineup.contestant(name, row, dtype)
        for candidate in contestant.candidates:
            error, problem = _checked(lineup, row, dtype, contestant, candidate, truth)
            cells.append(
                Cell(
                    row=row.key,
                    dtype=dtype.value,
                    contestant=name.value,
                    error=error,
                    note=candidate.note,
                    problem=problem,
                )
            )
    torch.compiler.reset()
    return cells


def measure_row(
    lineup: LineUp, row: Row, dtype: DType, known: Mapping[str, str], *, is_profiled: bool
) -> list[Cell]:
    """Everybody's quickest candidate, judged and timed; `known` has what failed before, by the items' keys."""
    torch.compiler.reset()
    first = draw(row, dtype, lineup.device, SEED)
    sets = [first]
    sets += [
        draw(row, dtype, lineup.device, SEED + place) for place in range(1, sets_needed(first.size))
    ]
    chosen: dict[Name, tuple[Contestant, Candidate]] = {}
    problems: dict[Name, str] = {}
    for name in lineup.names:
        try:
            contestant = lineup.contestant(name, row, dtype)
            chosen[name] = (contestant, _choose(contestant, row, dtype, sets, known))
        except Exception as error:  # noqa: BLE001 - a contestant that fails is out, and the others go on
            problems[name] = brief(error)
            torch.cuda.synchronize()
    errors: dict[Name, float | None] = {}
    truth = find_truth(row, dtype, draw(row, dtype, lineup.device, SEED))
    for name, (contestant, candidate) in chosen.items():
        errors[name], problems[name] = _checked(lineup, row, dtype, contestant, candidate, truth)
    del truth
    torch.cuda.empty_cache()
    replays: dict[Name, Replay] = {}
    for name, (_, candidate) in chosen.items():
        try:
            replays[name] = capture(candidate.run, sets)
        except Exception as error:  # noqa: BLE001 - as above
            problems[name] = problems[name] or brief(error)
            torch.cuda.synchronize()
    timings = race(replays, SEED)
    profiled: dict[Name, list[Launch]] = {}
    for name in replays if is_profiled else ():
        try:
            profiled[name] = launches(chosen[name][1].run, sets)
        except Exception as error:  # noqa: BLE001 - the profiler is not what is measured
            print(f"{name.value} is not profiled: {brief(error)}")
    cells: list[Cell] = []
    for name in lineup.names:
        timing = timings.get(name)
        cells.append(
            Cell(
                row=row.key,
                dtype=dtype.value,
                contestant=name.value,
                milliseconds=None if timing is None else 1000 * timing.median,
                low=None if timing is None else 1000 * timing.low,
                high=None if timing is None else 1000 * timing.high,
                error=errors.get(name),
                note=chosen[name][1].note if name in chosen else "",
                problem=problems.get(name, ""),
                launches=profiled.get(name, []),
            )
        )
    del replays, sets, first
    gc.collect()
    torch.cuda.empty_cache()
    return cells


def _choose(
    contestant: Contestant,
    row: Row,
    dtype: DType,
    sets: Sequence[Arguments],
    known: Mapping[str, str],
) -> Candidate:
    """The quickest candidate among those that did not fail before.

    Raises:
        RuntimeError: all of them did.
    """
    usable: list[Candidate] = []
    reason = ""
    for place, candidate in enumerate(contestant.candidates):
        item = Item(row=row, dtype=dtype, contestant=contestant.name, place=place)
        if item.key in known:
            reason = known[item.key]
        else:
            usable.append(candidate)
    if not usable:
        raise RuntimeError(reason)
    if len(usable) == 1:
        return usable[0]
    place, _ = quickest([candidate.run for candidate in usable], sets)
    return usable[place]


def _checked(
    lineup: LineUp,
    row: Row,
    dtype: DType,
    contestant: Contestant,
    candidate: Candidate,
    truth: Truth,
) -> tuple[float | None, str]:
    """The error of a candidate on arguments of its own, as a part of what is allowed, and what is wrong with it."""
    try:
        arguments = draw(row, dtype, lineup.device, SEED)
        found = candidate.run(arguments)
        judgement = judge(truth, arguments, found, contestant.adjust)
        problem = judgement.message
        if contestant.name in _REPEATABLE and not problem:
            again = candidate.run(draw(row, dtype, lineup.device, SEED))
            different = [name for name in found if not torch.equal(found[name], again[name])]
            problem = f"another run gives another {', '.join(different)}" if different else ""
    except Exception as error:  # noqa: BLE001 - a contestant that fails is told, and the others go on
        return None, brief(error)
    return judgement.error, problem
