"""What has to be known of a translated file to launch its kernels: plain data, for a process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir.types import DType, DtypeParameter, Pointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Symbol
    from transpiler.source import SourceFile, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A run-time parameter: a pointer or a number, of a dtype or of a dtype parameter's, by its name."""

    name: str
    is_pointer: bool
    dtype: DType | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A specialisation: the dtypes and constants that are baked into the function of that name."""

    name: str
    dtypes: tuple[DType, ...]
    constants: tuple[int | bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchedKernel:
    """A kernel by its Rust names.

    `offered` are the combinations of dtypes it is offered for, `written` the pointers through which it stores or adds,
    `block_sizes` those of the constants that say how much a program does at a time.
    """

    name: str
    arguments: tuple[Argument, ...]
    dtype_parameters: tuple[str, ...]
    offered: tuple[tuple[DType, ...], ...]
    constants: tuple[str, ...]
    instances: tuple[Instance, ...]
    written: tuple[str, ...]
    block_sizes: tuple[str, ...]

    def instance(
        self, dtypes: tuple[DType, ...], constants: tuple[int | bool, ...]
    ) -> Instance | None:
        """The specialisation for these dtypes and constants, if there is one."""
        chosen = (dtypes, constants)
        return next((it for it in self.instances if (it.dtypes, it.constants) == chosen), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A translated file: `name` as the user typed it, and the module's text.

    `kernels` are all of the module, `wanted` the names of those to run, None for all of them; `rust_span` leads from a
    line of the module to the Rust.
    """

    name: str
    stem: str
    cases: str
    source: SourceFile
    text: str
    kernels: tuple[LaunchedKernel, ...]
    rust_span: Callable[[int], Span | None]
    wanted: frozenset[str] | None = None

    @property
    def known(self) -> tuple[str, ...]:
        """The names of all kernels."""
        return tuple(kernel.name for kernel in self.kernels)

    def is_wanted(self, name: str) -> bool:
        """Whether the kernel of that name is to be run."""
        return self.wanted is None or name in self.wanted


def launched_kernels(plans: Iterable[KernelPlan]) -> tuple[LaunchedKernel, ...]:
    """The kernels of a module, as launches see them."""
    return tuple(_launched(plan) for plan in plans)


def _launched(plan: KernelPlan) -> LaunchedKernel:
    kernel, facts = plan.kernel, plan.facts
    return LaunchedKernel(
        name=kernel.name,
        arguments=tuple(_argument(parameter) for parameter in kernel.parameters),
        dtype_parameters=tuple(parameter.name for parameter in kernel.dtype_parameters),
        offered=kernel.instances,
        constants=tuple(symbol.name for symbol in kernel.const_generics),
        instances=tuple(
            Instance(name=each.name, dtypes=each.dtypes, constants=each.constants)
            for each in plan.specialisations
        ),
        written=tuple(dict.fromkeys((*facts.writes, *facts.atomics))),
        block_sizes=plan.block_sizes,
    )


def _argument(parameter: Symbol) -> Argument:
    match parameter.type:
        case (Pointer() | Scalar()) as type_:
            element = type_.dtype
        case _:
            raise TypeError(f"`{parameter.name}` is neither a pointer nor a number")
    match element:
        case DType():
            dtype: DType | str = element
        case DtypeParameter():
            dtype = element.name
        case _:
            raise TypeError(f"the dtype of `{parameter.name}` is not settled")
    return Argument(
        name=parameter.name, is_pointer=isinstance(parameter.type, Pointer), dtype=dtype
    )
