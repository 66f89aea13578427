"""The launcher classes of a module: one a kernel, by the name of its Rust struct."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit.views import LauncherView
from transpiler.host.struct_names import struct_name
from transpiler.ir.types import DType, Scalar
from transpiler.target.names import AnyOf, python_name

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from transpiler.host.plan import Pair
    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Symbol
    from transpiler.target.lower import LoweredKernel

_TAKEN_BY_METHODS = frozenset(
    {
        *("backward_kernel", "id", "launch", "name", "optimised", "self", "source", "super"),
        "tuned",
    }
)


def launcher_names(
    plans: tuple[KernelPlan, ...], taken: Container[str], present: frozenset[str]
) -> list[str]:
    """The names of the classes in Python; `taken` are those that the module has for something else."""
    names: dict[str, None] = {}
    forbidden = AnyOf(taken, names)
    for plan in plans:
        names[python_name(struct_name(plan.kernel.name), forbidden, present)] = None
    return list(names)


def launcher_views(
    kernels: Sequence[tuple[str, KernelPlan, LoweredKernel]],
    pairs: tuple[Pair, ...],
    replaced: set[str],
) -> tuple[LauncherView, ...]:
    """The launchers of kernels, each with the name of its class, but for those that something has replaced."""
    backward = {pair.forward.name: pair.backward.name for pair in pairs}
    known = {it[1].kernel.name: it for it in kernels}
    return tuple(
        _view(*it, known.get(backward.get(it[1].kernel.name, "")))
        for it in kernels
        if it[0] not in replaced
    )


def _view(
    name: str,
    plan: KernelPlan,
    lowered: LoweredKernel,
    backward: tuple[str, KernelPlan, LoweredKernel] | None,
) -> LauncherView:
    constants = _constants(plan, lowered)
    parameters: dict[str, str] = {}
    passed: list[str] = []
    for constant, rust, annotation in constants:
        parameter = python_name(rust.lower(), _TAKEN_BY_METHODS.union(parameters), frozenset())
        parameters[parameter] = annotation
        passed.append(f"{constant}={parameter}")
    call = None
    if backward is not None and _constants(*backward[1:]) == constants:
        call = f"{backward[0]}({', '.join(f'self.{it}' for it in parameters)})"
    return LauncherView(
        name=name,
        kernel=plan.kernel.name,
        parameters="".join(f", {each}: {kind}" for each, kind in parameters.items()),
        constants="".join(f", {each}" for each in passed),
        fields=tuple(parameters),
        backward=None if backward is None else backward[1].kernel.name,
        backward_call=call,
    )


def _constants(plan: KernelPlan, lowered: LoweredKernel) -> list[tuple[str, str, str]]:
    """The compile-time parameters of a kernel: their names in Python and in Rust, and their types."""
    return [
        *(
            (lowered.names.symbols[symbol], symbol.name, _annotation(symbol))
            for symbol in plan.kernel.const_generics
        ),
        *((dtype, dtype, "tl.dtype") for dtype in lowered.dtype_parameters),
    ]


def _annotation(symbol: Symbol) -> str:
    return "bool" if symbol.type == Scalar(dtype=DType.BOOL) else "int"
