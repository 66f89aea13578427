"""Whether a contestant is right: against float64, by the tolerances that the project verifies kernels by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import torch

from benchmarks.kernels.workloads import CASES, Arguments, Outputs, Row, case_of
from transpiler.harness.cases import call
from transpiler.harness.judging import Differences, count, largest, shown
from transpiler.harness.tolerances import MOVE, TRIALS, allowed, rounding

if TYPE_CHECKING:
    from transpiler.ir.types import DType

Adjust: TypeAlias = Callable[[Outputs, Arguments], Outputs]
"""What is right for somebody who computes by definition something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """For each output its exact value, what roundings act on there, and the largest relative error allowed."""

    exact: Outputs
    magnitudes: Outputs
    allowed: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The largest error among all outputs as a part of what is allowed, and what is wrong, if anything is."""

    error: float
    message: str


def find_truth(row: Row, dtype: DType, arguments: Arguments) -> Truth:
    """Compute on the device, from the very numbers that the kernels get, what is right and how exactly."""
    floats = _inputs(row, arguments)
    wide = {name: tensor.double() for name, tensor in floats.items()}
    exact = _refer(row, arguments, wide)
    magnitudes = {name: value.abs() for name, value in exact.items()}
    generator = torch.Generator(device=arguments.x.device).manual_seed(0)
    for _ in range(TRIALS):
        moved = {name: _moved(tensor, generator) for name, tensor in wide.items()}
        for name, value in _refer(row, arguments, moved).items():
            value.sub_(exact[name]).abs_().div_(MOVE).nan_to_num_(0.0, 0.0, 0.0)
            torch.maximum(magnitudes[name], value, out=magnitudes[name])
    by_torch = _refer(row, arguments, floats)
    largest_input = max(largest(tensor) for tensor in floats.values())
    bounds: dict[str, float] = {}
    for name, right in exact.items():
        own = rounding(
            dtype,
            terms=max(1.0, arguments.x.numel() / right.numel()),
            is_chopped=arguments.x.device.type == "cpu",
        )
        magnitudes[name].clamp_(min=own.least_magnitude(dtype, largest_input, largest(right)))
        theirs = by_torch[name]
        difference = Differences(exact=right, magnitude=magnitudes[name], stored=theirs.dtype)
        error = difference.error(theirs, torch.zeros_like(right, dtype=torch.bool))
        bounds[name] = allowed(own, error)
    return Truth(exact=exact, magnitudes=magnitudes, allowed=bounds)


def judge(
    truth: Truth, arguments: Arguments, found: Outputs, adjust: Adjust | None = None
) -> Judgement:
    """Compare all outputs, every element of them."""
    right = truth.exact if adjust is None else adjust(truth.exact, arguments)
    worst, messages = 0.0, []
    for name, exact in right.items():
        if name not in found:
            messages.append(f"{name} is missing")
            continue
        result = found[name].detach().reshape(exact.shape)
        difference = Differences(exact=exact, magnitude=truth.magnitudes[name], stored=result.dtype)
        bound = truth.allowed[name]
        error = difference.error(result, torch.zeros_like(exact, dtype=torch.bool)) / bound
        wrong = difference.beyond(result, bound)
        worst = max(worst, error)
        if wrong.any():
            at = tuple(wrong.nonzero()[0].tolist())
            messages.append(
                f"{name}: {count(wrong)} wrong; {list(at)} is {shown(result[at].item())}, "
                f"should be {shown(exact[at].item())}"
            )
    return Judgement(error=worst, message="; ".join(messages))


def _inputs(row: Row, arguments: Arguments) -> Outputs:
    """What the reference reads, as it is before a launch."""
    written = {"y", "dx", "dweight", "dbias"}
    if row.kernel == "batch_norm_stats_forward":
        written |= {"mean", "rstd"}
    return {name: it for name, it in arguments.tensors.items() if name not in written}


def _refer(row: Row, arguments: Arguments, inputs: Outputs) -> dict[str, torch.Tensor]:
    """The outputs by the reference of the project's cases."""
    own = {name: tensor.clone() for name, tensor in inputs.items()}
    made = call(case_of(row).reference, {**arguments.numbers, **own}, "reference", CASES)
    named = {"y": made} if isinstance(made, torch.Tensor) else made
    if not isinstance(named, Mapping):
        raise TypeError(f"the reference of {row.kernel} gives {type(made).__name__}")
    return {name: value.detach() for name, value in named.items()}


def _moved(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Every number a little up or down, each by its own part."""
    part = torch.rand(tensor.shape, generator=generator, dtype=tensor.dtype, device=tensor.device)
    return part.sub_(0.5).mul_(MOVE).add_(1.0).mul_(tensor)
