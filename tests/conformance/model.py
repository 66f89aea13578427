"""What a case of the conformance suite says.

A case is a small kernel, what it is given, and what must come out. Its kernel is called `k`. A run of it is the case
with one dtype for every dtype parameter of the kernel. Only numpy is needed to read the cases: the docs do so.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from transpiler.ir.types import DType

Array: TypeAlias = NDArray[np.generic]
Value: TypeAlias = "Array | int | float"
Values: TypeAlias = Mapping[str, Value]
Arrays: TypeAlias = Mapping[str, Array]

FLOATS = (DType.F32, DType.F64, DType.F16, DType.BF16)
SIGNED = (DType.I32, DType.I64, DType.I8, DType.I16)
UNSIGNED = (DType.U32, DType.U64, DType.U8, DType.U16)
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS

ALL_TARGETS = ("sm_90", "gfx942")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A small kernel of our own and its reference.

    `operations` are those it is a case of. `rust` is a file with the kernel `k`; `constants` are
    its const generics by name, `grid` the programs. `inputs` makes an argument for each parameter,
    by its name, for a dtype, from a generator seeded by the case's name: arrays for pointers, which
    the runner converts to the parameter's dtype, and numbers. `outputs` are the parameters the
    kernel writes; nothing else may change. `reference` gets the arguments as the kernel sees them,
    floats widened to f64, integers and bools in their own dtype, and gives what each output must
    hold. `dtypes` are the dtypes it runs for, None for a kernel without a dtype parameter.
    `tolerance` is a key of `tests.conformance.tolerances`. `interpreter_gap` is the reason why
    Triton's interpreter cannot run it, and `targets` the architectures it compiles for.
    """

    name: str
    operations: tuple[str, ...]
    rust: str
    inputs: Callable[[np.random.Generator, DType | None], Values]
    outputs: tuple[str, ...]
    reference: Callable[[Values], Values]
    constants: Mapping[str, int] = field(default_factory=dict)
    grid: tuple[int, ...] = (1,)
    dtypes: tuple[DType | None, ...] = (None,)
    tolerance: str = "exact"
    interpreter_gap: str | None = None
    targets: tuple[str, ...] = ALL_TARGETS

    def arguments(self, dtype: DType | None) -> Values:
        """The arguments for a dtype, the same each time."""
        return self.inputs(np.random.default_rng(zlib.crc32(self.name.encode())), dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A case with one dtype."""

    case: Case
    dtype: DType | None

    @property
    def name(self) -> str:
        """For test ids."""
        return self.case.name if self.dtype is None else f"{self.case.name}-{self.dtype.value}"
