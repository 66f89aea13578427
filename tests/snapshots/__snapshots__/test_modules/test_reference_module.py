import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeAlias
import torch
import triton
import triton.language as tl
from torch import Tensor
__all__ = [
    "KERNELS",
    "BatchNorm2dNchwBackward",
    "BatchNorm2dNchwForwardInference",
    "BatchNormBackward",
    "BatchNormForwardInference",
    "BatchNormNormalizeForward",
    "BatchNormStatsForward",
    "Kernel",
    "Launcher",
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
    for i in tl.static_range(len(pointers)):
        tl.static_assert(
            pointers[i].dtype.element_ty == dtype,
            "a pointer's elements are not of the dtype this kernel is specialised for",
        )
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
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    c = tl.program_id(0)
    c_idx = tl.arange(0, 1) + c
    mean = tl.broadcast_to(tl.load(running_mean_ptr + c_idx).to(D), [BLOCK_N])
    var = tl.load(running_var_ptr + c_idx).to(D)
    rstd = tl.broadcast_to(tl.rsqrt(var + tl.full([1], eps, tl.float32).to(D)), [BLOCK_N])
    gamma = tl.broadcast_to(tl.load(weight_ptr + c_idx).to(D), [BLOCK_N])
    beta = tl.broadcast_to(tl.load(bias_ptr + c_idx).to(D), [BLOCK_N])
    zeros = tl.zeros([BLOCK_N], D)
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros).to(D)
        y_tile = gamma * (x_tile - mean) * rstd + beta
        tl.store(y_ptr + elem_offsets, y_tile, mask=mask)
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
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    N = tl.cast(N, tl.int64)
    C = tl.cast(C, tl.int64)
    c = tl.cast(tl.program_id(0), tl.int64)
    c_idx = tl.arange(0, 1) + c
    mean = tl.broadcast_to(tl.load(running_mean_ptr + c_idx).to(D), [BLOCK_N])
    var = tl.load(running_var_ptr + c_idx).to(D)
    rstd = tl.broadcast_to(tl.rsqrt(var + tl.full([1], eps, tl.float32).to(D)), [BLOCK_N])
    gamma = tl.broadcast_to(tl.load(weight_ptr + c_idx).to(D), [BLOCK_N])
    beta = tl.broadcast_to(tl.load(bias_ptr + c_idx).to(D), [BLOCK_N])
    zeros = tl.zeros([BLOCK_N], D)
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros).to(D)
        y_tile = gamma * (x_tile - mean) * rstd + beta
        tl.store(y_ptr + elem_offsets, y_tile, mask=mask)
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
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    momentum = tl.cast(momentum, tl.float32)
    c = tl.program_id(0)
    zeros_blk = tl.zeros([BLOCK_N], D)
    acc_sum = zeros_blk
    acc_sum_sq = zeros_blk
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        acc_sum = acc_sum + x_tile
        acc_sum_sq = acc_sum_sq + x_tile * x_tile
    sum = tl.sum(acc_sum, keep_dims=True)
    sum_sq = tl.sum(acc_sum_sq, keep_dims=True)
    n_inv = tl.full([1], 1.0 / tl.cast(N, tl.float32), tl.float32).to(D)
    mean_1 = sum * n_inv
    var_1 = sum_sq * n_inv - mean_1 * mean_1
    rstd_1 = tl.rsqrt(var_1 + tl.full([1], eps, tl.float32).to(D))
    c_idx = tl.arange(0, 1) + c
    tl.store(mean_ptr + c_idx, mean_1)
    tl.store(rstd_ptr + c_idx, rstd_1)
    m = tl.full([1], momentum, tl.float32).to(D)
    one_m = tl.full([1], 1.0 - momentum, tl.float32).to(D)
    running_mean_old = tl.load(running_mean_ptr + c_idx).to(D)
    running_var_old = tl.load(running_var_ptr + c_idx).to(D)
    tl.store(running_mean_ptr + c_idx, one_m * running_mean_old + m * mean_1)
    tl.store(running_var_ptr + c_idx, one_m * running_var_old + m * var_1)
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
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    N = tl.cast(N, tl.int64)
    C = tl.cast(C, tl.int64)
    momentum = tl.cast(momentum, tl.float32)
    c = tl.cast(tl.program_id(0), tl.int64)
    zeros_blk = tl.zeros([BLOCK_N], D)
    acc_sum = zeros_blk
    acc_sum_sq = zeros_blk
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        acc_sum = acc_sum + x_tile
        acc_sum_sq = acc_sum_sq + x_tile * x_tile
    sum = tl.sum(acc_sum, keep_dims=True)
    sum_sq = tl.sum(acc_sum_sq, keep_dims=True)
    n_inv = tl.full([1], 1.0 / tl.cast(N, tl.float32), tl.float32).to(D)
    mean_1 = sum * n_inv
    var_1 = sum_sq * n_inv - mean_1 * mean_1
    rstd_1 = tl.rsqrt(var_1 + tl.full([1], eps, tl.float32).to(D))
    c_idx = tl.arange(0, 1) + c
    tl.store(mean_ptr + c_idx, mean_1)
    tl.store(rstd_ptr + c_idx, rstd_1)
    m = tl.full([1], momentum, tl.float32).to(D)
    one_m = tl.full([1], 1.0 - momentum, tl.float32).to(D)
    running_mean_old = tl.load(running_mean_ptr + c_idx).to(D)
    running_var_old = tl.load(running_var_ptr + c_idx).to(D)
    tl.store(running_mean_ptr + c_idx, one_m * running_mean_old + m * mean_1)
    tl.store(running_var_ptr + c_idx, one_m * running_var_old + m * var_1)
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
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    c = tl.program_id(0)
    c_idx = tl.arange(0, 1) + c
    mean = tl.broadcast_to(tl.load(mean_ptr + c_idx).to(D), [BLOCK_N])
    rstd = tl.broadcast_to(tl.load(rstd_ptr + c_idx).to(D), [BLOCK_N])
    gamma = tl.broadcast_to(tl.load(weight_ptr + c_idx).to(D), [BLOCK_N])
    beta = tl.broadcast_to(tl.load(bias_ptr + c_idx).to(D), [BLOCK_N])
    zeros = tl.zeros([BLOCK_N], D)
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros).to(D)
        y_tile = gamma * (x_tile - mean) * rstd + beta
        tl.store(y_ptr + elem_offsets, y_tile, mask=mask)
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
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    N = tl.cast(N, tl.int64)
    C = tl.cast(C, tl.int64)
    c = tl.cast(tl.program_id(0), tl.int64)
    c_idx = tl.arange(0, 1) + c
    mean = tl.broadcast_to(tl.load(mean_ptr + c_idx).to(D), [BLOCK_N])
    rstd = tl.broadcast_to(tl.load(rstd_ptr + c_idx).to(D), [BLOCK_N])
    gamma = tl.broadcast_to(tl.load(weight_ptr + c_idx).to(D), [BLOCK_N])
    beta = tl.broadcast_to(tl.load(bias_ptr + c_idx).to(D), [BLOCK_N])
    zeros = tl.zeros([BLOCK_N], D)
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros).to(D)
        y_tile = gamma * (x_tile - mean) * rstd + beta
        tl.store(y_ptr + elem_offsets, y_tile, mask=mask)
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
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    c = tl.program_id(0)
    b = tl.program_id(1)
    c_idx = tl.arange(0, 1) + c
    mean = tl.broadcast_to(tl.load(running_mean_ptr + c_idx).to(D), [BLOCK_HW])
    var = tl.load(running_var_ptr + c_idx).to(D)
    rstd = tl.broadcast_to(tl.rsqrt(var + tl.full([1], eps, tl.float32).to(D)), [BLOCK_HW])
    gamma = tl.broadcast_to(tl.load(weight_ptr + c_idx).to(D), [BLOCK_HW])
    beta = tl.broadcast_to(tl.load(bias_ptr + c_idx).to(D), [BLOCK_HW])
    batch_channel_offset = b * C * HW + c * HW
    zeros = tl.zeros([BLOCK_HW], D)
    for hw_start in range(0, HW, BLOCK_HW):
        offsets = tl.arange(0, BLOCK_HW) + hw_start
        mask = offsets < HW
        elem_offsets = offsets + batch_channel_offset
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros).to(D)
        y_tile = gamma * (x_tile - mean) * rstd + beta
        tl.store(y_ptr + elem_offsets, y_tile, mask=mask)
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
    D: tl.constexpr = (
        x_ptr.dtype.element_ty if x_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    C = tl.cast(C, tl.int64)
    HW = tl.cast(HW, tl.int64)
    c = tl.cast(tl.program_id(0), tl.int64)
    b = tl.cast(tl.program_id(1), tl.int64)
    c_idx = tl.arange(0, 1) + c
    mean = tl.broadcast_to(tl.load(running_mean_ptr + c_idx).to(D), [BLOCK_HW])
    var = tl.load(running_var_ptr + c_idx).to(D)
    rstd = tl.broadcast_to(tl.rsqrt(var + tl.full([1], eps, tl.float32).to(D)), [BLOCK_HW])
    gamma = tl.broadcast_to(tl.load(weight_ptr + c_idx).to(D), [BLOCK_HW])
    beta = tl.broadcast_to(tl.load(bias_ptr + c_idx).to(D), [BLOCK_HW])
    batch_channel_offset = b * C * HW + c * HW
    zeros = tl.zeros([BLOCK_HW], D)
    for hw_start in range(0, HW, BLOCK_HW):
        offsets = tl.arange(0, BLOCK_HW) + hw_start
        mask = offsets < HW
        elem_offsets = offsets + batch_channel_offset
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros).to(D)
        y_tile = gamma * (x_tile - mean) * rstd + beta
        tl.store(y_ptr + elem_offsets, y_tile, mask=mask)
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
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    c = tl.program_id(0)
    c_idx = tl.arange(0, 1) + c
    mean = tl.load(running_mean_ptr + c_idx).to(D)
    var = tl.load(running_var_ptr + c_idx).to(D)
    rstd = tl.rsqrt(var + tl.full([1], eps, tl.float32).to(D))
    gamma = tl.load(weight_ptr + c_idx).to(D)
    sum_dy = tl.zeros([1], D)
    sum_dy_xhat = tl.zeros([1], D)
    total_bhw = B * HW
    for n in range(total_bhw):
        b_idx = n // HW
        hw_idx = n % HW
        offset = b_idx * C * HW + c * HW + hw_idx
        off_1 = tl.arange(0, 1) + offset
        x_elem = tl.load(x_ptr + off_1).to(D)
        dy_elem = tl.load(dy_ptr + off_1).to(D)
        xhat = (x_elem - mean) * rstd
        sum_dy = sum_dy + dy_elem
        sum_dy_xhat = sum_dy_xhat + dy_elem * xhat
        dx_elem = gamma * rstd * dy_elem
        tl.store(dx_ptr + off_1, dx_elem)
    tl.store(dweight_ptr + c_idx, sum_dy_xhat)
    tl.store(dbias_ptr + c_idx, sum_dy)
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
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    B = tl.cast(B, tl.int64)
    C = tl.cast(C, tl.int64)
    HW = tl.cast(HW, tl.int64)
    c = tl.cast(tl.program_id(0), tl.int64)
    c_idx = tl.arange(0, 1) + c
    mean = tl.load(running_mean_ptr + c_idx).to(D)
    var = tl.load(running_var_ptr + c_idx).to(D)
    rstd = tl.rsqrt(var + tl.full([1], eps, tl.float32).to(D))
    gamma = tl.load(weight_ptr + c_idx).to(D)
    sum_dy = tl.zeros([1], D)
    sum_dy_xhat = tl.zeros([1], D)
    total_bhw = B * HW
    for n in range(total_bhw):
        b_idx = n // HW
        hw_idx = n % HW
        offset = b_idx * C * HW + c * HW + hw_idx
        off_1 = tl.arange(0, 1) + offset
        x_elem = tl.load(x_ptr + off_1).to(D)
        dy_elem = tl.load(dy_ptr + off_1).to(D)
        xhat = (x_elem - mean) * rstd
        sum_dy = sum_dy + dy_elem
        sum_dy_xhat = sum_dy_xhat + dy_elem * xhat
        dx_elem = gamma * rstd * dy_elem
        tl.store(dx_ptr + off_1, dx_elem)
    tl.store(dweight_ptr + c_idx, sum_dy_xhat)
    tl.store(dbias_ptr + c_idx, sum_dy)
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
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    c = tl.program_id(0)
    c_idx = tl.arange(0, 1) + c
    mean = tl.broadcast_to(tl.load(mean_ptr + c_idx).to(D), [BLOCK_N])
    rstd = tl.broadcast_to(tl.load(rstd_ptr + c_idx).to(D), [BLOCK_N])
    weight = tl.broadcast_to(tl.load(weight_ptr + c_idx).to(D), [BLOCK_N])
    zeros_blk = tl.zeros([BLOCK_N], D)
    acc_dy = zeros_blk
    acc_dy_xhat = zeros_blk
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        dy_tile = tl.load(dy_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        xhat = (x_tile - mean) * rstd
        acc_dy = acc_dy + dy_tile
        acc_dy_xhat = acc_dy_xhat + dy_tile * xhat
    sum_dy = tl.sum(acc_dy, keep_dims=True)
    sum_dy_xhat = tl.sum(acc_dy_xhat, keep_dims=True)
    tl.store(dweight_ptr + c_idx, sum_dy_xhat)
    tl.store(dbias_ptr + c_idx, sum_dy)
    n_inv = tl.broadcast_to(tl.full([1], 1.0 / tl.cast(N, tl.float32), tl.float32).to(D), [BLOCK_N])
    sum_dy_bcast = tl.broadcast_to(sum_dy, [BLOCK_N])
    sum_dy_xhat_bcast = tl.broadcast_to(sum_dy_xhat, [BLOCK_N])
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        dy_tile = tl.load(dy_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        xhat = (x_tile - mean) * rstd
        dx_tile = (
            weight * rstd * (dy_tile - sum_dy_bcast * n_inv - xhat * sum_dy_xhat_bcast * n_inv)
        )
        tl.store(dx_ptr + elem_offsets, dx_tile, mask=mask)
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
    D: tl.constexpr = (
        dy_ptr.dtype.element_ty if dy_ptr.dtype.element_ty.primitive_bitwidth > 16 else tl.float32
    )
    N = tl.cast(N, tl.int64)
    C = tl.cast(C, tl.int64)
    c = tl.cast(tl.program_id(0), tl.int64)
    c_idx = tl.arange(0, 1) + c
    mean = tl.broadcast_to(tl.load(mean_ptr + c_idx).to(D), [BLOCK_N])
    rstd = tl.broadcast_to(tl.load(rstd_ptr + c_idx).to(D), [BLOCK_N])
    weight = tl.broadcast_to(tl.load(weight_ptr + c_idx).to(D), [BLOCK_N])
    zeros_blk = tl.zeros([BLOCK_N], D)
    acc_dy = zeros_blk
    acc_dy_xhat = zeros_blk
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        dy_tile = tl.load(dy_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        xhat = (x_tile - mean) * rstd
        acc_dy = acc_dy + dy_tile
        acc_dy_xhat = acc_dy_xhat + dy_tile * xhat
    sum_dy = tl.sum(acc_dy, keep_dims=True)
    sum_dy_xhat = tl.sum(acc_dy_xhat, keep_dims=True)
    tl.store(dweight_ptr + c_idx, sum_dy_xhat)
    tl.store(dbias_ptr + c_idx, sum_dy)
    n_inv = tl.broadcast_to(tl.full([1], 1.0 / tl.cast(N, tl.float32), tl.float32).to(D), [BLOCK_N])
    sum_dy_bcast = tl.broadcast_to(sum_dy, [BLOCK_N])
    sum_dy_xhat_bcast = tl.broadcast_to(sum_dy_xhat, [BLOCK_N])
    for n_start in range(0, N, BLOCK_N):
        offsets_n = tl.arange(0, BLOCK_N) + n_start
        mask = offsets_n < N
        elem_offsets = offsets_n * C + c
        x_tile = tl.load(x_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        dy_tile = tl.load(dy_ptr + elem_offsets, mask=mask, other=zeros_blk).to(D)
        xhat = (x_tile - mean) * rstd
        dx_tile = (
            weight * rstd * (dy_tile - sum_dy_bcast * n_inv - xhat * sum_dy_xhat_bcast * n_inv)
        )
        tl.store(dx_ptr + elem_offsets, dx_tile, mask=mask)
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
}
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
        is_large = any(
            it.numel() > _MOST_INDEX
            if isinstance(it, Tensor)
            else isinstance(it, int | torch.SymInt) and not -_MOST_INDEX - 1 <= it <= _MOST_INDEX
            for it in arguments
        )
        return (is_large and self._kernel.index64) or self._kernel.function
def _on(device: torch.device | None) -> AbstractContextManager[object]:
    if device is None or device.type == "cpu" or device.index == torch.cuda.current_device():
        return nullcontext()
    return torch.cuda.device(device)
def _check_arguments(kernel: Kernel, arguments: Sequence[Argument]) -> None:
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
    given = dict(zip(kernel.parameters, arguments, strict=True))
    for name, count in kernel.elements(programs, **given, **constants).items():
        tensor = given[name]
        if isinstance(tensor, Tensor) and tensor.numel() < count:
            raise RuntimeError(
                f"{kernel.name}(): expected {name} to have at least {count} elements,"
                f" but it has {tensor.numel()}"
            )
def _mark_written(tensor: Tensor) -> None:
    if not tensor.is_inference():
        torch.autograd.graph.increment_version(tensor)
class BatchNormForwardInference(Launcher):
    def __init__(self, block_n: int) -> None:
        super().__init__(KERNELS["batch_norm_forward_inference"], BLOCK_N=block_n)
        self.block_n = block_n
class BatchNormStatsForward(Launcher):
    def __init__(self, block_n: int) -> None:
        super().__init__(KERNELS["batch_norm_stats_forward"], BLOCK_N=block_n)
        self.block_n = block_n
class BatchNormNormalizeForward(Launcher):
    def __init__(self, block_n: int) -> None:
        super().__init__(KERNELS["batch_norm_normalize_forward"], BLOCK_N=block_n)
        self.block_n = block_n
class BatchNorm2dNchwForwardInference(Launcher):
    def __init__(self, block_hw: int) -> None:
        super().__init__(KERNELS["batch_norm_2d_nchw_forward_inference"], BLOCK_HW=block_hw)
        self.block_hw = block_hw
class BatchNorm2dNchwBackward(Launcher):
    def __init__(self, block_hw: int) -> None:
        super().__init__(KERNELS["batch_norm_2d_nchw_backward"], BLOCK_HW=block_hw)
        self.block_hw = block_hw
class BatchNormBackward(Launcher):
    def __init__(self, block_n: int) -> None:
        super().__init__(KERNELS["batch_norm_backward"], BLOCK_N=block_n)
        self.block_n = block_n
