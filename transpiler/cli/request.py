"""What the user asked for: combinations of options that make no sense end here."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from transpiler.cli.optimising import SPECIALISE_FROM, optimise_options
from transpiler.cli.remarks import WantedRemarks
from transpiler.cli.values import Emit, MessageFormat
from transpiler.frozen import dataclass
from transpiler.pipeline import Options
from transpiler.workspace import exists, is_folder

if TYPE_CHECKING:
    from transpiler.cli.given import Given

STDIN = "-"
STDOUT = "-"
_DEFAULT_FOLDER = Path("generated")
_DEFAULT_TARGET = "sm_90"


class Place(Enum):
    """Where the artefacts of a run go."""

    STDOUT = "stdout"
    FILE = "file"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """`path` is the file or folder, unused for stdout; `is_default` if the user chose none."""

    place: Place
    path: Path = Path()
    is_default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A run of the command; `idle` are options that have no effect without one that was not given."""

    arguments: tuple[str, ...]
    stdin_name: str
    options: Options
    emit: Emit
    target: str
    destination: Destination
    is_check: bool
    is_diff: bool
    message_format: MessageFormat
    is_quiet: bool
    verbosity: int
    remarks: WantedRemarks
    print_after: tuple[str, ...]
    idle: tuple[str, ...]

    @property
    def only_compares(self) -> bool:
        """Whether nothing may be written."""
        return self.is_check or self.is_diff


def read_request(given: Given) -> Request:
    """Check the command line as a whole.

    Raises:
        click.UsageError: options contradict each other.
    """
    if not given["paths"]:
        raise click.UsageError(f"give Rust files or folders, or {STDIN} for standard input")
    emit = Emit(given["emit"])
    _check_target(given, emit)
    destination = _destination(given, emit)
    is_check, is_diff = given["check"], given["diff"]
    if is_check or is_diff:
        flag = "--check" if is_check else "--diff"
        if emit.is_compiled:
            raise click.UsageError(f"{flag} compares text; --emit {emit.value} makes machine code")
        if destination.place is Place.STDOUT:
            raise click.UsageError(f"{flag} compares with a file: say which with --output")
    return Request(
        arguments=tuple(dict.fromkeys(given["paths"])),
        stdin_name=given["stdin_filename"] or "<stdin>",
        options=Options(
            features=frozenset(given["features"]),
            default_features=given["default_features"],
            kernels=given["kernels"],
            blocks=given["blocks"],
            dtypes=given["dtypes"],
            op_namespace=given["op_namespace"],
            allowed=given["allow"],
            denies_warnings=given["deny_warnings"],
            optimise=optimise_options(given["level"], given["flags"], given["tuned"]),
        ),
        emit=emit,
        target=given["target"] or _DEFAULT_TARGET,
        destination=destination,
        is_check=is_check,
        is_diff=is_diff,
        message_format=MessageFormat(given["message_format"]),
        is_quiet=given["quiet"],
        verbosity=given["verbose"],
        remarks=WantedRemarks(applied=given["applied"], missed=given["missed"]),
        print_after=_print_after(given, emit),
        idle=_idle(given),
    )


def _print_after(given: Given, emit: Emit) -> tuple[str, ...]:
    """The passes to print after, of those that run."""
    names = given["print_after"]
    if not names:
        return ()
    if emit is not Emit.IR:
        raise click.UsageError("--print-after goes with --emit ir")
    from transpiler.cli.print_after import OPTIMISING  # noqa: PLC0415 - for this option alone

    if not given["level"]:
        without = [name for name in names if name in OPTIMISING]
        if len(without) == len(names):
            raise click.UsageError(f"--print-after {without[0]} goes with -O")
    return names


def _idle(given: Given) -> tuple[str, ...]:
    """What has no effect without `-O`, where no level was given: with `-O0` that is what was asked for."""
    if given["level"] is not None:
        return ()
    options = [f"-f{name}" for name, is_on in dict(given["flags"]).items() if is_on]
    options += [SPECIALISE_FROM] if given["tuned"] is not None else []
    options += ["-Rpass"] if given["applied"] is not None else []
    options += ["-Rpass-missed"] if given["missed"] is not None else []
    return tuple(options)


def _check_target(given: Given, emit: Emit) -> None:
    if given["target"] is not None and not emit.is_compiled:
        raise click.UsageError("--target goes with --emit ttir, ptx or cubin")
    if given["stdin_filename"] is not None and STDIN not in given["paths"]:
        raise click.UsageError(f"--stdin-filename goes with {STDIN} as input")


def _destination(given: Given, emit: Emit) -> Destination:
    output, paths = given["output"], given["paths"]
    has_many = len(set(paths)) > 1 or any(is_folder(Path(path)) for path in paths)
    if output is None:
        is_filter = emit is Emit.TRITON and paths == (STDIN,)
        if is_filter or emit in {Emit.AST, Emit.IR, Emit.JSON}:
            return Destination(place=Place.STDOUT, is_default=True)
        return Destination(place=Place.FOLDER, path=_DEFAULT_FOLDER, is_default=True)
    if not output:
        raise click.UsageError("--output is empty")
    if output == STDOUT:
        if has_many and emit is Emit.TRITON:
            raise click.UsageError("standard output takes the module of one file")
        return Destination(place=Place.STDOUT)
    path = Path(output)
    if is_folder(path) or output.endswith(_separators()):
        return Destination(place=Place.FOLDER, path=path)
    if has_many and emit is Emit.TRITON:
        if exists(path) or path.suffix == Emit.TRITON.suffix:
            raise click.UsageError(
                f"several inputs need a folder as output, and {output} is a file"
            )
        return Destination(place=Place.FOLDER, path=path)
    return Destination(place=Place.FILE, path=path)


def _separators() -> tuple[str, ...]:
    return (os.sep,) if os.altsep is None else (os.sep, os.altsep)
