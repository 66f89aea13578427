"""Launches of the kernels beside this file, described by words."""

from __future__ import annotations

import math
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import torch

from tests.corpus.model import Case, Launch
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.corpus.model import Numbers, Sampler, Tensors

KERNELS = Path(__file__).parent
"""The Rust, a file a topic."""

INTEGERS = (DType.I32, DType.I64)
FLOATS = (DType.F32, DType.F64, DType.F16)
HALVES = (DType.F32, DType.BF16)
NUMBERS = (DType.F32, DType.BF16, DType.I32, DType.I64)
"""What `D` is in cases: dtypes that differ in how they are computed, shared out among the topics."""

EPS = 2.0**-10
LOWEST = -(2.0**127)
POISON = -55_555.0
"""What lies in outputs before, in every dtype: no result is near it, whether it is left there or gets into one."""
NO_NUMBERS: Final[Numbers] = MappingProxyType({})


def case(
    kernel: str,
    extents: str,
    shapes: tuple[tuple[int, ...], ...],
    grid: str,
    inputs: str,
    outputs: str,
    formula: Callable[..., torch.Tensor | tuple[torch.Tensor, ...]],
    *,
    numbers: str = "",
    more: Numbers = NO_NUMBERS,
    domains: Mapping[str, Callable[..., torch.Tensor]] = MappingProxyType({}),
    dtypes: tuple[DType | None, ...] = FLOATS,
    tolerance: str = "sum",
) -> Case:
    """A case whose launches are described by words.

    Args: kernel: File and name. extents: The names of the extents that `shapes` gives; `BLOCK` is a const generic, and
    `numbers` are those the kernel gets. grid: Products of extents, as in `N*C`. inputs, outputs: Pointers and their
    shapes, as in `x[N,C] w[C]`. formula: Gets the inputs and gives the outputs in f64 or i64; an output that is an
    input too is updated in place. more: Further numbers. domains: What samples an input that is not merely normal.
    """
    names = extents.split()

    def shape_of(text: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(
            math.prod(int(it) if it.isdigit() else sizes[it] for it in part.split("*"))
            for part in text.split(",")
        )

    def pointers(text: str, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
        found = (it.rstrip("]").split("[") for it in text.split())
        return {f"{name}_ptr": shape_of(shape, sizes) for name, shape in found}

    def prepare(sample: Sampler, **sizes: int) -> Launch:
        given = pointers(inputs, sizes)
        wanted = pointers(outputs, sizes)
        tensors = {
            name: domains.get(name.removesuffix("_ptr"), type(sample).normal)(sample, *shape)
            for name, shape in given.items()
        }
        for name, shape in wanted.items():
            tensors.setdefault(name, torch.full(shape, POISON, dtype=torch.float64))

        def expected(seen: Tensors) -> Tensors:
            made = formula(*(seen[name].view(shape) for name, shape in given.items()))
            results = made if isinstance(made, tuple) else (made,)
            return dict(zip(wanted, results, strict=True))

        return Launch(
            tensors=tensors,
            numbers={**{name: sizes[name] for name in numbers.split()}, **more},
            expected=expected,
            constants={"BLOCK": sizes["BLOCK"]} if "BLOCK" in sizes else {},
            grid=shape_of(grid, sizes),
        )

    topic, name = kernel.split(".")
    return Case(
        topic=topic,
        kernel=name,
        prepare=prepare,
        shapes=tuple(dict(zip(names, it, strict=True)) for it in shapes),
        dtypes=dtypes,
        tolerance=tolerance,
        folder=KERNELS,
    )


def positive(sample: Sampler, *shape: int) -> torch.Tensor:
    """Between a half and three."""
    return sample.uniform(0.5, 3.0, *shape)
