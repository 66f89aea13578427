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
Shape: TypeAlias = Sequence[int]
_PLAIN_TYPES = frozenset({Tensor, torch.nn.Parameter})
_kind = attrgetter("shape", "dtype")
_metadata = attrgetter("shape", "dtype", "device")
class _Unsaved(NamedTuple):
    shape: Shape
    dtype: torch.dtype
class _Launch:
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
        arguments = self._pack(*packed)
        if self._compiled is not None and _are_aligned(arguments):
            self._compiled(*arguments, *self._constants.values())
            return
        compiled = self._launch(*arguments, **self._constants)
        is_kept = isinstance(compiled, CompiledKernel) and not torch.version.hip
        if is_kept and _are_aligned(arguments):
            self._compiled = compiled[self._programs]
def _are_aligned(arguments: Sequence[Argument]) -> bool:
    addresses = 0
    for it in arguments:
        if isinstance(it, Tensor):
            addresses |= it.data_ptr()
    return addresses % 16 == 0
class _TracedLaunch:
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
        arguments = [*self._pack(*packed)]
        copied: list[tuple[Tensor, Tensor]] = []
        for n, it in enumerate(arguments):
            if self._written[n] and isinstance(it, Tensor) and _is_slice(it):
                arguments[n] = copy = _copy_of(it)
                copied.append((it, copy))
        self._launch.run((arguments,))
        for it, copy in sorted(copied, key=lambda each: each[0].storage_offset()):
            it.copy_(copy)
def _as_given(arguments: Sequence[Argument]) -> Sequence[Argument]:
    return arguments
def _is_slice(tensor: Tensor) -> bool:
    offset = tensor.storage_offset()
    return not isinstance(offset, int) or offset != 0
def _copy_of(tensor: Tensor) -> Tensor:
    indices = torch.arange(tensor.numel(), device=tensor.device)
    return tensor.flatten()[indices].view(tensor.shape)
class _Plan(NamedTuple):
    shape: Shape
    row: int
    stride: int
    launcher: Launcher
    device: torch.device | None
    launches: list[_Launch | _TracedLaunch]
    def run(self, packed: tuple[Any, ...]) -> None:
        with _on(self.device):
            for launch in self.launches:
                launch.run(packed)
class RuntimeOp:
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
    def __call__(self, *tensors: Tensor, output_shape: Shape | None = None) -> Tensor:
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
        key = (_metadata(grad_output), *map(_kind, tensors)) if not forms else None
        plan = kept = self._backward_plans.get(key)
        tensors = [it.contiguous() if isinstance(it, Tensor) else it for it in tensors]
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
        shapes = list(_unpacked(extents))
        tensors, output = _saved(shapes, type(self), saved, grad_output.dtype)
        grads = self._backward(tensors, output, grad_output, forms)
        return [it for it in grads if it is not None]
    @classmethod
    def _names_of(cls, count: int) -> tuple[str, ...]:
        if not cls._is_variadic:
            return cls._names[:count]
        return cls._inputs * (count - len(cls._parameters)) + cls._parameters
    def _input_count(self) -> int:
        return self.n_activation_inputs() if self._is_variadic else len(self._inputs)
    def _row(self, shape: Shape) -> tuple[int, int]:
        return self.forward_output_row_elems(shape), self.forward_output_row_stride(shape)
    def _check(self, tensors: Sequence[Tensor], output_shape: Shape | None) -> None:
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
        caller, names = f"{type(self).__name__}()", self._names_of(len(tensors))
        named = dict(zip(names, tensors, strict=False))
        for name in self._updated:
            if not named[name].is_contiguous():
                raise RuntimeError(f"{caller}: expected {name}, which is updated, to be contiguous")
        if not is_traced:
            _check_overlap(caller, self._updated, named)
def _guarded(tensor: Tensor, forms: Sequence[Any]) -> torch.device | None:
    return None if forms or torch.cuda.device_count() < 2 else tensor.device
def _is_recorded(operator: type[RuntimeOp], tensors: Sequence[Tensor]) -> bool:
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
    return operator(*arguments, **keywords)
class _Recorded(torch.autograd.Function):
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
    rest, known = iter(shapes), iter(saved)
    count = len(shapes) + len(saved) - operator._saves_output
    tensors: list[Tensor | _Unsaved] = [
        next(known) if name in operator._saved else _Unsaved(tuple(next(rest)), dtype)
        for name in operator._names_of(count)
    ]
    return tensors, next(known, None)
def _unpacked(extents: Sequence[int]) -> Iterator[Shape]:
    rest = iter(extents)
    for rank in rest:
        yield tuple(next(rest) for _ in range(rank))
_NAMES: dict[str, str] = globals().get("_NAMES", {})
def _free_name(qualified: str) -> str:
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
    names = operator._names
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
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
class BatchNormStatsRuntimeOp(RuntimeOp):
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
        c = input_shapes[0][1]
        return [[c], [c]]
    def pack_args(self, inputs, params, output, output_shape, output_row_stride):
        c = output_shape[0] // 2
        n_total = math.prod(inputs[0].shape)
        n = n_total // c
        mean_ptr = output
        rstd_ptr = output.flatten()[c:]
        return inputs[0], mean_ptr, rstd_ptr, params[0], params[1], n, c, self.eps, self.momentum
    def block(self):
        return 1, 1, 1
    def grid(self, output_shape):
        c = output_shape[0] // 2
        return c, 1, 1
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
    tensors = (x, running_mean, running_var)
    if _is_traced(tensors):
        _is_recorded(BatchNormStatsRuntimeOp, tensors)
        return _batch_norm_stats_op(*tensors, output_shape, block_n, eps, momentum)
    operator = _operator(BatchNormStatsRuntimeOp, block_n, float(eps), float(momentum))
    return operator(*tensors, output_shape=tuple(output_shape))
class BatchNormNormalizeRuntimeOp(RuntimeOp):
    _inputs = ("x", "mean_rstd")
    _parameters = ("weight", "bias")
    _gradients = ("x", "weight", "bias")
    _whole_gradients = ("weight", "bias")
    _saved = ("x", "mean_rstd", "weight")
    def __init__(self, block_n: int) -> None:
        self.block_n = block_n
        self.bwd_source = BatchNormBackward(block_n).source
    def forward_kernel(self):
        return BatchNormNormalizeForward(self.block_n)
    def backward_kernel(self):
        return BatchNormBackward(self.block_n)
    def n_activation_inputs(self) -> int:
        return 2
    def param_shapes(self, input_shapes, output_shape):
        c = input_shapes[1][0] // 2
        return [[c], [c]]
    def param_names(self):
        return ["weight", "bias"]
    def pack_args(self, inputs, params, output, output_shape, output_row_stride):
        c = inputs[1].shape[0] // 2
        n_total = math.prod(inputs[0].shape)
        n = n_total // c
        mean_ptr = inputs[1]
        rstd_ptr = inputs[1].flatten()[c:]
        return inputs[0], output, params[0], params[1], mean_ptr, rstd_ptr, n, c
    def block(self):
        return 1, 1, 1
    def grid(self, output_shape):
        c = output_shape[1] if len(output_shape) > 1 else output_shape[0]
        return c, 1, 1
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
        c = inputs[1].shape[0] // 2
        n_total = math.prod(inputs[0].shape)
        n = n_total // c
        mean_ptr = inputs[1]
        rstd_ptr = inputs[1].flatten()[c:]
        return (
            grad_output,
            inputs[0],
            grad_inputs[0],
            params[0],
            mean_ptr,
            rstd_ptr,
            grad_params[0],
            grad_params[1],
            n,
            c,
        )
    def backward_block(self):
        return 1, 1, 1
    def backward_grid(self, input_shapes, output_shape):
        c = input_shapes[1][0] // 2
        return c, 1, 1
    def backward_source(self) -> str:
        return self.bwd_source
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
    tensors = (x, mean_rstd, weight, bias)
    if _is_traced(tensors):
        _is_recorded(BatchNormNormalizeRuntimeOp, tensors)
        return _batch_norm_normalize_op(*tensors, block_n)
    operator = _operator(BatchNormNormalizeRuntimeOp, block_n)
    return operator(*tensors)
class BatchNorm2dNchwInferenceRuntimeOp(RuntimeOp):
    _inputs = ("x",)
    _parameters = ("weight", "bias", "running_mean", "running_var")
    _gradients = ("x", "weight", "bias")
    _whole_gradients = ("weight", "bias")
    _saved = ("x", "weight", "running_mean", "running_var")
    _ranks = (4,)
    def __init__(self, block_hw: int, eps: float) -> None:
        self.fwd = BatchNorm2dNchwForwardInference(block_hw)
        self.block_hw = block_hw
        self.eps = eps
    def forward_kernel(self):
        return self.fwd
    def backward_kernel(self):
        return BatchNorm2dNchwBackward(self.block_hw)
    def n_activation_inputs(self) -> int:
        return 1
    def param_shapes(self, input_shapes, output_shape):
        c = input_shapes[0][1]
        return [[c], [c], [c], [c]]
    def param_names(self):
        return ["weight", "bias", "running_mean", "running_var"]
    def pack_args(self, inputs, params, output, output_shape, output_row_stride):
        c = output_shape[1]
        hw = output_shape[2] * output_shape[3]
        return (
            inputs[0],
            output,
            params[0],
            params[1],
            params[2],
            params[3],
            c,
            hw,
            self.eps,
        )
    def block(self):
        return self.block_hw, 1, 1
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
        in_shape = inputs[0].shape
        b = in_shape[0]
        c = in_shape[1]
        hw = in_shape[2] * in_shape[3]
        return (
            grad_output,
            inputs[0],
            grad_inputs[0],
            params[0],
            params[2],
            params[3],
            grad_params[0],
            grad_params[1],
            b,
            c,
            hw,
            self.eps,
        )
    def backward_block(self):
        return self.block_hw, 1, 1
    def backward_grid(self, input_shapes, output_shape):
        return input_shapes[0][1], 1, 1
    def forward_source(self) -> str:
        return self.fwd.source
    def kernel_name(self) -> str:
        return self.fwd.name
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
    tensors = (x, weight, bias, running_mean, running_var)
    if _is_traced(tensors):
        _is_recorded(BatchNorm2dNchwInferenceRuntimeOp, tensors)
        return _batch_norm2d_nchw_inference_op(*tensors, block_hw, eps)
    operator = _operator(BatchNorm2dNchwInferenceRuntimeOp, block_hw, float(eps))
    return operator(*tensors)
