"""What is measured: the rows of the table, and the tensors that all contestants of a row work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from typing import TypeAlias

import torch

from transpiler.harness.cases import Case, call, load_cases
from transpiler.ir.types import DType

CASES = Path(__file__).resolve().parents[2] / "kernels/batchnorm_cases.py"

DTYPES = {DType.F32: torch.float32, DType.BF16: torch.bfloat16, DType.F16: torch.float16}

Outputs: TypeAlias = Mapping[str, torch.Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A kernel at a shape.

    `passes` is how often the elements of `x` have to cross the memory's bus: an input that is needed again after a sum
    over all rows counts twice, for no cache holds a tensor of these sizes.
    """

    label: str
    kernel: str
    shape: tuple[int, ...]
    passes: int

    @property
    def key(self) -> str:
        """A name without blanks, for the command line and for files."""
        shape = "x".join(map(str, self.shape))
        return f"{self.label.lower().replace(' ', '-')}-{shape}"

    @property
    def title(self) -> str:
        """The name that tables show."""
        return f"{self.label} {list(self.shape)}"

    @property
    def elements(self) -> int:
        """The elements of `x`."""
        return prod(self.shape)

    @property
    def extents(self) -> dict[str, int]:
        """What the kernel calls the extents: rows `[N, C]`, or images `[B, C, H, W]` with `HW` in one."""
        if len(self.shape) == 2:
            return dict(zip(("N", "C"), self.shape, strict=True))
        images, channels, height, width = self.shape
        return {"B": images, "C": channels, "HW": height * width}

    def bytes_moved(self, dtype: DType) -> int:
        """What any implementation has to move; the vectors of one value a channel are too small to count."""
        return self.passes * self.elements * DTYPES[dtype].itemsize


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """One set of arguments of a kernel, inputs and outputs, by the names of the parameters without `_ptr`.

    `wide` has the inputs of one value a channel in f32 besides, as torch itself keeps the statistics of half precision
    on a GPU; its operators for the CPU want one dtype.
    """

    tensors: Mapping[str, torch.Tensor]
    numbers: Mapping[str, int | float]
    wide: Mapping[str, torch.Tensor]

    def of(self, parameter: str) -> torch.Tensor | int | float:
        """The argument for a parameter of a kernel."""
        name = parameter.removesuffix("_ptr")
        return self.tensors[name] if name in self.tensors else self.numbers[name]

    @property
    def x(self) -> torch.Tensor:
        """The batch."""
        return self.tensors["x"]

    @property
    def size(self) -> int:
        """All tensors' bytes."""
        return sum(tensor.nbytes for tensor in self.tensors.values())


# The last ones have rows that start at no multiple of 16 elements.
_MATRICES = ((65536, 1024), (1048576, 64), (4096, 4096), (65536, 1000), (524288, 72))
_IMAGES = ((64, 256, 56, 56), (32, 64, 224, 224), (256, 2048, 7, 7), (64, 128, 63, 63))
_KERNELS = (
    ("inference", "batch_norm_forward_inference", _MATRICES, 2),
    ("stats", "batch_norm_stats_forward", _MATRICES, 1),
    ("backward", "batch_norm_backward", _MATRICES, 5),
    ("NCHW inference", "batch_norm_2d_nchw_forward_inference", _IMAGES, 2),
    ("NCHW backward", "batch_norm_2d_nchw_backward", _IMAGES, 3),
)

ROWS = tuple(
    Row(label=label, kernel=kernel, shape=shape, passes=passes)
    for label, kernel, shapes, passes in _KERNELS
    for shape in shapes
)
"""The table: statistics read `x` once, inference also writes `y`, the backward of images reads `dy` and `x` and writes
`dx`, and the backward of a training step reads both twice, as `dx` needs sums over all rows."""

TINY = tuple(
    Row(label=label, kernel=kernel, shape=shape, passes=passes)
    for label, kernel, shapes, passes in _KERNELS
    for shape in (((37, 5), (70, 24)) if shapes is _MATRICES else ((3, 5, 7, 7), (4, 2, 17, 17)))
)
"""The same kernels at shapes that an interpreter gets through, none of them a multiple of a block."""


@cache
def _cases() -> dict[str, Case]:
    return {case.kernel: case for case in load_cases(CASES) if not case.name}


def case_of(row: Row) -> Case:
    """The inputs, the grid and the reference of a row's kernel, as the project verifies it."""
    return _cases()[row.kernel]


def grid_of(row: Row) -> tuple[int, ...]:
    """The launch grid of the kernel as written."""
    case = case_of(row)
    grid = call(case.grid, row.extents, "grid", CASES) if callable(case.grid) else case.grid
    return (grid,) if isinstance(grid, int) else tuple(grid)


def draw(row: Row, dtype: DType, device: torch.device, seed: int) -> Arguments:
    """Arguments drawn on the device; outputs that are only written are NaN throughout."""
    torch.manual_seed(seed)
    with device:
        made = call(case_of(row).inputs, row.extents, "inputs", CASES)
    tensors: dict[str, torch.Tensor] = {}
    numbers: dict[str, int | float] = dict(row.extents)
    wide: dict[str, torch.Tensor] = {}
    for name, value in made.items():
        if isinstance(value, torch.Tensor):
            tensors[name] = value.to(DTYPES[dtype]).contiguous()
            if tensors[name].dim() == 1:
                wide[name] = tensors[name].float() if device.type == "cuda" else tensors[name]
        elif isinstance(value, float):
            # As the kernel gets it.
            numbers[name] = torch.tensor(value, dtype=torch.float32).item()
        else:
            raise TypeError(f"{row.kernel}: {name} is {value!r}")
    x = tensors["x"]
    for name in ("y", "dx", "mean", "rstd", "dweight", "dbias"):
        if name not in tensors:
            shape = x.shape if name in ("y", "dx") else x.shape[1:2]
            tensors[name] = torch.full(shape, torch.nan, dtype=x.dtype, device=device)
    used = _ARGUMENTS[row.kernel]
    return Arguments(
        tensors={name: tensor for name, tensor in tensors.items() if name in used},
        numbers=numbers,
        wide=wide,
    )


_ARGUMENTS = {
    "batch_norm_forward_inference": ("x", "y", "weight", "bias", "running_mean", "running_var"),
    "batch_norm_stats_forward": ("x", "mean", "rstd", "running_mean", "running_var"),
    "batch_norm_backward": ("dy", "x", "dx", "weight", "mean", "rstd", "dweight", "dbias"),
    "batch_norm_2d_nchw_forward_inference": (
        *("x", "y", "weight", "bias", "running_mean", "running_var"),
    ),
    "batch_norm_2d_nchw_backward": (
        *("dy", "x", "dx", "weight", "running_mean", "running_var", "dweight", "dbias"),
    ),
}
"""The tensors of each kernel; whatever else a case gives is not allocated."""
