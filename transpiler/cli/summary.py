"""What a run did: each output with its kernels, dtypes, constants and specialisations, and with its operators."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from transpiler.diagnostics.render.segment import Segment, Style
from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from transpiler.cli.artefacts import Artefact
    from transpiler.cli.console import Stream
    from transpiler.cli.translate import KernelSummary

_HEADINGS = ("kernel", "dtypes", "constants", "specialisations")
_NUMBER = _HEADINGS[-1]
_OPTIMISED = "optimised by"
_OPERATORS = "operators: "
_WIDTH = 100


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
        translations = [origin.translation for origin in each.artefact.origins]
        if kernels := [kernel for it in translations for kernel in it.kernels]:
            _print_table(stream, kernels)
        if operators := [name for it in translations for name in it.operators]:
            stream.write(_listed(operators))
        if verbosity > 0:
            stream.write(_timings(each))


def print_compiled(stream: Stream, delivered: Sequence[Delivered]) -> None:
    """Print one line for each artefact of machine code."""
    for each in delivered:
        place = "<stdout>" if each.artefact.path is None else str(each.artefact.path)
        stream.segments([Segment(place, Style.TITLE), Segment(f" ({each.state})\n")])


def _listed(operators: Sequence[str]) -> str:
    return (
        fill(
            " ".join(operators),
            _WIDTH,
            initial_indent=f"  {_OPERATORS}",
            subsequent_indent=" " * (len(_OPERATORS) + 2),
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
    )


def _row(kernel: KernelSummary) -> tuple[str, ...]:
    constants = " ".join(
        f"{name}={','.join(str(value) for value in values)}"
        for name, values in kernel.constants
        if values
    )
    optimised = () if kernel.transforms is None else (" ".join(kernel.transforms) or "-",)
    return (
        kernel.name,
        " ".join(kernel.dtypes) or "-",
        constants or "-",
        str(kernel.specialisations),
        *optimised,
    )


def _print_table(stream: Stream, kernels: Sequence[KernelSummary]) -> None:
    rows = [_row(kernel) for kernel in kernels]
    headings = _HEADINGS if kernels[0].transforms is None else (*_HEADINGS, _OPTIMISED)
    if not stream.is_colored:
        stream.write("".join(_aligned([headings, *rows])))
        return
    from rich.padding import Padding  # noqa: PLC0415 - 50 ms
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, no_wrap=True, justify="right" if heading == _NUMBER else "left")
    for name, *others in rows:
        table.add_row(f"[cyan]{name}[/cyan]", *others)
    stream.rich(Padding(table, (0, 0, 0, 2), expand=False))


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    headings = rows[0]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if heading == _NUMBER else cell.ljust(width)
            for heading, cell, width in zip(headings, row, widths, strict=True)
        )
        yield "  " + "  ".join(cells).rstrip() + "\n"


def _timings(delivered: Delivered) -> str:
    parts = [
        f"{origin.input.name}: transpiled in {origin.translation.seconds * 1000:.1f} ms"
        for origin in delivered.artefact.origins
    ]
    parts.append(f"delivered in {delivered.seconds * 1000:.1f} ms")
    return "".join(f"  {part}\n" for part in parts)
