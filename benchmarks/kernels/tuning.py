"""Finds the quickest configurations of the hand-written kernels."""

from __future__ import annotations

import gc
import json
from typing import TYPE_CHECKING

import torch

from benchmarks.kernels.hand_launches import TUNED, candidate, default, sweep, tuned
from benchmarks.kernels.measure import quickest, sets_needed
from benchmarks.kernels.session import SEED
from benchmarks.kernels.workloads import draw

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.kernels.hand_launches import Configuration
    from benchmarks.kernels.workloads import Row
    from transpiler.ir.types import DType


def tune_row(row: Row, dtype: DType, device: torch.device) -> tuple[Configuration, float]:
    """The quickest configuration, one group of numbers after another, and its milliseconds, roughly."""
    first = draw(row, dtype, device, SEED)
    sets = [first]
    sets += [draw(row, dtype, device, SEED + place) for place in range(1, sets_needed(first.size))]
    best, least = default(row), 0.0
    for group in sweep(row):
        configurations = [{**best, **each} for each in group]
        runs = [candidate(row, configuration).run for configuration in configurations]
        place, times = quickest(runs, sets)
        best, least = configurations[place], times[place]
    del sets, first, runs
    gc.collect()
    torch.cuda.empty_cache()
    return best, 1000 * least


def keep(found: dict[str, Configuration], out: Path) -> None:
    """Write what was found beside what was known of other rows, for this script and into the folder of results."""
    known = {**tuned(), **found}
    lines = (f"  {json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known))
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    TUNED.write_text(text, "utf-8")
    (out / TUNED.name).write_text(text, "utf-8")
