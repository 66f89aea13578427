# Generated from batchnorm.rs by teeny-transpile 0.1.0; change the Rust, not this file.
# Source: sha256 0812767c96c2d0c1015bc4278aa6c6bc6b54ad600b590572566fd0fff144aba7
# Options: --block BLOCK_N=128 --block BLOCK_HW=128 --dtype f16
#
# Names are those of the Rust. One that Python or Triton reserves, or that this module uses
# itself, ends in an underscore; one given again where the first still counts, in a number.
# A dtype parameter of the Rust, such as D, is read off the pointers. Arithmetic on f16 and
# bf16 runs in f32: loads widen, stores narrow.
"""Batch normalisation: inference, the two launches of a training step, and the gradients.

Two layouts. The `batch_norm_*` kernels read a row-major matrix `x[N, C]`, whose element
`x[n, c]` lies at `n * C + c` (a channels-last image batch is one, batch and positions folded
into `N`). The `batch_norm_2d_nchw_*` kernels read `x[B, C, H, W]` in place, with `HW = H * W`:
element `x[b, c, p]` lies at `(b * C + c) * HW + p`.

A program owns one channel (one plane of it for the image forward) and walks it in tiles, so no
two programs share a sum and a result does not depend on the order in which they run. Offsets
are `i32`; of a tensor of 2^31 elements and more, they need the form with 64-bit offsets.

Numerics. Statistics take two passes over the data, the mean first and then the squares of what
is left after subtracting it; the difference of two large sums never appears. Lanes beyond the
end of a channel enter a sum as an explicit zero, whatever their load returned. `eps` and
`momentum` arrive as f32 and enter the arithmetic in `D`; a mean divides by the count in `D`.

Operators. The `…RuntimeOp`s at the end say how a graph launches the kernels. Those over a matrix
take `x[..., C]` of any rank: the last dimension is the channel, the others are rows. A training
step is two of them: `BatchNormStatsRuntimeOp`, then `BatchNormNormalizeRuntimeOp` on its result.
"""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.library import wrap_triton
from triton.compiler import CompiledKernel

__all__ = [
    "KERNELS",
    "BatchNorm2dNchwBackward",
    "BatchNorm2dNchwForwardInference",
    "BatchNorm2dNchwInferenceRuntimeOp",
    "BatchNormBackward",
    "BatchNormForwardInference",
    "BatchNormInferenceRuntimeOp",
    "BatchNormNormalizeForward",
    "BatchNormNormalizeRuntimeOp",
    "BatchNormStatsForward",
    "BatchNormStatsRuntimeOp",
    "Kernel",
    "Launcher",
    "RuntimeOp",
    "batch_norm2d_nchw_inference",
    "batch_norm_2d_nchw_backward",
    "batch_norm_2d_nchw_backward__f16__128",
    "batch_norm_2d_nchw_backward__index64",
    "batch_norm_2d_nchw_forward_inference",
    "batch_norm_2d_nchw_forward_inference__f16__128",
    "batch_norm_2d_nchw_forward_inference__index64",
    "batch_norm_backward",
    "batch_norm_backward__f16__128",
    "batch_norm_backward__index64",
    "batch_norm_forward_inference",
    "batch_norm_forward_inference__f16__128",
    "batch_norm_forward_inference__index64",
    "batch_norm_inference",
    "batch_norm_normalize",
    "batch_norm_normalize_forward",
    "batch_norm_normalize_forward__f16__128",
    "batch_norm_normalize_forward__index64",
    "batch_norm_stats",
    "batch_norm_stats_forward",
    "batch_norm_stats_forward__f16__128",
    "batch_norm_stats_forward__index64",
]


@dataclass(frozen=True)
class Kernel:
    """What a caller has to know about a kernel of this module.

    Attributes:
        name: the name in Rust.
        function: the kernel, generic over dtypes and constants.
        index64: the kernel with offsets in 64 bits, for tensors of 2^31 elements and more: `function`
            itself if its offsets never leave 32 bits, None if they would be wrong all the same.
        parameters: the run-time parameters, in order.
        types: their Rust types, a letter for a dtype parameter: `*D`, `i32`, `f32`.
        constants: the compile-time parameters behind them.
        dtypes: the element types its pointers may have, by their Rust names.
        grid_axes: the axes of the grid it asks for its place on.
        reads: the pointers it loads from.
        writes: the pointers it stores to.
        atomics: the pointers it updates atomically: what they point to must be set before.
        feature: the Rust feature it belongs to.
        backward: the Rust name of its backward kernel.
        specialisations: the functions with constants and dtypes baked in, by their names.
        elements: how many elements a launch touches at least behind its pointers, where that is known,
            for a grid of three extents, none of them 0, and its parameters and constants by name.
    """

    name: str
    function: triton.JITFunction
    index64: triton.JITFunction | None
    parameters: tuple[str, ...]
    types: tuple[str, ...]
    constants: tuple[str, ...]
    dtypes: tuple[str, ...]
    grid_axes: tuple[int, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    atomics: tuple[str, ...]
    feature: str | None
    backward: str | None
    specialisations: dict[str, triton.JITFunction]
    elements: Callable[..., dict[str, int]]


@triton.jit
def _require_dtype(pointers, dtype: tl.constexpr):
    """Refuses at compile time pointers to elements of another dtype than `dtype`."""
    for i in tl.static_range(len(pointers)):
        tl.static_assert(
            pointers[i].dtype.element_ty == dtype,
            "a pointer's elements are not of the dtype this kernel is specialised for",
        )


# batchnorm.rs:43
@triton.jit
def batch_norm_forward_inference(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    running_mean_ptr,
    running_var_ptr,
    N,
    C,
    eps,
    BLOCK_N: tl.constexpr,
):
    """Normalises `x[N, C]` with the running statistics, as a model in evaluation mode does.

    `y = (x - running_mean) * weight / sqrt(running_var + eps) + bias`, channel by channel. The
    statistics, `weight` and `bias` have shape `[C]` and are only read; `y` has the shape of `x`.

    Grid: `[C]`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    channel = tl.program_id(0)
    at = tl.arange(0, 1) + channel

    mean = tl.load(running_mean_ptr + at).to(D)
    var = tl.load(running_var_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)
    bias = tl.load(bias_ptr + at).to(D)

    # One factor a channel: the tiles below then cost a subtraction, a product and a sum.
    scale = weight * tl.rsqrt(var + tl.full([1], eps, D))

    centre = tl.broadcast_to(mean, [BLOCK_N])
    slope = tl.broadcast_to(scale, [BLOCK_N])
    shift = tl.broadcast_to(bias, [BLOCK_N])

    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        y = (x - centre) * slope + shift
        tl.store(y_ptr + offsets, y, mask=inside)


# batchnorm.rs:43
@triton.jit
def batch_norm_forward_inference__index64(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    running_mean_ptr,
    running_var_ptr,
    N,
    C,
    eps,
    BLOCK_N: tl.constexpr,
):
    """The same kernel with offsets in 64 bits, for tensors of 2^31 elements and more."""
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, in 64 bits where offsets depend on them.
    N = tl.cast(N, tl.int64)
    C = tl.cast(C, tl.int64)
    eps = tl.cast(eps, tl.float32)

    channel = tl.cast(tl.program_id(0), tl.int64)
    at = tl.arange(0, 1) + channel

    mean = tl.load(running_mean_ptr + at).to(D)
    var = tl.load(running_var_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)
    bias = tl.load(bias_ptr + at).to(D)

    # One factor a channel: the tiles below then cost a subtraction, a product and a sum.
    scale = weight * tl.rsqrt(var + tl.full([1], eps, D))

    centre = tl.broadcast_to(mean, [BLOCK_N])
    slope = tl.broadcast_to(scale, [BLOCK_N])
    shift = tl.broadcast_to(bias, [BLOCK_N])

    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        y = (x - centre) * slope + shift
        tl.store(y_ptr + offsets, y, mask=inside)


# batchnorm.rs:102
@triton.jit
def batch_norm_stats_forward(
    x_ptr,
    mean_ptr,
    rstd_ptr,
    running_mean_ptr,
    running_var_ptr,
    N,
    C,
    eps,
    momentum,
    BLOCK_N: tl.constexpr,
):
    """Takes the statistics of a training batch `x[N, C]` and moves the running ones towards them.

    Writes the mean of each channel to `mean[C]` and `1 / sqrt(var + eps)` to `rstd[C]`, where `var`
    is the biased variance, the mean of the squared distances from the mean. Then updates in place
    `running = (1 - momentum) * running + momentum * batch` for `running_mean[C]` and
    `running_var[C]`. The running variance takes the biased variance as well; `torch.nn.BatchNorm1d`
    would take `var * N / (N - 1)` there.

    `batch_norm_normalize_forward` reads what this kernel wrote: launch it afterwards on the same
    stream.

    Grid: `[C]`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)
    momentum = tl.cast(momentum, tl.float32)

    channel = tl.program_id(0)
    at = tl.arange(0, 1) + channel
    zeros = tl.zeros([BLOCK_N], D)
    count = tl.full([1], N, tl.int32).to(D)

    # First pass: every lane adds up its own rows, and the lanes are added once at the end.
    sums = zeros
    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        sums = sums + tl.where(inside, x, zeros)
    mean = tl.sum(sums, keep_dims=True) / count

    # Second pass: the squares of the distances from that mean.
    centre = tl.broadcast_to(mean, [BLOCK_N])
    squares = zeros
    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        distance = tl.where(inside, x - centre, zeros)
        squares = squares + distance * distance
    var = tl.sum(squares, keep_dims=True) / count
    rstd = tl.rsqrt(var + tl.full([1], eps, D))

    tl.store(mean_ptr + at, mean)
    tl.store(rstd_ptr + at, rstd)

    # Two products rather than `old + momentum * (batch - old)`: an infinite old value stays
    # infinite instead of turning into NaN.
    take = tl.full([1], momentum, D)
    keep = tl.full([1], 1.0 - tl.cast(momentum, tl.float64), D)
    old_mean = tl.load(running_mean_ptr + at).to(D)
    old_var = tl.load(running_var_ptr + at).to(D)

    new_mean = keep * old_mean + take * mean
    new_var = keep * old_var + take * var
    tl.store(running_mean_ptr + at, new_mean)
    tl.store(running_var_ptr + at, new_var)


# batchnorm.rs:102
@triton.jit
def batch_norm_stats_forward__index64(
    x_ptr,
    mean_ptr,
    rstd_ptr,
    running_mean_ptr,
    running_var_ptr,
    N,
    C,
    eps,
    momentum,
    BLOCK_N: tl.constexpr,
):
    """The same kernel with offsets in 64 bits, for tensors of 2^31 elements and more."""
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, in 64 bits where offsets depend on them.
    N = tl.cast(N, tl.int64)
    C = tl.cast(C, tl.int64)
    eps = tl.cast(eps, tl.float32)
    momentum = tl.cast(momentum, tl.float32)

    channel = tl.cast(tl.program_id(0), tl.int64)
    at = tl.arange(0, 1) + channel
    zeros = tl.zeros([BLOCK_N], D)
    count = tl.full([1], N, tl.int64).to(D)

    # First pass: every lane adds up its own rows, and the lanes are added once at the end.
    sums = zeros
    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        sums = sums + tl.where(inside, x, zeros)
    mean = tl.sum(sums, keep_dims=True) / count

    # Second pass: the squares of the distances from that mean.
    centre = tl.broadcast_to(mean, [BLOCK_N])
    squares = zeros
    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        distance = tl.where(inside, x - centre, zeros)
        squares = squares + distance * distance
    var = tl.sum(squares, keep_dims=True) / count
    rstd = tl.rsqrt(var + tl.full([1], eps, D))

    tl.store(mean_ptr + at, mean)
    tl.store(rstd_ptr + at, rstd)

    # Two products rather than `old + momentum * (batch - old)`: an infinite old value stays
    # infinite instead of turning into NaN.
    take = tl.full([1], momentum, D)
    keep = tl.full([1], 1.0 - tl.cast(momentum, tl.float64), D)
    old_mean = tl.load(running_mean_ptr + at).to(D)
    old_var = tl.load(running_var_ptr + at).to(D)

    new_mean = keep * old_mean + take * mean
    new_var = keep * old_var + take * var
    tl.store(running_mean_ptr + at, new_mean)
    tl.store(running_var_ptr + at, new_var)


# batchnorm.rs:183
@triton.jit
def batch_norm_normalize_forward(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    rstd_ptr,
    N,
    C,
    BLOCK_N: tl.constexpr,
):
    """Normalises a training batch `x[N, C]` with the statistics of that batch.

    `y = (x - mean) * rstd * weight + bias`, channel by channel, with `mean[C]` and `rstd[C]` as
    `batch_norm_stats_forward` left them.

    Grid: `[C]`.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    channel = tl.program_id(0)
    at = tl.arange(0, 1) + channel

    mean = tl.load(mean_ptr + at).to(D)
    rstd = tl.load(rstd_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)
    bias = tl.load(bias_ptr + at).to(D)

    centre = tl.broadcast_to(mean, [BLOCK_N])
    slope = tl.broadcast_to(weight * rstd, [BLOCK_N])
    shift = tl.broadcast_to(bias, [BLOCK_N])

    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        y = (x - centre) * slope + shift
        tl.store(y_ptr + offsets, y, mask=inside)


# batchnorm.rs:183
@triton.jit
def batch_norm_normalize_forward__index64(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    rstd_ptr,
    N,
    C,
    BLOCK_N: tl.constexpr,
):
    """The same kernel with offsets in 64 bits, for tensors of 2^31 elements and more."""
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments that offsets depend on in 64 bits, whatever the caller passed.
    N = tl.cast(N, tl.int64)
    C = tl.cast(C, tl.int64)

    channel = tl.cast(tl.program_id(0), tl.int64)
    at = tl.arange(0, 1) + channel

    mean = tl.load(mean_ptr + at).to(D)
    rstd = tl.load(rstd_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)
    bias = tl.load(bias_ptr + at).to(D)

    centre = tl.broadcast_to(mean, [BLOCK_N])
    slope = tl.broadcast_to(weight * rstd, [BLOCK_N])
    shift = tl.broadcast_to(bias, [BLOCK_N])

    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        y = (x - centre) * slope + shift
        tl.store(y_ptr + offsets, y, mask=inside)


# batchnorm.rs:238
@triton.jit
def batch_norm_backward(
    dy_ptr,
    x_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    dweight_ptr,
    dbias_ptr,
    N,
    C,
    BLOCK_N: tl.constexpr,
):
    """Gradients of a training step over `x[N, C]`, given the gradient `dy[N, C]` of its output.

    With `xhat = (x - mean) * rstd` and averages over the rows of a channel:
    ```text
    dbias   = sum(dy)
    dweight = sum(dy * xhat)
    dx      = weight * rstd * (dy - average(dy) - xhat * average(dy * xhat))
    ```
    The two averages in `dx` are the paths through the batch's own mean and variance (Ioffe and
    Szegedy, 2015, section 3). `xhat` is computed again from `x` in each pass instead of being kept.

    Grid: `[C]`.
    """
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )

    channel = tl.program_id(0)
    at = tl.arange(0, 1) + channel
    zeros = tl.zeros([BLOCK_N], D)

    mean = tl.load(mean_ptr + at).to(D)
    rstd = tl.load(rstd_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)

    centre = tl.broadcast_to(mean, [BLOCK_N])
    spread = tl.broadcast_to(rstd, [BLOCK_N])

    # First pass: the gradients of the parameters.
    bias_sums = zeros
    weight_sums = zeros
    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        dy = tl.load(dy_ptr + offsets, mask=inside).to(D)
        xhat = (x - centre) * spread

        bias_sums = bias_sums + tl.where(inside, dy, zeros)
        weight_sums = weight_sums + tl.where(inside, dy * xhat, zeros)
    dbias = tl.sum(bias_sums, keep_dims=True)
    dweight = tl.sum(weight_sums, keep_dims=True)
    tl.store(dbias_ptr + at, dbias)
    tl.store(dweight_ptr + at, dweight)

    # Second pass: the gradient of the input, which needs both sums complete.
    count = tl.full([1], N, tl.int32).to(D)
    average_dy = tl.broadcast_to(dbias / count, [BLOCK_N])
    average_dy_xhat = tl.broadcast_to(dweight / count, [BLOCK_N])
    slope = tl.broadcast_to(weight * rstd, [BLOCK_N])
    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        dy = tl.load(dy_ptr + offsets, mask=inside).to(D)
        xhat = (x - centre) * spread

        dx = slope * (dy - average_dy - xhat * average_dy_xhat)
        tl.store(dx_ptr + offsets, dx, mask=inside)


# batchnorm.rs:238
@triton.jit
def batch_norm_backward__index64(
    dy_ptr,
    x_ptr,
    dx_ptr,
    weight_ptr,
    mean_ptr,
    rstd_ptr,
    dweight_ptr,
    dbias_ptr,
    N,
    C,
    BLOCK_N: tl.constexpr,
):
    """The same kernel with offsets in 64 bits, for tensors of 2^31 elements and more."""
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments that offsets depend on in 64 bits, whatever the caller passed.
    N = tl.cast(N, tl.int64)
    C = tl.cast(C, tl.int64)

    channel = tl.cast(tl.program_id(0), tl.int64)
    at = tl.arange(0, 1) + channel
    zeros = tl.zeros([BLOCK_N], D)

    mean = tl.load(mean_ptr + at).to(D)
    rstd = tl.load(rstd_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)

    centre = tl.broadcast_to(mean, [BLOCK_N])
    spread = tl.broadcast_to(rstd, [BLOCK_N])

    # First pass: the gradients of the parameters.
    bias_sums = zeros
    weight_sums = zeros
    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        dy = tl.load(dy_ptr + offsets, mask=inside).to(D)
        xhat = (x - centre) * spread

        bias_sums = bias_sums + tl.where(inside, dy, zeros)
        weight_sums = weight_sums + tl.where(inside, dy * xhat, zeros)
    dbias = tl.sum(bias_sums, keep_dims=True)
    dweight = tl.sum(weight_sums, keep_dims=True)
    tl.store(dbias_ptr + at, dbias)
    tl.store(dweight_ptr + at, dweight)

    # Second pass: the gradient of the input, which needs both sums complete.
    count = tl.full([1], N, tl.int64).to(D)
    average_dy = tl.broadcast_to(dbias / count, [BLOCK_N])
    average_dy_xhat = tl.broadcast_to(dweight / count, [BLOCK_N])
    slope = tl.broadcast_to(weight * rstd, [BLOCK_N])
    for first in range(0, N, BLOCK_N):
        rows = tl.arange(0, BLOCK_N) + first
        inside = rows < N
        offsets = rows * C + channel

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        dy = tl.load(dy_ptr + offsets, mask=inside).to(D)
        xhat = (x - centre) * spread

        dx = slope * (dy - average_dy - xhat * average_dy_xhat)
        tl.store(dx_ptr + offsets, dx, mask=inside)


# batchnorm.rs:322
@triton.jit
def batch_norm_2d_nchw_forward_inference(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    running_mean_ptr,
    running_var_ptr,
    C,
    HW,
    eps,
    BLOCK_HW: tl.constexpr,
):
    """Normalises an image batch `x[B, C, H, W]` with the running statistics, without moving it to
    another layout.

    `y = (x - running_mean) * weight / sqrt(running_var + eps) + bias`, with statistics, `weight`
    and `bias` of shape `[C]`; `HW` is `H * W`.

    Grid: `[C, B]`, one program a plane.
    """
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    channel = tl.program_id(0)
    image = tl.program_id(1)
    at = tl.arange(0, 1) + channel

    mean = tl.load(running_mean_ptr + at).to(D)
    var = tl.load(running_var_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)
    bias = tl.load(bias_ptr + at).to(D)

    scale = weight * tl.rsqrt(var + tl.full([1], eps, D))

    centre = tl.broadcast_to(mean, [BLOCK_HW])
    slope = tl.broadcast_to(scale, [BLOCK_HW])
    shift = tl.broadcast_to(bias, [BLOCK_HW])

    plane = (image * C + channel) * HW
    for first in range(0, HW, BLOCK_HW):
        positions = tl.arange(0, BLOCK_HW) + first
        inside = positions < HW
        offsets = positions + plane

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        y = (x - centre) * slope + shift
        tl.store(y_ptr + offsets, y, mask=inside)


# batchnorm.rs:322
@triton.jit
def batch_norm_2d_nchw_forward_inference__index64(
    x_ptr,
    y_ptr,
    weight_ptr,
    bias_ptr,
    running_mean_ptr,
    running_var_ptr,
    C,
    HW,
    eps,
    BLOCK_HW: tl.constexpr,
):
    """The same kernel with offsets in 64 bits, for tensors of 2^31 elements and more."""
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, in 64 bits where offsets depend on them.
    C = tl.cast(C, tl.int64)
    HW = tl.cast(HW, tl.int64)
    eps = tl.cast(eps, tl.float32)

    channel = tl.cast(tl.program_id(0), tl.int64)
    image = tl.cast(tl.program_id(1), tl.int64)
    at = tl.arange(0, 1) + channel

    mean = tl.load(running_mean_ptr + at).to(D)
    var = tl.load(running_var_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)
    bias = tl.load(bias_ptr + at).to(D)

    scale = weight * tl.rsqrt(var + tl.full([1], eps, D))

    centre = tl.broadcast_to(mean, [BLOCK_HW])
    slope = tl.broadcast_to(scale, [BLOCK_HW])
    shift = tl.broadcast_to(bias, [BLOCK_HW])

    plane = (image * C + channel) * HW
    for first in range(0, HW, BLOCK_HW):
        positions = tl.arange(0, BLOCK_HW) + first
        inside = positions < HW
        offsets = positions + plane

        x = tl.load(x_ptr + offsets, mask=inside).to(D)
        y = (x - centre) * slope + shift
        tl.store(y_ptr + offsets, y, mask=inside)


# batchnorm.rs:383
@triton.jit
def batch_norm_2d_nchw_backward(
    dy_ptr,
    x_ptr,
    dx_ptr,
    weight_ptr,
    running_mean_ptr,
    running_var_ptr,
    dweight_ptr,
    dbias_ptr,
    B,
    C,
    HW,
    eps,
    BLOCK_HW: tl.constexpr,
):
    """Gradients of `batch_norm_2d_nchw_forward_inference`, given the gradient `dy[B, C, H, W]` of its
    output.

    The running statistics are constants here, so no average over the batch enters `dx`. With
    `rstd = 1 / sqrt(running_var + eps)` and `xhat = (x - running_mean) * rstd`:
    ```text
    dbias   = sum(dy)
    dweight = sum(dy * xhat)
    dx      = weight * rstd * dy
    ```
    with the sums over the batch and the positions of a channel.

    Grid: `[C]`; each program walks the `B` planes of its channel.
    """
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, whatever the caller passed.
    eps = tl.cast(eps, tl.float32)

    channel = tl.program_id(0)
    at = tl.arange(0, 1) + channel
    zeros = tl.zeros([BLOCK_HW], D)

    mean = tl.load(running_mean_ptr + at).to(D)
    var = tl.load(running_var_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)
    rstd = tl.rsqrt(var + tl.full([1], eps, D))

    centre = tl.broadcast_to(mean, [BLOCK_HW])
    spread = tl.broadcast_to(rstd, [BLOCK_HW])
    slope = tl.broadcast_to(weight * rstd, [BLOCK_HW])

    bias_sums = zeros
    weight_sums = zeros
    for image in range(B):
        # A tile stays inside one plane, where the positions are contiguous in memory.
        plane = (image * C + channel) * HW
        for first in range(0, HW, BLOCK_HW):
            positions = tl.arange(0, BLOCK_HW) + first
            inside = positions < HW
            offsets = positions + plane

            x = tl.load(x_ptr + offsets, mask=inside).to(D)
            dy = tl.load(dy_ptr + offsets, mask=inside).to(D)
            xhat = (x - centre) * spread

            bias_sums = bias_sums + tl.where(inside, dy, zeros)
            weight_sums = weight_sums + tl.where(inside, dy * xhat, zeros)
            tl.store(dx_ptr + offsets, slope * dy, mask=inside)

    tl.store(dbias_ptr + at, tl.sum(bias_sums, keep_dims=True))
    tl.store(dweight_ptr + at, tl.sum(weight_sums, keep_dims=True))


# batchnorm.rs:383
@triton.jit
def batch_norm_2d_nchw_backward__index64(
    dy_ptr,
    x_ptr,
    dx_ptr,
    weight_ptr,
    running_mean_ptr,
    running_var_ptr,
    dweight_ptr,
    dbias_ptr,
    B,
    C,
    HW,
    eps,
    BLOCK_HW: tl.constexpr,
):
    """The same kernel with offsets in 64 bits, for tensors of 2^31 elements and more."""
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    # Arguments in the dtypes of their Rust parameters, in 64 bits where offsets depend on them.
    B = tl.cast(B, tl.int64)
    C = tl.cast(C, tl.int64)
    HW = tl.cast(HW, tl.int64)
    eps = tl.cast(eps, tl.float32)

    channel = tl.cast(tl.program_id(0), tl.int64)
    at = tl.arange(0, 1) + channel
    zeros = tl.zeros([BLOCK_HW], D)

    mean = tl.load(running_mean_ptr + at).to(D)
    var = tl.load(running_var_ptr + at).to(D)
    weight = tl.load(weight_ptr + at).to(D)
    rstd = tl.rsqrt(var + tl.full([1], eps, D))

    centre = tl.broadcast_to(mean, [BLOCK_HW])
    spread = tl.broadcast_to(rstd, [BLOCK_HW])
    slope = tl.broadcast_to(weight * rstd, [BLOCK_HW])

    bias_sums = zeros
    weight_sums = zeros
    for image in range(B):
        # A tile stays inside one plane, where the positions are contiguous in memory.
        plane = (image * C + channel) * HW
        for first in range(0, HW, BLOCK_HW):
            positions = tl.arange(0, BLOCK_HW) + first
            inside = positions < HW
            offsets = positions + plane

            x = tl.load(x_ptr + offsets, mask=inside).to(D)
            dy = tl.load(dy_ptr + offsets, mask=inside).to(D)
            xhat = (x - centre) * spread

            bias_sums = bias_sums + tl.where(inside, dy, zeros)
            weight_sums = weight_sums + tl.where(inside, dy * xhat, zeros)
            tl.store(dx_ptr + offsets, slope * dy, mask=inside)

    tl.store(dbias_ptr + at, tl.sum(bias_sums, keep_dims=True))
    tl.store(dweight_ptr + at, tl.sum(weight_sums, keep_dims=True))


# Specialisations: launched with the run-time arguments alone, each for one dtype and its constants.


@triton.jit
def batch_norm_forward_inference__f16__128(
    x_ptr, y_ptr, weight_ptr, bias_ptr, running_mean_ptr, running_var_ptr, N, C, eps
):
    _require_dtype(
        (x_ptr, y_ptr, weight_ptr, bias_ptr, running_mean_ptr, running_var_ptr), tl.float16
    )
    batch_norm_forward_inference(
        x_ptr,
        y_ptr,
        weight_ptr,
        bias_ptr,
        running_mean_ptr,
        running_var_ptr,
        N,
        C,
        eps,
        BLOCK_N=128,
    )


@triton.jit
def batch_norm_stats_forward__f16__128(
    x_ptr, mean_ptr, rstd_ptr, running_mean_ptr, running_var_ptr, N, C, eps, momentum
):
    _require_dtype((x_ptr, mean_ptr, rstd_ptr, running_mean_ptr, running_var_ptr), tl.float16)
    batch_norm_stats_forward(
        x_ptr,
        mean_ptr,
        rstd_ptr,
        running_mean_ptr,
        running_var_ptr,
        N,
        C,
        eps,
        momentum,
        BLOCK_N=128,
    )


@triton.jit
def batch_norm_normalize_forward__f16__128(
    x_ptr, y_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, N, C
):
    _require_dtype((x_ptr, y_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr), tl.float16)
    batch_norm_normalize_forward(
        x_ptr, y_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, N, C, BLOCK_N=128
    )


@triton.jit
def batch_norm_backward__f16__128(
    dy_ptr, x_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, dweight_ptr, dbias_ptr, N, C
):
    _require_dtype(
        (dy_ptr, x_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr, dweight_ptr, dbias_ptr), tl.float16
    )
    batch_norm_backward(
        dy_ptr,
        x_ptr,
        dx_ptr,
        weight_ptr,
        mean_ptr,
        rstd_ptr,
        dweight_ptr,
        dbias_ptr,
        N,
        C,
        BLOCK_N=128,
    )


@triton.jit
def batch_norm_2d_nchw_forward_inference__f16__128(
    x_ptr, y_ptr, weight_ptr, bias_ptr, running_mean_ptr, running_var_ptr, C, HW, eps
):
    _require_dtype(
        (x_ptr, y_ptr, weight_ptr, bias_ptr, running_mean_ptr, running_var_ptr), tl.float16
    )
    batch_norm_2d_nchw_forward_inference(
        x_ptr,
        y_ptr,
        weight_ptr,
        bias_ptr,
        running_mean_ptr,
        running_var_ptr,
        C,
        HW,
        eps,
        BLOCK_HW=128,
    )


@triton.jit
def batch_norm_2d_nchw_backward__f16__128(
    dy_ptr,
    x_ptr,
    dx_ptr,
    weight_ptr,
    running_mean_ptr,
    running_var_ptr,
    dweight_ptr,
    dbias_ptr,
    B,
    C,
    HW,
    eps,
):
    _require_dtype(
        (
            dy_ptr,
            x_ptr,
            dx_ptr,
            weight_ptr,
            running_mean_ptr,
            running_var_ptr,
            dweight_ptr,
            dbias_ptr,
        ),
        tl.float16,
    )
    batch_norm_2d_nchw_backward(
        dy_ptr,
        x_ptr,
        dx_ptr,
        weight_ptr,
        running_mean_ptr,
        running_var_ptr,
        dweight_ptr,
        dbias_ptr,
        B,
        C,
        HW,
        eps,
        BLOCK_HW=128,
    )


KERNELS: dict[str, Kernel] = {
    "batch_norm_forward_inference": Kernel(
        name="batch_norm_forward_inference",
        function=batch_norm_forward_inference,
        index64=batch_norm_forward_inference__index64,
        parameters=(
            "x_ptr",
            "y_ptr",
            "weight_ptr",
            "bias_ptr",
            "running_mean_ptr",
            "running_var_ptr",
            "N",
            "C",
            "eps",
        ),
        types=("*D", "*D", "*D", "*D", "*D", "*D", "i32", "i32", "f32"),
        constants=("BLOCK_N",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0,),
        reads=("x_ptr", "weight_ptr", "bias_ptr", "running_mean_ptr", "running_var_ptr"),
        writes=("y_ptr",),
        atomics=(),
        feature=None,
        backward=None,
        specialisations={
            "batch_norm_forward_inference__f16__128": batch_norm_forward_inference__f16__128
        },
        elements=lambda grid, N, C, **_: {
            "x_ptr": (N - 1) * C + grid[0] if N >= 1 else 0,
            "y_ptr": (N - 1) * C + grid[0] if N >= 1 else 0,
            "weight_ptr": grid[0],
            "bias_ptr": grid[0],
            "running_mean_ptr": grid[0],
            "running_var_ptr": grid[0],
        },
    ),
    "batch_norm_stats_forward": Kernel(
        name="batch_norm_stats_forward",
        function=batch_norm_stats_forward,
        index64=batch_norm_stats_forward__index64,
        parameters=(
            "x_ptr",
            "mean_ptr",
            "rstd_ptr",
            "running_mean_ptr",
            "running_var_ptr",
            "N",
            "C",
            "eps",
            "momentum",
        ),
        types=("*D", "*D", "*D", "*D", "*D", "i32", "i32", "f32", "f32"),
        constants=("BLOCK_N",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0,),
        reads=("x_ptr", "running_mean_ptr", "running_var_ptr"),
        writes=("mean_ptr", "rstd_ptr", "running_mean_ptr", "running_var_ptr"),
        atomics=(),
        feature='feature = "training"',
        backward=None,
        specialisations={"batch_norm_stats_forward__f16__128": batch_norm_stats_forward__f16__128},
        elements=lambda grid, N, C, **_: {
            "x_ptr": (N - 1) * C + grid[0] if N >= 1 else 0,
            "mean_ptr": grid[0],
            "rstd_ptr": grid[0],
            "running_mean_ptr": grid[0],
            "running_var_ptr": grid[0],
        },
    ),
    "batch_norm_normalize_forward": Kernel(
        name="batch_norm_normalize_forward",
        function=batch_norm_normalize_forward,
        index64=batch_norm_normalize_forward__index64,
        parameters=("x_ptr", "y_ptr", "weight_ptr", "bias_ptr", "mean_ptr", "rstd_ptr", "N", "C"),
        types=("*D", "*D", "*D", "*D", "*D", "*D", "i32", "i32"),
        constants=("BLOCK_N",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0,),
        reads=("x_ptr", "weight_ptr", "bias_ptr", "mean_ptr", "rstd_ptr"),
        writes=("y_ptr",),
        atomics=(),
        feature='feature = "training"',
        backward=None,
        specialisations={
            "batch_norm_normalize_forward__f16__128": batch_norm_normalize_forward__f16__128
        },
        elements=lambda grid, N, C, **_: {
            "x_ptr": (N - 1) * C + grid[0] if N >= 1 else 0,
            "y_ptr": (N - 1) * C + grid[0] if N >= 1 else 0,
            "weight_ptr": grid[0],
            "bias_ptr": grid[0],
            "mean_ptr": grid[0],
            "rstd_ptr": grid[0],
        },
    ),
    "batch_norm_backward": Kernel(
        name="batch_norm_backward",
        function=batch_norm_backward,
        index64=batch_norm_backward__index64,
        parameters=(
            "dy_ptr",
            "x_ptr",
            "dx_ptr",
            "weight_ptr",
            "mean_ptr",
            "rstd_ptr",
            "dweight_ptr",
            "dbias_ptr",
            "N",
            "C",
        ),
        types=("*D", "*D", "*D", "*D", "*D", "*D", "*D", "*D", "i32", "i32"),
        constants=("BLOCK_N",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0,),
        reads=("dy_ptr", "x_ptr", "weight_ptr", "mean_ptr", "rstd_ptr"),
        writes=("dx_ptr", "dweight_ptr", "dbias_ptr"),
        atomics=(),
        feature='feature = "training"',
        backward=None,
        specialisations={"batch_norm_backward__f16__128": batch_norm_backward__f16__128},
        elements=lambda grid, N, C, **_: {
            "dy_ptr": (N - 1) * C + grid[0] if N >= 1 else 0,
            "x_ptr": (N - 1) * C + grid[0] if N >= 1 else 0,
            "dx_ptr": (N - 1) * C + grid[0] if N >= 1 else 0,
            "weight_ptr": grid[0],
            "mean_ptr": grid[0],
            "rstd_ptr": grid[0],
            "dweight_ptr": grid[0],
            "dbias_ptr": grid[0],
        },
    ),
    "batch_norm_2d_nchw_forward_inference": Kernel(
        name="batch_norm_2d_nchw_forward_inference",
        function=batch_norm_2d_nchw_forward_inference,
        index64=batch_norm_2d_nchw_forward_inference__index64,
        parameters=(
            "x_ptr",
            "y_ptr",
            "weight_ptr",
            "bias_ptr",
            "running_mean_ptr",
            "running_var_ptr",
            "C",
            "HW",
            "eps",
        ),
        types=("*D", "*D", "*D", "*D", "*D", "*D", "i32", "i32", "f32"),
        constants=("BLOCK_HW",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0, 1),
        reads=("x_ptr", "weight_ptr", "bias_ptr", "running_mean_ptr", "running_var_ptr"),
        writes=("y_ptr",),
        atomics=(),
        feature=None,
        backward=None,
        specialisations={
            "batch_norm_2d_nchw_forward_inference__f16__128": batch_norm_2d_nchw_forward_inference__f16__128
        },
        elements=lambda grid, C, HW, **_: {
            "x_ptr": ((grid[1] - 1) * C + grid[0]) * HW if HW >= 1 else 0,
            "y_ptr": ((grid[1] - 1) * C + grid[0]) * HW if HW >= 1 else 0,
            "weight_ptr": grid[0],
            "bias_ptr": grid[0],
            "running_mean_ptr": grid[0],
            "running_var_ptr": grid[0],
        },
    ),
    "batch_norm_2d_nchw_backward": Kernel(
        name="batch_norm_2d_nchw_backward",
        function=batch_norm_2d_nchw_backward,
        index64=batch_norm_2d_nchw_backward__index64,
        parameters=(
            "dy_ptr",
            "x_ptr",
            "dx_ptr",
            "weight_ptr",
            "running_mean_ptr",
            "running_var_ptr",
            "dweight_ptr",
            "dbias_ptr",
            "B",
            "C",
            "HW",
            "eps",
        ),
        types=("*D", "*D", "*D", "*D", "*D", "*D", "*D", "*D", "i32", "i32", "i32", "f32"),
        constants=("BLOCK_HW",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0,),
        reads=("dy_ptr", "x_ptr", "weight_ptr", "running_mean_ptr", "running_var_ptr"),
        writes=("dx_ptr", "dweight_ptr", "dbias_ptr"),
        atomics=(),
        feature='feature = "training"',
        backward=None,
        specialisations={
            "batch_norm_2d_nchw_backward__f16__128": batch_norm_2d_nchw_backward__f16__128
        },
        elements=lambda grid, B, C, HW, **_: {
            "dy_ptr": ((B - 1) * C + grid[0]) * HW if min(B, HW) >= 1 else 0,
            "x_ptr": ((B - 1) * C + grid[0]) * HW if min(B, HW) >= 1 else 0,
            "dx_ptr": ((B - 1) * C + grid[0]) * HW if min(B, HW) >= 1 else 0,
            "weight_ptr": grid[0],
            "running_mean_ptr": grid[0],
            "running_var_ptr": grid[0],
            "dweight_ptr": grid[0],
            "dbias_ptr": grid[0],
        },
    ),
}
"""The kernels of this module by their Rust names."""


# Launchers: a kernel with its compile-time constants, launched on the device and the current stream
# of its tensors. What torch would refuse raises what torch raises, before anything is launched.

Argument: TypeAlias = Tensor | float | None

_DTYPES = {
    "bool": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "u16": torch.uint16,
    "u32": torch.uint32,
    "u64": torch.uint64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
_INTEGERS = {
    **{f"i{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}
_MOST_INDEX = 2**31 - 1
_MOST_PROGRAMS = {"x": 2**31 - 1, "y": 65535, "z": 65535}
_RUNS_ON_CPU = not all(isinstance(it.function, triton.JITFunction) for it in KERNELS.values())


class Launcher:
    """A kernel with its compile-time constants.

    Attributes:
        name: the name of the kernel in Rust.
        id: the name with the constants behind it.
        source: the text of the kernel.
    """

    def __init__(self, kernel: Kernel, /, **constants: Any) -> None:
        self._kernel = kernel
        self._constants = constants

    @property
    def name(self) -> str:
        return self._kernel.name

    @property
    def id(self) -> str:
        return "__".join((self.name, *(str(value).lower() for value in self._constants.values())))

    @property
    def source(self) -> str:
        return inspect.getsource(self._kernel.function.fn)

    def launch(self, grid: Sequence[int], *arguments: Argument) -> None:
        """Launch the kernel on `grid`: how many programs there are along x, y and z.

        A pointer takes a contiguous tensor, or None for a null pointer; a scalar takes a number.
        """
        kernel = self._kernel
        _check_arguments(kernel, arguments)
        _check_memory(kernel, arguments)
        programs = _check_grid(kernel, grid)
        if 0 not in programs:
            _check_elements(kernel, programs, arguments, self._constants)
            device = next((it.device for it in arguments if isinstance(it, Tensor)), None)
            with _on(device):
                self._form(arguments)[programs](*arguments, **self._constants)
            for name, value in zip(kernel.parameters, arguments, strict=True):
                if isinstance(value, Tensor) and name in (*kernel.writes, *kernel.atomics):
                    _mark_written(value)

    def _form(self, arguments: Sequence[Argument]) -> triton.JITFunction:
        """The kernel, or that with 64-bit offsets where an offset or a size may not fit in 32."""
        is_large = any(
            it.numel() > _MOST_INDEX
            if isinstance(it, Tensor)
            else isinstance(it, int | torch.SymInt) and not -_MOST_INDEX - 1 <= it <= _MOST_INDEX
            for it in arguments
        )
        return (is_large and self._kernel.index64) or self._kernel.function


def _on(device: torch.device | None) -> AbstractContextManager[object]:
    """Make a device the current one, where it is not."""
    if device is None or device.type == "cpu" or device.index == torch.cuda.current_device():
        return nullcontext()
    return torch.cuda.device(device)


def _check_arguments(kernel: Kernel, arguments: Sequence[Argument]) -> None:
    """Refuse arguments that the kernel does not take, whatever memory they are in."""
    caller = f"{kernel.name}()"
    if len(arguments) != len(kernel.parameters):
        raise TypeError(
            f"{caller} takes {len(kernel.parameters)} arguments but {len(arguments)} were given"
        )
    device: torch.device | None = None
    dtypes: dict[str, torch.dtype] = {}
    for name, type_, value in zip(kernel.parameters, kernel.types, arguments, strict=True):
        if not type_.startswith("*"):
            is_widened = type_ == "i32" and kernel.index64 is not None
            _check_number(caller, name, "i64" if is_widened else type_, value)
        elif value is not None:
            tensor = _check_tensor(caller, name, value, device)
            device = tensor.device
            expected = _DTYPES.get(type_[1:]) or dtypes.setdefault(type_, tensor.dtype)
            if tensor.dtype != expected:
                raise RuntimeError(
                    f"{caller}: expected {name} to have dtype {expected}, but it has {tensor.dtype}"
                )
            if not tensor.is_contiguous():
                raise RuntimeError(f"{caller}: expected {name} to be contiguous")
            if tensor.numel() > _MOST_INDEX and kernel.index64 is None:
                raise RuntimeError(
                    f"{caller}: {name} has {tensor.numel()} elements; the kernel's offsets"
                    f" reach {_MOST_INDEX}"
                )
    for dtype in dtypes.values():
        if all(_DTYPES[offered] != dtype for offered in kernel.dtypes):
            raise NotImplementedError(f'"{kernel.name}" not implemented for {dtype}')


def _check_tensor(caller: str, name: str, value: object, device: torch.device | None) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{caller}: argument '{name}' must be Tensor, not {type(value).__name__}")
    if value.layout is not torch.strided:
        raise RuntimeError(f"{caller}: expected {name} to be strided, but it is {value.layout}")
    if device is not None and value.device != device:
        raise RuntimeError(
            f"{caller}: Expected all tensors to be on the same device, but got {name} is on"
            f" {value.device}, different from other tensors on {device}"
        )
    if value.device.type != "cuda" and not (_RUNS_ON_CPU and value.device.type == "cpu"):
        raise RuntimeError(
            f"{caller}: Expected all tensors to be on a GPU, but got {name} is on {value.device}"
            " (Triton runs on a CPU where TRITON_INTERPRET=1 is set before it is imported)"
        )
    return value


def _check_number(caller: str, name: str, type_: str, value: object) -> None:
    limits = _INTEGERS.get(type_)
    kind = int if limits else bool if type_ == "bool" else float
    accepted = {int: int | torch.SymInt, bool: bool, float: float | int | torch.SymInt}[kind]
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise TypeError(
            f"{caller}: argument '{name}' must be {kind.__name__}, not {type(value).__name__}"
        )
    if limits and not limits[0] <= value <= limits[1]:
        raise RuntimeError(f"{caller}: {name} = {value} does not fit in {type_}")


def _check_memory(kernel: Kernel, arguments: Sequence[Argument]) -> None:
    """Refuse to write where another argument is, and what autograd would not see."""
    caller = f"{kernel.name}()"
    written = (*kernel.writes, *kernel.atomics)
    tensors = {
        name: value
        for name, value in zip(kernel.parameters, arguments, strict=True)
        if isinstance(value, Tensor)
    }
    touched = {name: it for name, it in tensors.items() if name in written or name in kernel.reads}
    _check_overlap(caller, written, touched)
    for name, value in tensors.items():
        if value.requires_grad and torch.is_grad_enabled():
            raise RuntimeError(
                f"{caller}: a leaf Variable that requires grad, {name}, is being used in an"
                " in-place operation."
                if name in written and value.is_leaf
                else f"{caller}: launches don't support automatic differentiation, but {name}"
                " requires grad."
            )


def _check_overlap(caller: str, written: tuple[str, ...], tensors: dict[str, Tensor]) -> None:
    """Refuse to write to a tensor whose memory another one shares."""
    spans = {name: (it.data_ptr(), it.data_ptr() + it.nbytes) for name, it in tensors.items()}
    for name in (it for it in written if it in spans):
        first, end = spans[name]
        for other, (other_first, other_end) in spans.items():
            if first < other_end and other_first < end and name != other:
                raise RuntimeError(
                    f"{caller}: unsupported operation: some elements of {other} and of {name}, which"
                    " is written to, refer to a single memory location. Please clone() the tensor"
                    " before performing the operation."
                )


def _check_grid(kernel: Kernel, grid: Sequence[int]) -> tuple[int, int, int]:
    """How many programs there are along each axis."""
    if not 1 <= len(grid) <= 3:
        raise ValueError(f"{kernel.name}(): a grid has 1 to 3 axes, not {len(grid)}")
    x, y, z = (*grid, 1, 1)[:3]
    for (axis, most), extent in zip(_MOST_PROGRAMS.items(), (x, y, z), strict=True):
        if not 0 <= extent <= most:
            raise ValueError(
                f"{kernel.name}(): {extent} programs along {axis}; a grid has 0 to {most} there"
            )
    return x, y, z


def _check_elements(
    kernel: Kernel,
    programs: tuple[int, int, int],
    arguments: Sequence[Argument],
    constants: dict[str, Any],
) -> None:
    """Refuse tensors that end before what the programs touch."""
    given = dict(zip(kernel.parameters, arguments, strict=True))
    for name, count in kernel.elements(programs, **given, **constants).items():
        tensor = given[name]
        if isinstance(tensor, Tensor) and tensor.numel() < count:
            raise RuntimeError(
                f"{kernel.name}(): expected {name} to have at least {count} elements,"
                f" but it has {tensor.numel()}"
            )


def _mark_written(tensor: Tensor) -> None:
    """Let autograd know that what it may have saved of a tensor has changed."""
    if not tensor.is_inference():
        torch.autograd.graph.increment_version(tensor)


class BatchNormForwardInference(Launcher):
    """Launches `batch_norm_forward_inference`."""

    def __init__(self, block_n: int) -> None:
        super().__init__(KERNELS["batch_norm_forward_inference"], BLOCK_N=block_n)
        self.block_n = block_n


class BatchNormStatsForward(Launcher):
    """Launches `batch_norm_stats_forward`."""

    def __init__(self, block_n: int) -> None:
        super().__init__(KERNELS["batch_norm_stats_forward"], BLOCK_N=block_n)
        self.block_n = block_n


class BatchNormNormalizeForward(Launcher):
    """Launches `batch_norm_normalize_forward`."""

    def __init__(self, block_n: int) -> None:
        super().__init__(KERNELS["batch_norm_normalize_forward"], BLOCK_N=block_n)
        self.block_n = block_n


class BatchNormBackward(Launcher):
    """Launches `batch_norm_backward`."""

    def __init__(self, block_n: int) -> None:
        super().__init__(KERNELS["batch_norm_backward"], BLOCK_N=block_n)
        self.block_n = block_n


class BatchNorm2dNchwForwardInference(Launcher):
    """Launches `batch_norm_2d_nchw_forward_inference`."""

    def __init__(self, block_hw: int) -> None:
        super().__init__(KERNELS["batch_norm_2d_nchw_forward_inference"], BLOCK_HW=block_hw)
        self.block_hw = block_hw


class BatchNorm2dNchwBackward(Launcher):
    """Launches `batch_norm_2d_nchw_backward`."""

    def __init__(self, block_hw: int) -> None:
        super().__init__(KERNELS["batch_norm_2d_nchw_backward"], BLOCK_HW=block_hw)
        self.block_hw = block_hw


# Operators: how the kernels of a `RuntimeOp` are launched, as the Rust says it, on torch tensors.

Shape: TypeAlias = Sequence[int]

_PLAIN_TYPES = frozenset({Tensor, torch.nn.Parameter})
_kind = attrgetter("shape", "dtype")
_metadata = attrgetter("shape", "dtype", "device")


class _Unsaved(NamedTuple):
    """What the backward half may know of a tensor that it does not read."""

    shape: Shape
    dtype: torch.dtype


class _Launch:
    """A launch of a plan: what packs its arguments, and the kernel on its grid.

    At each launch Triton looks up what it compiled for such arguments: for their dtypes and
    integers, which in a plan are always the same, for pointers that are multiples of 16 or not,
    and on AMD's GPUs for the size of the memory behind them. What it compiled for multiples of 16
    is kept, but on AMD's GPUs, and launched without being looked up.
    """

    def __init__(
        self,
        pack: Callable[..., Sequence[Argument]],
        function: triton.JITFunction,
        programs: tuple[int, int, int],
        constants: dict[str, Any],
    ) -> None:
        self._pack = pack
        self._launch = function[programs]
        self._programs = programs
        self._constants = constants
        self._compiled: Callable[..., object] | None = None

    def run(self, packed: tuple[Any, ...]) -> None:
        """Launch."""
        arguments = self._pack(*packed)
        if self._compiled is not None and _are_aligned(arguments):
            self._compiled(*arguments, *self._constants.values())
            return
        compiled = self._launch(*arguments, **self._constants)
        is_kept = isinstance(compiled, CompiledKernel) and not torch.version.hip
        if is_kept and _are_aligned(arguments):
            self._compiled = compiled[self._programs]


def _are_aligned(arguments: Sequence[Argument]) -> bool:
    """Whether every pointer is a multiple of 16."""
    addresses = 0
    for it in arguments:
        if isinstance(it, Tensor):
            addresses |= it.data_ptr()
    return addresses % 16 == 0


class _TracedLaunch:
    """A launch that a compiler traces, with a copy of each slice that is written.

    Inductor (torch 2.11 to 2.13) copies what a kernel writes, where that is needed later, from the
    beginning of its memory. Of a slice of what it computed itself it keeps the slice alone: it would
    copy what lies before that, whatever it is.
    """

    def __init__(
        self,
        pack: Callable[..., Sequence[Argument]],
        kernel: Kernel,
        launch: _Launch,
    ) -> None:
        self._pack = pack
        self._written = [it in (*kernel.writes, *kernel.atomics) for it in kernel.parameters]
        self._launch = launch

    def run(self, packed: tuple[Any, ...]) -> None:
        """Launch, and copy back what was copied."""
        arguments = [*self._pack(*packed)]
        copied: list[tuple[Tensor, Tensor]] = []
        for n, it in enumerate(arguments):
            if self._written[n] and isinstance(it, Tensor) and _is_slice(it):
                arguments[n] = copy = _copy_of(it)
                copied.append((it, copy))
        self._launch.run((arguments,))
        # A pointer into a tensor reaches to its end, but has what it has before the next pointer.
        for it, copy in sorted(copied, key=lambda each: each[0].storage_offset()):
            it.copy_(copy)


def _as_given(arguments: Sequence[Argument]) -> Sequence[Argument]:
    return arguments


def _is_slice(tensor: Tensor) -> bool:
    """Whether a tensor may begin elsewhere than its memory does."""
    offset = tensor.storage_offset()
    return not isinstance(offset, int) or offset != 0


def _copy_of(tensor: Tensor) -> Tensor:
    """A copy that stays one: Inductor takes `clone` for the tensor itself."""
    indices = torch.arange(tensor.numel(), device=tensor.device)
    return tensor.flatten()[indices].view(tensor.shape)


class _Plan(NamedTuple):
    """What launching comes to for tensors of certain shapes, whatever their elements are.

    The device is None where no other could be the current one.
    """

    shape: Shape
    row: int
    stride: int
    launcher: Launcher
    device: torch.device | None
    launches: list[_Launch | _TracedLaunch]

    def run(self, packed: tuple[Any, ...]) -> None:
        """Run the launches, in their order."""
        with _on(self.device):
            for launch in self.launches:
                launch.run(packed)


class RuntimeOp:
    """An operator of a graph: it launches a kernel on its inputs and its parameters."""

    _inputs: ClassVar[tuple[str, ...]] = ()
    _parameters: ClassVar[tuple[str, ...]] = ()
    _optional: ClassVar[int] = 0
    _is_variadic: ClassVar[bool] = False
    _updated: ClassVar[tuple[str, ...]] = ()
    _gradients: ClassVar[tuple[str, ...]] = ()
    _whole_gradients: ClassVar[tuple[str, ...]] = ()
    _saved: ClassVar[tuple[str, ...]] = ()
    _saves_output: ClassVar[bool] = False
    _zeroes_output: ClassVar[bool] = False
    _output_like: ClassVar[int] = 0
    _output_dtype: ClassVar[torch.dtype | None] = None
    _ranks: ClassVar[tuple[int | None, ...]] = ()
    _names: ClassVar[tuple[str, ...]]
    _plans: dict[object, _Plan]
    _backward_plans: dict[object, _Plan]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._names = (*cls._inputs, *cls._parameters)

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self:
        self = super().__new__(cls)
        self._plans, self._backward_plans = {}, {}
        return self

    # What the Rust may override.

    def n_launches(self):
        return 1

    def forward_output_row_elems(self, shape):
        return shape[-1] if shape else 1

    def forward_output_row_stride(self, shape):
        return self.forward_output_row_elems(shape)

    def has_backward(self):
        return False

    def n_backward_launches(self):
        return 1

    def backward_grad_output_row_stride(self, shape):
        return shape[-1] if shape else 1

    # What the runtime does.

    def __call__(self, *tensors: Tensor, output_shape: Shape | None = None) -> Tensor:
        """Apply the operator to its inputs and its parameters."""
        if not _PLAIN_TYPES.issuperset(map(type, tensors)):
            self._check(tensors, output_shape)
        if _is_recorded(type(self), tensors):
            return _Recorded.apply(self, output_shape, *tensors)
        return self._forward(tensors, output_shape)

    def _forward(
        self,
        tensors: Sequence[Tensor],
        output_shape: Shape | None = None,
        forms: Sequence[Any] = (),
    ) -> Tensor:
        """The output; `forms` are the kernels where a compiler traces, which keeps no plan."""
        key = (output_shape, *map(_metadata, tensors)) if not forms else None
        plan = kept = self._plans.get(key)
        if plan is None:
            self._check(tensors, output_shape)
        if self._updated:
            self._check_updated(tensors, is_traced=bool(forms))
        tensors = [it.contiguous() for it in tensors]
        count = self._input_count()
        inputs, params = tensors[:count], tensors[count:]
        like = tensors[self._output_like]
        dtype = self._output_dtype or like.dtype
        if plan is None:
            shape = tuple(inputs[0].shape if output_shape is None else output_shape)
            if 0 in shape or any(0 in it.shape for it in inputs):
                return like.new_zeros(shape, dtype=dtype)
            row, stride = self._row(shape)
            plan = _Plan(shape, row, stride, self.forward_kernel(), _guarded(like, forms), [])
        shape, row, stride, *_ = plan
        if stride > row or self._zeroes_output:
            padded = (math.prod(shape) // row, stride) if stride > row else shape
            output = like.new_zeros(padded, dtype=dtype)
        elif shape == like.shape and dtype == like.dtype:
            output = torch.empty_like(like, memory_format=torch.contiguous_format)
        else:
            output = like.new_empty(shape, dtype=dtype)
        packed = (inputs, params, output, shape, stride)
        if kept is None:
            count, methods = self.n_launches(), ("pack_args", "grid")
            shapes = (shape,) if count == 1 else ([it.shape for it in inputs], shape)
            if self._add_launches(plan, count, methods, packed, shapes, forms) and key:
                self._plans[key] = plan
        plan.run(packed)
        if self._updated and not forms:
            for name, tensor in zip(self._names_of(len(tensors)), tensors, strict=False):
                if name in self._updated:
                    _mark_written(tensor)
        return output[:, :row].reshape(shape).contiguous() if stride > row else output

    def _backward(
        self,
        tensors: Sequence[Tensor | _Unsaved],
        output: Tensor | None,
        grad_output: Tensor,
        forms: Sequence[Any] = (),
    ) -> list[Tensor | None]:
        """The gradient of each tensor that has one."""
        key = (_metadata(grad_output), *map(_kind, tensors)) if not forms else None
        plan = kept = self._backward_plans.get(key)
        tensors = [it.contiguous() if isinstance(it, Tensor) else it for it in tensors]
        # Of a plan that is kept each launch has programs: they write all that they say.
        whole = self._whole_gradients if kept else ()
        grads: list[Tensor | None] = []
        for name, it in zip(self._names_of(len(tensors)), tensors, strict=False):
            if name not in self._gradients:
                grads.append(None)
            elif isinstance(it, Tensor):
                new = torch.empty_like if name in whole else torch.zeros_like
                grads.append(new(it, memory_format=torch.contiguous_format))
            else:
                new = grad_output.new_empty if name in whole else grad_output.new_zeros
                grads.append(new(it.shape, dtype=it.dtype))
        count = self._input_count()
        inputs, params = tensors[:count], tensors[count:]
        if plan is None:
            shape, shapes = tuple(grad_output.shape), [it.shape for it in inputs]
            if 0 in shape or any(0 in it for it in shapes):
                return grads
            row, stride = (shape or (1,))[-1], self.backward_grad_output_row_stride(shape)
            device = _guarded(grad_output, forms)
            plan = _Plan(shape, row, stride, self.backward_kernel(), device, [])
        shape, row, stride, *_ = plan
        grad = grad_output.contiguous()
        if stride > row:
            grad = torch.nn.functional.pad(grad.reshape(-1, row), (0, stride - row))
        of_inputs, of_params = grads[: len(inputs)], grads[len(inputs) :]
        packed = (inputs, params, output, shape, grad, stride, of_inputs, of_params)
        if kept is None:
            count, methods = self.n_backward_launches(), ("pack_backward_args", "backward_grid")
            if self._add_launches(plan, count, methods, packed, (shapes, shape), forms) and key:
                self._backward_plans[key] = plan
        plan.run(packed)
        return grads

    def _add_launches(
        self,
        plan: _Plan,
        count: int,
        methods: tuple[str, str],
        packed: tuple[Any, ...],
        shapes: tuple[Any, ...],
        forms: Sequence[Any],
    ) -> bool:
        """Plan launches, their arguments checked, and say whether each has programs.

        `methods` pack the arguments of an only launch and give its grid; of several, their twins do.
        """
        kernel = plan.launcher._kernel
        constants = {name: plan.launcher._constants[name] for name in kernel.constants}
        for launch in range(count):
            pack, grid = (
                getattr(self, it)
                if count == 1
                else partial(getattr(self, f"{it}_for_launch"), launch)
                for it in methods
            )
            arguments = pack(*packed)
            _check_arguments(kernel, arguments)
            programs = _check_grid(kernel, grid(*shapes))
            if 0 not in programs:
                _check_elements(kernel, programs, arguments, constants)
                own_pack = _as_given if forms else pack
                function = plan.launcher._form(arguments)
                if forms:
                    function = forms[0 if function is kernel.function else -1]
                launch = _Launch(own_pack, function, programs, constants)
                plan.launches.append(_TracedLaunch(pack, kernel, launch) if forms else launch)
        return len(plan.launches) == count

    def _backward_of_saved(
        self,
        grad_output: Tensor,
        saved: Sequence[Tensor],
        extents: Sequence[int],
        forms: Sequence[Any],
    ) -> list[Tensor]:
        """The gradients that there are, from what torch's own operator takes."""
        shapes = list(_unpacked(extents))
        tensors, output = _saved(shapes, type(self), saved, grad_output.dtype)
        grads = self._backward(tensors, output, grad_output, forms)
        return [it for it in grads if it is not None]

    @classmethod
    def _names_of(cls, count: int) -> tuple[str, ...]:
        """The names of so many tensors: the last may be left out, an input may stand for several."""
        if not cls._is_variadic:
            return cls._names[:count]
        return cls._inputs * (count - len(cls._parameters)) + cls._parameters

    def _input_count(self) -> int:
        return self.n_activation_inputs() if self._is_variadic else len(self._inputs)

    def _row(self, shape: Shape) -> tuple[int, int]:
        return self.forward_output_row_elems(shape), self.forward_output_row_stride(shape)

    def _check(self, tensors: Sequence[Tensor], output_shape: Shape | None) -> None:
        """Refuse tensors that do not belong together."""
        caller, count = f"{type(self).__name__}()", self._input_count()
        names = self._names_of(count + len(self._parameters))
        if not len(names) - self._optional <= len(tensors) <= len(names):
            raise TypeError(f"{caller} takes {len(names)} tensors but {len(tensors)} were given")
        device: torch.device | None = None
        for name, tensor in zip(names, tensors, strict=False):
            device = _check_tensor(caller, name, tensor, device).device
        shapes = [it.shape for it in tensors[:count]]
        for name, shape, rank in zip(names, shapes, self._ranks, strict=False):
            if rank is not None and len(shape) != rank:
                raise RuntimeError(
                    f"{caller}: expected {name} to have {rank} dimensions,"
                    f" but it has shape {list(shape)}"
                )
        output_shape = shapes[0] if output_shape is None else output_shape
        try:
            expected = self.param_shapes(shapes, output_shape)
            if all(0 not in it for it in (*shapes, output_shape)):
                self.grid(output_shape)
        except IndexError:
            pairs = zip(names, shapes, strict=False)
            given = ", ".join(f"{it} has shape {list(shape)}" for it, shape in pairs)
            raise RuntimeError(f"{caller}: too few dimensions: {given}") from None
        if len(expected) != len(tensors) - count:
            *_, name = names[: count + max(len(expected), len(tensors) - count)]
            problem = "missing" if len(expected) > len(tensors) - count else "given and not taken"
            raise RuntimeError(f"{caller}: {name} is {problem}")
        for name, tensor, shape in zip(names[count:], tensors[count:], expected, strict=False):
            if tuple(tensor.shape) != tuple(shape):
                raise RuntimeError(
                    f"{caller}: expected {name} to have shape {list(shape)},"
                    f" but it has {list(tensor.shape)}"
                )

    def _check_updated(self, tensors: Sequence[Tensor], *, is_traced: bool) -> None:
        """Refuse to update tensors that would have to be copied, or that others share memory with."""
        caller, names = f"{type(self).__name__}()", self._names_of(len(tensors))
        named = dict(zip(names, tensors, strict=False))
        for name in self._updated:
            if not named[name].is_contiguous():
                raise RuntimeError(f"{caller}: expected {name}, which is updated, to be contiguous")
        if not is_traced:
            _check_overlap(caller, self._updated, named)


def _guarded(tensor: Tensor, forms: Sequence[Any]) -> torch.device | None:
    """The device of a tensor, where it has to be made the current one: not where a compiler traces."""
    return None if forms or torch.cuda.device_count() < 2 else tensor.device


def _is_recorded(operator: type[RuntimeOp], tensors: Sequence[Tensor]) -> bool:
    """Whether autograd has to know of what is computed; it may only where there is a derivative."""
    if not torch.is_grad_enabled():
        return False
    is_recorded = False
    for name, it in zip(operator._names_of(len(tensors)), tensors, strict=False):
        if isinstance(it, Tensor) and it.requires_grad:
            if name not in operator._gradients:
                raise NotImplementedError(f"the derivative for '{name}' is not implemented.")
            is_recorded = True
    return is_recorded


def _is_traced(tensors: Sequence[Tensor]) -> bool:
    """Whether a compiler, a mode, a transform or a subclass of tensors has to see an operator."""
    return torch.compiler.is_compiling() or (
        not _RUNS_ON_CPU
        and (
            torch._C._len_torch_dispatch_stack() > 0
            or torch._C._are_functorch_transforms_active()
            or not _PLAIN_TYPES.issuperset(map(type, tensors))
        )
        and all(isinstance(it, Tensor) for it in tensors)
    )


@lru_cache(maxsize=256)
def _operator(operator: type[RuntimeOp], *arguments: Any, **keywords: Any) -> RuntimeOp:
    """The operator of these arguments, made once: it knows what it has checked."""
    return operator(*arguments, **keywords)


class _Recorded(torch.autograd.Function):
    """An operator whose backward half autograd calls."""

    @staticmethod
    def forward(ctx: Any, operator: RuntimeOp, output_shape: Shape | None, *tensors: Tensor) -> Any:
        output = operator._forward(tensors, output_shape)
        _save(ctx, type(operator), tensors, output)
        ctx.operator = operator
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        tensors, output = _saved(
            ctx.shapes, type(ctx.operator), ctx.saved_tensors, grad_output.dtype
        )
        return (None, None, *ctx.operator._backward(tensors, output, grad_output))


def _save(ctx: Any, operator: type[RuntimeOp], tensors: Sequence[Tensor], output: Tensor) -> None:
    """Save what the backward half reads, and of the rest the shapes."""
    saved: list[Tensor] = []
    ctx.shapes = shapes = []
    for name, it in zip(operator._names_of(len(tensors)), tensors, strict=False):
        if name in operator._saved:
            saved.append(it)
        else:
            shapes.append(list(it.shape))
    if operator._saves_output:
        saved.append(output)
    ctx.save_for_backward(*saved)


def _saved(
    shapes: Sequence[Shape], operator: type[RuntimeOp], saved: Sequence[Tensor], dtype: torch.dtype
) -> tuple[list[Tensor | _Unsaved], Tensor | None]:
    """What `_save` saved: tensors in order, and the output."""
    rest, known = iter(shapes), iter(saved)
    count = len(shapes) + len(saved) - operator._saves_output
    tensors: list[Tensor | _Unsaved] = [
        next(known) if name in operator._saved else _Unsaved(tuple(next(rest)), dtype)
        for name in operator._names_of(count)
    ]
    return tensors, next(known, None)


def _unpacked(extents: Sequence[int]) -> Iterator[Shape]:
    """Shapes from one list in which its length stands before each."""
    rest = iter(extents)
    for rank in rest:
        yield tuple(next(rest) for _ in range(rank))


# The names of this module's torch operators, which it keeps when it is imported again.
_NAMES: dict[str, str] = globals().get("_NAMES", {})


def _free_name(qualified: str) -> str:
    """The name, with a number where another module has it: torch would put this one in its place."""
    if qualified not in _NAMES:
        namespace, name = qualified.split("::")
        taken = getattr(torch.ops, namespace)
        number, free = 1, name
        while hasattr(taken, free):
            number += 1
            free = f"{name}_{number}"
        _NAMES[qualified] = f"{namespace}::{free}"
    return _NAMES[qualified]


def _register_backward(definition: Any, backward: Any, operator: type[RuntimeOp]) -> None:
    """Give a torch operator its backward half, `backward(grad_output, saved, shapes, *arguments)`."""
    names = operator._names

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        # A tensor that is left out is none, and a list of them as many as are in it.
        given = [[it] if isinstance(it, Tensor) else list(it or ()) for it in inputs[: len(names)]]
        _save(ctx, operator, [it for each in given for it in each], output)
        ctx.counts = [len(it) for it in given]
        ctx.arguments = inputs[len(names) :]

    def differentiate(ctx: Any, grad_output: Tensor) -> Any:
        shapes = [extent for shape in ctx.shapes for extent in (len(shape), *shape)]
        grads = iter(backward(grad_output, list(ctx.saved_tensors), shapes, *ctx.arguments))
        of_tensors: list[Any] = []
        for name, count in zip(names, ctx.counts, strict=True):
            own = [next(grads) if name in operator._gradients else None for _ in range(count)]
            is_list = operator._is_variadic and name in operator._inputs
            of_tensors.append(own if is_list else own[0] if own else None)
        return (*of_tensors, *[None for _ in ctx.arguments])

    definition.register_autograd(differentiate, setup_context=setup_context)


class BatchNormInferenceRuntimeOp(RuntimeOp):
    """Normalises `x[..., C]` with the running statistics; the output has the shape of `x`.

    The parameters are `weight`, `bias`, `running_mean` and `running_var`, all of shape `[C]`. There
    is no backward half: `BatchNorm2dNchwInferenceRuntimeOp` has one.
    """

    _inputs = ("x",)
    _parameters = ("weight", "bias", "running_mean", "running_var")

    def __init__(self, block_n: int, eps: float) -> None:
        self.kernel = BatchNormForwardInference(block_n)
        self.eps = eps

    def forward_kernel(self):
        return self.kernel

    def n_activation_inputs(self) -> int:
        return 1

    def param_shapes(self, input_shapes, output_shape):
        channels = input_shapes[0][-1] if input_shapes[0] else 1
        return [[channels], [channels], [channels], [channels]]

    def param_names(self):
        return ["weight", "bias", "running_mean", "running_var"]

    def pack_args(self, inputs, params, output, output_shape, output_row_stride):
        channels = output_shape[-1] if output_shape else 1
        elements = math.prod(output_shape)
        return (
            inputs[0],
            output,
            params[0],  # weight
            params[1],  # bias
            params[2],  # running_mean
            params[3],  # running_var
            elements // channels,
            channels,
            self.eps,
        )

    def block(self):
        return 1, 1, 1

    def grid(self, output_shape):
        channels = output_shape[-1] if output_shape else 1
        return channels, 1, 1

    def forward_source(self) -> str:
        return self.kernel.source


@torch.library.triton_op(
    _free_name("teeny::batch_norm_inference"),
    mutates_args=(),
)
def _batch_norm_inference_op(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    block_n: int,
    eps: float,
) -> Tensor:
    tensors = (x, weight, bias, running_mean, running_var)
    operator = BatchNormInferenceRuntimeOp(block_n, float(eps))
    forms: list[Any] = [
        wrap_triton(batch_norm_forward_inference),
        wrap_triton(batch_norm_forward_inference__index64),
    ]
    return operator._forward(tensors, None, forms)


def batch_norm_inference(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    *,
    eps: float,
    block_n: int = 256,
) -> Tensor:
    """Normalises `x[..., C]` with the running statistics; the output has the shape of `x`.

    The parameters are `weight`, `bias`, `running_mean` and `running_var`, all of shape `[C]`. There
    is no backward half: `BatchNorm2dNchwInferenceRuntimeOp` has one.
    """
    tensors = (x, weight, bias, running_mean, running_var)
    if _is_traced(tensors):
        _is_recorded(BatchNormInferenceRuntimeOp, tensors)
        return _batch_norm_inference_op(*tensors, block_n, eps)
    operator = _operator(BatchNormInferenceRuntimeOp, block_n, float(eps))
    return operator(*tensors)


class BatchNormStatsRuntimeOp(RuntimeOp):
    """Takes the statistics of a training batch `x[..., C]`, and moves the running ones towards them.

    The output is `[2 * C]`: the means of all channels, then their `1 / sqrt(var + eps)`. The
    parameters are `running_mean` and `running_var`, both of shape `[C]`, updated in place.
    """

    _inputs = ("x",)
    _parameters = ("running_mean", "running_var")
    _updated = ("running_mean", "running_var")

    def __init__(self, block_n: int, eps: float, momentum: float) -> None:
        self.block_n = block_n
        self.eps = eps
        self.momentum = momentum

    def forward_kernel(self):
        return BatchNormStatsForward(self.block_n)

    def n_activation_inputs(self) -> int:
        return 1

    def param_shapes(self, input_shapes, output_shape):
        channels = input_shapes[0][-1] if input_shapes[0] else 1
        return [[channels], [channels]]

    def param_names(self):
        return ["running_mean", "running_var"]

    def pack_args(self, inputs, params, output, output_shape, output_row_stride):
        channels = output_shape[0] // 2
        elements = math.prod(inputs[0].shape)
        # SAFETY: the output has room for two values a channel.
        rstd = output.flatten()[channels:]
        return (
            inputs[0],
            output,  # mean, the first half
            rstd,  # the second
            params[0],  # running_mean
            params[1],  # running_var
            elements // channels,
            channels,
            self.eps,
            self.momentum,
        )

    def block(self):
        return 1, 1, 1

    def grid(self, output_shape):
        return output_shape[0] // 2, 1, 1

    def forward_source(self) -> str:
        return BatchNormStatsForward(self.block_n).source


@torch.library.triton_op(
    _free_name("teeny::batch_norm_stats"),
    mutates_args=("running_mean", "running_var"),
)
def _batch_norm_stats_op(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    output_shape: Sequence[int],
    block_n: int,
    eps: float,
    momentum: float,
) -> Tensor:
    tensors = (x, running_mean, running_var)
    operator = BatchNormStatsRuntimeOp(block_n, float(eps), float(momentum))
    forms: list[Any] = [
        wrap_triton(batch_norm_stats_forward),
        wrap_triton(batch_norm_stats_forward__index64),
    ]
    return operator._forward(tensors, output_shape, forms)


def batch_norm_stats(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    *,
    output_shape: Sequence[int],
    eps: float,
    momentum: float,
    block_n: int = 256,
) -> Tensor:
    """Takes the statistics of a training batch `x[..., C]`, and moves the running ones towards them.

    The output is `[2 * C]`: the means of all channels, then their `1 / sqrt(var + eps)`. The
    parameters are `running_mean` and `running_var`, both of shape `[C]`, updated in place.
    """
    tensors = (x, running_mean, running_var)
    if _is_traced(tensors):
        _is_recorded(BatchNormStatsRuntimeOp, tensors)
        return _batch_norm_stats_op(*tensors, output_shape, block_n, eps, momentum)
    operator = _operator(BatchNormStatsRuntimeOp, block_n, float(eps), float(momentum))
    return operator(*tensors, output_shape=tuple(output_shape))


class BatchNormNormalizeRuntimeOp(RuntimeOp):
    """Normalises a training batch `x[..., C]` with the statistics `stats[2 * C]` that
    `BatchNormStatsRuntimeOp` took of it; the output has the shape of `x`.

    The parameters are `weight` and `bias`, both of shape `[C]`. The backward half differentiates the
    whole training step: the gradient of `x` contains the paths through the statistics, and `stats`
    itself has none.
    """

    _inputs = ("x", "mean_rstd")
    _parameters = ("weight", "bias")
    _gradients = ("x", "weight", "bias")
    _whole_gradients = ("weight", "bias")
    _saved = ("x", "mean_rstd", "weight")

    def __init__(self, block_n: int) -> None:
        self.normalize = BatchNormNormalizeForward(block_n)
        self.gradients = BatchNormBackward(block_n)

    def forward_kernel(self):
        return self.normalize

    def backward_kernel(self):
        return self.gradients

    def n_activation_inputs(self) -> int:
        return 2

    def param_shapes(self, input_shapes, output_shape):
        channels = input_shapes[1][0] // 2
        return [[channels], [channels]]

    def param_names(self):
        return ["weight", "bias"]

    def pack_args(self, inputs, params, output, output_shape, output_row_stride):
        channels = inputs[1].shape[0] // 2
        elements = math.prod(output_shape)
        # SAFETY: `stats` holds two values a channel.
        rstd = inputs[1].flatten()[channels:]
        return (
            inputs[0],
            output,
            params[0],  # weight
            params[1],  # bias
            inputs[1],  # mean, the first half
            rstd,  # the second
            elements // channels,
            channels,
        )

    def block(self):
        return 1, 1, 1

    def grid(self, output_shape):
        channels = output_shape[-1] if output_shape else 1
        return channels, 1, 1

    def has_backward(self) -> bool:
        return True

    def pack_backward_args(
        self,
        inputs,
        params,
        output,
        output_shape,
        grad_output,
        grad_output_row_stride,
        grad_inputs,
        grad_params,
    ):
        channels = inputs[1].shape[0] // 2
        elements = math.prod(output_shape)
        # SAFETY: `stats` holds two values a channel.
        rstd = inputs[1].flatten()[channels:]
        return (
            grad_output,
            inputs[0],
            grad_inputs[0],
            params[0],  # weight; the gradients do not depend on bias
            inputs[1],
            rstd,
            grad_params[0],  # of weight
            grad_params[1],  # of bias
            elements // channels,
            channels,
        )

    def backward_block(self):
        return 1, 1, 1

    def backward_grid(self, input_shapes, output_shape):
        return input_shapes[1][0] // 2, 1, 1

    def forward_source(self) -> str:
        return self.normalize.source

    def backward_source(self) -> str:
        return self.gradients.source


@torch.library.triton_op(
    _free_name("teeny::batch_norm_normalize"),
    mutates_args=(),
)
def _batch_norm_normalize_op(
    x: Tensor,
    mean_rstd: Tensor,
    weight: Tensor,
    bias: Tensor,
    block_n: int,
) -> Tensor:
    tensors = (x, mean_rstd, weight, bias)
    operator = BatchNormNormalizeRuntimeOp(block_n)
    forms: list[Any] = [
        wrap_triton(batch_norm_normalize_forward),
        wrap_triton(batch_norm_normalize_forward__index64),
    ]
    return operator._forward(tensors, None, forms)


@torch.library.triton_op(
    _free_name("teeny::batch_norm_normalize_backward"),
    mutates_args=(),
)
def _batch_norm_normalize_op_backward(
    grad_output: Tensor,
    saved: list[Tensor],
    shapes: Sequence[int],
    block_n: int,
) -> list[Tensor]:
    operator = BatchNormNormalizeRuntimeOp(block_n)
    forms: list[Any] = [
        wrap_triton(batch_norm_backward),
        wrap_triton(batch_norm_backward__index64),
    ]
    return operator._backward_of_saved(grad_output, saved, shapes, forms)


_register_backward(
    _batch_norm_normalize_op,
    _batch_norm_normalize_op_backward,
    BatchNormNormalizeRuntimeOp,
)


def batch_norm_normalize(
    x: Tensor,
    mean_rstd: Tensor,
    weight: Tensor,
    bias: Tensor,
    *,
    block_n: int = 256,
) -> Tensor:
    """Normalises a training batch `x[..., C]` with the statistics `stats[2 * C]` that
    `BatchNormStatsRuntimeOp` took of it; the output has the shape of `x`.

    The parameters are `weight` and `bias`, both of shape `[C]`. The backward half differentiates the
    whole training step: the gradient of `x` contains the paths through the statistics, and `stats`
    itself has none.
    """
    tensors = (x, mean_rstd, weight, bias)
    if _is_traced(tensors):
        _is_recorded(BatchNormNormalizeRuntimeOp, tensors)
        return _batch_norm_normalize_op(*tensors, block_n)
    operator = _operator(BatchNormNormalizeRuntimeOp, block_n)
    return operator(*tensors)


class BatchNorm2dNchwInferenceRuntimeOp(RuntimeOp):
    """Normalises an image batch `x[B, C, H, W]` with the running statistics; the output has the shape
    of `x`.

    The parameters are `weight`, `bias`, `running_mean` and `running_var`, all of shape `[C]`; the
    backward half leaves the statistics alone.
    """

    _inputs = ("x",)
    _parameters = ("weight", "bias", "running_mean", "running_var")
    _gradients = ("x", "weight", "bias")
    _whole_gradients = ("weight", "bias")
    _saved = ("x", "weight", "running_mean", "running_var")
    _ranks = (4,)

    def __init__(self, block_hw: int, eps: float) -> None:
        self.kernel = BatchNorm2dNchwForwardInference(block_hw)
        self.block_hw = block_hw
        self.eps = eps

    def forward_kernel(self):
        return self.kernel

    def backward_kernel(self):
        return BatchNorm2dNchwBackward(self.block_hw)

    def n_activation_inputs(self) -> int:
        return 1

    def param_shapes(self, input_shapes, output_shape):
        channels = input_shapes[0][1]
        return [[channels], [channels], [channels], [channels]]

    def param_names(self):
        return ["weight", "bias", "running_mean", "running_var"]

    def pack_args(self, inputs, params, output, output_shape, output_row_stride):
        positions = output_shape[2] * output_shape[3]
        return (
            inputs[0],
            output,
            params[0],  # weight
            params[1],  # bias
            params[2],  # running_mean
            params[3],  # running_var
            output_shape[1],
            positions,
            self.eps,
        )

    def block(self):
        return 1, 1, 1

    def grid(self, output_shape):
        return output_shape[1], output_shape[0], 1

    def has_backward(self) -> bool:
        return True

    def pack_backward_args(
        self,
        inputs,
        params,
        output,
        output_shape,
        grad_output,
        grad_output_row_stride,
        grad_inputs,
        grad_params,
    ):
        positions = output_shape[2] * output_shape[3]
        return (
            grad_output,
            inputs[0],
            grad_inputs[0],
            params[0],  # weight; the gradients do not depend on bias
            params[2],  # running_mean
            params[3],  # running_var
            grad_params[0],  # of weight
            grad_params[1],  # of bias
            output_shape[0],
            output_shape[1],
            positions,
            self.eps,
        )

    def backward_block(self):
        return 1, 1, 1

    def backward_grid(self, input_shapes, output_shape):
        return input_shapes[0][1], 1, 1

    def forward_source(self) -> str:
        return self.kernel.source

    def backward_source(self) -> str:
        return BatchNorm2dNchwBackward(self.block_hw).source


@torch.library.triton_op(
    _free_name("teeny::batch_norm2d_nchw_inference"),
    mutates_args=(),
)
def _batch_norm2d_nchw_inference_op(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    block_hw: int,
    eps: float,
) -> Tensor:
    tensors = (x, weight, bias, running_mean, running_var)
    operator = BatchNorm2dNchwInferenceRuntimeOp(block_hw, float(eps))
    forms: list[Any] = [
        wrap_triton(batch_norm_2d_nchw_forward_inference),
        wrap_triton(batch_norm_2d_nchw_forward_inference__index64),
    ]
    return operator._forward(tensors, None, forms)


@torch.library.triton_op(
    _free_name("teeny::batch_norm2d_nchw_inference_backward"),
    mutates_args=(),
)
def _batch_norm2d_nchw_inference_op_backward(
    grad_output: Tensor,
    saved: list[Tensor],
    shapes: Sequence[int],
    block_hw: int,
    eps: float,
) -> list[Tensor]:
    operator = BatchNorm2dNchwInferenceRuntimeOp(block_hw, float(eps))
    forms: list[Any] = [
        wrap_triton(batch_norm_2d_nchw_backward),
        wrap_triton(batch_norm_2d_nchw_backward__index64),
    ]
    return operator._backward_of_saved(grad_output, saved, shapes, forms)


_register_backward(
    _batch_norm2d_nchw_inference_op,
    _batch_norm2d_nchw_inference_op_backward,
    BatchNorm2dNchwInferenceRuntimeOp,
)


def batch_norm2d_nchw_inference(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    *,
    eps: float,
    block_hw: int = 256,
) -> Tensor:
    """Normalises an image batch `x[B, C, H, W]` with the running statistics; the output has the shape
    of `x`.

    The parameters are `weight`, `bias`, `running_mean` and `running_var`, all of shape `[C]`; the
    backward half leaves the statistics alone.
    """
    tensors = (x, weight, bias, running_mean, running_var)
    if _is_traced(tensors):
        _is_recorded(BatchNorm2dNchwInferenceRuntimeOp, tensors)
        return _batch_norm2d_nchw_inference_op(*tensors, block_hw, eps)
    operator = _operator(BatchNorm2dNchwInferenceRuntimeOp, block_hw, float(eps))
    return operator(*tensors)
