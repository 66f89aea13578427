"""What a run of the benchmark found: plain data, and how it goes to JSON and back."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from benchmarks.kernels.profile import Launch
from benchmarks.kernels.workloads import ROWS, TINY, Row
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.kernels.contestants import Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One contestant on one row in one dtype.

    `milliseconds` is None where nothing was timed, and `problem` says why; a contestant that is wrong is timed all the
    same. `error` is the largest error among the outputs as a part of what is allowed. `note` is the configuration.
    `launches` are those of one run, if it was profiled.
    """

    row: str
    dtype: str
    contestant: str
    milliseconds: float | None = None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    note: str = ""
    problem: str = ""
    launches: list[Launch] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run: of which Rust, where, with what, and what came out; `copies` are the rates of a copy in bytes a second."""

    subject: str
    device: str
    versions: dict[str, str]
    date: str
    command: str
    copies: list[float]
    cells: list[Cell]

    @property
    def bandwidth(self) -> float:
        """What the memory is taken to reach: the best copy of the run."""
        return max(self.copies)

    def limit(self, row: Row, dtype: DType) -> float:
        """The least milliseconds that a row may take."""
        return 1000 * row.bytes_moved(dtype) / self.bandwidth

    def dtypes(self) -> list[DType]:
        """Those measured, in the order of the measurement."""
        return [DType(name) for name in dict.fromkeys(cell.dtype for cell in self.cells)]

    def rows(self, dtype: DType) -> list[Row]:
        """The rows measured in a dtype, in the order of the table."""
        keys = {cell.row for cell in self.cells if cell.dtype == dtype.value}
        return [row for row in (*ROWS, *TINY) if row.key in keys]

    def cell(self, row: Row, dtype: DType, contestant: Name) -> Cell | None:
        """A cell of the table."""
        for cell in self.cells:
            if (cell.row, cell.dtype, cell.contestant) == (row.key, dtype.value, contestant.value):
                return cell
        return None

    def share(self, row: Row, dtype: DType, contestant: Name) -> float | None:
        """The limit as a part of what a contestant takes."""
        cell = self.cell(row, dtype, contestant)
        if cell is None or cell.milliseconds is None:
            return None
        return self.limit(row, dtype) / cell.milliseconds


def save(report: Report, path: Path) -> None:
    """Write a report as JSON."""
    path.write_text(json.dumps(asdict(report), indent=1) + "\n", "utf-8")


def read(path: Path) -> Report:
    """A report that was saved."""
    found = json.loads(path.read_text("utf-8"))
    cells = [
        Cell(**{**cell, "launches": [Launch(**launch) for launch in cell["launches"]]})
        for cell in found.pop("cells")
    ]
    return Report(**found, cells=cells)
