"""The launcher classes of a module: one a kernel, by the name of its Rust struct."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from transpiler.emit.views import LauncherView
from transpiler.ir.types import DType, Scalar
from transpiler.target.names import python_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Symbol
    from transpiler.target.lower import LoweredKernel

_WORD_END = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")
_TAKEN_BY_METHODS = frozenset({"id", "launch", "name", "self", "source", "super"})


def struct_name(kernel: str) -> str:
    """The name of the Rust struct that stands for a kernel: `scale_rows` gives `ScaleRows`."""
    words = _WORD_END.split(kernel.removeprefix("r#"))
    return "".join(f"{word[:1].upper()}{word[1:].lower()}" for word in words)


def launcher_names(
    plans: tuple[KernelPlan, ...], taken: frozenset[str], present: frozenset[str]
) -> list[str]:
    """The names of the classes in Python; `taken` are those that the module has for something else."""
    names: dict[str, None] = {}
    for plan in plans:
        names[python_name(struct_name(plan.kernel.name), taken.union(names), present)] = None
    return list(names)


def launcher_views(
    kernels: Iterable[tuple[str, KernelPlan, LoweredKernel]],
) -> tuple[LauncherView, ...]:
    """The launchers of kernels, each with the name of its class."""
    return tuple(_view(name, plan, lowered) for name, plan, lowered in kernels)


def _view(name: str, plan: KernelPlan, lowered: LoweredKernel) -> LauncherView:
    kernel = plan.kernel
    constants = [
        (lowered.names.symbols[symbol], symbol.name, _annotation(symbol))
        for symbol in kernel.const_generics
    ]
    constants += [(dtype, dtype, "tl.dtype") for dtype in lowered.dtype_parameters]
    parameters: dict[str, str] = {}
    passed: list[str] = []
    for constant, rust, annotation in constants:
        parameter = python_name(rust.lower(), _TAKEN_BY_METHODS.union(parameters), frozenset())
        parameters[parameter] = annotation
        passed.append(f"{constant}={parameter}")
    return LauncherView(
        name=name,
        kernel=kernel.name,
        parameters="".join(f", {each}: {kind}" for each, kind in parameters.items()),
        constants="".join(f", {each}" for each in passed),
        fields=tuple(parameters),
    )


def _annotation(symbol: Symbol) -> str:
    return "bool" if symbol.type == Scalar(dtype=DType.BOOL) else "int"
