"""Calls of every batch norm operator at shapes that fill no tile."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from modules.batchnorm import Operators

MATRICES: Final = ((1, 1), (3, 5), (129, 7), (257, 2))
IMAGES: Final = ((1, 1, 1, 1), (2, 3, 5, 7), (3, 2, 13, 11))
EPS: Final = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorCall:
    """A call, what it is called in reports, and whether its output has a backward."""

    label: str
    run: Callable[[], Tensor]
    is_differentiable: bool


def operator_calls(
    operators: Operators, device: str, dtype: torch.dtype = torch.float32
) -> Iterator[OperatorCall]:
    """Each operator the module has, at each shape."""

    def draw(*shape: int, needs_grad: bool = False) -> Tensor:
        return torch.randn(shape, device=device, dtype=dtype).requires_grad_(needs_grad)

    def variance(channels: int) -> Tensor:
        return torch.rand(channels, device=device, dtype=dtype) + 0.5

    kind = str(dtype).removeprefix("torch.")
    over_rows = getattr(operators, "batch_norm_inference", None)
    for count, channels in MATRICES:
        shape = f"[{count}, {channels}] {kind}"
        stats = partial(
            operators.batch_norm_stats,
            draw(count, channels),
            draw(channels),
            variance(channels),
            eps=EPS,
            momentum=0.1,
            block_n=128,
            output_shape=[2 * channels],
        )
        yield OperatorCall(label=f"batch_norm_stats {shape}", run=stats, is_differentiable=False)
        normalize = partial(
            operators.batch_norm_normalize,
            draw(count, channels, needs_grad=True),
            torch.cat((draw(channels), variance(channels))),
            draw(channels, needs_grad=True),
            draw(channels, needs_grad=True),
            block_n=128,
        )
        yield OperatorCall(
            label=f"batch_norm_normalize {shape}", run=normalize, is_differentiable=True
        )
        if over_rows is not None:
            inference = partial(
                over_rows,
                draw(count, channels),
                *(draw(channels) for _ in range(3)),
                variance(channels),
                eps=EPS,
                block_n=128,
            )
            yield OperatorCall(
                label=f"batch_norm_inference {shape}", run=inference, is_differentiable=False
            )
    for extents in IMAGES:
        channels = extents[1]
        images = partial(
            operators.batch_norm2d_nchw_inference,
            draw(*extents, needs_grad=True),
            draw(channels, needs_grad=True),
            draw(channels, needs_grad=True),
            draw(channels),
            variance(channels),
            eps=EPS,
            block_hw=128,
        )
        yield OperatorCall(
            label=f"batch_norm2d_nchw_inference {list(extents)} {kind}",
            run=images,
            is_differentiable=True,
        )
