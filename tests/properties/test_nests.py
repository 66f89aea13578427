"""Random nests of loops leave the same in memory as written and as the optimiser makes them, to the last bit.

`NEST_KERNELS=3000` in the environment runs that many instead of 60, `NEST_SEED=7` others.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.properties.nest_kernels import nest_kernel
from tests.properties.nest_launches import launch
from tests.properties.nest_runs import Nests, Tiling, optimised, shown
from transpiler.optimise.flags import TRANSFORMS

if TYPE_CHECKING:
    from tests.interpreter.process import InterpreterProcess

COUNT = int(os.environ.get("NEST_KERNELS", "60"))
SEED = int(os.environ.get("NEST_SEED", "0"))
LAUNCHES = 2
BATCHES = 6
FLAGS = tuple(transform.flag for transform in TRANSFORMS)
DTYPES = (torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16)


@pytest.fixture(scope="module")
def nests(
    spoiling_interpreter: InterpreterProcess, tmp_path_factory: pytest.TempPathFactory
) -> Nests:
    return Nests(spoiling_interpreter, tmp_path_factory.mktemp("nests"))


def tiling(random: Random) -> Tiling | None:
    """None stands for the tiles that users get."""
    if random.random() < 0.25:
        return None
    return Tiling(
        columns=random.choice((2, 4, 8)),
        lanes=random.choice((8, 16)),
        programs=random.choice((4, 16, 64)),
        flat_below=random.choice((3, 1024)),
    )


@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_random_nest_leaves_the_same_with_transforms_on_and_off(nests: Nests, batch: int) -> None:
    for seed in range(SEED + batch, SEED + COUNT, BATCHES):
        random = Random(seed)  # noqa: S311 - no secret
        kernel = nest_kernel(random)
        plain = transpiler.transpile(kernel.rust)
        if plain.text is None:
            # A random kernel that the compiler refuses is none.
            continue
        tiles, off = tiling(random), random.choice(FLAGS)
        modules = {"plain": plain.text}
        for flags in ((), (off,)):
            made = optimised(kernel.rust, flags, tiles)
            assert made.text is not None, kernel.rust
            if made.plans[0].optimised is not None:
                modules[" ".join(("-O", *(f"-fno-{it}" for it in flags)))] = made.text
        if len(modules) == 1:
            continue
        for _ in range(LAUNCHES):
            launched = launch(kernel, random, random.choice(DTYPES))
            differing = nests.differing(kernel, modules, launched)
            assert not differing, f"seed {seed}, {tiles}: {shown(kernel, launched, differing)}"


def test_enough_random_nests_are_optimised_for_the_comparison_to_mean_something() -> None:
    made = [
        optimised(nest_kernel(Random(seed)).rust)  # noqa: S311 - no secret
        for seed in range(40)
    ]
    planned = [it for it in made if it.text is not None and it.plans[0].optimised is not None]
    assert len(planned) >= 12
    applied = {
        remark.transform.flag for it in planned for remark in it.remarks if remark.is_applied
    }
    assert applied >= {"split-index", "split-kernel", "split-reduction", "spread-loop"}
