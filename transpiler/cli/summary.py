"""What a run did: each output with its kernels, dtypes, constants and specialisations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.diagnostics.render.snippet import Segment, Style
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.cli.artefacts import Artefact
    from transpiler.cli.console import Stream
    from transpiler.cli.translate import KernelSummary

_HEADINGS = ("kernel", "dtypes", "constants", "specialisations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """An artefact with what became of it (`written`, `unchanged`, …) and the seconds that took."""

    artefact: Artefact
    state: str
    seconds: float = 0.0


def print_summary(stream: Stream, delivered: Sequence[Delivered], verbosity: int) -> None:
    """Print the summary: a table of Rich where there are colours, else aligned text."""
    for each in delivered:
        names = ", ".join(origin.input.name for origin in each.artefact.origins)
        place = "<stdout>" if each.artefact.path is None else str(each.artefact.path)
        stream.segments(
            [
                Segment(f"{names} -> "),
                Segment(place, Style.TITLE),
                Segment(f" ({each.state})\n"),
            ]
        )
        rows = [
            _row(kernel)
            for origin in each.artefact.origins
            for kernel in origin.translation.kernels
        ]
        if rows:
            _print_table(stream, rows)
        if verbosity > 0:
            stream.write(_timings(each))


def print_compiled(stream: Stream, delivered: Sequence[Delivered]) -> None:
    """Print one line for each artefact of machine code."""
    for each in delivered:
        place = "<stdout>" if each.artefact.path is None else str(each.artefact.path)
        stream.segments([Segment(place, Style.TITLE), Segment(f" ({each.state})\n")])


def _row(kernel: KernelSummary) -> tuple[str, str, str, str]:
    constants = " ".join(
        f"{name}={','.join(str(value) for value in values)}"
        for name, values in kernel.constants
        if values
    )
    return (
        kernel.name,
        " ".join(kernel.dtypes) or "-",
        constants or "-",
        str(kernel.specialisations),
    )


def _print_table(stream: Stream, rows: Sequence[tuple[str, str, str, str]]) -> None:
    if not stream.is_colored:
        stream.write("".join(_aligned([_HEADINGS, *rows])))
        return
    from rich.padding import Padding  # noqa: PLC0415 - 50 ms
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in _HEADINGS[:-1]:
        table.add_column(heading, no_wrap=True)
    table.add_column(_HEADINGS[-1], justify="right")
    for name, *others in rows:
        table.add_row(f"[cyan]{name}[/cyan]", *others)
    stream.rich(Padding(table, (0, 0, 0, 2), expand=False))


def _aligned(rows: Sequence[tuple[str, str, str, str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    for row in rows:
        cells = [cell.ljust(size) for cell, size in zip(row[:-1], widths, strict=False)]
        yield "  " + "  ".join((*cells, row[-1].rjust(widths[-1]))) + "\n"


def _timings(delivered: Delivered) -> str:
    parts = [
        f"{origin.input.name}: transpiled in {origin.translation.seconds * 1000:.1f} ms"
        for origin in delivered.artefact.origins
    ]
    parts.append(f"delivered in {delivered.seconds * 1000:.1f} ms")
    return "".join(f"  {part}\n" for part in parts)
