"""What the templates print: plain lines and names, nothing left to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.target.printer import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionView:
    """A function: its name and all its lines, from the comment above its decorator on."""

    name: str
    lines: tuple[Line, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LauncherView:
    """A launcher class.

    `parameters` and `constants` are what stands behind the first parameter of its constructor, and behind the first
    argument of that of its base; `fields` are its attributes, each of the name of a parameter.
    """

    name: str
    kernel: str
    parameters: str
    constants: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleView:
    """A module from top to bottom; every string is a line, or the lines of one definition."""

    header: tuple[str, ...]
    docstring: tuple[str, ...]
    imports: tuple[str, ...]
    exports: tuple[str, ...]
    helpers: tuple[str, ...]
    kernels: tuple[FunctionView, ...]
    specialisations: tuple[FunctionView, ...]
    table: tuple[str, ...]
    launchers: tuple[LauncherView, ...]
