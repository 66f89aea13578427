"""Random nests of loops: what they are, and launches of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from random import Random

MOST = 3
"""The largest number in memory."""
_EXTENTS = (1, 2, 3, 5, 7, 9)
_SMALL = (1, 2, 3)
LONGEST = {"P": 5, "Q": 3, "R": 2, "N": 21, "M": 9, "K": 3}
"""How long axes get, by the parameters that are their extents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A pointer `name` to one element for each index of some axes, of the `extents` in this order, outermost first."""

    name: str
    dtype: str
    extents: tuple[str, ...]
    scale: int
    shift: int
    is_written: bool

    def size(self, sizes: dict[str, int]) -> int:
        """How many elements are behind it."""
        return math.prod(sizes[it] for it in self.extents) * self.scale + self.shift


@dataclass(frozen=True, slots=True, kw_only=True)
class NestKernel:
    """A kernel called `k`; `axes` are the extents of its grid, None where nothing asks for the place along one."""

    rust: str
    memory: tuple[Memory, ...]
    numbers: tuple[str, ...]
    blocks: dict[str, int]
    axes: tuple[str | None, ...]
    is_float: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NestLaunch:
    """Arguments of one launch."""

    tensors: tuple[torch.Tensor, ...]
    numbers: tuple[int, ...]
    grid: tuple[int, ...]


def launch(kernel: NestKernel, random: Random, dtype: torch.dtype) -> NestLaunch:
    """A launch of random extents, with elements of `dtype` where the kernel does not fix it."""
    sizes = {name: random.choice(_SMALL if name in "QRK" else _EXTENTS) for name in kernel.numbers}
    sizes = {name: min(size, LONGEST[name]) for name, size in sizes.items()}
    if random.random() < 0.25:
        sizes[random.choice(kernel.numbers)] = random.choice((0, 1))
    for name in ("N", "M"):
        if name in sizes and random.random() < 0.25:
            sizes[name] = LONGEST[name]
    grid = [random.choice((1, 1, 2)) if it is None else sizes[it] for it in kernel.axes]
    return NestLaunch(
        tensors=tuple(_elements(it, sizes, random, dtype) for it in kernel.memory),
        numbers=tuple(sizes[name] for name in kernel.numbers),
        grid=tuple(grid),
    )


def _elements(
    memory: Memory, sizes: dict[str, int], random: Random, dtype: torch.dtype
) -> torch.Tensor:
    count = memory.size(sizes)
    values = torch.tensor([random.randint(-MOST, MOST) for _ in range(count)])
    return values.to({"D": dtype, "f32": torch.float32, "i32": torch.int32}[memory.dtype])
