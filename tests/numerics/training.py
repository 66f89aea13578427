"""The three training kernels one after another, against torch's training step and its autograd."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from tests.numerics.cases import Case, DType, Form, Kernel
from tests.numerics.fences import Fenced
from tests.numerics.problems import PARAMETERS, draw
from tests.numerics.references import as_f32
from tests.numerics.tolerances import step_tolerance

if TYPE_CHECKING:
    from tests.numerics.algorithms import Algorithm
    from tests.numerics.launchers import Launcher
    from tests.numerics.references import Tensors

STEP = (Kernel.STATS, Kernel.NORMALIZE, Kernel.BACKWARD)


def step_faults(dtype: DType, launcher: Launcher, algorithm: Algorithm) -> list[str]:
    """Runs one step on `[300, 7]`; returns a sentence for each result that torch, in float64, does
    not share."""
    case = Case(
        kernel=Kernel.STATS,
        outer=300,
        channels=7,
        inner=1,
        block=128,
        dtype=dtype,
        form=Form.SPECIALISED,
    )
    inputs = {name: tensor.to(launcher.device) for name, tensor in draw(case).items()}
    got = _by_kernels(case, inputs, launcher)
    want = _by_autograd(case, {name: tensor.double() for name, tensor in inputs.items()})
    allowed = step_tolerance(case, inputs, want, algorithm, chopped=launcher.chops_bfloat16)
    errors = {name: float((got[name].double() - exact).abs().max()) for name, exact in want.items()}
    return [
        f"{name}: off by {error:.3g}, {allowed[name]:.3g} allowed"
        for name, error in errors.items()
        if not error <= allowed[name]
    ]


def _by_kernels(case: Case, inputs: Tensors, launcher: Launcher) -> Tensors:
    shapes = {
        "y": "x",
        "dx": "x",
        "mean": "bias",
        "rstd": "bias",
        "dweight": "bias",
        "dbias": "bias",
    }
    values = {
        **inputs,
        **{name: torch.full_like(inputs[like], torch.nan) for name, like in shapes.items()},
    }
    tensors = {name: Fenced.around(value, guard=torch.nan) for name, value in values.items()}
    constants = case.constants
    scalars = {
        "N": case.outer,
        "C": case.channels,
        "eps": constants.eps,
        "momentum": constants.momentum,
    }
    arguments: dict[str, Fenced | int | float] = {**tensors, **scalars}
    for kernel in STEP:
        launcher.launch(
            f"{kernel}__{case.dtype}__{case.block}",
            [arguments[name] for name in PARAMETERS[kernel]],
            {},
            (case.channels,),
        )
    return {name: fenced.tensor for name, fenced in tensors.items()}


def _by_autograd(case: Case, v: Tensors) -> Tensors:
    x, weight, bias = (v[name].clone().requires_grad_() for name in ("x", "weight", "bias"))
    running_mean, running_var = v["running_mean"].clone(), v["running_var"].clone()
    eps, momentum = as_f32(case.constants.eps), as_f32(case.constants.momentum)
    y = functional.batch_norm(
        x, running_mean, running_var, weight, bias, training=True, momentum=momentum, eps=eps
    )
    dx, dweight, dbias = torch.autograd.grad(y, (x, weight, bias), v["dy"])
    # Torch takes the unbiased variance of the batch into the running one, the kernels the biased.
    unbiased = (running_var - (1.0 - momentum) * v["running_var"]) / momentum
    biased = unbiased * (case.length - 1) / case.length
    running_var = (1.0 - momentum) * v["running_var"] + momentum * biased
    return {
        "y": y.detach(),
        "dx": dx,
        "dweight": dweight,
        "dbias": dbias,
        "running_mean": running_mean,
        "running_var": running_var,
    }
