"""Random kernels of rows and columns leave the same behind with the optimiser as without.

`OPTIMISE_ROWS=500` in the environment runs that many of them instead of 12, `OPTIMISE_SEED=7` others.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.properties import rows
from tests.properties.nest_launches import Memory, NestKernel, NestLaunch
from tests.properties.nest_runs import Nests, Tiling, optimised, shown

if TYPE_CHECKING:
    from tests.interpreter.process import InterpreterProcess

COUNT = int(os.environ.get("OPTIMISE_ROWS", "12"))
SEED = int(os.environ.get("OPTIMISE_SEED", "0"))
SMALL = Tiling(columns=4, lanes=16, programs=16, flat_below=3)
BLOCK = 16


@pytest.fixture(scope="module")
def nests(
    spoiling_interpreter: InterpreterProcess, tmp_path_factory: pytest.TempPathFactory
) -> Nests:
    return Nests(spoiling_interpreter, tmp_path_factory.mktemp("rows"))


def kernel_of(rust: str) -> NestKernel:
    memory = tuple(
        Memory(name=f"{it}_ptr", dtype="D", extents=(), scale=1, shift=0, is_written=it in "xys")
        for it in rows.POINTERS
    )
    return NestKernel(
        rust=rust,
        memory=memory,
        numbers=("n", "m"),
        blocks={"BLOCK": BLOCK},
        axes=("m",),
        is_float=True,
    )


def launch(random: Random) -> NestLaunch:
    """A launch whose memory is large enough for each way in which rows and columns may lie."""
    n, programs = random.choice((0, 1, 5, 13, BLOCK)), random.choice((1, 3, 4, 9, 33))
    count = (programs + 3) * (BLOCK + 2) + BLOCK
    dtype = random.choice((torch.float32, torch.float32, torch.float64, torch.float16))
    tensors = [
        torch.tensor(random.choices(range(-3, 4), k=count), dtype=dtype) for _ in rows.POINTERS
    ]
    return NestLaunch(tensors=tuple(tensors), numbers=(n, programs), grid=(programs,))


@pytest.mark.parametrize("number", range(COUNT))
def test_the_same_is_left(nests: Nests, number: int) -> None:
    random = Random(f"{SEED} {number}")  # noqa: S311 - tests are to be repeatable
    rust = rows.rust(random)
    kernel = kernel_of(rust)
    modules: dict[str, str] = {}
    for name, made in (
        ("plain", transpiler.transpile(rust)),
        ("-O", optimised(rust)),
        ("-O in small tiles", optimised(rust, (), SMALL)),
    ):
        assert made.text is not None, [it.message for it in made.diagnostics] + [rust]
        modules[name] = made.text
    for _ in range(3):
        given = launch(random)
        differing = nests.differing(kernel, modules, given)
        assert not differing, shown(kernel, given, differing)


def test_most_of_them_are_optimised() -> None:
    seeds = (Random(f"{SEED} {number}") for number in range(40))  # noqa: S311 - the same
    plans = [optimised(rows.rust(random)).plans[0] for random in seeds]
    assert sum(it.optimised is not None for it in plans) > 30
