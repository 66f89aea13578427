"""The options of the optimising tier, spelled as compilers spell them: `-O`, `-fno-block-axis`, `-Rpass=REGEX`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from transpiler.optimise.flags import TRANSFORMS, OptimiseOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.shell_completion import CompletionItem

    from transpiler.optimise.tuned import TunedChoices

_NO = "no-"
_EVERYTHING = ".*"
_REMARKS = ("-Rpass", "-Rpass-missed")
_END_OF_OPTIONS = "--"
SPECIALISE_FROM = "--specialise-from"
_OTHER_LEVELS = ("-O2", "-O3", "-O4", "-Os", "-Oz", "-Og", "-Ofast")

Flag = tuple[str, bool]
"""A transform's flag, and whether it was switched on."""


class OptimisingCommand(click.Command):
    """A command with these options: one of them has a value or none, and one is written in a word with its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words, of which `-Rpass` alone means any."""
        # Click takes the next word for a value that is optional and not there; here it is a path.
        end = args.index(_END_OF_OPTIONS) if _END_OF_OPTIONS in args else len(args)
        given = [f"{it}={_EVERYTHING}" if it in _REMARKS else it for it in args[:end]]
        return super().parse_args(ctx, given + args[end:])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Click's own completions, and the flags of transforms once a word begins with `-f`."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - for completion alone

        flags = [
            CompletionItem(word, help=transform.summary)
            for transform in TRANSFORMS
            for word in (f"-f{transform.flag}", f"-f{_NO}{transform.flag}")
            if incomplete.startswith("-f") and word.startswith(incomplete)
        ]
        return [*super().shell_complete(ctx, incomplete), *flags]


class _Spelled(click.Option):
    """An option whose name in the help is the one given, since click would put a space before its value."""

    spelling = ""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return None if record is None else (self.spelling, record[1])


class _FlagOption(_Spelled):
    spelling = "-f[no-]NAME"


class _AppliedOption(_Spelled):
    spelling = "-Rpass[=REGEX]"


class _MissedOption(_Spelled):
    spelling = "-Rpass-missed[=REGEX]"


def read_flags(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[Flag, ...]:
    """Every `-fNAME` and `-fno-NAME`, in the order in which they were given.

    Raises:
        click.UsageError: no transform is called so.
    """
    names = [transform.flag for transform in TRANSFORMS]
    flags = []
    for text in texts:
        name = text.removeprefix(_NO)
        if name not in names:
            near = _near(name, names)
            before = text[: len(text) - len(name)]
            advice = f"; did you mean -f{before}{near}?" if near else ""
            raise click.UsageError(
                f"no transform is called {name!r}{advice}\nThere are {', '.join(names)}; "
                "--help-optimise says what they do."
            )
        flags.append((name, name == text))
    return tuple(flags)


def read_pattern(
    _context: click.Context, parameter: click.Parameter, text: str | None
) -> re.Pattern[str] | None:
    """A regular expression, which is looked for in the flags of transforms.

    Raises:
        click.UsageError: it is none, or it is found in none of these.
    """
    if text is None:
        return None
    option = parameter.opts[0]
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise click.UsageError(
            f"{text!r} after {option}= is no regular expression: {error}"
        ) from None
    names = [transform.flag for transform in TRANSFORMS]
    if not any(map(pattern.search, names)):
        near = _near(text, names)
        advice = f"; did you mean {option}={near}?" if near else ""
        raise click.UsageError(
            f"no transform has {text!r} in its name{advice}\nThere are {', '.join(names)}."
        )
    return pattern


def _near(name: str, names: list[str]) -> str | None:
    from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

    return next(iter(get_close_matches(name, names, n=1, cutoff=0.5)), None)


def read_tuned(
    _context: click.Context, _parameter: click.Parameter, path: Path | None
) -> TunedChoices | None:
    """What tuning found, from a file.

    Raises:
        click.UsageError: the file has something else.
    """
    if path is None:
        return None
    from transpiler.optimise.tuned import read_choices  # noqa: PLC0415 - for this option alone

    try:
        return read_choices(path.read_text("utf-8"), path.name)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path} has not what tuned_choices() gives: {error}") from None


def _refuse_level(_context: click.Context, _parameter: click.Parameter, value: object) -> None:
    if value:
        raise click.UsageError("there is one level of optimisation: -O, which is -O1, and -O0")


def _refuse_remark(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> None:
    for text in texts:
        raise click.UsageError(f"no option is called -R{text}: there are {' and '.join(_REMARKS)}")


level = click.option(
    "-O/-O0",
    "-O1",
    "level",
    default=None,
    help="Optimise: launchers launch what the transforms make of the kernels. -O0, the default, launches what was "
    "written.",
)
other_levels = click.option(
    *_OTHER_LEVELS,
    "other_level",
    is_flag=True,
    hidden=True,
    expose_value=False,
    callback=_refuse_level,
)
flags = click.option(
    "-f",
    "flags",
    cls=_FlagOption,
    multiple=True,
    callback=read_flags,
    help="Switch a transform of -O on or off, like -fno-block-axis; --help-optimise lists them.",
)
specialise_from = click.option(
    SPECIALISE_FROM,
    "tuned",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    callback=read_tuned,
    help="With -O: take tiles and warps from FILE, the JSON of what `tuned_choices()` of a generated module found.",
)
applied = click.option(
    "-Rpass",
    "applied",
    cls=_AppliedOption,
    callback=read_pattern,
    help="Tell where transforms were applied: all, or those whose names REGEX matches.",
)
missed = click.option(
    "-Rpass-missed",
    "missed",
    cls=_MissedOption,
    callback=read_pattern,
    help="Tell where transforms were not applied, and why.",
)
other_remarks = click.option(
    "-R", "other_remark", hidden=True, multiple=True, expose_value=False, callback=_refuse_remark
)


def optimise_options(
    level: bool | None,  # noqa: FBT001 - as click gives it
    flags: tuple[Flag, ...],
    tuned: TunedChoices | None,
) -> OptimiseOptions:
    """What the options say together: the last flag of a transform counts."""
    last = dict(flags)
    return OptimiseOptions(
        is_on=bool(level),
        off=frozenset(name for name, is_on in last.items() if not is_on),
        tuned=tuned,
    )


def optimise_help() -> Iterator[str]:
    """The transforms with what they do and when they are legal."""
    yield "The transforms of -O: those of loops and axes, then those of kernels, in their order.\n"
    yield "-fNAME switches one on, -fno-NAME off; without -O they have no effect.\n"
    for transform in TRANSFORMS:
        yield f"\n-f{transform.flag}, -f{_NO}{transform.flag}\n"
        for text in (transform.summary, f"Legality: {transform.condition}"):
            yield click.wrap_text(text, 88, "    ", "    ") + "\n"
