"""A run of `verify` from its options to its exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from transpiler import workspace
from transpiler.cli.machine_code import SetupError
from transpiler.cli.optimising import optimise_options
from transpiler.cli.verify_json import document
from transpiler.cli.verify_table import print_outcomes
from transpiler.diagnostics.model import Severity
from transpiler.diagnostics.render.report import Report
from transpiler.harness.cases import cases_path
from transpiler.harness.outcomes import Device, Outcome, Planned
from transpiler.harness.programs import Program, launched_kernels
from transpiler.harness.runs import Filter
from transpiler.harness.verifying import UnusableError, verify
from transpiler.pipeline import Options, transpile_source
from transpiler.source import SourceFile
from transpiler.workspace import FileError, Input

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from transpiler.cli.console import Console
    from transpiler.cli.verify import GivenToVerify

FINE = 0
FAILED = 1


def execute(given: GivenToVerify, console: Console) -> int:
    """Do what was asked for; the result is the exit code.

    Raises:
        click.UsageError: the options make no sense together, or select nothing.
        SetupError: torch, Triton or the GPU is missing.
    """
    if not given["paths"]:
        raise click.UsageError("give Rust files or folders")
    programs, reports = _translate(given)
    _check_kernels(given, programs, reports)
    has_errors = _print_reports(console, reports)
    if not programs and not given["json"]:
        return FAILED if has_errors else FINE
    wanted = Filter(
        dtypes=tuple(dtype.value for dtype in given["dtypes"] or ()), texts=given["texts"]
    )
    device: Device | None = None
    plans: list[Planned] = []
    outcomes: list[Outcome] = []
    try:
        events = (
            verify(tuple(programs), given["device"], wanted, given["timeout"])
            if programs
            else iter(())
        )
        for event in _shown(events, console):
            match event:
                case Device():
                    device = event
                case Planned():
                    plans.append(event)
                case Outcome():
                    outcomes.append(event)
    except UnusableError as error:
        raise SetupError(str(error)) from error
    if (given["dtypes"] or given["texts"]) and not outcomes and any(plan.cases for plan in plans):
        raise click.UsageError("no case is selected by --dtype and -k")
    if given["json"]:
        console.data.write(document(device, plans, outcomes))
    else:
        print_outcomes(
            console.data,
            device,
            plans,
            outcomes,
            is_quiet=given["quiet"],
            is_verbose=given["verbose"],
        )
    has_failed = any(outcome.verdict.is_failure for outcome in outcomes)
    has_faults = any(plan.faults for plan in plans)
    is_uncased = given["require_cases"] and any(plan.uncased for plan in plans)
    return FAILED if has_errors or has_failed or has_faults or is_uncased else FINE


def _translate(given: GivenToVerify) -> tuple[list[Program], list[Report]]:
    """The programs of all paths, each file once, and what the compiler has to say."""
    options = Options(
        features=frozenset(given["features"]),
        default_features=given["default_features"],
        optimise=optimise_options(given["level"], given["flags"], given["tuned"]),
    )
    found: dict[Path, Input] = {}
    programs: list[Program] = []
    reports: list[Report] = []
    for argument in given["paths"]:
        try:
            inputs = workspace.discover(argument)
        except FileError as error:
            reports.append(_report(error))
            continue
        for each in inputs:
            if found.setdefault(each.path.resolve(), each) is not each:
                continue
            try:
                source = workspace.read(each.path, each.name)
            except FileError as error:
                reports.append(_report(error))
                continue
            program, report = _program(each, source, options, given["kernels"])
            reports.append(report)
            programs += [] if program is None else [program]
    return programs, reports


def _program(
    each: Input, source: SourceFile, options: Options, names: tuple[str, ...]
) -> tuple[Program | None, Report]:
    result = transpile_source(source, options)
    # Warnings are for those who translate; a folder may hold files without kernels.
    errors = tuple(
        found
        for found in result.diagnostics
        if found.severity is Severity.ERROR and (each.is_named or found.code != "E0101")
    )
    report = Report(source=source, diagnostics=errors)
    if result.text is None or result.line_map is None:
        return None, report
    program = Program(
        name=each.name,
        stem=each.stem,
        cases=str(cases_path(each.path)),
        source=source,
        text=result.text,
        kernels=launched_kernels(result.plans),
        wanted=frozenset(names) if names else None,
        rust_span=result.line_map.rust_span,
    )
    return program, report


def _check_kernels(given: GivenToVerify, programs: list[Program], reports: list[Report]) -> None:
    """Raise where `--kernel` names what is not there; where a text did not translate, that is not known."""
    if any(report.diagnostics for report in reports):
        return
    known = {name for program in programs for name in program.known}
    for name in given["kernels"]:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise click.UsageError(f"no kernel is called {name!r}; there are {listed}")


def _report(error: FileError) -> Report:
    return Report(source=SourceFile(error.name, ""), diagnostics=(error.diagnostic,))


def _print_reports(console: Console, reports: list[Report]) -> bool:
    if not any(report.diagnostics for report in reports):
        return False
    from transpiler.diagnostics.render import full  # noqa: PLC0415 - errors are rare

    console.notes.segments(full.segments(reports))
    return True


def _shown(
    events: Iterator[Device | Planned | Outcome], console: Console
) -> Iterator[Device | Planned | Outcome]:
    """The events, with a bar on a terminal that shows how far they are."""
    if not sys.stderr.isatty():
        yield from events
        return
    from rich.console import Console as Terminal  # noqa: PLC0415 - 50 ms, for a terminal alone
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    terminal = Terminal(stderr=True, no_color=not console.notes.is_colored)
    with Progress(*columns, console=terminal, transient=True) as progress:
        task = progress.add_task("starting", total=None)
        total = 0
        for event in events:
            match event:
                case Device(name=name):
                    progress.update(task, description=name)
                case Planned(runs=runs, comparisons=comparisons):
                    total += len(runs) + len(comparisons)
                    progress.update(task, total=total)
                case Outcome(key=key):
                    progress.update(task, description=key.kernel)
                    progress.advance(task)
            yield event
