"""From the arguments of a run to the texts it works on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler import workspace
from transpiler.cli.request import STDIN
from transpiler.diagnostics.render.report import Report
from transpiler.source import SourceFile
from transpiler.workspace import FileError, Input

if TYPE_CHECKING:
    from transpiler.cli.request import Request
    from transpiler.diagnostics.model import Diagnostic


def gather(request: Request) -> tuple[list[tuple[Input, SourceFile]], list[Report]]:
    """The texts in order, each file once, and a report for each that could not be had."""
    found: dict[str, Input] = {}
    texts: list[tuple[Input, SourceFile]] = []
    reports: list[Report] = []
    for argument in request.arguments:
        try:
            inputs = [_stdin(request)] if argument == STDIN else workspace.discover(argument)
        except FileError as error:
            reports.append(_report(_with_advice(request, error)))
            continue
        for each in inputs:
            key = STDIN if argument == STDIN else str(each.path.absolute().resolve())
            if key in found:
                continue
            found[key] = each
            try:
                texts.append((each, _read(each, is_stdin=argument == STDIN)))
            except FileError as error:
                reports.append(_report(error))
    return texts, reports


def _stdin(request: Request) -> Input:
    path = Path("stdin.rs" if request.stdin_name == "<stdin>" else request.stdin_name)
    return Input(name=request.stdin_name, path=path)


def _read(each: Input, *, is_stdin: bool) -> SourceFile:
    if is_stdin:
        return workspace.decode(sys.stdin.buffer.read(), each.name)
    return workspace.read(each.path, each.name)


def _with_advice(request: Request, error: FileError) -> FileError:
    """Say what went wrong where a second name after `--kernel` arrives as a path."""
    named = request.options.kernels
    if error.diagnostic.code == "E0801" and named and error.name.isidentifier():
        return FileError(
            "E0801",
            error.name,
            error.diagnostic.message,
            help=f"several kernels are named with commas: --kernel {named[-1]},{error.name}",
        )
    return error


def _report(error: FileError) -> Report:
    diagnostic: Diagnostic = error.diagnostic
    return Report(source=SourceFile(error.name, ""), diagnostics=(diagnostic,))
