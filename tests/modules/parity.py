"""Steps of a module beside the same steps of torch's, in its dtype and in float64."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from tests.numerics.references import as_f32
from tests.numerics.tolerances import TORCH_MULTIPLE, module_tolerance

if TYPE_CHECKING:
    from modules.batchnorm import Modules
    from tests.numerics.algorithms import Algorithm

BatchNorm = nn.BatchNorm1d | nn.BatchNorm2d


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A module and what goes through it.

    Attributes:
        shape: of the input: four dimensions make it a `BatchNorm2d`.
        dtype: of the input.
        parameters: the dtype of parameters and buffers, where it is another.
        options: what the constructor takes besides.
        is_channels_last: whether the input is laid out so.
        steps: in training mode; as many follow in evaluation mode.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float32
    parameters: torch.dtype | None = None
    eps: float = 1e-5
    momentum: float | None = 0.1
    affine: bool = True
    track_running_stats: bool = True
    is_channels_last: bool = False
    steps: int = 2

    def torchs(self) -> BatchNorm:
        """Torch's module, with parameters and statistics that are none of the defaults."""
        make = nn.BatchNorm2d if len(self.shape) == 4 else nn.BatchNorm1d
        norm = make(
            self.shape[1],
            as_f32(self.eps),
            self.momentum,
            self.affine,
            self.track_running_stats,
            dtype=self.parameters or self.dtype,
        )
        with torch.no_grad():
            for parameter in norm.parameters():
                parameter.normal_()
            if norm.running_mean is not None and norm.running_var is not None:
                norm.running_mean.normal_()
                norm.running_var.uniform_(0.5, 2.0)
        return norm

    def input(self) -> Tensor:
        """One batch."""
        x = (torch.randn(self.shape, dtype=torch.float64) * 1.5 + 0.5).to(self.dtype)
        return x.contiguous(memory_format=torch.channels_last) if self.is_channels_last else x


def faults(
    setting: Setting, modules: Modules, algorithm: Algorithm, device: str = "cpu"
) -> list[str]:
    """Takes the setting's steps; returns a sentence for each result that is too far from torch's in float64.

    Too far is further than the roundings of a step explain, and further than a multiple of torch's own distance.
    """
    torch.manual_seed(0)
    theirs = setting.torchs().to(device)
    ours = ours_like(theirs, modules)
    exact = copy.deepcopy(theirs).double()

    found = []
    for step in range(2 * setting.steps):
        is_training = step < setting.steps
        x = setting.input().to(device)
        dy = torch.randn_like(x)
        results = []
        for norm in (ours, theirs, exact):
            norm.train(is_training)
            dtype = torch.float64 if norm is exact else setting.dtype
            results.append(_step(norm, x.to(dtype), dy.to(dtype)))
        got, peer, want = results
        allowed = _allowed(setting, algorithm, exact, x, dy, step + 1)
        for name, value in got.items():
            error = float((value.double() - want[name]).abs().max())
            torchs = float((peer[name].double() - want[name]).abs().max())
            limit = allowed.get(name, 0.0) + TORCH_MULTIPLE * torchs
            if not error <= limit:
                mode = "training" if is_training else "evaluating"
                found.append(
                    f"{name}, {mode}, step {step}: off by {error:.3g}, {limit:.3g} allowed"
                )
            if _layout(value) != _layout(peer[name]):
                found.append(f"{name}: {_layout(value)} instead of {_layout(peer[name])}")
    return found


def _layout(tensor: Tensor) -> tuple[torch.dtype, list[int]]:
    """Its dtype, and the strides that mean something."""
    extents = zip(tensor.shape, tensor.stride(), strict=True)
    return tensor.dtype, [stride for extent, stride in extents if extent > 1]


def ours_like(theirs: BatchNorm, modules: Modules) -> BatchNorm:
    """Our module with torch's state, by way of its `state_dict`."""
    make = modules.BatchNorm2d if isinstance(theirs, nn.BatchNorm2d) else modules.BatchNorm1d
    tensors = [*theirs.parameters(), *theirs.buffers()]
    ours = make(
        theirs.num_features,
        theirs.eps,
        theirs.momentum,
        theirs.affine,
        theirs.track_running_stats,
        device=tensors[0].device if tensors else None,
        dtype=tensors[0].dtype if tensors else None,
    )
    ours.load_state_dict(theirs.state_dict())
    return ours


def _step(norm: BatchNorm, x: Tensor, dy: Tensor) -> dict[str, Tensor]:
    norm.zero_grad()
    with torch.no_grad():
        apart = copy.deepcopy(norm)(x)
    x = x.detach().requires_grad_()
    y = norm(x)
    y.backward(dy)
    gradients = {
        f"d{name}": parameter.grad.clone()
        for name, parameter in norm.named_parameters()
        if parameter.grad is not None
    }
    assert x.grad is not None
    return {
        "y": y.detach(),
        "y without gradients": apart,
        "dx": x.grad,
        **gradients,
        **{name: buffer.clone() for name, buffer in norm.named_buffers()},
    }


def _allowed(
    setting: Setting, algorithm: Algorithm, exact: BatchNorm, x: Tensor, dy: Tensor, steps: int
) -> dict[str, float]:
    """The tolerances of one step, from the exact module after it."""
    batch, channels = setting.shape[:2]
    over = (0, 2)
    x, dy = (each.double().reshape(batch, channels, -1) for each in (x, dy))
    ones, zeros = x.new_ones(channels), x.new_zeros(channels)
    running_mean = zeros if exact.running_mean is None else exact.running_mean
    running_var = ones if exact.running_var is None else exact.running_var
    takes_batch = exact.training or exact.running_mean is None
    mean, var = (
        (x.mean(over), x.var(over, unbiased=False)) if takes_batch else (running_mean, running_var)
    )
    values = {
        "x": x,
        "dy": dy,
        "weight": ones if exact.weight is None else exact.weight.detach(),
        "bias": zeros if exact.bias is None else exact.bias.detach(),
        "mean": mean,
        "rstd": torch.rsqrt(var + exact.eps),
        "running_mean": running_mean,
        "running_var": running_var,
    }
    found = module_tolerance(
        values,
        stored=setting.dtype,
        kept=setting.parameters or setting.dtype,
        algorithm=algorithm,
        steps=steps,
    )
    return {**found, "y without gradients": found["y"]}
