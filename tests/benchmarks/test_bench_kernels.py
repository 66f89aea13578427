"""The kernel benchmark without a GPU: its contestants agree with float64, and its tables hold what a report says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.kernels.contestants import Name
from benchmarks.kernels.profile import Launch, read_trace
from benchmarks.kernels.results import Cell, Report, read, save
from benchmarks.kernels.tables import profile_lines, renew_section, write_csv
from benchmarks.kernels.workloads import DTYPES, ROWS, TINY
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "generated/batchnorm.py"


def check(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`bench_kernels.py --check` on the interpreter."""
    return subprocess.run(
        [sys.executable, "benchmarks/bench_kernels.py", "--check", *arguments],
        cwd=ROOT,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_contestants_agree_with_float64(dtype: DType) -> None:
    done = check("--dtype", dtype.value, "--optimised", MODULE, "--blocks", "128")
    assert done.returncode == 0, done.stdout + done.stderr
    for row in TINY:
        for name in Name:
            assert any(
                line.startswith(row.title) and f" {name.value} " in line and ": ok, " in line
                for line in done.stdout.splitlines()
            ), (row.title, name)


@pytest.mark.parametrize(
    ("row", "right", "wrong", "output"),
    [
        ("inference-37x5", "y = (x - centre) * slope + shift", "y = (x - centre) * slope", "y"),
        ("stats-37x5", "keep * old_mean + take * mean", "keep * old_mean", "running_mean"),
        ("backward-37x5", "tl.store(dweight_ptr + at, dweight)", "pass", "dweight"),
        ("nchw-backward-3x5x7x7", "slope * dy, mask=inside", "dy, mask=inside", "dx"),
    ],
)
def test_wrong_kernel_is_told(
    tmp_path: Path, row: str, right: str, wrong: str, output: str
) -> None:
    text = MODULE.read_text("utf-8")
    assert right in text
    module = tmp_path / "wrong.py"
    module.write_text(text.replace(right, wrong), "utf-8")
    contestants = ("--contestants", "plain", "optimised")
    arguments = ("--optimised", module, "--rows", row, "--dtype", "f32", "--blocks", "128")
    done = check(*arguments, *contestants)
    assert done.returncode == 1, done.stdout + done.stderr
    told = [line for line in done.stdout.splitlines() if f" {output}: " in line and "wrong" in line]
    assert told
    assert all(" optimised " in line for line in told)


def test_limits_are_those_of_the_bytes_that_must_move() -> None:
    report = made([])
    limits = {row.key: report.limit(row, DType.F32) for row in ROWS}
    # At 4,243 GB/s; 65536 * 1024 numbers are 0.268 GB.
    assert limits["inference-65536x1024"] == pytest.approx(0.127, abs=5e-4)
    assert limits["stats-4096x4096"] == pytest.approx(0.016, abs=5e-4)
    assert limits["backward-1048576x64"] == pytest.approx(0.316, abs=5e-4)
    assert limits["nchw-inference-32x64x224x224"] == pytest.approx(0.194, abs=5e-4)
    assert limits["nchw-backward-256x2048x7x7"] == pytest.approx(0.073, abs=5e-4)
    assert report.limit(ROWS[0], DType.BF16) == limits[ROWS[0].key] / 2


def test_trace_is_told_launch_by_launch() -> None:
    details = {"grid": [132, 2, 1], "block": [256, 1, 1], "registers per thread": 40}
    kernels: list[dict[str, object]] = [
        {"cat": "kernel", "name": name, "ts": at, "dur": time, "args": details}
        # Two runs of two launches; a trace is in no order.
        for name, at, time in (("b", 20, 3.0), ("a", 10, 8.0), ("a", "30.5", 9.0), ("b", 40, 4.0))
    ]
    trace: dict[str, list[dict[str, object]]] = {"traceEvents": [{"cat": "cuda_runtime"}, *kernels]}
    first, second = read_trace(trace, 2)
    assert (first.name, first.microseconds, second.name, second.microseconds) == (
        "a",
        8.5,
        "b",
        3.5,
    )
    assert (first.grid, first.threads, first.registers) == ([132, 2, 1], 256, 40)
    cell = Cell(
        row="r", dtype="f32", contestant="plain", milliseconds=0.015, launches=[first, second]
    )
    head, *lines = profile_lines(cell)
    assert head.endswith(": 12.0 us in launches, 3.0 us between")
    assert len(lines) == 2
    # A launch that not every run has cannot be told apart from the others.
    assert read_trace({"traceEvents": kernels[:3]}, 2) == []


def test_report_returns_from_its_file(tmp_path: Path) -> None:
    report = made(list(cells()))
    save(report, tmp_path / "kernels.json")
    assert read(tmp_path / "kernels.json") == report


def test_section_is_renewed_alone(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text("# Performance\n\n<!-- compiler -->\nkept\n<!-- /compiler -->\n", "utf-8")
    for _ in range(2):
        renew_section([made(list(cells()))], page)
        text = page.read_text("utf-8")
        assert text.startswith("# Performance\n\n<!-- compiler -->\nkept\n<!-- /compiler -->\n")
        assert text.count("<!-- kernels -->") == text.count("<!-- /kernels -->") == 1
        assert text.endswith("<!-- /kernels -->\n")
        # The limit, five contestants of which the quickest is bold, and the part of the limit.
        expected = "0.127 | 1.60 | **0.141** | 0.163 (wrong) | failed | 0.142 | 90% |"
        assert f"| inference [65536, 1024] | {expected}" in text


def test_csv_has_a_line_a_cell(tmp_path: Path) -> None:
    write_csv([made(list(cells()))], tmp_path / "kernels.csv")
    head, *lines = (tmp_path / "kernels.csv").read_text("utf-8").splitlines()
    assert len(lines) == len(Name)
    assert head.startswith("kernel,shape,dtype,contestant,limit_ms,median_ms")
    assert lines[1].startswith("inference,65536x1024,f32,optimised,0.126")
    assert lines[3].endswith("RuntimeError: no")


def made(found: list[Cell]) -> Report:
    """A report of a run that there never was."""
    return Report(
        subject="kernels/batchnorm.rs",
        device="a device",
        versions={"torch": "2"},
        date="2026-01-01",
        command="python benchmarks/bench_kernels.py",
        copies=[4.2e12, 4.243e12],
        cells=found,
    )


def cells() -> Iterator[Cell]:
    """One row."""
    milliseconds = {
        Name.PLAIN: 1.6,
        Name.OPTIMISED: 0.141,
        Name.EAGER: 0.163,
        Name.COMPILED: None,
        Name.HAND_WRITTEN: 0.142,
    }
    launch = Launch(
        name="k", microseconds=1600.0, grid=[1, 1, 1], threads=128, registers=32, shared=0
    )
    problems = {Name.EAGER: "y: 1 of 2 elements wrong", Name.COMPILED: "RuntimeError: no"}
    for name, time in milliseconds.items():
        yield Cell(
            row=ROWS[0].key,
            dtype="f32",
            contestant=name.value,
            milliseconds=time,
            problem=problems.get(name, ""),
            launches=[launch] if name is Name.PLAIN else [],
        )
