"""Whole processes, from the shell's point of view."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
NOTHING, IMPORTS, PACKAGE, COMMAND = (
    "nothing",
    "import lark, jinja2",
    "import transpiler",
    "teeny-transpile, writing",
)


@dataclass(slots=True, kw_only=True)
class Series:
    """The runs of one command: wall times and processor times, in seconds."""

    name: str
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def run(self, arguments: tuple[str, ...], environment: Mapping[str, str]) -> None:
        """Run the command once.

        Raises:
            subprocess.CalledProcessError: it failed.
        """
        before, start = _used(), time.perf_counter()
        subprocess.run(
            (sys.executable, *arguments),
            check=True,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wall.append(time.perf_counter() - start)
        self.processor.append(_used() - before)

    def times(self) -> tuple[float, float, float]:
        """The least and the median wall time, and the least processor time."""
        return min(self.wall), statistics.median(self.wall), min(self.processor)


def _used() -> float:
    """The processor time of all processes that ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cold(source: Path, runs: int) -> Iterator[Series]:
    """Commands in turns, so that all see the same machine; what lies above the least time is its other work."""
    with tempfile.TemporaryDirectory() as folder:
        environment = kept(folder)
        output = Path(folder, "module.py")
        arguments = {
            NOTHING: ("-c", "pass"),
            IMPORTS: ("-c", IMPORTS),
            PACKAGE: ("-c", PACKAGE),
            COMMAND: ("-m", "transpiler.cli", str(source), "-q", "-o", str(output)),
        }
        series = [Series(name=name) for name in arguments]
        for each in series:  # fills caches
            Series(name=each.name).run(arguments[each.name], environment)
        for _ in range(runs):
            for each in series:
                output.unlink(missing_ok=True)
                each.run(arguments[each.name], environment)
    yield from series


def slowest_imports(how_many: int) -> list[tuple[float, str]]:
    """What the command imports that takes longest by itself, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        statement = "import transpiler.cli.start, transpiler.cli.main, transpiler.cli.execute, transpiler.host.planning"
        for _ in range(2):  # the first compiles
            done = subprocess.run(
                (sys.executable, "-X", "importtime", "-c", statement),
                check=True,
                cwd=ROOT,
                env=kept(folder),
                capture_output=True,
                text=True,
            )
    rows = []
    for line in done.stderr.splitlines()[1:]:
        own, _, name = line.removeprefix("import time:").split("|")
        if own.strip().isdigit():
            rows.append((int(own) / 1000, name.strip()))
    return sorted(rows, reverse=True)[:how_many]


def kept(folder: str) -> dict[str, str]:
    """An environment that keeps compiled modules, as an installation does, whatever this one says."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment
