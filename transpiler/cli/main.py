"""The command `teeny-transpile`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from transpiler.cli import optimising, options, values
from transpiler.cli.console import ColorChoice, Console
from transpiler.version import __version__

if TYPE_CHECKING:
    from typing import Unpack

    from click.shell_completion import CompletionItem

    from transpiler.cli.given import Given

_NAME = "teeny-transpile"
_INTERRUPTED = 130
_VERIFY = "verify"

_EPILOG = """\b
Examples:
  teeny-transpile kernels/batchnorm.rs              write generated/batchnorm.py
  teeny-transpile kernels -o out/                   every file of a folder
  teeny-transpile kernels --check                   is what is on disk up to date?
  cat a.rs | teeny-transpile - --dtype f32          a filter
  teeny-transpile a.rs --emit ptx --target sm_90    machine code, no GPU needed
  teeny-transpile verify kernels                    run kernels, compare with references
                                                    (verify --help; a folder of that
                                                    name is ./verify)

\b
Exit codes: 0 fine; 1 the Rust has errors, a file could not be read or written,
or --check found something stale; 2 wrong usage.
"""


class _Command(optimising.OptimisingCommand):
    """The command, and `verify` where that is its first word.

    No group: the first word of a group is always a subcommand, and here it is a path. What follows `verify` is read by
    a command of its own, whose context stands in for the one click would make; so help and completion are its own too.
    """

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: object,
    ) -> click.Context:
        if args[:1] != [_VERIFY]:
            return super().make_context(info_name, args, parent, **extra)
        from transpiler.cli.verify import verify  # noqa: PLC0415 - for this word alone

        name = f"{info_name or _NAME} {_VERIFY}"
        return verify.make_context(name, args[1:], parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        made: object = super().invoke(ctx) if ctx.command is self else ctx.command.invoke(ctx)
        return made


def _read_passes(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[str, ...]:
    if not texts:
        return ()
    from transpiler.cli.print_after import read_passes  # noqa: PLC0415 - for this option alone

    return read_passes(context, parameter, texts)


def _complete_path(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Files; and the word `verify`, once it is begun, where it can stand."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - for completion alone

    items = parameter.type.shell_complete(context, parameter, incomplete)
    if incomplete and _VERIFY.startswith(incomplete) and not context.params.get("paths"):
        items.append(CompletionItem(_VERIFY))
    return items


@click.command(
    name=_NAME,
    cls=_Command,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EPILOG,
)
@click.argument(
    "paths", metavar="PATH...", nargs=-1, type=click.Path(), shell_complete=_complete_path
)
@click.option(
    "-o",
    "--output",
    metavar="PATH",
    type=click.Path(),
    help="A file, a folder (one that exists, or with a slash at its end), or - for stdout. "
    "Default: generated/, and stdout for the input - and for --emit ast, ir and json.",
)
@click.option(
    "--stdin-filename",
    metavar="NAME",
    help="What the input - is called in diagnostics and headers.",
)
@click.option(
    "--kernel",
    "kernels",
    metavar="NAME,...",
    multiple=True,
    callback=values.read_names,
    help="Emit these kernels alone: --kernel a,b, or --kernel a --kernel b.",
)
@options.features
@options.no_default_features
@click.option(
    "--block",
    "blocks",
    metavar="NAME=N,...",
    multiple=True,
    callback=values.read_blocks,
    help="Values of a const generic to specialise for; repeat it for others.",
)
@click.option(
    "--dtype",
    "dtypes",
    metavar="DTYPE,...",
    multiple=True,
    callback=values.read_dtypes,
    help="Dtypes to specialise for, by their Rust names. Default: what each kernel admits.",
)
@optimising.level
@optimising.other_levels
@optimising.flags
@optimising.specialise_from
@optimising.applied
@optimising.missed
@optimising.other_remarks
@click.option(
    "--op-namespace",
    metavar="NAME",
    default="teeny",
    callback=values.read_namespace,
    help="The namespace of the torch operators (default: teeny).",
)
@click.option(
    "--emit",
    type=click.Choice([each.value for each in values.Emit]),
    default=values.Emit.TRITON.value,
    show_default=True,
    help="What to make: a Triton module; a dump of the syntax tree or of the typed IR; a "
    "description of the kernels for other tools; or, with Triton, machine code (amdgcn and hsaco "
    "for gfx targets).",
)
@click.option(
    "--print-after",
    metavar="PASS,...",
    multiple=True,
    callback=_read_passes,
    help="With --emit ir: the IR after these passes and transforms as well, or after all.",
)
@click.option(
    "--target",
    metavar="ARCH",
    callback=values.read_target,
    help="The GPU of --emit ttir, ptx and cubin: sm_80, sm_90, sm_100, gfx942, …  Default: sm_90.",
)
@click.option(
    "--check", is_flag=True, help="Write nothing; exit with 1 if a file is stale or missing."
)
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@click.option(
    "--message-format",
    type=click.Choice([each.value for each in values.MessageFormat]),
    default=values.MessageFormat.FULL.value,
    show_default=True,
    help="How diagnostics look. json and sarif go to standard output, unless that is taken.",
)
@options.color
@click.option(
    "--allow",
    metavar="CODE,...",
    multiple=True,
    callback=values.read_warnings,
    help="Do not give these warnings: W0701, or W07 for all that begin so, or W.",
)
@click.option(
    "--deny-warnings", is_flag=True, help="A warning is as bad as an error: nothing is written."
)
@click.option("-q", "--quiet", is_flag=True, help="No summary; diagnostics alone.")
@click.option("-v", "--verbose", count=True, help="Show remarks and timings too.")
@click.option("--explain", metavar="CODE", help="Explain a diagnostic's code, and do nothing else.")
@click.option(
    "--help-optimise", is_flag=True, help="List the transforms of -O, and do nothing else."
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def command(context: click.Context, /, **given: Unpack[Given]) -> None:
    """Compile the Rust GPU kernels in each PATH to Triton Python.

    A PATH is a Rust file, a folder to search for *.rs, or - for standard input. Each file becomes
    one module that needs torch and triton only.

    With the first word verify, run the kernels instead: teeny-transpile verify --help.
    """
    console = Console(ColorChoice(given["color"]))
    if given["explain"] is not None:
        from transpiler.cli.explain import explain  # noqa: PLC0415 - for this option alone

        console.data.segments(explain(given["explain"]))
        context.exit()
    if given["help_optimise"]:
        console.data.write("".join(optimising.optimise_help()))
        context.exit()
    # The compiler is imported once there is something to compile: help and completion start faster.
    from transpiler.cli.execute import execute  # noqa: PLC0415
    from transpiler.cli.request import read_request  # noqa: PLC0415

    context.exit(execute(read_request(given), console))


def run_command() -> int:
    """Run the command; the result is its exit code."""
    try:
        code: int = command.main(prog_name=_NAME, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return _INTERRUPTED
    return code
