"""`torch.compile` takes the modules as one graph, whatever the operators are."""

from __future__ import annotations

import copy
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
import torch

from modules.batchnorm import batch_norm_modules
from tests.modules.parity import Setting, ours_like

if TYPE_CHECKING:
    from torch import Tensor

SETTINGS = {
    "rows": Setting(shape=(5, 3)),
    "sequences": Setting(shape=(5, 3, 4)),
    "images": Setting(shape=(2, 3, 4, 5)),
    "channels-last": Setting(shape=(2, 3, 4, 5), is_channels_last=True),
    "cumulative": Setting(shape=(5, 3), momentum=None),
    "no-affine": Setting(shape=(5, 3), affine=False),
    "no-running": Setting(shape=(5, 3), track_running_stats=False),
    "bf16-in-f32": Setting(shape=(5, 3), dtype=torch.bfloat16, parameters=torch.float32),
}


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("name", SETTINGS)
def test_one_graph(name: str, *, is_training: bool) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    setting = SETTINGS[name]
    eager = ours_like(setting.torchs(), batch_norm_modules(in_torch())).train(is_training)
    traced = copy.deepcopy(eager)
    run = torch.compile(traced, fullgraph=True, backend="eager")
    for _ in range(2):
        x = setting.input()
        torch.testing.assert_close(run(x), eager(x))
        torch.testing.assert_close(traced.state_dict(), eager.state_dict())


def in_torch() -> ModuleType:
    """The operators as a module of plain torch functions."""

    def batch_norm_stats(
        x: Tensor,
        running_mean: Tensor,
        running_var: Tensor,
        *,
        eps: float,
        momentum: float,
        block_n: int,
        output_shape: list[int],
    ) -> Tensor:
        assert block_n
        mean, var = x.mean(0), x.var(0, unbiased=False)
        running_mean.mul_(1 - momentum).add_(mean, alpha=momentum)
        running_var.mul_(1 - momentum).add_(var, alpha=momentum)
        return torch.cat((mean, torch.rsqrt(var + eps))).view(output_shape)

    def batch_norm_normalize(
        x: Tensor, stats: Tensor, weight: Tensor, bias: Tensor, *, block_n: int
    ) -> Tensor:
        assert block_n
        mean, rstd = stats.chunk(2)
        return (x - mean) * rstd * weight + bias

    def batch_norm2d_nchw_inference(
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        mean: Tensor,
        var: Tensor,
        *,
        eps: float,
        block_hw: int,
    ) -> Tensor:
        assert block_hw
        m, v, w, b = (each.view(1, -1, 1, 1) for each in (mean, var, weight, bias))
        return (x - m) * torch.rsqrt(v + eps) * w + b

    module = ModuleType("in_torch")
    for function in (batch_norm_stats, batch_norm_normalize, batch_norm2d_nchw_inference):
        setattr(module, function.__name__, function)
    return module
