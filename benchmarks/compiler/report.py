"""What was measured of the compiler, as a table for the terminal, as Markdown and as data."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from benchmarks.compiler.process import COMMAND, IMPORTS, NOTHING, PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.compiler.growth import Size
    from benchmarks.compiler.process import Series

RATIO = 3.0
"""At most so many times what Lark and Jinja take to be imported does the whole process take."""
IMPORT = 50.0
"""In at most so many milliseconds is the package imported."""
RATE = 250.0
"""At least so many kilobytes of Rust a second are translated, at `RATED` kernels in a file."""
RATED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that was measured, and on what.

    The first of `growth` is the file itself. `load` is how many other processes wanted the machine at the beginning.
    """

    file: str
    machine: str
    python: str
    date: str
    load: float
    processes: tuple[Series, ...]
    growth: tuple[Size, ...]
    stages: dict[str, float]

    def ratios(self) -> tuple[float, ...]:
        """How many times what Lark and Jinja take the command takes: least, median, processor."""
        times = {series.name: series.times() for series in self.processes}
        return tuple(
            ours / theirs for ours, theirs in zip(times[COMMAND], times[IMPORTS], strict=True)
        )

    def importing(self) -> float:
        """The milliseconds it takes to import the package, without those of Python itself."""
        least = {series.name: series.times()[0] for series in self.processes}
        return 1000 * (least[PACKAGE] - least[NOTHING])

    def spread(self) -> float:
        """How many times the cheapest kernel of all sizes above one the dearest costs."""
        costs = [size.per_kernel for size in self.growth[1:] if size.kernels > 1]
        return max(costs, default=1.0) / min(costs, default=1.0)

    def data(self) -> str:
        """The report as JSON, with what follows from it."""
        derived = {
            "ratio": self.ratios()[0],
            "import_ms": self.importing(),
            "kb_per_s": {size.kernels: size.rate for size in self.growth[1:]},
            "spread": self.spread(),
        }
        return json.dumps({**asdict(self), "derived": derived}, indent=1) + "\n"


def lines(report: Report) -> Iterator[str]:
    """The tables for a terminal."""
    runs = len(report.processes[0].wall)
    yield f"{report.machine}, Python {report.python}, load {report.load:.1f}"
    yield ""
    yield f"{f'cold process, {runs} runs each, ms':34}{'min':>9}{'median':>9}{'cpu':>9}"
    for series in report.processes:
        yield f"{series.name:34}" + "".join(f"{1000 * it:9.1f}" for it in series.times())
    ratios = "".join(f"{it:9.2f}" for it in report.ratios())
    yield f"{'command over import lark, jinja2':34}{ratios}   goal: at most {RATIO}"
    yield f"{'import transpiler over nothing':34}{report.importing():9.1f}   goal: at most {IMPORT:.0f}"
    yield ""
    yield f"{'warm, processor time':22}{'KB':>8}{'ms':>10}{'KB/s':>8}{'ms/kernel':>11}{'peak MB':>9}"
    for index, size in enumerate(report.growth):
        name = report.file if not index else _kernels(size)
        goal = f"   goal: {RATE:.0f} KB/s" if index and size.kernels == RATED else ""
        yield (
            f"{name:22}{size.bytes / 1000:8.0f}{1000 * size.seconds:10.1f}{size.rate:8.0f}"
            f"{size.per_kernel:11.2f}{size.peak / 1e6:9.0f}{goal}"
        )
    yield f"{'dearest over cheapest kernel':22}{report.spread():10.2f}   goal: one cost at any size"
    yield ""
    yield f"stages of {report.file}, ms"
    for name, seconds in report.stages.items():
        yield f"{name:34}{1000 * seconds:9.1f}"


def markdown(report: Report, command: str) -> Iterator[str]:
    """The section of a Markdown file."""
    first = report.growth[0]
    runs = len(report.processes[0].wall)
    yield "## The compiler\n"
    yield f"```sh\n{command}\n```\n"
    yield (
        f"{report.machine}, Python {report.python}, {report.date}, load {report.load:.1f}.\n"
        f"`{report.file}` has {first.bytes / 1000:.0f} KB and {first.kernels} kernels.\n"
    )
    yield f"A whole process, {runs} runs of each command in turns, in milliseconds:\n"
    yield "| | least | median | processor |"
    yield "| --- | --: | --: | --: |"
    for series in report.processes:
        yield f"| {series.name} | " + " | ".join(f"{1000 * it:.0f}" for it in series.times()) + " |"
    yield (
        f"| **command over `{IMPORTS}`**, goal at most {RATIO:.0f} | "
        + " | ".join(f"**{it:.2f}**" for it in report.ratios())
        + " |\n"
    )
    yield (
        "A warm process, one core. Files of n kernels repeat those of the file; each size has a process of its\n"
        f"own, whose peak of memory is given. The goals are {RATE:.0f} KB of Rust a second at {RATED:,} kernels,\n"
        "and one cost a kernel at any size: above one kernel, the dearest takes\n"
        f"{report.spread():.2f} times what the cheapest takes.\n"
    )
    yield "| | KB of Rust | ms | KB/s | ms a kernel | peak MB |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for index, size in enumerate(report.growth):
        name = f"`{report.file}`" if not index else _kernels(size)
        yield (
            f"| {name} | {size.bytes / 1000:,.0f} | {1000 * size.seconds:,.0f} | {size.rate:.0f} "
            f"| {size.per_kernel:.2f} | {size.peak / 1e6:,.0f} |"
        )
    yield f"\nWhere the milliseconds of `{report.file}` go:\n"
    yield "| stage | ms |"
    yield "| --- | --: |"
    for name, seconds in report.stages.items():
        yield f"| {name} | {1000 * seconds:.1f} |"
    yield ""


def _kernels(size: Size) -> str:
    return "1 kernel" if size.kernels == 1 else f"{size.kernels:,} kernels"
