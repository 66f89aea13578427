# Generated from batchnorm.rs by teeny-transpile 0.1.0; change the Rust, not this file.
# Source: sha256 bff19522fa78c0501de2e62947182c428053a5467c3a49b6cd4c6cdfbcf1b072
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
are 32-bit: a tensor holds at most 2^31 - 1 elements.

Numerics. Statistics take two passes over the data, the mean first and then the squares of what
is left after subtracting it; the difference of two large sums never appears. Lanes beyond the
end of a channel enter a sum as an explicit zero, whatever their load returned. `eps` and
`momentum` arrive as f32 and enter the arithmetic in `D`; a mean divides by the count in `D`.

Operators. The `…RuntimeOp`s at the end say how a graph launches the kernels. Those over a matrix
take `x[..., C]` of any rank: the last dimension is the channel, the others are rows. A training
step is two of them: `BatchNormStatsRuntimeOp`, then `BatchNormNormalizeRuntimeOp` on its result.
"""

from dataclasses import dataclass

import triton
import triton.language as tl

__all__ = [
    "KERNELS",
    "Kernel",
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
    "batch_norm_normalize_forward",
    "batch_norm_normalize_forward__f16__128",
    "batch_norm_normalize_forward__index64",
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
        constants: the compile-time parameters behind them.
        dtypes: the element types its pointers may have, by their Rust names.
        grid_axes: the axes of the grid it asks for its place on.
        reads: the pointers it loads from.
        writes: the pointers it stores to.
        atomics: the pointers it updates atomically: what they point to must be set before.
        feature: the Rust feature it belongs to.
        backward: the Rust name of its backward kernel.
        specialisations: the functions with constants and dtypes baked in, by their names.
    """

    name: str
    function: triton.JITFunction
    index64: triton.JITFunction | None
    parameters: tuple[str, ...]
    constants: tuple[str, ...]
    dtypes: tuple[str, ...]
    grid_axes: tuple[int, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    atomics: tuple[str, ...]
    feature: str | None
    backward: str | None
    specialisations: dict[str, triton.JITFunction]


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
        constants=("BLOCK_N",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0,),
        reads=("x_ptr", "running_mean_ptr", "running_var_ptr"),
        writes=("mean_ptr", "rstd_ptr", "running_mean_ptr", "running_var_ptr"),
        atomics=(),
        feature='feature = "training"',
        backward=None,
        specialisations={"batch_norm_stats_forward__f16__128": batch_norm_stats_forward__f16__128},
    ),
    "batch_norm_normalize_forward": Kernel(
        name="batch_norm_normalize_forward",
        function=batch_norm_normalize_forward,
        index64=batch_norm_normalize_forward__index64,
        parameters=("x_ptr", "y_ptr", "weight_ptr", "bias_ptr", "mean_ptr", "rstd_ptr", "N", "C"),
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
        constants=("BLOCK_N",),
        dtypes=("f32", "f64", "f16", "bf16"),
        grid_axes=(0,),
        reads=("dy_ptr", "x_ptr", "weight_ptr", "mean_ptr", "rstd_ptr"),
        writes=("dx_ptr", "dweight_ptr", "dbias_ptr"),
        atomics=(),
        feature='feature = "training"',
        backward=None,
        specialisations={"batch_norm_backward__f16__128": batch_norm_backward__f16__128},
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
    ),
}
"""The kernels of this module by their Rust names."""
