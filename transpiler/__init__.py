"""Compiles Rust GPU kernels of the teenygrad language to readable, standalone Triton Python.

`transpile` gives the module text and what is known about it, `load` the live module, `check` the
diagnostics alone. Only `load` needs torch and triton: it imports the generated module.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler.version import __version__

if TYPE_CHECKING:
    from os import PathLike
    from types import ModuleType

    from transpiler.diagnostics.model import Diagnostic
    from transpiler.harness.refusals import Refusal
    from transpiler.optimise.flags import OptimiseOptions
    from transpiler.pipeline import Options, Result
    from transpiler.source import SourceFile

__all__ = [
    "OptimiseOptions",
    "Options",
    "Result",
    "TranspileError",
    "__version__",
    "check",
    "load",
    "transpile",
]


class TranspileError(Exception):
    """The Rust has errors. The text shows them as the command line does; `diagnostics` holds them as data."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


def transpile(
    source: str | PathLike[str], options: Options | None = None, *, optimise: bool | None = None
) -> Result:
    """Translate Rust to a Triton module.

    Args:
        source: the Rust text, or the path of a file. A `str` is a path where it is one line that ends in `.rs`.
        options: what to translate and which specialisations to emit; everything with the defaults where left out.
        optimise: whether launchers launch what the optimiser makes of the kernels; where left out, `options` tell.

    Returns:
        The module's `text` (None where the Rust has errors), its `kernels` and `operators`, the `diagnostics` and the
        optimiser's `remarks`, and the `line_map`.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: the file is not UTF-8.
    """
    from dataclasses import replace

    from transpiler.pipeline import DEFAULT_OPTIONS, transpile_source

    chosen = options or DEFAULT_OPTIONS
    if optimise is not None:
        chosen = replace(chosen, optimise=replace(chosen.optimise, is_on=optimise))
    return transpile_source(_source_file(source), chosen)


def check(source: str | PathLike[str], options: Options | None = None) -> tuple[Diagnostic, ...]:
    """The diagnostics of `transpile`, for those who want nothing else."""
    return transpile(source, options).diagnostics


def load(
    source: str | PathLike[str], options: Options | None = None, *, optimise: bool | None = None
) -> ModuleType:
    """Translate Rust and import the generated module.

    Args:
        source: as for `transpile`.
        options: as for `transpile`.
        optimise: as for `transpile`.

    Returns:
        The live module: its kernels, its specialisations and `KERNELS`. An error of a launch, such as one of Triton's
        compiler, carries a note that shows where in the Rust it comes from.

    Raises:
        TranspileError: the Rust has errors.
        ImportError: torch or triton is not installed.
        OSError: the file cannot be read.
    """
    from transpiler.harness.load import import_module

    result = transpile(source, options, optimise=optimise)
    if result.text is None:
        from transpiler.diagnostics.render.full import render
        from transpiler.diagnostics.render.report import Report

        report = Report(source=result.source, diagnostics=result.diagnostics)
        raise TranspileError(render([report]), result.diagnostics)
    return import_module(
        result.text, name=Path(result.source.name).stem, explain=partial(_explained, result)
    )


def _explained(result: Result, name: str, refusal: Refusal) -> str:
    """What Triton refused in the module of `result`, shown as the command line does."""
    from transpiler.diagnostics.render.full import render
    from transpiler.diagnostics.render.report import Report
    from transpiler.harness.refusals import diagnostic

    lines, text = result.line_map, result.text
    if lines is None or text is None:
        raise ValueError("there is no module")
    found = diagnostic(refusal, f"`{name}`", text, result.source, lines.rust_span)
    return render([Report(source=result.source, diagnostics=(found,))])


def _source_file(source: str | PathLike[str]) -> SourceFile:
    from transpiler.source import SourceFile

    if isinstance(source, str) and ("\n" in source or not source.endswith(".rs")):
        return SourceFile("<string>", source.removeprefix("\ufeff"))
    path = Path(source)
    # Line ends stay as they are: offsets and digests are those of the file.
    return SourceFile(str(path), path.read_bytes().decode("utf-8").removeprefix("\ufeff"))


def __getattr__(name: str) -> object:
    # `Options` and `Result` pull in the whole compiler: importing the package stays cheap without them.
    if name in {"Options", "Result"}:
        from transpiler import pipeline

        return getattr(pipeline, name)
    if name == "OptimiseOptions":
        from transpiler.optimise import flags

        return flags.OptimiseOptions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
