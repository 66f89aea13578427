"""The batch norm kernels on a GPU: as translated, optimised, by torch, and by hand, against the memory's limit.

    python benchmarks/bench_kernels.py --plain FILE.py --optimised FILE.py [--tune] [--out DIR]
    python benchmarks/bench_kernels.py --render REPORT.json ... [--out DIR] [--docs FILE.md]
    TRITON_INTERPRET=1 python benchmarks/bench_kernels.py --check

The first needs a checkout, torch, triton and a CUDA device; the modules are what `teeny-transpile` makes of one Rust
file without and with `-O`. It tries everything once in several processes, which fills the caches of compilers, then
measures row by row, prints the table, and writes it to `DIR/kernels.json` after each row. With `--tune` it first finds
the configurations of the hand-written kernels, which belong into `benchmarks/hand_written.json`. The second makes of
such reports `kernels.csv`, `kernels.png` and the section of the Markdown file; it needs matplotlib, and no device. The
third computes every row at tiny shapes once and compares, without timing anything.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import torch
import triton

from benchmarks.kernels.chart import draw_chart
from benchmarks.kernels.contestants import Name, load
from benchmarks.kernels.lineup import LineUp
from benchmarks.kernels.measure import copy_bandwidth
from benchmarks.kernels.results import Cell, Report, read, save
from benchmarks.kernels.session import check_row, measure_row
from benchmarks.kernels.tables import (
    heading,
    line,
    problems,
    profile_lines,
    renew_section,
    write_csv,
)
from benchmarks.kernels.trial import try_elsewhere, try_here
from benchmarks.kernels.tuning import keep, tune_row
from benchmarks.kernels.workloads import DTYPES, ROWS, TINY
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.kernels.hand_launches import Configuration
    from benchmarks.kernels.workloads import Row

OWN = ROOT / "generated/batchnorm.py"
RESULTS = ROOT / "benchmarks/results"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("--plain", type=Path, default=OWN, help="the module without -O")
    add("--optimised", type=Path, help="the module with -O; without one it does not take part")
    add("--dtype", nargs="+", choices=[it.value for it in DTYPES], help="by default all")
    add("--rows", nargs="+", default=[""], help="parts of rows' names, such as `stats`, `7x7`")
    add("--contestants", nargs="+", choices=[it.value for it in Name], help="by default all")
    add("--blocks", nargs="+", type=int, default=[128, 256, 1024], help="for generated kernels")
    add("--out", type=Path, default=RESULTS, help="the folder of results")
    add("--jobs", type=int, default=min(15, os.cpu_count() or 1), help="0: try nothing before")
    add("--subject", default="kernels/batchnorm.rs", help="the Rust, as reports call it")
    add("--tune", action="store_true", help="first tune the hand-written kernels")
    add("--profile", action="store_true", help="show the launches of everybody, one by one")
    add("--check", action="store_true", help="tiny shapes, nothing timed")
    add("--render", nargs="+", type=Path, metavar="REPORT", help="make tables of reports")
    add("--docs", type=Path, help="with --render: the Markdown file whose section is renewed")
    add("--trial", nargs="+", help=argparse.SUPPRESS)
    return parser


def main() -> None:
    """Do what the command line says."""
    given = _parser().parse_args()
    if given.render:
        render([read(path) for path in given.render], given.out, given.docs)
        return
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dtypes = [DType(name) for name in given.dtype or [it.value for it in DTYPES]]
    rows = [
        row
        for row in (TINY if given.check else ROWS)
        if any(part.lower() in row.key for part in given.rows)
    ]
    names = [Name(name) for name in given.contestants or [it.value for it in Name]]
    if given.optimised is None:
        names = [name for name in names if name is not Name.OPTIMISED]
    lineup = LineUp(
        device=device,
        plain=load(given.plain, "plain_kernels"),
        optimised=load(given.optimised or given.plain, "optimised_kernels"),
        blocks=tuple(given.blocks),
        names=tuple(names),
        is_tuning=given.tune,
    )
    if given.trial:
        wanted = set(given.trial)
        try_here(lineup, [item for item in lineup.items(rows, dtypes) if item.key in wanted])
        return
    if given.check:
        sys.exit(check(lineup, rows, dtypes))
    if device.type != "cuda":
        sys.exit("needs a CUDA device; --check does without one")
    given.out.mkdir(parents=True, exist_ok=True)
    sys.exit(measure(lineup, rows, dtypes, given))


def check(lineup: LineUp, rows: Sequence[Row], dtypes: Sequence[DType]) -> int:
    """Compute everything once and compare; the exit status."""
    failed = 0
    for dtype in dtypes:
        for row in rows:
            for cell in check_row(lineup, row, dtype):
                told = cell.problem or f"ok, {cell.error:.2f} of the error allowed"
                print(f"{row.title:34}{dtype.value:>6}  {cell.contestant:14} {cell.note}: {told}")
                failed += bool(cell.problem)
    print(f"{failed} failed")
    return int(failed > 0)


def measure(
    lineup: LineUp, rows: Sequence[Row], dtypes: Sequence[DType], given: argparse.Namespace
) -> int:
    """Try, tune if asked to, measure and print; the exit status."""
    jobs: int = given.jobs
    out: Path = given.out
    begin = time.perf_counter()
    items = list(lineup.items(rows, dtypes)) if jobs else []
    command = [arg for arg in sys.argv if arg != "--trial"]
    known = (
        try_elsewhere(items, [str(Path(command[0]).resolve()), *command[1:]], jobs) if items else {}
    )
    _say(begin, f"{len(items)} tried, {len(known)} failed")
    for key, problem in known.items():
        print(f"  {key}: {problem}")
    if lineup.is_tuning:
        lineup = _tuned(lineup, rows, dtypes, out, begin)
        # What failed was one configuration of many, and is not what is left.
        mark = f" {Name.HAND_WRITTEN.value} "
        known = {key: problem for key, problem in known.items() if mark not in key}
    copies = [copy_bandwidth()]
    cells: list[Cell] = []
    report = Report(
        subject=given.subject,
        device=torch.cuda.get_device_name(),
        versions={
            "torch": torch.__version__,
            "triton": triton.__version__,
            "Python": platform.python_version(),
            "CUDA": str(torch.version.cuda),
        },
        date=datetime.now(UTC).date().isoformat(),
        command=_command(given),
        copies=copies,
        cells=cells,
    )
    _say(begin, f"{report.device}, a copy reaches {copies[0] / 1e9:.0f} GB/s")
    print(heading())
    for dtype in dtypes:
        for row in rows:
            found = measure_row(lineup, row, dtype, known, is_profiled=given.profile)
            cells += found
            print(line(report, row, dtype), flush=True)
            for told in (it for cell in found for it in profile_lines(cell)):
                print(told, flush=True)
            save(report, out / "kernels.json")
    copies.append(copy_bandwidth())
    save(report, out / "kernels.json")
    wrong = problems(report)
    _say(begin, f"a copy reaches {copies[1] / 1e9:.0f} GB/s; {len(wrong)} problems")
    for problem in wrong:
        print(f"  {problem}")
    return int(bool(wrong))


def _command(given: argparse.Namespace) -> str:
    """The command that measures the same elsewhere, without the folders of this machine."""
    modules = [("--plain", given.plain), ("--optimised", given.optimised)]
    words = [f"{option} {path.name}" for option, path in modules if path is not None]
    words += [f"--dtype {' '.join(given.dtype)}"] if given.dtype else []
    words += [f"--rows {' '.join(given.rows)}"] if any(given.rows) else []
    return " ".join(["python benchmarks/bench_kernels.py", *words])


def _tuned(
    lineup: LineUp, rows: Sequence[Row], dtypes: Sequence[DType], out: Path, begin: float
) -> LineUp:
    """Tune the hand-written kernels; the line-up that has them in the configurations found."""
    found: dict[str, Configuration] = {}
    for dtype in dtypes:
        for row in rows:
            best, milliseconds = tune_row(row, dtype, lineup.device)
            found[f"{row.key}-{dtype.value}"] = best
            _say(begin, f"{row.title} {dtype.value}: {milliseconds:.4f} ms with {dict(best)}")
            keep(found, out)
    return replace(lineup, is_tuning=False)


def _say(begin: float, text: str) -> None:
    print(f"[{time.perf_counter() - begin:5.0f} s] {text}", flush=True)


def render(reports: list[Report], out: Path, docs: Path | None) -> None:
    """Tables and the chart of reports."""
    for report in reports:
        print(heading())
        for dtype in report.dtypes():
            for row in report.rows(dtype):
                print(line(report, row, dtype))
    out.mkdir(parents=True, exist_ok=True)
    write_csv(reports, out / "kernels.csv")
    draw_chart(reports, out / "kernels.png")
    if docs is not None:
        renew_section(reports, docs)


if __name__ == "__main__":
    main()
