"""The table of `verify`, and what is wrong below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.cli.console import RICH_STYLES
from transpiler.diagnostics.render.segment import Segment, Style
from transpiler.frozen import dataclass
from transpiler.harness.outcomes import ComparisonKey, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from transpiler.cli.console import Stream
    from transpiler.harness.outcomes import Device, Outcome, Planned

_HEADINGS = ("kernel", "dtype", "constants", "shapes", "error", "torch's", "allowed", "verdict")
_NUMBERS = frozenset({"error", "torch's", "allowed"})
_NO_CASES = "no cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """The cells of a row; `style` is that of its verdict."""

    cells: tuple[str, ...]
    style: Style


def print_outcomes(
    stream: Stream,
    device: Device | None,
    plans: Sequence[Planned],
    outcomes: Sequence[Outcome],
    *,
    is_quiet: bool,
    is_verbose: bool,
) -> None:
    """Print a table for each file, every failure in full, and the count."""
    for plan in plans:
        if is_quiet:
            break
        own = [outcome for outcome in outcomes if outcome.key.file == plan.file]
        rows = [*_rows(own, is_verbose=is_verbose), *_uncased(plan)]
        if rows:
            stream.segments([Segment(plan.file, Style.TITLE), Segment("\n")])
            _print_table(stream, rows)
    for plan in plans:
        for fault in plan.faults:
            stream.segments([Segment("error", Style.ERROR), Segment(f": {fault}\n")])
    for outcome in outcomes:
        if outcome.verdict.is_failure:
            _print_failure(stream, outcome)
    stream.write(_count(device, plans, outcomes))


def _rows(outcomes: Sequence[Outcome], *, is_verbose: bool) -> Iterator[_Row]:
    """A row for each case, dtype and block, with the worst of its shapes; one for each failure."""
    groups: dict[object, list[Outcome]] = {}
    for outcome in outcomes:
        key = outcome.key
        same = (key.kernel, key.dtypes, key.constants, key.name)
        groups.setdefault(same, []).append(outcome)
    for members in groups.values():
        passed = [each for each in members if each.verdict is Verdict.PASS]
        for shown in [[each] for each in passed] if is_verbose else [passed]:
            if shown:
                yield _row(shown)
        for each in members:
            if each.verdict.is_failure:
                yield _row([each])
    yield from _not_compared(
        (outcome.key.kernel, outcome.message)
        for outcome in outcomes
        if outcome.verdict is Verdict.NOT_COMPARED
    )


def _row(outcomes: Sequence[Outcome]) -> _Row:
    """A row for outcomes that differ in their shapes alone: the errors are those nearest to what is allowed.

    That of a comparison has its difference in the place of the error.
    """
    first = outcomes[0]
    outputs = [outcome.worst for outcome in outcomes if outcome.worst is not None]
    worst = max(outputs, key=lambda it: it.ratio, default=None)
    shapes = [shape for outcome in outcomes for shape in _shapes(outcome)]
    if len(shapes) > 1:
        shapes = [shapes[0], "…", shapes[-1], f"({len(shapes)})"]
    is_fine = first.verdict is Verdict.PASS
    return _Row(
        cells=(
            first.key.kernel,
            " ".join(dict.fromkeys(dtype for _, dtype in first.key.dtypes)) or "-",
            _named(first.key.constants) or "-",
            " ".join(shapes) or "-",
            _number(None if worst is None else worst.error),
            _number(None if worst is None else worst.torch_error),
            _number(None if worst is None else worst.allowed),
            first.verdict.value,
        ),
        style=Style.ADDED if is_fine else Style.ERROR,
    )


def _uncased(plan: Planned) -> Iterator[_Row]:
    """The kernels without a case that are not compared either."""
    yield from _not_compared((name, f"{_NO_CASES}: {reason}") for name, reason in plan.incomparable)


def _not_compared(reasons: Iterable[tuple[str, str]]) -> Iterator[_Row]:
    """A row for each kernel and reason, once."""
    blank = ("-",) * (len(_HEADINGS) - 2)
    for name, reason in dict.fromkeys(reasons):
        yield _Row(cells=(name, *blank, reason.partition("\n")[0]), style=Style.WARNING)


def _shapes(outcome: Outcome) -> list[str]:
    key = outcome.key
    if isinstance(key, ComparisonKey):
        return list(outcome.shapes)
    named = _named(key.shape)
    return [f"{key.name}: {named}" if key.name else named]


def _named(values: Sequence[tuple[str, object]]) -> str:
    return " ".join(f"{name}={value}" for name, value in values)


def _number(value: float | None) -> str:
    return "-" if value is None else "0" if value == 0 else f"{value:.1e}"


def _print_table(stream: Stream, rows: Sequence[_Row]) -> None:
    from rich.table import Table  # noqa: PLC0415 - 50 ms
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in _HEADINGS:
        table.add_column(heading, no_wrap=True, justify="right" if heading in _NUMBERS else "left")
    for row in rows:
        *cells, verdict = row.cells
        table.add_row(*(Text(cell) for cell in cells), Text(verdict, RICH_STYLES[row.style]))
    stream.rich(table)


def _print_failure(stream: Stream, outcome: Outcome) -> None:
    heading = f"{outcome.key.file}: {outcome.key.id}"
    stream.segments(
        [
            Segment("\n"),
            Segment(outcome.verdict.value, Style.ERROR),
            Segment(": "),
            Segment(f"{heading}\n", Style.TITLE),
        ]
    )
    stream.write("".join(f"  {line}\n" for line in outcome.message.splitlines()))


def _count(device: Device | None, plans: Sequence[Planned], outcomes: Sequence[Outcome]) -> str:
    compared = [it for it in outcomes if isinstance(it.key, ComparisonKey)]
    cases = [it for it in outcomes if not isinstance(it.key, ComparisonKey)]
    passed = sum(outcome.verdict is Verdict.PASS for outcome in cases)
    parts = [f"{passed} passed"]
    if failed := len(cases) - passed:
        parts.append(f"{failed} failed")
    same = sum(outcome.verdict is Verdict.PASS for outcome in compared)
    different = sum(outcome.verdict.is_failure for outcome in compared)
    if same or different:
        parts.append(f"{same} of {same + different} comparisons agree")
    if faults := sum(len(plan.faults) for plan in plans):
        parts.append("1 fault in the cases" if faults == 1 else f"{faults} faults in the cases")
    if uncased := sum(len(plan.uncased) for plan in plans):
        parts.append(
            "1 kernel without cases" if uncased == 1 else f"{uncased} kernels without cases"
        )
    where = "" if device is None else f" on {device.name}"
    return f"\n{', '.join(parts)}{where}\n"
