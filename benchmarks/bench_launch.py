"""What an operator call costs the CPU beside torch's own batch norm call, at a shape whose kernels take no time.

`python benchmarks/bench_launch.py [--generated FILE]` needs a checkout, torch, triton and a GPU. A row is what is
called; `ours` and `torch` are medians over blocks of calls in one process, the two by turns, so that a busy machine
slows both. Calls are not waited for, but each block is, outside of its time. The goal is twice
torch's time for an operator call; the training module is two operators and the update of the statistics, and stands
below for comparison.
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import statistics
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import torch
from torch import nn
from torch.nn import functional

from generated import batchnorm
from modules.batchnorm import batch_norm_modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from torch import Tensor

SHAPE = (2, 4, 3, 3)
EPS = 1e-5
CALLS = 100
BLOCKS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The same thing done by us and by torch."""

    label: str
    ours: Callable[[], object]
    theirs: Callable[[], object]


def comparisons(operators: ModuleType) -> Iterator[Comparison]:
    """What is called: operators first, modules last."""
    channels = SHAPE[1]
    x = torch.randn(SHAPE, device="cuda", requires_grad=True)
    dy = torch.randn(SHAPE, device="cuda")
    weight, bias = (torch.randn(channels, device="cuda", requires_grad=True) for _ in range(2))
    mean = torch.randn(channels, device="cuda")
    var = torch.rand(channels, device="cuda") + 0.5

    def ours() -> Tensor:
        y: Tensor = operators.batch_norm2d_nchw_inference(x, weight, bias, mean, var, eps=EPS)
        return y

    def theirs() -> Tensor:
        return functional.batch_norm(x, mean, var, weight, bias, training=False, eps=EPS)

    yield Comparison(
        label="inference without gradients",
        ours=torch.no_grad()(ours),
        theirs=torch.no_grad()(theirs),
    )
    yield Comparison(label="inference, forward", ours=ours, theirs=theirs)

    def both_ways(call: Callable[[], Tensor]) -> Callable[[], object]:
        return lambda: torch.autograd.grad(call(), (x, weight, bias), dy)

    yield Comparison(
        label="inference, forward and backward", ours=both_ways(ours), theirs=both_ways(theirs)
    )

    made = batch_norm_modules(operators).BatchNorm2d(channels, device="cuda")
    torchs = nn.BatchNorm2d(channels, device="cuda")

    def step(norm: nn.BatchNorm2d) -> Callable[[], object]:
        return lambda: torch.autograd.grad(norm(x), (x, *norm.parameters()), dy)

    yield Comparison(
        label="training module, forward", ours=partial(made, x), theirs=partial(torchs, x)
    )
    yield Comparison(
        label="training module, forward and backward", ours=step(made), theirs=step(torchs)
    )
    made, torchs = copy.deepcopy(made).eval(), copy.deepcopy(torchs).eval()
    yield Comparison(
        label="evaluating module without gradients",
        ours=torch.no_grad()(partial(made, x)),
        theirs=torch.no_grad()(partial(torchs, x)),
    )


def microseconds(calls: tuple[Callable[[], object], ...]) -> list[float]:
    """The median time of each call, measured by turns."""
    times: list[list[float]] = [[] for _ in calls]
    for block in range(BLOCKS + 1):
        for call, found in zip(calls, times, strict=True):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(CALLS):
                call()
            if block:  # The first compiles.
                found.append((time.perf_counter() - start) / CALLS * 1e6)
    return [statistics.median(found) for found in times]


def load(path: Path) -> ModuleType:
    """Import a generated module; operators are registered once, so the project's own is not imported again."""
    own: ModuleType = batchnorm
    if path.resolve() == Path(str(own.__file__)):
        return own
    spec = importlib.util.spec_from_file_location(f"benchmarked_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--generated", type=Path, default=ROOT / "generated/batchnorm.py")
    operators = load(parser.parse_args().generated)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, x{list(SHAPE)} f32")
    print(f"{'':40}{'ours us':>10}{'torch us':>10}{'ratio':>8}")
    for row in comparisons(operators):
        ours, theirs = microseconds((row.ours, row.theirs))
        print(f"{row.label:40}{ours:10.1f}{theirs:10.1f}{ours / theirs:8.2f}")


if __name__ == "__main__":
    main()
