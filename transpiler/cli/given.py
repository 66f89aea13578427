"""The command line as click hands it over; for type checkers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import re

    from transpiler.cli.optimising import Flag
    from transpiler.cli.values import Block
    from transpiler.ir.types import DType
    from transpiler.optimise.tuned import TunedChoices


class Given(TypedDict):
    """The command line as click hands it over, by parameter name."""

    paths: tuple[str, ...]
    output: str | None
    stdin_filename: str | None
    kernels: tuple[str, ...]
    features: tuple[str, ...]
    default_features: bool
    blocks: tuple[Block, ...]
    dtypes: tuple[DType, ...] | None
    level: bool | None
    flags: tuple[Flag, ...]
    tuned: TunedChoices | None
    applied: re.Pattern[str] | None
    missed: re.Pattern[str] | None
    print_after: tuple[str, ...]
    op_namespace: str
    emit: str
    target: str | None
    check: bool
    diff: bool
    message_format: str
    color: str
    allow: tuple[str, ...]
    deny_warnings: bool
    quiet: bool
    verbose: int
    explain: str | None
    help_optimise: bool
