"""What is known about a kernel from outside: its specialisations and what launching it touches."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.extent import Footprint
    from transpiler.ir.launch_plan import LaunchPlan
    from transpiler.ir.nodes import Function, FunctionSymbol, Kernel, Symbol
    from transpiler.ir.types import DType
    from transpiler.source import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Specialisation:
    """One instance of a kernel: a dtype for each dtype parameter, a value for each const generic, in Rust order."""

    name: str
    dtypes: tuple[DType, ...]
    constants: tuple[int | bool, ...]

    @property
    def is_kernel_itself(self) -> bool:
        """Whether there was nothing to choose, so that the kernel as it stands is its one instance."""
        return not self.dtypes and not self.constants


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchFacts:
    """What a launcher has to know, read off the kernel's body.

    `grid_axes` are the program axes the kernel asks for (0, 1, 2); the pointers are parameter names in Rust order. A
    pointer may be in more than one of them. `footprints` say what the kernel needs behind pointers, as far as is known.
    """

    grid_axes: tuple[int, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    atomics: tuple[str, ...]
    footprints: Mapping[Symbol, Footprint] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class WideForm:
    """The form of a kernel whose indices are in 64 bits; the kernel itself where none of its offsets leaves 32.

    It shares with its kernel the statements whose text is the same: the names in them have the types they have there,
    but for the `widened`, which hold i64 in the place of i32.
    """

    kernel: Kernel
    widened: frozenset[Symbol]


@dataclass(frozen=True, slots=True, kw_only=True)
class WideFunction:
    """The form of a function that such kernels call, and the function it is the form of; else as in `WideForm`."""

    function: Function
    narrow: FunctionSymbol
    widened: frozenset[Symbol]


@dataclass(frozen=True, slots=True, kw_only=True)
class WideModule:
    """The forms of a module's kernels, by the kernels' names, and of functions, callees first.

    A kernel without one has offsets that would be wrong beyond 32 bits whatever their width.
    """

    kernels: Mapping[str, WideForm]
    functions: tuple[WideFunction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPlan:
    """A kernel with its facts, the specialisations to emit, and its form with indices in 64 bits, if it has one.

    `block_sizes` are the const generics that say how much a program does at a time, not what it computes;
    `optimised` is what the launchers launch in its place.
    """

    kernel: Kernel
    facts: LaunchFacts
    specialisations: tuple[Specialisation, ...]
    index64: WideForm | None = None
    block_sizes: tuple[str, ...] = ()
    optimised: LaunchPlan | None = None

    @property
    def own_form(self) -> WideForm | None:
        """Its form with indices in 64 bits, where that is not the kernel itself."""
        form = self.index64
        return None if form is None or form.kernel is self.kernel else form


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorFacts:
    """An operator of torch: `name` with its namespace, the class that launches, the Rust names of its kernels."""

    name: str
    class_name: str
    forward: str
    backward: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedName:
    """A name callers use that could not stay: `what` it names (a kernel, a parameter), and where the Rust gives it."""

    what: str
    rust: str
    python: str
    span: Span
