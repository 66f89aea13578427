"""What the templates print: plain lines and names, nothing left to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.target.printer import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionView:
    """A function: its name and all its lines, from the comment above its decorator on.

    `unproved` is what has to be compiled to know that `text` does: that itself, but for a function that has statements
    in common with others; None where those have all that it has.
    """

    name: str
    lines: tuple[Line, ...]
    text: str
    unproved: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LauncherView:
    """A launcher class.

    `parameters` and `constants` are what stands behind the first parameter of its constructor, and behind the first
    argument of that of its base; `fields` are its attributes, each of the name of a parameter. `backward` is
    its backward kernel, if any, and `backward_call` what makes the launcher of that, if it takes the same constants.
    """

    name: str
    kernel: str
    parameters: str
    constants: str
    fields: tuple[str, ...]
    backward: str | None
    backward_call: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorView:
    """An operator: the class of its `RuntimeOp`, the torch operators, and the function that callers use.

    `definition` is the name of what torch makes of it.
    `tensors`, `made`, `made_backward`, `cached` and `traced` are lines of statements, `shape` and `passed_shape`
    arguments as they stand in a call; `…_forms` are the names of kernels, none where torch gets no backward half;
    `methods` are whole.
    """

    class_name: str
    bases: str
    docs: tuple[str, ...]
    facts: tuple[str, ...]
    methods: tuple[str, ...]
    name: str
    definition: str
    qualified: str
    updated: str
    tensor_parameters: tuple[str, ...]
    tensor_defaults: tuple[str, ...]
    argument_parameters: tuple[str, ...]
    keyword_parameters: tuple[str, ...]
    tensors: tuple[str, ...]
    shape: str
    passed_shape: str
    made: tuple[str, ...]
    made_backward: tuple[str, ...]
    cached: tuple[str, ...]
    traced: tuple[str, ...]
    forward_forms: tuple[str, ...]
    backward_forms: tuple[str, ...]


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
    plans: tuple[str, ...]
    tuned: tuple[str, ...]
    entries: tuple[str, ...]
    launchers: tuple[LauncherView, ...]
    operators: tuple[OperatorView, ...]
    host_functions: tuple[str, ...]
