"""Makes the Python module of one Rust file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.emit.environment import template
from transpiler.emit.functions import ModuleFunctions
from transpiler.emit.imports import import_lines
from transpiler.emit.line_map import LineMap
from transpiler.emit.records import table
from transpiler.emit.validate import check_names, compile_module
from transpiler.emit.views import FunctionView, ModuleView
from transpiler.frozen import dataclass
from transpiler.ir.description import ChangedName
from transpiler.target.lower import LoweredKernel, lower_kernel
from transpiler.target.names import MODULE_NAMES, python_name
from transpiler.target.prelude import PRELUDE, helpers_for
from transpiler.target.printer import comment_text, docstring, print_function
from transpiler.target.read_names import names_read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Module, Routine
    from transpiler.source import SourceFile, Span
    from transpiler.target.model import Function


@dataclass(frozen=True, kw_only=True)
class EmittedModule:
    """A generated module, where its lines come from, and which names are not those of the Rust."""

    text: str
    line_map: LineMap
    changed_names: tuple[ChangedName, ...]


def emit_module(
    module: Module,
    plans: tuple[KernelPlan, ...],
    *,
    source: SourceFile,
    options_text: str,
    version: str,
) -> EmittedModule:
    """Emit the kernels of `plans`, in their order, each after the functions it is the first to call.

    Raises:
        EmissionError: the text is no valid Python; a fault of the compiler.
    """
    kernels, functions = _lower(module, plans, source)
    raw = [kernel.function for kernel in kernels]
    called = [function for group in functions for function in group]
    specialised = [function for kernel in kernels for function in kernel.specialisations]
    reads = [(it, names_read(it)) for it in (*called, *raw, *specialised)]
    read: frozenset[str] = frozenset().union(*(names for _, names in reads))
    helpers = helpers_for(read)
    bound = MODULE_NAMES.union(helpers, (it.name for it in (*called, *raw, *specialised)))
    check_names(reads, bound)
    view = ModuleView(
        header=tuple(comment_text(line) for line in _header(source, options_text, version)),
        docstring=tuple(
            docstring(module.docs, "") or [f'"""Triton kernels of {_base(source)}."""']
        ),
        imports=import_lines({*read, "dataclass", "triton", *(["tl"] if helpers else [])}),
        exports=_sorted_exports(["KERNELS", "Kernel", *(it.name for it in (*raw, *specialised))]),
        helpers=tuple(PRELUDE[name].rstrip() for name in helpers),
        kernels=tuple(
            _view(it)
            for kernel, group in zip(raw, functions, strict=True)
            for it in (*group, kernel)
        ),
        specialisations=tuple(map(_view, specialised)),
        table=table(zip(plans, kernels, strict=True)),
    )
    text = template("module.py.j2").render(module=view)
    starts = compile_module(text, _base(source))
    return EmittedModule(
        text=text,
        line_map=_line_map(view, starts),
        changed_names=tuple(_changed_names(plans, kernels)),
    )


def _changed_names(
    plans: tuple[KernelPlan, ...], kernels: list[LoweredKernel]
) -> Iterator[ChangedName]:
    """The names of kernels, parameters and const generics that Python or Triton did not allow."""
    for plan, lowered in zip(plans, kernels, strict=True):
        kernel = plan.kernel
        given = [("kernel", kernel.name, lowered.function.name, kernel.name_span)]
        for what, symbols in (
            ("parameter", kernel.parameters),
            ("const generic", kernel.const_generics),
        ):
            given += [(what, it.name, lowered.names.symbols[it], it.span) for it in symbols]
        for what, rust, python, span in given:
            if python != rust.removeprefix("r#"):
                yield ChangedName(what=what, rust=rust, python=python, span=span)


def _lower(
    module: Module, plans: tuple[KernelPlan, ...], source: SourceFile
) -> tuple[list[LoweredKernel], list[list[Function]]]:
    """All kernels, and for each the functions to define above it.

    Their functions' names are chosen first: no local may hide one.
    """
    specialisations = [
        it.name for plan in plans for it in plan.specialisations if not it.is_kernel_itself
    ]
    taken = MODULE_NAMES.union(PRELUDE, specialisations)
    present = frozenset(plan.kernel.name for plan in plans)
    names = [python_name(plan.kernel.name, taken, present) for plan in plans]
    module_names = frozenset({*names, *specialisations, *PRELUDE})
    base = _base(source)

    def origin(routine: Routine) -> str:
        return f"{base}:{source.position(routine.name_span.start).line}"

    functions = ModuleFunctions(module.functions, plans, module_names, origin)
    kernels: list[LoweredKernel] = []
    groups: list[list[Function]] = []
    for plan, name in zip(plans, names, strict=True):
        callees = functions.named_by(plan.kernel)
        reserved = module_names.union(callee.name for callee in callees.values())
        kernels.append(lower_kernel(plan, name, reserved, origin(plan.kernel), callees))
        groups.append(list(functions.newly_used(plan.kernel)))
    return kernels, groups


def _view(function: Function) -> FunctionView:
    lines = print_function(function)
    return FunctionView(
        name=function.name, lines=lines, text="\n".join(line.text for line in lines)
    )


def _base(source: SourceFile) -> str:
    """The file's name without its folders, so that the text does not depend on where it was made."""
    return re.split(r"[\\/]", source.name)[-1]


def _header(source: SourceFile, options_text: str, version: str) -> tuple[str, ...]:
    return (
        f"Generated from {_base(source)} by teeny-transpile {version}; change the Rust, not this file.",
        f"Source: sha256 {source.digest}",
        f"Options: {options_text}",
        "",
        "Names are those of the Rust. One that Python or Triton reserves, or that this module uses",
        "itself, ends in an underscore; one given again where the first still counts, in a number.",
        "A dtype parameter of the Rust, such as D, is read off the pointers. Arithmetic on f16 and",
        "bf16 runs in f32: loads widen, stores narrow.",
    )


def _sorted_exports(names: list[str]) -> tuple[str, ...]:
    """In the order in which linters want `__all__`: constants, classes, functions, numbers by value."""
    return tuple(sorted(names, key=_export_key))


def _export_key(name: str) -> tuple[int, list[tuple[int, int, str]]]:
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    parts = [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.findall(r"[0-9]+|[^0-9]+", name)
    ]
    return kind, parts


def _line_map(view: ModuleView, starts: dict[str, int]) -> LineMap:
    """Where the lines of all functions stand; `starts` gives the lines of their decorators."""
    entries: list[tuple[int, Span]] = []
    for function in (*view.kernels, *view.specialisations):
        decorator = next(index for index, line in enumerate(function.lines) if line.text[:1] == "@")
        first = starts[function.name] - decorator
        entries += [
            (first + index, line.span)
            for index, line in enumerate(function.lines)
            if line.span is not None
        ]
    return LineMap(tuple(entries))
