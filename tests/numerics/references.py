"""What the kernels should return: formulas in float64, and torch's own operators in any dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from tests.numerics.cases import Kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.numerics.algorithms import Algorithm
    from tests.numerics.cases import Case

Tensors = dict[str, torch.Tensor]
OVER_CHANNEL = (0, 2)
"""The axes of `[outer, channels, inner]` that a channel's sums run over."""


def across(vector: torch.Tensor) -> torch.Tensor:
    """A `[channels]` vector, shaped to broadcast against `[outer, channels, inner]`."""
    return vector[None, :, None]


def as_f32(value: float) -> float:
    """What a kernel receives of a float argument: the nearest f32."""
    return float(torch.tensor(value, dtype=torch.float32))


def expected(case: Case, inputs: Mapping[str, torch.Tensor], algorithm: Algorithm) -> Tensors:
    """The outputs in float64, by the formulas in the kernels' documentation.

    `inputs` are the stored values; widening them is exact. The running variance takes the biased
    variance. The algorithm matters for what is not finite only.
    """
    v = {name: tensor.double() for name, tensor in inputs.items()}
    eps, momentum = as_f32(case.constants.eps), as_f32(case.constants.momentum)
    match case.kernel:
        case Kernel.INFERENCE | Kernel.IMAGE_INFERENCE:
            slope = v["weight"] * torch.rsqrt(v["running_var"] + eps)
            return {"y": (v["x"] - across(v["running_mean"])) * across(slope) + across(v["bias"])}
        case Kernel.NORMALIZE:
            slope = v["weight"] * v["rstd"]
            return {"y": (v["x"] - across(v["mean"])) * across(slope) + across(v["bias"])}
        case Kernel.STATS:
            mean = v["x"].sum(OVER_CHANNEL) / case.length
            var = ((v["x"] - across(mean)) ** 2).sum(OVER_CHANNEL) / case.length
            return {
                "mean": mean,
                "rstd": torch.rsqrt(var + eps),
                "running_mean": (1.0 - momentum) * v["running_mean"] + momentum * mean,
                "running_var": (1.0 - momentum) * v["running_var"] + momentum * var,
            }
        case Kernel.BACKWARD:
            xhat = (v["x"] - across(v["mean"])) * across(v["rstd"])
            dbias = v["dy"].sum(OVER_CHANNEL)
            dweight = (v["dy"] * xhat).sum(OVER_CHANNEL)
            if algorithm.pads_sums and case.length % case.block:
                # A padding lane adds 0 * xhat with x = 0: nothing, or NaN where the mean or rstd is
                # not finite.
                dweight = dweight + 0.0 * ((0.0 - v["mean"]) * v["rstd"])
            centred = v["dy"] - across(dbias / case.length) - xhat * across(dweight / case.length)
            return {
                "dx": across(v["weight"] * v["rstd"]) * centred,
                "dweight": dweight,
                "dbias": dbias,
            }
        case Kernel.IMAGE_BACKWARD:
            rstd = torch.rsqrt(v["running_var"] + eps)
            xhat = (v["x"] - across(v["running_mean"])) * across(rstd)
            return {
                "dx": across(v["weight"] * rstd) * v["dy"],
                "dweight": (v["dy"] * xhat).sum(OVER_CHANNEL),
                "dbias": v["dy"].sum(OVER_CHANNEL),
            }


def by_torch(case: Case, inputs: Mapping[str, torch.Tensor]) -> Tensors:
    """The outputs by torch's batch norm operators, computed in the dtype of `inputs`.

    Torch puts the unbiased variance into the running one. It has no operator for the normalisation
    alone on the CPU; there its elementwise ones are taken, in f32 for half precision as everywhere.
    """
    v = inputs
    eps, momentum = as_f32(case.constants.eps), as_f32(case.constants.momentum)
    match case.kernel:
        case Kernel.INFERENCE | Kernel.IMAGE_INFERENCE:
            y = functional.batch_norm(
                v["x"], v["running_mean"], v["running_var"], v["weight"], v["bias"], eps=eps
            )
            return {"y": y}
        case Kernel.NORMALIZE:
            wide = {name: t.float() if t.element_size() == 2 else t for name, t in v.items()}
            slope = wide["weight"] * wide["rstd"]
            y = (wide["x"] - across(wide["mean"])) * across(slope) + across(wide["bias"])
            return {"y": y.to(v["x"].dtype)}
        case Kernel.STATS:
            running_mean, running_var = v["running_mean"].clone(), v["running_var"].clone()
            _, mean, rstd = torch.native_batch_norm(
                v["x"], None, None, running_mean, running_var, True, momentum, eps
            )
            return {
                "mean": mean,
                "rstd": rstd,
                "running_mean": running_mean,
                "running_var": running_var,
            }
        case Kernel.BACKWARD:
            return _by_autograd(v, running=(None, None), eps=eps)
        case Kernel.IMAGE_BACKWARD:
            return _by_autograd(v, running=(v["running_mean"], v["running_var"]), eps=eps)


def _by_autograd(
    v: Mapping[str, torch.Tensor],
    *,
    running: tuple[torch.Tensor | None, torch.Tensor | None],
    eps: float,
) -> Tensors:
    """Gradients of a training step, or of inference where there are running statistics.

    By torch's own kernels rather than cuDNN's, and without the refusal of a single element a
    channel that the functional interface adds.
    """
    training = running[0] is None
    x, weight, bias = (v[name].detach().requires_grad_() for name in ("x", "weight", "bias"))
    y = torch.batch_norm(x, weight, bias, *running, training, 0.0, eps, False)
    dx, dweight, dbias = torch.autograd.grad(y, (x, weight, bias), v["dy"])
    return {"dx": dx, "dweight": dweight, "dbias": dbias}
