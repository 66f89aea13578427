"""A report as a chart: the part of the limit that each contestant reaches on each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.kernels.contestants import Name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.kernels.results import Report

_COLOURS = ("#bbbbbb", "#1f77b4", "#ff7f0e", "#9467bd", "#2ca02c")


def draw_chart(reports: Sequence[Report], path: Path) -> None:
    """One panel a dtype, a group of bars a row, as PNG.

    Raises:
        ImportError: matplotlib is not installed.
    """
    import matplotlib as mpl  # noqa: PLC0415 - optional, for this alone

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - after the choice of what draws

    panels = [(report, dtype) for report in reports for dtype in report.dtypes()]
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(18, 4.2 * len(panels)), squeeze=False, layout="constrained"
    )
    width = 0.8 / len(Name)
    for axis, (report, dtype) in zip(axes[:, 0], panels, strict=True):
        rows = report.rows(dtype)
        for place, (contestant, colour) in enumerate(zip(Name, _COLOURS, strict=True)):
            shares = [100 * (report.share(row, dtype, contestant) or 0.0) for row in rows]
            at = [number + (place - (len(Name) - 1) / 2) * width for number in range(len(rows))]
            axis.bar(at, shares, width, label=contestant.value, color=colour)
        axis.axhline(85, color="black", linewidth=0.8, linestyle="--")
        axis.set_xticks(range(len(rows)), [_wrapped(row.title) for row in rows], fontsize=7.5)
        axis.set_ylabel("percent of the limit")
        axis.set_ylim(0, 110)
        axis.set_xlim(-0.6, len(rows) - 0.4)
        axis.set_title(f"{dtype.value} on {report.device}, {report.bandwidth / 1e9:,.0f} GB/s")
        axis.grid(axis="y", linewidth=0.3)
        axis.set_axisbelow(True)
        axis.legend(ncols=len(Name), loc="upper center", fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _wrapped(title: str) -> str:
    return title.replace(" [", "\n[")
