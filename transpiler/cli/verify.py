"""`teeny-transpile verify`: kernels against their references."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import click

from transpiler.cli import optimising, options, values
from transpiler.cli.console import ColorChoice, Console

if TYPE_CHECKING:
    from typing import Unpack

    from transpiler.cli.optimising import Flag
    from transpiler.ir.types import DType
    from transpiler.optimise.tuned import TunedChoices

_EPILOG = """\b
Examples:
  teeny-transpile verify kernels/batchnorm.rs       all cases of kernels/batchnorm_cases.py
  teeny-transpile verify kernels --dtype f16        a folder, in half precision
  teeny-transpile verify a.rs -k BLOCK=128 --json   some cases, for programs
  teeny-transpile verify a.rs -O                    what the optimiser makes of the kernels

\b
Exit codes: 0 every case passes; 1 a case fails or cannot be used, block sizes
disagree, or the Rust has errors; 2 wrong usage, or torch or Triton is missing.
"""


class GivenToVerify(TypedDict):
    """The command line as click hands it over, by parameter name."""

    paths: tuple[str, ...]
    kernels: tuple[str, ...]
    dtypes: tuple[DType, ...] | None
    texts: tuple[str, ...]
    device: str
    timeout: float | None
    features: tuple[str, ...]
    default_features: bool
    level: bool | None
    flags: tuple[Flag, ...]
    tuned: TunedChoices | None
    require_cases: bool
    json: bool
    color: str
    quiet: bool
    verbose: bool


@click.command(
    name="verify",
    cls=optimising.OptimisingCommand,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.argument("paths", metavar="PATH...", nargs=-1, type=click.Path())
@click.option(
    "--kernel",
    "kernels",
    metavar="NAME,...",
    multiple=True,
    callback=values.read_names,
    help="Verify these kernels alone.",
)
@click.option(
    "--dtype",
    "dtypes",
    metavar="DTYPE,...",
    multiple=True,
    callback=values.read_dtypes,
    help="Run the cases and comparisons of these dtypes alone, by their Rust names.",
)
@click.option(
    "-k",
    "texts",
    metavar="TEXT",
    multiple=True,
    help="Run those alone whose id has TEXT in it; given again, all of the texts.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cuda", "cpu"]),
    default="auto",
    show_default=True,
    help="cuda: on the GPU; cpu: in Triton's interpreter; auto: on the GPU if there is one.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop a case that takes longer; without this, none is stopped.",
)
@options.features
@options.no_default_features
@optimising.level
@optimising.other_levels
@optimising.flags
@optimising.specialise_from
@click.option("--require-cases", is_flag=True, help="A kernel without a case is a failure.")
@click.option("--json", is_flag=True, help="One JSON document on standard output, no table.")
@options.color
@click.option("-q", "--quiet", is_flag=True, help="Failures and the count alone, no table.")
@click.option("-v", "--verbose", is_flag=True, help="A row for each shape.")
@click.pass_context
def verify(context: click.Context, /, **given: Unpack[GivenToVerify]) -> None:
    """Run the kernels in each PATH and compare what they compute with their references.

    A PATH is a Rust file or a folder to search for *.rs. The cases of kernels.rs, which are inputs,
    a reference in plain torch and a launch grid, are in kernels_cases.py beside it; docs/verify.md
    says how to write them. A kernel without cases is compared with itself across block sizes, where
    an operator of its file launches it.
    """
    from transpiler.cli.verify_execute import execute  # noqa: PLC0415 - help starts faster without

    context.exit(execute(given, Console(ColorChoice(given["color"]))))
