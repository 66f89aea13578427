"""The table `KERNELS`: what a module tells about its kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.emit.elements import elements
from transpiler.ir.types import Pointer, dtype_text, type_text
from transpiler.target.document import INDENT
from transpiler.target.expression_printer import print_expression
from transpiler.target.flat import quoted
from transpiler.target.model import Dict, Expression, Name, Number, Text, Tuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.emit.plans import EmittedPlan
    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Symbol
    from transpiler.target.lower import LoweredKernel


def entries(
    kernels: Iterable[tuple[KernelPlan, LoweredKernel, EmittedPlan | None]],
) -> tuple[str, ...]:
    """The entries of `KERNELS`, one a kernel."""
    return tuple("\n".join(_record(*each)) for each in kernels)


def _record(
    plan: KernelPlan, kernel: LoweredKernel, launches: EmittedPlan | None
) -> tuple[str, ...]:
    """The lines of one entry of `KERNELS`."""
    source = plan.kernel
    parameters = {
        symbol: kernel.names.symbols[symbol]
        for symbol in (*source.parameters, *source.const_generics)
    }
    names = {symbol.name: name for symbol, name in parameters.items()}
    facts = plan.facts
    fields: dict[str, Expression] = {
        "name": Text(source.name),
        "function": Name(kernel.function.name),
        "index64": Name("None" if kernel.index64 is None else kernel.index64.name),
        "parameters": texts(kernel.names.symbols[symbol] for symbol in source.parameters),
        "types": texts(map(_type, source.parameters)),
        "constants": texts(
            (
                *(kernel.names.symbols[symbol] for symbol in source.const_generics),
                *kernel.dtype_parameters,
            )
        ),
        "dtypes": texts(dtype.value for dtype in source.dtypes),
        "grid_axes": Tuple(tuple(Number(str(axis)) for axis in facts.grid_axes)),
        "reads": texts(names[pointer] for pointer in facts.reads),
        "writes": texts(names[pointer] for pointer in facts.writes),
        "atomics": texts(names[pointer] for pointer in facts.atomics),
        "feature": _optional(source.feature_gate),
        "backward": _optional(source.backward),
        "specialisations": Dict(
            tuple(
                (Text(it.name), Name(kernel.function.name if it.is_kernel_itself else it.name))
                for it in plan.specialisations
            )
        ),
    }
    return (
        f"{INDENT}{quoted(source.name)}: Kernel(",
        *(
            line
            for name, value in fields.items()
            for line in print_expression(value, before=f"{INDENT * 2}{name}=", behind=",", level=2)
        ),
        *elements(facts.footprints, parameters, level=2),
        *([f"{INDENT * 2}optimised={launches.function.name},"] if launches is not None else []),
        f"{INDENT}),",
    )


def _type(parameter: Symbol) -> str:
    match parameter.type:
        case Pointer(dtype=dtype):
            return f"*{dtype_text(dtype)}"
        case other:
            return type_text(other)


def texts(values: Iterable[str]) -> Expression:
    """A tuple of strings."""
    return Tuple(tuple(Text(value) for value in values))


def _optional(value: str | None) -> Expression:
    return Name("None") if value is None else Text(value)
