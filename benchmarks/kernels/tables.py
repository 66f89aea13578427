"""A report as tables: for a terminal, as CSV, and in Markdown."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from benchmarks.kernels.contestants import Name
from benchmarks.sections import renew

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.kernels.results import Cell, Report
    from benchmarks.kernels.workloads import Row
    from transpiler.ir.types import DType

GOAL = 0.85
"""The part of the limit that the optimised kernels are to reach."""

_FIELDS = (
    *("kernel", "shape", "dtype", "contestant", "limit_ms", "median_ms", "low_ms", "high_ms"),
    *("percent_of_limit", "error_of_allowed", "configuration", "problem"),
)

_HEADINGS = {
    Name.PLAIN: "plain",
    Name.OPTIMISED: "optimised",
    Name.EAGER: "torch eager",
    Name.COMPILED: "`torch.compile`",
    Name.HAND_WRITTEN: "by hand",
}


def heading() -> str:
    """The first line of the table in a terminal."""
    names = "".join(f"{name.value:>16}" for name in Name)
    return f"{'kernel, shape':34}{'dtype':>6}{'limit':>9}{names}{'of limit':>10}"


def line(report: Report, row: Row, dtype: DType) -> str:
    """A line of the table in a terminal, in milliseconds."""
    cells = "".join(f"{_told(report.cell(row, dtype, contestant)):>16}" for contestant in Name)
    share = report.share(row, dtype, Name.OPTIMISED)
    percent = "" if share is None else f"{share:.0%}"
    limit = report.limit(row, dtype)
    return f"{row.title:34}{dtype.value:>6}{limit:9.4f}{cells}{percent:>10}"


def profile_lines(cell: Cell) -> Iterator[str]:
    """The launches of a cell, and what is left of its time between them."""
    if cell.launches and cell.milliseconds is not None:
        inside = sum(launch.microseconds for launch in cell.launches)
        between = 1000 * cell.milliseconds - inside
        yield f"    {cell.contestant} {cell.note}: {inside:.1f} us in launches, {between:.1f} us between"
        yield from (f"    {launch.line()}" for launch in cell.launches)


def problems(report: Report) -> list[str]:
    """What was wrong, a line each."""
    return [
        f"{cell.row} {cell.dtype} {cell.contestant}: {cell.problem}"
        for cell in report.cells
        if cell.problem
    ]


def write_csv(reports: Sequence[Report], path: Path) -> None:
    """All cells, one a line."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_FIELDS)
        for report, dtype, row in _rows(reports):
            for contestant in Name:
                cell = report.cell(row, dtype, contestant)
                if cell is None:
                    continue
                share = report.share(row, dtype, contestant)
                writer.writerow(
                    (
                        *(row.label, "x".join(map(str, row.shape)), dtype.value, contestant.value),
                        *(_short(report.limit(row, dtype)), _short(cell.milliseconds)),
                        *(_short(cell.low), _short(cell.high)),
                        "" if share is None else f"{100 * share:.1f}",
                        "" if cell.error is None else f"{cell.error:.3g}",
                        *(cell.note, cell.problem),
                    )
                )


def renew_section(reports: Sequence[Report], path: Path) -> None:
    """Put the tables into their section of a Markdown file, and leave all the rest of it alone."""
    renew(path, "kernels", _section(reports))


def _section(reports: Sequence[Report]) -> Iterator[str]:
    yield "## Kernels\n"
    yield (
        "Milliseconds, medians over replays of CUDA graphs: the time of Python and of launching is left out, the gaps\n"
        "between several launches of one contestant are in. Each graph walks over sets of arguments that together are\n"
        "more than twice as large as the L2 cache, and the contestants of a row take turns in a random order. *Limit*\n"
        "is the time in which a copy of 1 GiB in the same run moves as many bytes as any implementation has to:\n"
        "inference reads `x` and writes `y`, statistics read `x`, the backward of a training step reads `x` and `dy`\n"
        "twice and writes `dx`, the backward of images reads both once. The outputs of all contestants are compared\n"
        "with float64 in the same run, by the tolerances of `teeny-transpile verify`.\n"
    )
    yield (
        "*Plain* is the module as translated, *optimised* that of `-O`, each with the quickest of its block sizes;\n"
        "*by hand* are the kernels of `benchmarks/hand_written/`. *Of limit* is the limit over the optimised time.\n"
        "Second reads may find a part of a small tensor in the L2 cache, which the limit does not know.\n"
    )
    yield "```sh"
    yield "teeny-transpile FILE.rs -o plain.py"
    yield "teeny-transpile -O FILE.rs -o optimised.py"
    yield from dict.fromkeys(report.command for report in reports)
    yield "```\n"
    for report in reports:
        versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
        copies = " and ".join(f"{rate / 1e9:,.0f}" for rate in report.copies)
        yield f"### {report.subject}\n"
        yield (
            f"{report.device}, {versions}, {report.date}; the copy reached {copies} GB/s before and after.\n"
        )
        for dtype in report.dtypes():
            yield f"#### {dtype.value}\n"
            yield from _markdown(report, dtype)
            yield ""


def _markdown(report: Report, dtype: DType) -> Iterator[str]:
    names = " | ".join(_HEADINGS[contestant] for contestant in Name)
    yield f"| kernel, shape | limit | {names} | of limit |"
    yield "| --- | ---: |" + " ---: |" * (len(Name) + 1)
    for row in report.rows(dtype):
        cells = [report.cell(row, dtype, contestant) for contestant in Name]
        known = [it.milliseconds for it in cells if it is not None and it.milliseconds is not None]
        least = min(known, default=None)
        told = [
            f"**{_told(it)}**" if it is not None and it.milliseconds == least else _told(it)
            for it in cells
        ]
        share = report.share(row, dtype, Name.OPTIMISED)
        percent = "" if share is None else f"{share:.0%}"
        limit = _digits(report.limit(row, dtype))
        yield f"| {row.title} | {limit} | {' | '.join(told)} | {percent} |"


def _rows(reports: Sequence[Report]) -> Iterator[tuple[Report, DType, Row]]:
    for report in reports:
        for dtype in report.dtypes():
            for row in report.rows(dtype):
                yield report, dtype, row


def _told(cell: Cell | None) -> str:
    """The time, or that there is none; a wrong result is marked."""
    if cell is None:
        return ""
    if cell.milliseconds is None:
        return "failed" if cell.problem else ""
    return _digits(cell.milliseconds) + (" (wrong)" if cell.problem else "")


def _digits(milliseconds: float) -> str:
    """Three digits, which is what repeats."""
    return f"{milliseconds:#.3g}".rstrip(".") if milliseconds < 1000 else f"{milliseconds:.0f}"


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
