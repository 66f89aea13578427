"""What a case of the corpus says: a kernel, the shapes it is launched at, and what must come out."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import torch

from transpiler.ir.types import DType

KERNELS = Path(__file__).parent / "kernels"
"""The Rust, a file a topic."""

FLOATS = (DType.F32, DType.F64, DType.F16, DType.BF16)
WIDE = (DType.F32, DType.F64)
NUMBERS = (*FLOATS, DType.I32, DType.I64)

Tensors: TypeAlias = Mapping[str, torch.Tensor]
Numbers: TypeAlias = Mapping[str, float]


class Sampler:
    """Random tensors in f64, or whole numbers where the dtype is an integer, the same each time."""

    def __init__(self, seed: str, dtype: DType | None) -> None:
        self._generator = torch.Generator().manual_seed(zlib.crc32(seed.encode()))
        self._whole = dtype is not None and not dtype.is_float

    def normal(self, *shape: int) -> torch.Tensor:
        """Around 0, of the order of 1; between -9 and 9 for integers."""
        if self._whole:
            return self.whole(-9, 10, *shape)
        return 1.5 * torch.randn(shape, generator=self._generator, dtype=torch.float64)

    def uniform(self, low: float, high: float, *shape: int) -> torch.Tensor:
        """Between two numbers."""
        unit = torch.rand(shape, generator=self._generator, dtype=torch.float64)
        return low + (high - low) * unit

    def whole(self, low: int, high: int, *shape: int) -> torch.Tensor:
        """Whole numbers from `low` to below `high`."""
        return torch.randint(low, high, shape, generator=self._generator)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What one launch gets, and what it must leave behind.

    `tensors` are the pointers by name, in f64 or i64: the runner converts them. `numbers` are the
    other run-time arguments; floats among them are sums of few powers of two, which f32 holds.
    `expected` gets the tensors as the kernel sees them, widened to f64, and gives the outputs:
    nothing else may change.
    """

    tensors: Tensors
    numbers: Numbers
    expected: Callable[[Tensors], Tensors]
    constants: Mapping[str, int] = field(default_factory=dict)
    grid: tuple[int, ...] = (1,)


Prepare: TypeAlias = Callable[..., Launch]
"""Makes the launch of a shape: it gets a `Sampler`, and the extents by their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A kernel with its launches.

    `topic` is the file it is in, of those in `folder`, `shapes` the extents its launches have, `dtypes` what `D` is,
    None for a kernel without a dtype parameter, and `tolerance` a key of `tests.conformance.tolerances`.
    """

    topic: str
    kernel: str
    prepare: Prepare
    shapes: tuple[Mapping[str, int], ...]
    dtypes: tuple[DType | None, ...] = (None,)
    tolerance: str = "sum"
    folder: Path = KERNELS


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A case at one shape with one dtype."""

    case: Case
    shape: Mapping[str, int]
    dtype: DType | None

    @property
    def name(self) -> str:
        """For test ids."""
        extents = ",".join(f"{name}={extent}" for name, extent in self.shape.items())
        dtype = [] if self.dtype is None else [self.dtype.value]
        return "-".join([self.case.topic, self.case.kernel, extents, *dtype])

    def launch(self) -> Launch:
        """What it launches."""
        return self.case.prepare(Sampler(self.case.kernel, self.dtype), **self.shape)
