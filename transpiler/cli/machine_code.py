"""`--emit ttir|ptx|cubin`: each selected specialisation through Triton, with no GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from transpiler.cli.artefacts import Artefact, compiled_path
from transpiler.cli.request import Place
from transpiler.cli.values import Emit
from transpiler.diagnostics.render.report import Report
from transpiler.harness.aot import (
    CompilationError,
    MissingDependencyError,
    Stage,
    compile_entry,
    loaded,
    parse_target,
)
from transpiler.harness.refusals import Refusal, diagnostic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transpiler.cli.artefacts import Translated
    from transpiler.cli.request import Request
    from transpiler.cli.translate import Translation
    from transpiler.diagnostics.model import Diagnostic
    from transpiler.harness.aot import Entry, Target


class SetupError(click.ClickException):
    """What the option needs is not installed."""

    exit_code = 2


_STAGES = {Emit.TTIR: Stage.TTIR, Emit.PTX: Stage.ASSEMBLY, Emit.CUBIN: Stage.BINARY}


def compiled_artefacts(
    request: Request, done: Sequence[Translated]
) -> tuple[list[Artefact], list[Report]]:
    """One artefact a specialisation, and a report for each file of which Triton refused something.

    Raises:
        SetupError: Triton is not installed.
        click.UsageError: there is more than stdout or one file can take.
    """
    target = parse_target(request.target)
    stage = _STAGES[request.emit]
    good = [each for each in done if each.translation.text is not None]
    count = sum(len(each.translation.entries) for each in good)
    where = request.destination
    if where.place is not Place.FOLDER and count > 1:
        raise click.UsageError(
            f"{count} specialisations need a folder: --output FOLDER/, or select one with "
            "--kernel, --dtype and --block"
        )
    suffix = target.artefact(stage)
    artefacts: list[Artefact] = []
    reports: list[Report] = []
    # One text is wanted for reading more often than for keeping.
    to_stdout = where.place is Place.STDOUT or (
        where.is_default and count == 1 and stage is not Stage.BINARY
    )
    for each in good:
        made, refused = _compile(each, target, stage)
        for entry, data in made:
            path = None if to_stdout else compiled_path(request, each, entry.name, suffix)
            artefacts.append(Artefact(path=path, data=data, origins=(each,)))
        if refused:
            reports.append(Report(source=each.translation.source, diagnostics=tuple(refused)))
    return artefacts, reports


def _compile(
    translated: Translated, target: Target, stage: Stage
) -> tuple[list[tuple[Entry, bytes]], list[Diagnostic]]:
    translation = translated.translation
    text = translation.text or ""
    made: list[tuple[Entry, bytes]] = []
    refused: dict[Refusal, list[str]] = {}
    try:
        with loaded(text, translated.input.stem) as module:
            for entry in translation.entries:
                try:
                    data = compile_entry(module, entry, target, stage)
                except CompilationError as error:
                    # What several specialisations are refused for is told once.
                    refusal = _at_its_place(error.refusal, translation)
                    refused.setdefault(refusal, []).append(entry.name)
                else:
                    made.append((entry, data.encode() if isinstance(data, str) else data))
    except MissingDependencyError as error:
        raise SetupError(
            f"--emit {stage.value} compiles with Triton, which is not ready here ({error}): "
            "pip install 'teeny-transpile[run]'"
        ) from error
    span = _no_span if translation.line_map is None else translation.line_map.rust_span
    return made, [
        diagnostic(refusal, f"{_some(names)} for {target.name}", text, translation.source, span)
        for refusal, names in refused.items()
    ]


def _at_its_place(refusal: Refusal, translation: Translation) -> Refusal:
    """The refusal with the one line that comes from Rust."""
    lines = translation.line_map
    known = [] if lines is None else [line for line in refusal.lines if lines.rust_span(line)]
    return Refusal(reason=refusal.reason, lines=tuple(known[:1]))


def _no_span(_line: int) -> None:
    return None


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:2])
    return shown if len(names) <= 2 else f"{shown} and {len(names) - 2} more"
