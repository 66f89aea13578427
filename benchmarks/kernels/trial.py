"""Everything once, in other processes and many at a time.

What has to be compiled is in the caches of Triton and torch when it is timed, and what ends a process ends no
measurement.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from benchmarks.kernels.workloads import draw

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.kernels.lineup import Item, LineUp

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 240
"""What a process may take before it counts as hanging."""


def try_here(lineup: LineUp, items: Iterable[Item]) -> None:
    """Compute each item once, and say on standard output, a line of JSON each, what begins and how it ends."""
    drawn = None
    for item in items:
        _say({"begin": item.key})
        problem = ""
        try:
            here = (item.row, item.dtype)
            if drawn is None or drawn[0] != here:
                torch.compiler.reset()
                drawn = (here, draw(item.row, item.dtype, lineup.device, seed=0))
            contestant = lineup.contestant(item.contestant, item.row, item.dtype)
            contestant.candidates[item.place].run(drawn[1])
            if lineup.device.type == "cuda":
                torch.cuda.synchronize()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            problem = brief(error)
        _say({"end": item.key, "problem": problem})


def brief(error: Exception) -> str:
    """An error in a line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}"


def _say(message: dict[str, str]) -> None:
    print(json.dumps(message), flush=True)


def try_elsewhere(items: Sequence[Item], command: Sequence[str], jobs: int) -> dict[str, str]:
    """Try all items in as many processes at a time; the problems by the items' keys."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(f"{item.row.kernel} {item.dtype.value}", []).append(item)
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda group: _tried(group, command), groups.values())
        return {key: problem for problems in found for key, problem in problems.items()}


def _tried(items: Sequence[Item], command: Sequence[str]) -> dict[str, str]:
    """The problems of a group; a process that ends too early is followed by another, from the next item on."""
    problems: dict[str, str] = {}
    keys = [item.key for item in items]
    environment = {**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    start = 0
    while start < len(keys):
        given = [*command, "--trial", *keys[start:]]
        try:
            ended = subprocess.run(
                [sys.executable, *given],
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
                env=environment,
                cwd=ROOT,
            )
            output = ended.stdout
            reason = [f"status {ended.returncode}", *ended.stderr.strip().splitlines()[-1:]]
        except subprocess.TimeoutExpired as error:
            partial = error.stdout or b""
            output = partial.decode() if isinstance(partial, bytes) else partial
            reason = [f"not done after {SECONDS} s"]
        place = start
        for message in _messages(output):
            if "end" in message:
                place = keys.index(message["end"]) + 1
                if message["problem"]:
                    problems[message["end"]] = message["problem"]
        if place < len(keys):
            problems[keys[place]] = f"ended its process: {', '.join(reason)}"
            place += 1
        start = place
    return problems


def _messages(output: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith('{"')]
