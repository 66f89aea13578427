"""A run from its request to its exit code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, assert_never

from transpiler import workspace
from transpiler.cli.artefacts import Translated, collisions, text_artefacts
from transpiler.cli.gather import gather
from transpiler.cli.remarks import OPTIMISER_CODES
from transpiler.cli.request import Place
from transpiler.cli.selection import unknown_names
from transpiler.cli.summary import Delivered, print_compiled, print_summary
from transpiler.cli.translate import Job, translate
from transpiler.cli.values import Emit, MessageFormat
from transpiler.diagnostics.model import Diagnostic, Severity
from transpiler.diagnostics.render.report import Report
from transpiler.pipeline import judged
from transpiler.source import SourceFile
from transpiler.workspace import FileError, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.cli.artefacts import Artefact
    from transpiler.cli.console import Console
    from transpiler.cli.request import Request

FINE = 0
FAILED = 1


def execute(request: Request, console: Console) -> int:
    """Do what was asked for; the result is the exit code."""
    texts, reports = gather(request)
    everything = _translate(request, texts)
    done = [each for each in everything if not _is_beside_the_point(request, each)]
    mistakes = unknown_names(request.options, [each.translation for each in everything])
    mistakes += collisions(request, done)
    idle = judged(map(_idle, request.idle), request.options)
    mistakes += [found for found in idle if found.severity is Severity.ERROR]
    if texts and not done and not mistakes:
        mistakes.append(_nothing_found(texts))
    reports.extend(_report(each) for each in done)
    artefacts: list[Artefact] = []
    if idle and not mistakes:
        reports.append(Report(source=None, diagnostics=idle))
    if mistakes:
        reports.append(Report(source=None, diagnostics=tuple(mistakes)))
    elif request.emit.is_compiled:
        from transpiler.cli.machine_code import compiled_artefacts  # noqa: PLC0415 - rare

        artefacts, refusals = compiled_artefacts(request, done)
        reports.extend(refusals)
    else:
        artefacts = text_artefacts(request, done)

    delivered, failures = _deliver(request, console, artefacts)
    reports.extend(failures)
    _print_reports(request, console, reports, artefacts)
    if not request.is_quiet:
        _print_summary(request, console, delivered)
    is_stale = request.is_check and _print_staleness(request, console, delivered)
    has_errors = any(
        found.severity is Severity.ERROR for report in reports for found in report.diagnostics
    )
    return FAILED if has_errors or is_stale else FINE


def _translate(
    request: Request, texts: Sequence[tuple[workspace.Input, SourceFile]]
) -> list[Translated]:
    jobs = [
        Job(
            source=source,
            options=request.options,
            emit=request.emit,
            remarks=request.remarks,
            print_after=request.print_after,
        )
        for _, source in texts
    ]
    sizes = (len(source.text) for _, source in texts)
    translations = workspace.parallel_map(translate, jobs, sizes)
    return [
        Translated(input=each, translation=translation)
        for (each, _), translation in zip(texts, translations, strict=True)
    ]


def _is_beside_the_point(request: Request, each: Translated) -> bool:
    """Whether nothing in it was asked for: host code in a folder, or other kernels."""
    translation = each.translation
    if translation.kernels or translation.declared is None or translation.has_faults:
        return False
    if each.input.is_named:
        return bool(request.options.kernels and translation.declared.kernels)
    return request.emit is not Emit.AST


def _report(each: Translated) -> Report:
    translation = each.translation
    return Report(source=translation.source, diagnostics=translation.diagnostics)


def _idle(option: str) -> Diagnostic:
    return Diagnostic(
        severity=Severity.WARNING,
        code="W0801",
        message=f"`{option}` has no effect without `-O`",
        help="give `-O` as well, or `-O0` if nothing shall be optimised",
    )


def _nothing_found(texts: Sequence[object]) -> Diagnostic:
    files = "1 file" if len(texts) == 1 else f"{len(texts)} files"
    return Diagnostic(
        severity=Severity.ERROR,
        code="E0811",
        message=f"no `#[kernel]` function to emit in {files}",
    )


def _deliver(
    request: Request, console: Console, artefacts: Sequence[Artefact]
) -> tuple[list[Delivered], list[Report]]:
    """Write, compare or show each artefact; one that fails does not stop the others."""
    delivered: list[Delivered] = []
    failures: list[Report] = []
    for artefact in artefacts:
        start = time.perf_counter()
        try:
            state = _deliver_one(request, console, artefact)
        except FileError as error:
            source = SourceFile(error.name, "")
            failures.append(Report(source=source, diagnostics=(error.diagnostic,)))
        else:
            seconds = time.perf_counter() - start
            delivered.append(Delivered(artefact=artefact, state=state, seconds=seconds))
    return delivered, failures


def _deliver_one(request: Request, console: Console, artefact: Artefact) -> str:
    if artefact.path is None:
        console.data.write(artefact.data)
        return "written"
    if not request.only_compares:
        return "written" if workspace.write(artefact.path, artefact.data) else "unchanged"
    state = workspace.state(artefact.path, artefact.data)
    if request.is_diff and state is not State.CURRENT:
        from transpiler.cli.difference import difference  # noqa: PLC0415 - for this option alone

        console.data.segments(difference(artefact.path, artefact.data))
    return state.value


def _print_reports(
    request: Request, console: Console, reports: Sequence[Report], artefacts: Sequence[Artefact]
) -> None:
    """Those for programs are data and go to stdout, unless artefacts or a diff do."""
    kind = request.message_format
    is_taken = request.is_diff or request.destination.place is Place.STDOUT
    is_taken = is_taken or any(artefact.path is None for artefact in artefacts)
    stream = console.data if kind.is_data and not is_taken else console.notes
    if not kind.is_data:
        reports = [it for it in _for_people(request, reports) if it.diagnostics]
        if not reports:
            return
    match kind:
        case MessageFormat.FULL:
            from transpiler.diagnostics.render import full  # noqa: PLC0415 - one renderer a run

            stream.segments(full.segments(reports))
        case MessageFormat.CONCISE:
            from transpiler.diagnostics.render import concise  # noqa: PLC0415

            stream.write(concise.render(reports))
        case MessageFormat.JSON:
            from transpiler.diagnostics.render import json  # noqa: PLC0415

            stream.write(json.render(reports))
        case MessageFormat.SARIF:
            from transpiler.diagnostics.render import sarif  # noqa: PLC0415

            stream.write(sarif.render(reports))
        case _:
            assert_never(kind)


def _for_people(request: Request, reports: Sequence[Report]) -> list[Report]:
    """Remarks are for those who ask for detail; those of the optimiser are there where they were asked for."""
    if request.verbosity > 0:
        return list(reports)
    return [
        Report(
            source=report.source,
            diagnostics=tuple(
                found
                for found in report.diagnostics
                if found.severity is not Severity.REMARK or found.code in OPTIMISER_CODES
            ),
        )
        for report in reports
    ]


def _print_summary(request: Request, console: Console, delivered: Sequence[Delivered]) -> None:
    """Dumps on stdout need no summary; modules do, wherever they go."""
    if request.emit is not Emit.TRITON:
        delivered = [each for each in delivered if each.artefact.path is not None]
    if request.emit.is_compiled:
        print_compiled(console.notes, delivered)
    elif not request.only_compares:
        print_summary(console.notes, delivered, request.verbosity)


def _print_staleness(request: Request, console: Console, delivered: Sequence[Delivered]) -> bool:
    """Name the files that are stale, also under `--quiet`, and tell whether there are any."""
    stale = [each for each in delivered if each.state != State.CURRENT.value]
    for each in stale:
        names = ", ".join(origin.input.name for origin in each.artefact.origins)
        console.notes.write(f"{each.artefact.path} is {each.state} ({names})\n")
    if not request.is_quiet and not stale and delivered:
        files = "1 file is" if len(delivered) == 1 else f"{len(delivered)} files are"
        console.notes.write(f"{files} up to date\n")
    return bool(stale)
