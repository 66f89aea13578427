"""Runs a case and says everything that is wrong with what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from tests.numerics.algorithms import Algorithm
from tests.numerics.cases import Planted
from tests.numerics.problems import OUTPUTS, problem
from tests.numerics.references import by_torch, expected
from tests.numerics.tolerances import TORCH_DEPTH, TORCH_MULTIPLE, bounds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.numerics.cases import Case
    from tests.numerics.launchers import Launcher
    from tests.numerics.problems import Problem
    from tests.numerics.references import Tensors


def faults(case: Case, launcher: Launcher, algorithm: Algorithm) -> list[str]:
    """Launches the case's kernel once; returns one sentence for each promise that did not hold.

    The promises: nothing outside the outputs is written; NaN and infinities are where float64 has
    them; every finite element is within its bound of float64; and a sound algorithm is about as
    close to float64 as torch is. Where a bound is infinite nothing is promised: the difference of
    two moments may be off by all of a variance, or below zero, of which there is no root.
    """
    at_hand = problem(case, device=launcher.device)
    launcher.launch(case.function, at_hand.arguments, at_hand.block, at_hand.grid)
    inputs = at_hand.inputs
    want = expected(case, inputs, algorithm)
    got = {name: at_hand.tensors[name].tensor for name in OUTPUTS[case.kernel]}
    chopped = launcher.chops_bfloat16
    allowed = bounds(case, inputs, want, algorithm, chopped=chopped)
    found = [*_trespasses(at_hand), *_against_float64(got, want, allowed)]
    if algorithm is Algorithm.SOUND and case.planted is Planted.NOTHING:
        floor = bounds(case, inputs, want, algorithm, chopped=chopped, chain=TORCH_DEPTH)
        found += _against_torch(case, inputs, got, want, floor)
    return found


def _trespasses(at_hand: Problem) -> list[str]:
    found = [
        f"{name}: a guard element was written"
        for name, t in at_hand.tensors.items()
        if t.breached()
    ]
    inputs = at_hand.tensors.keys() - set(OUTPUTS[at_hand.case.kernel])
    return found + [
        f"{name}: an input was changed"
        for name in sorted(inputs)
        if at_hand.tensors[name].changed().any()
    ]


def _against_float64(got: Tensors, want: Tensors, allowed: Tensors) -> list[str]:
    found = []
    for name, value in got.items():
        exact = want[name]
        finite = exact.isfinite()
        is_bound = ~allowed[name].isinf()
        differs = (value.isnan() != exact.isnan()) & is_bound
        if differs.any():
            found.append(f"{name}: NaN in {_where(differs)} and float64 differ")
        elif not torch.equal(value[exact.isinf()].double(), exact[exact.isinf()]):
            found.append(f"{name}: infinities differ from float64's")
        error = torch.where(finite, (value.double() - exact).abs(), 0.0)
        beyond = ~(error <= allowed[name]) & finite & is_bound
        if beyond.any():
            excess = (error / allowed[name])[beyond].max()
            found.append(
                f"{name}: {int(beyond.sum())} of {beyond.numel()} elements exceed their bound, "
                f"up to {excess:.3g} times; {_where(beyond)} is {value[beyond][0]:.9g}, "
                f"should be {exact[beyond][0]:.9g}"
            )
    return found


def _against_torch(
    case: Case, inputs: Mapping[str, torch.Tensor], got: Tensors, want: Tensors, floor: Tensors
) -> list[str]:
    theirs = by_torch(case, inputs)
    theirs_exact = by_torch(case, {name: tensor.double() for name, tensor in inputs.items()})
    found = []
    for name, value in got.items():
        our_error = (value.double() - want[name]).abs().max()
        torch_error = (theirs[name].double() - theirs_exact[name]).abs().max()
        if our_error > TORCH_MULTIPLE * torch_error + floor[name].max():
            found.append(
                f"{name}: largest error {our_error:.3g} against torch's own {torch_error:.3g}"
            )
    return found


def _where(mask: torch.Tensor) -> str:
    return f"element {mask.nonzero()[0].tolist()}"
