"""The options that more than one command has."""

from __future__ import annotations

import click

from transpiler.cli import values
from transpiler.cli.console import ColorChoice

features = click.option(
    "--features",
    metavar="NAME,...",
    multiple=True,
    callback=values.read_names,
    help="Features that are on for #[cfg(feature = …)] under --no-default-features.",
)
no_default_features = click.option(
    "--no-default-features",
    "default_features",
    flag_value=False,
    default=True,
    help="Switch off the features that are not named; without this, every feature is on.",
)
color = click.option(
    "--color",
    type=click.Choice([each.value for each in ColorChoice]),
    default=ColorChoice.AUTO.value,
    show_default=True,
    help="auto: on a terminal, unless NO_COLOR is set.",
)
