"""The Jinja environment: made once, strict about names it does not know."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from transpiler.resources import directory

if TYPE_CHECKING:
    from jinja2 import Environment, Template

FIXED = ("kernel_record.py.j2", "launch_support.py.j2", "operator_support.py.j2")
"""The templates whose text is the same in every module that has it, and that has launch plans or has none."""


@cache
def _environment() -> Environment:
    # Jinja takes tens of milliseconds to import, and much of the compiler does without it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    from transpiler.emit.bytecode import StoredBytecode  # noqa: PLC0415

    return Environment(
        loader=FileSystemLoader(directory("templates"), encoding="utf-8"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Python is made, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
        auto_reload=False,
        bytecode_cache=StoredBytecode(),
        extensions=(),
    )


@cache
def template(name: str) -> Template:
    """The compiled template of the file `name`."""
    return _environment().get_template(name)


@cache
def fixed_text(name: str, *, has_plans: bool) -> str:
    """The text of a template that is the same in all modules with launch plans, or in all without."""
    return template(name).render(has_plans=has_plans)
