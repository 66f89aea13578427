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
}
