"""`BatchNorm1d` and `BatchNorm2d` over generated operators, to stand where `torch.nn`'s do.

They are `torch.nn`'s classes with another `forward`: constructor, parameters, buffers, `state_dict`, modes, errors and
`repr` are inherited, and so stay what they are in the torch that is installed. What `forward` computes is the same too:
the running variance takes the unbiased variance of a batch.

The operators come from a module that teeny-transpile wrote: `generated/batchnorm.py` here, any other with these names
through `batch_norm_modules`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from generated import batchnorm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["BatchNorm1d", "BatchNorm2d", "Modules", "Operators", "batch_norm_modules", "convert"]

_HALVES = (torch.float16, torch.bfloat16)
_BLOCKS = (128, 256, 1024)
_MOST_IMAGES = 65535
"""The image operator has a program row for each image, and a grid has so many rows at most."""


class Operators(Protocol):
    """What is needed of a generated module. It may have `batch_norm_inference` besides: see `_over_rows`."""

    def batch_norm_stats(
        self,
        x: Tensor,
        running_mean: Tensor,
        running_var: Tensor,
        *,
        eps: float,
        momentum: float,
        block_n: int,
        output_shape: Sequence[int],
    ) -> Tensor:
        """The means of `x[N, C]`, then `1 / sqrt(var + eps)`; moves the running statistics in place."""

    def batch_norm_normalize(
        self, x: Tensor, stats: Tensor, weight: Tensor, bias: Tensor, *, block_n: int
    ) -> Tensor:
        """`x[N, C]` normalised with its statistics, differentiable through these too."""

    def batch_norm2d_nchw_inference(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        running_mean: Tensor,
        running_var: Tensor,
        *,
        eps: float,
        block_hw: int,
    ) -> Tensor:
        """`x[B, C, H, W]` normalised with running statistics."""


class BatchNorm1d(nn.BatchNorm1d):
    """`torch.nn.BatchNorm1d` over `[N, C]` or `[N, C, L]`, computed by generated operators.

    Attributes:
        operators: the generated module; a subclass may name another.
    """

    operators: ClassVar[Operators] = batchnorm

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - callers may name it, as torch does
        """Normalise a batch."""
        self._check_input_dim(input)
        return _forward(self, self.operators, input)


class BatchNorm2d(nn.BatchNorm2d):
    """`torch.nn.BatchNorm2d` over `[N, C, H, W]`, computed by generated operators.

    Attributes:
        operators: the generated module; a subclass may name another.
    """

    operators: ClassVar[Operators] = batchnorm

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - callers may name it, as torch does
        """Normalise a batch."""
        self._check_input_dim(input)
        return _forward(self, self.operators, input)


class Modules(NamedTuple):
    """Both classes over one generated module."""

    BatchNorm1d: type[BatchNorm1d]
    BatchNorm2d: type[BatchNorm2d]


OWN = Modules(BatchNorm1d, BatchNorm2d)
"""The classes of this file."""


def batch_norm_modules(operators: Operators) -> Modules:
    """Both classes over the operators of another generated module."""
    return Modules(
        type("BatchNorm1d", (BatchNorm1d,), {"operators": operators}),
        type("BatchNorm2d", (BatchNorm2d,), {"operators": operators}),
    )


def convert(model: nn.Module, modules: Modules = OWN) -> nn.Module:
    """Let the batch norms of a model compute with generated operators, in place.

    Every `torch.nn.BatchNorm1d` and `BatchNorm2d` in it, and the model itself if it is one, gets our class and nothing
    else: parameters, buffers, hooks, modes, and whatever refers to the module stay. Modules of other classes, those
    derived from them among them, are left alone.

    Returns:
        `model`.
    """
    ours: dict[type[nn.Module], type[nn.Module]] = {
        nn.BatchNorm1d: modules.BatchNorm1d,
        nn.BatchNorm2d: modules.BatchNorm2d,
    }
    for module in model.modules():
        if type(module) in ours:
            module.__class__ = ours[type(module)]
    return model


def _forward(norm: nn.BatchNorm1d | nn.BatchNorm2d, operators: Operators, x: Tensor) -> Tensor:
    takes_batch = norm.training or (norm.running_mean is None and norm.running_var is None)
    if takes_batch and x.shape[1] > 0 and x.numel() == x.shape[1]:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {x.shape}"
        )
    _check_tensors(norm, x)

    is_tracking = norm.training and norm.track_running_stats
    if is_tracking and norm.num_batches_tracked is not None:
        norm.num_batches_tracked.add_(1)
    if x.numel() == 0:
        return _of_nothing(norm, x)
    return (
        _by_batch(norm, operators, x, is_tracking=is_tracking)
        if takes_batch
        else _by_running(norm, operators, x)
    )


def _check_tensors(norm: nn.BatchNorm1d | nn.BatchNorm2d, x: Tensor) -> None:
    """Refuse shapes that torch refuses, and mixtures of dtypes but halves with float parameters."""
    channels, dtypes = x.shape[1], (x.dtype, _calculation(x))
    for name in ("running_mean", "running_var", "weight", "bias"):
        tensor: Tensor | None = getattr(norm, name)
        if tensor is None:
            continue
        if tensor.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {tensor.numel()}")
        if tensor.dtype not in dtypes:
            raise RuntimeError(
                f"Expected {name} to have dtype {dtypes[1]} for an input of dtype {x.dtype},"
                f" but it has dtype {tensor.dtype}"
            )


def _calculation(x: Tensor) -> torch.dtype:
    """What torch computes a batch norm of `x` in, and may keep its parameters in."""
    return torch.float32 if x.dtype in _HALVES else x.dtype


def _cast(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """`tensor.to(dtype)`, without a call of torch where that would return the tensor itself."""
    return tensor if tensor.dtype == dtype else tensor.to(dtype)


def _of_nothing(norm: nn.BatchNorm1d | nn.BatchNorm2d, x: Tensor) -> Tensor:
    """An empty result, through which gradients of zero reach the parameters."""
    y = x.clone()
    if norm.weight is not None:
        y = y * norm.weight.sum()
    if norm.bias is not None:
        y = y + norm.bias.sum()
    return y


def _by_batch(
    norm: nn.BatchNorm1d | nn.BatchNorm2d, operators: Operators, x: Tensor, *, is_tracking: bool
) -> Tensor:
    """Normalise with the statistics of the batch, and let the running ones follow."""
    # Between the two operators the statistics of halves stay in f32, as they do inside torch's one.
    rows = _cast(_rows(x), _calculation(x))
    weight, bias = (_cast(each, rows.dtype) for each in _affine(norm, rows))
    count, channels = rows.shape
    block = _block(count)

    # With a momentum of 1 running statistics become exactly those of the batch. They are taken apart from autograd:
    # the backward of normalising has the paths through them.
    mean, var = rows.new_zeros(2, channels).unbind()
    stats = operators.batch_norm_stats(
        rows.detach(),
        mean,
        var,
        eps=norm.eps,
        momentum=1.0,
        block_n=block,
        output_shape=[2 * channels],
    )
    if is_tracking:
        factor = _factor(norm)
        _move(norm.running_mean, mean, factor)
        _move(norm.running_var, var, factor, count / (count - 1))

    y = operators.batch_norm_normalize(rows, stats, weight, bias, block_n=block)
    return _from_rows(_cast(y, x.dtype), x)


def _factor(norm: nn.BatchNorm1d | nn.BatchNorm2d) -> float | Tensor:
    """The share of a batch in the running statistics; without a momentum, all batches count alike.

    That one stays on the device: nothing waits for it, and a CUDA graph goes on counting when it is replayed.
    """
    if norm.momentum is not None:
        return norm.momentum
    if norm.num_batches_tracked is None:
        return 0.0
    return norm.num_batches_tracked.double().reciprocal()


def _move(
    running: Tensor | None, batch: Tensor, factor: float | Tensor, correction: float = 1.0
) -> None:
    """Move a running statistic towards that of the batch times `correction`.

    By two products, as torch and the kernels do: an infinite one stays infinite instead of turning into NaN.
    """
    if running is None:
        return
    moved = _cast(running, batch.dtype)
    moved.mul_(1.0 - factor)
    taken = factor * correction
    if isinstance(taken, Tensor):
        moved.addcmul_(batch, taken.to(batch.dtype))
    else:
        moved.add_(batch, alpha=taken)
    if moved is not running:
        running.copy_(moved)


def _by_running(norm: nn.BatchNorm1d | nn.BatchNorm2d, operators: Operators, x: Tensor) -> Tensor:
    """Normalise with the running statistics."""
    if norm.running_mean is None or norm.running_var is None:
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when training=False"
        )
    given = (*_affine(norm, x), norm.running_mean, norm.running_var)
    dtype = x.dtype if all(each.dtype == x.dtype for each in given) else _calculation(x)
    values = _cast(x, dtype)
    weight, bias, mean, var = (_cast(each, dtype) for each in given)

    over_rows = _over_rows(operators)
    if (x.dim() == 2 or _is_channels_last(x)) and over_rows is not None:
        needs_grad = values.requires_grad or weight.requires_grad or bias.requires_grad
        if not (needs_grad and torch.is_grad_enabled()):
            rows = _rows(values)
            block = _block(rows.shape[0])
            y = over_rows(rows, weight, bias, mean, var, eps=norm.eps, block_n=block)
            return _from_rows(_cast(y, x.dtype), x)

    batch, channels, *extents = x.shape
    if not extents or batch > _MOST_IMAGES:
        # One image, in which a channel's plane holds all there is of it.
        images = values.transpose(0, 1).reshape(1, channels, -1, 1).contiguous()
    else:
        images = values.contiguous().view(batch, channels, -1, 1)
    y = operators.batch_norm2d_nchw_inference(
        images, weight, bias, mean, var, eps=norm.eps, block_hw=_block(images.shape[2])
    )
    y = _cast(y, x.dtype)
    if not extents or batch > _MOST_IMAGES:
        y = y.view(channels, batch, *extents).transpose(0, 1)
    return _laid_out(y.reshape(x.shape), x)


def _over_rows(operators: Operators) -> Callable[..., Tensor] | None:
    """Inference over `x[N, C]`, where the module has it: no backward, but it reads channels-last memory in place."""
    found: Callable[..., Tensor] | None = getattr(operators, "batch_norm_inference", None)
    return found


def _affine(norm: nn.BatchNorm1d | nn.BatchNorm2d, x: Tensor) -> tuple[Tensor, Tensor]:
    """Weight and bias: the module's, or those that change nothing."""
    weight: Tensor | None = norm.weight
    bias: Tensor | None = norm.bias
    channels = x.shape[1]
    return (
        x.new_ones(channels) if weight is None else weight,
        x.new_zeros(channels) if bias is None else bias,
    )


def _block(count: int) -> int:
    """The smallest of the usual blocks that takes so many values at once."""
    return next((block for block in _BLOCKS if block >= count), _BLOCKS[-1])


def _rows(x: Tensor) -> Tensor:
    """`x` with its channels last, as a matrix `[N, C]`: in place where memory is laid out so."""
    return x.movedim(1, -1).reshape(-1, x.shape[1]).contiguous()


def _from_rows(rows: Tensor, x: Tensor) -> Tensor:
    """The matrix `_rows` made of `x`, with the shape of `x` and laid out as it is."""
    batch, channels, *extents = x.shape
    return _laid_out(rows.view(batch, *extents, channels).movedim(-1, 1), x)


def _laid_out(y: Tensor, x: Tensor) -> Tensor:
    """`y` in the memory format of `x`."""
    return y.contiguous(
        memory_format=torch.channels_last if _is_channels_last(x) else torch.contiguous_format
    )


def _is_channels_last(x: Tensor) -> bool:
    return (
        x.dim() == 4
        and not x.is_contiguous()
        and x.is_contiguous(memory_format=torch.channels_last)
    )
