"""Makes the Python module of one Rust file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.emit.environment import FIXED, fixed_text, template
from transpiler.emit.function_views import alike, views_of
from transpiler.emit.functions import ModuleFunctions
from transpiler.emit.imports import import_lines
from transpiler.emit.launchers import launcher_names, launcher_views
from transpiler.emit.line_map import LineMap
from transpiler.emit.operators import operator_views
from transpiler.emit.records import entries
from transpiler.emit.validate import check_names, compile_module
from transpiler.emit.views import ModuleView
from transpiler.frozen import dataclass
from transpiler.host.plan import DEFAULT_NAMESPACE, HostPlan
from transpiler.ir.description import ChangedName
from transpiler.passes.wide_indices import SUFFIX
from transpiler.target.expression_printer import print_expression
from transpiler.target.lower import LoweredKernel, lower_kernel
from transpiler.target.names import HOST_BUILTINS, HOST_NAMES, MODULE_NAMES, AnyOf, python_name
from transpiler.target.prelude import PRELUDE, helpers_for
from transpiler.target.printer import comment_text, docstring, print_function
from transpiler.target.read_names import names_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.emit.plans import EmittedPlan
    from transpiler.emit.views import FunctionView
    from transpiler.ir.description import KernelPlan, WideFunction
    from transpiler.ir.nodes import Module, Routine
    from transpiler.source import SourceFile
    from transpiler.target.model import Function

_LAUNCHER_IMPORTS = ("inspect", "Sequence", "nullcontext", "Any", "torch", "Tensor")
_OPERATOR_IMPORTS = (
    *("math", "Iterator", "lru_cache", "attrgetter", "ClassVar"),
    *("once_differentiable", "wrap_triton", "CompiledKernel"),
)
_NO_OPERATORS = HostPlan()


@dataclass(frozen=True, kw_only=True)
class EmittedModule:
    """A generated module, where its lines come from, and which names are not those of the Rust."""

    text: str
    line_map: LineMap
    changed_names: tuple[ChangedName, ...]


@dataclass(frozen=True, kw_only=True)
class _Lowered:
    """The kernels of a module, and for each what is launched in its place and the functions to define above it.

    `classes` are the names of their launchers.
    """

    kernels: list[LoweredKernel]
    launches: list[EmittedPlan | None]
    functions: list[list[Function]]
    classes: list[str]


def emit_module(
    module: Module,
    plans: tuple[KernelPlan, ...],
    *,
    source: SourceFile,
    options_text: str,
    version: str,
    forms: tuple[WideFunction, ...] = (),
    host: HostPlan = _NO_OPERATORS,
    namespace: str = DEFAULT_NAMESPACE,
) -> EmittedModule:
    """Emit the kernels of `plans`, in their order, each after the functions it is the first to call.

    `forms` are those of functions with indices in 64 bits.

    Raises:
        EmissionError: the text is no valid Python; a fault of the compiler.
    """
    lowered = _lower(module, plans, source, forms)
    kernels, functions, classes = lowered.kernels, lowered.functions, lowered.classes
    raw = [kernel.function for kernel in kernels]
    launch_plans = [it.function for it in lowered.launches if it is not None]
    staged = [stage for it in lowered.launches if it is not None for stage in it.stages]
    stages = [stage.function for stage in staged]
    tuned = [name for it in lowered.launches if it is not None for name, _ in it.tuned]
    wide = [
        (kernel, form) for kernel in (*kernels, *staged) if (form := kernel.own_form) is not None
    ]
    called = [function for group in functions for function in group]
    defined = (
        *(it.function for it in kernels),
        *(it for _, it in wide),
        *called,
        *stages,
        *launch_plans,
    )
    bound_names = {*(it.name for it in defined), *classes, *tuned}
    reserved = HOST_NAMES | HOST_BUILTINS | MODULE_NAMES
    # A kernel keeps its name; an operator on the struct of that very kernel gets another.
    operators = [
        python_name(
            f"{it.name}_op"
            if python_name(it.name, reserved, frozenset()) in bound_names
            else it.name,
            bound_names | reserved,
            frozenset(),
        )
        for it in host.operators
    ]
    replaced = {it.struct_name for it in host.operators if it.is_launcher}
    specialised = [found for kernel in kernels for found in _reads(kernel)]
    reads = [(it, names_read(it)) for it in (*called, *raw, *stages)] + specialised
    known = {it.name: names for it, names in reads}
    reads += [
        (form, known[kernel.function.name] | names_read(form, kernel.shared))
        for kernel, form in wide
    ]
    read: frozenset[str] = frozenset().union(*(names for _, names in reads))
    helpers = helpers_for(read)
    bound = MODULE_NAMES.union(helpers, (it.name for it, _ in reads))
    check_names(reads, bound)
    if launch_plans:
        from transpiler.target.launch_plans import META, PLAN_NAMES  # noqa: PLC0415 - for -O alone

        known_to_plans = bound | PLAN_NAMES | {*tuned}
        check_names(((it, names_read(it) - {META}) for it in launch_plans), known_to_plans)
    view = ModuleView(
        header=tuple(
            comment_text(line)
            for line in (
                *_header(source, options_text, version),
                *(_ABOUT_PLANS if launch_plans else ()),
            )
        ),
        docstring=tuple(
            docstring(module.docs, "") or [f'"""Triton kernels of {_base(source)}."""']
        ),
        imports=import_lines(
            {
                *read,
                *("Callable", "dataclass", "triton"),
                *(["tl"] if helpers or any(it.dtype_parameters for it in kernels) else []),
                *(_LAUNCHER_IMPORTS if kernels else []),
                *(_OPERATOR_IMPORTS if host.operators else []),
                *(["lru_cache"] if launch_plans else []),
                *_host_names(host),
            }
        ),
        exports=_sorted_exports(
            [
                *("KERNELS", "Kernel"),
                *(["Launcher"] if kernels else []),
                *classes,
                *(["RuntimeOp"] if host.operators else []),
                *(
                    name
                    for it, function in zip(host.operators, operators, strict=True)
                    for name in (function, *([] if it.is_launcher else [it.struct_name]))
                ),
                *(it.name for it in raw),
                *(it.name for it, _ in specialised),
                *(form.name for _, form in wide),
                *(it.name for it in stages),
                *tuned,
                *(["tuned_choices"] if launch_plans else []),
            ]
        ),
        helpers=tuple(PRELUDE[name].rstrip() for name in helpers),
        kernels=tuple(
            view
            for kernel, launches, group in zip(kernels, lowered.launches, functions, strict=True)
            for view in (
                *(view for it in group for view in alike(it)),
                *views_of(kernel),
                *(view for it in (launches.stages if launches else ()) for view in views_of(it)),
            )
        ),
        specialisations=tuple(
            view for kernel in kernels for view in alike(*kernel.specialisations)
        ),
        plans=tuple(text for it in lowered.launches if it is not None for text in _plan_texts(it)),
        tuned=tuple(tuned),
        entries=entries(zip(plans, kernels, lowered.launches, strict=True)),
        launchers=launcher_views(
            tuple(zip(classes, plans, kernels, strict=True)), host.pairs, replaced
        ),
        operators=operator_views(
            host,
            operators,
            namespace,
            {
                plan.kernel.name: (kernel, launches)
                for plan, kernel, launches in zip(plans, kernels, lowered.launches, strict=True)
            },
        ),
        host_functions=(*(it.rstrip() for it in host.support), *map(_printed, host.functions)),
    )
    has_plans = bool(launch_plans)
    text = template("module.py.j2").render(module=view, has_plans=has_plans)
    printed = (*view.kernels, *view.specialisations)
    starts = compile_module(
        text,
        _base(source),
        parts=(
            *((function.text, function.unproved) for function in printed),
            *((entry, f"{{\n{entry}\n}}") for entry in view.entries),
        ),
        fixed=(fixed_text(each, has_plans=has_plans) for each in FIXED),
    )
    return EmittedModule(
        text=text,
        line_map=_line_map(zip(printed, starts[: len(printed)], strict=True)),
        changed_names=tuple(_changed_names(plans, kernels)),
    )


def _plan_texts(plan: EmittedPlan) -> Iterator[str]:
    """The tuned forms of a plan's stages, and its function."""
    for name, value in plan.tuned:
        yield "\n".join(print_expression(value, before=f"{name} = ", behind="", level=0))
    yield _printed(plan.function)


def _printed(function: Function) -> str:
    return "\n".join(line.text for line in print_function(function))


def _host_names(host: HostPlan) -> Iterator[str]:
    """The modules that the host side reads."""
    functions = (*host.functions, *(method for it in host.operators for method in it.methods))
    for function in functions:
        yield from names_read(function) & {"functools", "itertools"}
    if any("ctypes." in text for text in host.support):
        yield "ctypes"


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
    module: Module,
    plans: tuple[KernelPlan, ...],
    source: SourceFile,
    forms: tuple[WideFunction, ...],
) -> _Lowered:
    """Lower all kernels. Their functions' names are chosen first: no local may hide one."""
    specialisations = [
        it.name for plan in plans for it in plan.specialisations if not it.is_kernel_itself
    ]
    taken = MODULE_NAMES.union(HOST_NAMES, HOST_BUILTINS, PRELUDE, specialisations)
    present = frozenset(plan.kernel.name for plan in plans)
    names = [python_name(plan.kernel.name, taken, present) for plan in plans]
    taken = taken.union(names)
    form_names = [
        python_name(f"{name}{SUFFIX}", taken, present) if plan.own_form is not None else ""
        for plan, name in zip(plans, names, strict=True)
    ]
    module_names = frozenset({*names, *form_names, *specialisations, *PRELUDE})
    classes = launcher_names(plans, taken.union(form_names), present)
    base = _base(source)

    def origin(routine: Routine) -> str:
        return f"{base}:{source.position(routine.name_span.start).line}"

    functions = ModuleFunctions(module.functions, plans, module_names, origin, forms)
    planned = None
    if any(plan.optimised is not None for plan in plans):
        from transpiler.emit.plans import PlanLowering  # noqa: PLC0415 - for -O alone

        names_of_module = taken | module_names | {*classes}
        planned = PlanLowering(module, functions, module_names, names_of_module, origin)
    kernels: list[LoweredKernel] = []
    launches: list[EmittedPlan | None] = []
    groups: list[list[Function]] = []
    for plan, name, form_name in zip(plans, names, form_names, strict=True):
        callees = functions.named_by(plan.kernel)
        if plan.index64 is not None and module.functions:
            callees |= functions.named_by(plan.index64.kernel)
        reserved = AnyOf(module_names, {callee.name for callee in callees.values()})
        place = origin(plan.kernel)
        kernels.append(lower_kernel(plan, name, reserved, place, callees, form_name))
        group = list(functions.newly_used(plan.kernel))
        if plan.index64 is not None:
            group += functions.newly_used(plan.index64.kernel)
        launches.append(None if planned is None else planned.lower(plan, kernels[-1]))
        variants = plan.optimised.variants if plan.optimised is not None else ()
        for stage in (it for variant in variants for it in variant.stages):
            group += functions.newly_used(stage.kernel)
        groups.append(group)
    return _Lowered(kernels=kernels, launches=launches, functions=groups, classes=classes)


def _reads(kernel: LoweredKernel) -> Iterator[tuple[Function, frozenset[str]]]:
    """The specialisations of a kernel with the names that they read and none before does, for the same parameters."""
    seen = set[int]()
    for function in kernel.specialisations:
        yield function, names_read(function, seen)
        seen.update(map(id, function.body.statements))


def _base(source: SourceFile) -> str:
    """The file's name without its folders, so that the text does not depend on where it was made."""
    return re.split(r"[\\/]", source.name)[-1]


_ABOUT_PLANS = (
    "",
    "For a kernel with a function _plan_<kernel> launchers and operators launch what that gives:",
    "kernels <kernel>__<what they do>, made by the transforms that their comments name.",
)


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


def _line_map(functions: Iterable[tuple[FunctionView, int]]) -> LineMap:
    """Where the lines of all functions stand, which begin at the lines given with them."""
    return LineMap(
        tuple(
            (index, line.span)
            for function, first in functions
            for index, line in enumerate(function.lines, first)
            if line.span is not None
        )
    )
