"""What is known about a kernel from outside: its specialisations and what launching it touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.ir.nodes import Kernel
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
    pointer may be in more than one of them.
    """

    grid_axes: tuple[int, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    atomics: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPlan:
    """A kernel with its facts and the specialisations to emit."""

    kernel: Kernel
    facts: LaunchFacts
    specialisations: tuple[Specialisation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedName:
    """A name callers use that could not stay: `what` it names (a kernel, a parameter), and where the Rust gives it."""

    what: str
    rust: str
    python: str
    span: Span
