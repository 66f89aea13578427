//! Matrix products through tensor descriptors: gemm, linear layers, flattening, Newton–Schulz.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// `c[M, N] = a[M, K] @ b[K, N]`, tiles in groups of `GROUP_M` rows for the cache's sake.
///
/// Grid: `[ceil(M / BLOCK_M) * ceil(N / BLOCK_N)]`.
#[kernel]
pub fn matmul_forward<
    T: Triton,
    D: Num,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
    const GROUP_M: i32,
>(
    a_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    c_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
) {
    let pid = T::program_id(Axis::X);
    let num_pid_m = T::cdiv(M, BLOCK_M);
    let num_pid_n = T::cdiv(N, BLOCK_N);
    let num_pid_in_group = GROUP_M * num_pid_n;
    let group_id = pid / num_pid_in_group;
    let first_pid_m = group_id * GROUP_M;
    let remaining = num_pid_m - first_pid_m;
    let group_size_m = if remaining < GROUP_M {
        remaining
    } else {
        GROUP_M
    };
    let pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m);
    let pid_n = (pid % num_pid_in_group) / group_size_m;

    let a_desc = T::make_tensor_descriptor(
        a_ptr,
        &[M, K],
        &[K, 1],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let b_desc = T::make_tensor_descriptor(
        b_ptr,
        &[K, N],
        &[N, 1],
        &[BLOCK_K, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let c_desc = T::make_tensor_descriptor(
        c_ptr,
        &[M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );

    let mut acc = T::zeros::<D>(&[BLOCK_M, BLOCK_N]);
    let k_tiles = T::cdiv(K, BLOCK_K);
    for k in 0..k_tiles {
        let a = T::load_tensor_descriptor(a_desc, &[pid_m * BLOCK_M, k * BLOCK_K]);
        let b = T::load_tensor_descriptor(b_desc, &[k * BLOCK_K, pid_n * BLOCK_N]);
        acc = T::dot::<D, D>(a, b, Some(acc), InputPrecision::TF32, None);
    }
    T::store_tensor_descriptor(c_desc, &[pid_m * BLOCK_M, pid_n * BLOCK_N], acc);
}

/// `da[M, K] = dc[M, N] @ b[K, N]^T`.
#[kernel]
pub fn matmul_backward_da<
    T: Triton,
    D: Num,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
    const GROUP_M: i32,
>(
    dc_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    da_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let k_blocks = T::cdiv(K, BLOCK_K);
    let pid_m = pid / k_blocks;
    let pid_k = pid % k_blocks;
    let dc_desc = T::make_tensor_descriptor(
        dc_ptr,
        &[M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let b_desc = T::make_tensor_descriptor(
        b_ptr,
        &[K, N],
        &[N, 1],
        &[BLOCK_K, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let da_desc = T::make_tensor_descriptor(
        da_ptr,
        &[M, K],
        &[K, 1],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let mut acc = T::zeros::<D>(&[BLOCK_M, BLOCK_K]);
    let n_tiles = T::cdiv(N, BLOCK_N);
    for n in 0..n_tiles {
        let dc = T::load_tensor_descriptor(dc_desc, &[pid_m * BLOCK_M, n * BLOCK_N]);
        let b = T::load_tensor_descriptor(b_desc, &[pid_k * BLOCK_K, n * BLOCK_N]);
        let bt = T::trans(b, &[1, 0]);
        acc = T::dot::<D, D>(dc, bt, Some(acc), InputPrecision::TF32, None);
    }
    T::store_tensor_descriptor(da_desc, &[pid_m * BLOCK_M, pid_k * BLOCK_K], acc);
}

/// The same product with pointers and masks, one row of tiles of `N` a program; f32.
#[kernel]
pub fn matmul_pointers_forward<
    T: Triton,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
>(
    a_ptr: T::Pointer<f32>,
    b_ptr: T::Pointer<f32>,
    c_ptr: T::Pointer<f32>,
    M: i32,
    N: i32,
    K: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
    T::BoolTensor: BitOr<Output = T::BoolTensor>,
{
    let pid_m = T::program_id(Axis::X);
    let pid_n = T::program_id(Axis::Y);
    let rm = T::arange(0, BLOCK_M) + pid_m * BLOCK_M;
    let rn = T::arange(0, BLOCK_N) + pid_n * BLOCK_N;
    let m = T::expand_dims(rm, 1);
    let n = T::expand_dims(rn, 0);
    let mut acc = T::zeros::<f32>(&[BLOCK_M, BLOCK_N]);
    let mut k0: i32 = 0;
    while k0 < K {
        let rk = T::arange(0, BLOCK_K) + k0;
        let ka = T::expand_dims(rk, 0);
        let kb = T::expand_dims(rk, 1);
        let a = T::load(
            a_ptr.add_offsets(m * K + ka),
            Some(m.lt(M) & ka.lt(K)),
            Some(T::zeros::<f32>(&[BLOCK_M, BLOCK_K])),
            &[],
            None,
            None,
            None,
            false,
        );
        let b = T::load(
            b_ptr.add_offsets(kb * N + n),
            Some(kb.lt(K) & n.lt(N)),
            Some(T::zeros::<f32>(&[BLOCK_K, BLOCK_N])),
            &[],
            None,
            None,
            None,
            false,
        );
        acc = T::dot::<f32, f32>(a, b, Some(acc), InputPrecision::IEEE, None);
        k0 += BLOCK_K;
    }
    T::store(
        c_ptr.add_offsets(m * N + n),
        acc,
        Some(m.lt(M) & n.lt(N)),
        &[],
        None,
        None,
    );
}

// ─── Linear layers ───────────────────────────────────────────────────────────

#[kernel]
pub fn linear_forward<
    T: Triton,
    D: Num,
    const USE_BIAS: bool,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
    stride_xm: i32,
    stride_xk: i32, // 1 for a row-major input
    stride_wn: i32,
    stride_wk: i32,
    stride_ym: i32,
    stride_yn: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let grid_n = T::cdiv(N, BLOCK_N);
    let pid_m = pid / grid_n;
    let pid_n = pid % grid_n;
    let x_desc = T::make_tensor_descriptor(
        x_ptr,
        &[M, K],
        &[stride_xm, stride_xk],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let w_desc = T::make_tensor_descriptor(
        w_ptr,
        &[N, K],
        &[stride_wn, stride_wk],
        &[BLOCK_N, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let y_desc = T::make_tensor_descriptor(
        y_ptr,
        &[M, N],
        &[stride_ym, stride_yn],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let mut acc = T::zeros::<D>(&[BLOCK_M, BLOCK_N]);
    let k_tiles = T::cdiv(K, BLOCK_K);
    for k in 0..k_tiles {
        let x = T::load_tensor_descriptor(x_desc, &[pid_m * BLOCK_M, k * BLOCK_K]);
        let w = T::load_tensor_descriptor(w_desc, &[pid_n * BLOCK_N, k * BLOCK_K]);
        acc = T::dot::<D, D>(
            x,
            T::trans(w, &[1, 0]),
            Some(acc),
            InputPrecision::TF32,
            None,
        );
    }
    if USE_BIAS {
        let n = T::arange(0, BLOCK_N) + pid_n * BLOCK_N;
        let bias = T::load(
            b_ptr.add_offsets(n),
            Some(n.lt(N)),
            Some(T::zeros::<D>(&[BLOCK_N])),
            &[],
            None,
            None,
            None,
            false,
        );
        let bias = T::expand_dims(bias, 0);
        let bias = T::broadcast_to(bias, &[BLOCK_M, BLOCK_N]);
        acc = acc + bias;
    }
    T::store_tensor_descriptor(y_desc, &[pid_m * BLOCK_M, pid_n * BLOCK_N], acc);
}

#[kernel]
pub fn linear_backward<
    T: Triton,
    D: Num,
    const USE_BIAS: bool,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    dw_ptr: T::Pointer<D>,
    db_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
    stride_dym: i32,
    stride_dyn: i32,
    stride_dw: i32,
    _stride_db: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let grid_m = T::cdiv(M, BLOCK_M);
    let grid_k = T::cdiv(K, BLOCK_K);
    let n_dx = grid_m * grid_k;
    let dy_desc = T::make_tensor_descriptor(
        dy_ptr,
        &[M, N],
        &[stride_dym, stride_dyn],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let x_desc = T::make_tensor_descriptor(
        x_ptr,
        &[M, K],
        &[K, 1],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let w_desc = T::make_tensor_descriptor(
        w_ptr,
        &[N, K],
        &[K, 1],
        &[BLOCK_N, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let dx_desc = T::make_tensor_descriptor(
        dx_ptr,
        &[M, K],
        &[K, 1],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let dw_desc = T::make_tensor_descriptor(
        dw_ptr,
        &[N, K],
        &[stride_dw, 1],
        &[BLOCK_N, BLOCK_K],
        Some(PaddingOption::Zero),
    );

    // The first programs make dx, the others dw.
    if pid < n_dx {
        let pid_m = pid / grid_k;
        let pid_k = pid % grid_k;
        let mut acc = T::zeros::<D>(&[BLOCK_M, BLOCK_K]);
        let tiles = T::cdiv(N, BLOCK_N);
        for n in 0..tiles {
            let dy = T::load_tensor_descriptor(dy_desc, &[pid_m * BLOCK_M, n * BLOCK_N]);
            let w = T::load_tensor_descriptor(w_desc, &[n * BLOCK_N, pid_k * BLOCK_K]);
            acc = T::dot::<D, D>(dy, w, Some(acc), InputPrecision::TF32, None);
        }
        T::store_tensor_descriptor(dx_desc, &[pid_m * BLOCK_M, pid_k * BLOCK_K], acc);
    }
    if pid >= n_dx {
        let q = pid - n_dx;
        let pid_n = q / grid_k;
        let pid_k = q % grid_k;
        let mut acc = T::zeros::<D>(&[BLOCK_N, BLOCK_K]);
        for m in 0..grid_m {
            let dy = T::load_tensor_descriptor(dy_desc, &[m * BLOCK_M, pid_n * BLOCK_N]);
            let x = T::load_tensor_descriptor(x_desc, &[m * BLOCK_M, pid_k * BLOCK_K]);
            acc = T::dot::<D, D>(
                T::trans(dy, &[1, 0]),
                x,
                Some(acc),
                InputPrecision::TF32,
                None,
            );
        }
        T::store_tensor_descriptor(dw_desc, &[pid_n * BLOCK_N, pid_k * BLOCK_K], acc);
        if USE_BIAS && pid_k == 0 {
            let mut sum = T::zeros::<D>(&[BLOCK_N]);
            for m in 0..grid_m {
                let dy = T::load_tensor_descriptor(dy_desc, &[m * BLOCK_M, pid_n * BLOCK_N]);
                sum = sum + T::sum::<D>(dy, Some(0), false);
            }
            let n = T::arange(0, BLOCK_N) + pid_n * BLOCK_N;
            T::store(db_ptr.add_offsets(n), sum, Some(n.lt(N)), &[], None, None);
        }
    }
}

// ─── Flattening ──────────────────────────────────────────────────────────────

/// Copies a strided matrix to a dense one.
#[kernel]
pub fn flatten_forward<T: Triton, D: Num, const BLOCK_M: i32, const BLOCK_N: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    stride_m: i32,
    stride_n: i32,
) {
    let pid = T::program_id(Axis::X);
    let grid_n = T::cdiv(N, BLOCK_N);
    let x_desc = T::make_tensor_descriptor(
        x_ptr,
        &[M, N],
        &[stride_m, stride_n],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let y_desc = T::make_tensor_descriptor(
        y_ptr,
        &[M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let row = pid / grid_n * BLOCK_M;
    let col = pid % grid_n * BLOCK_N;
    let x = T::load_tensor_descriptor(x_desc, &[row, col]);
    T::store_tensor_descriptor(y_desc, &[row, col], x);
}

// ─── Newton–Schulz (Muon) ────────────────────────────────────────────────────

/// Adds the square of the Frobenius norm to `out`, which the caller sets to 0 before.
#[kernel]
pub fn muon_frob_norm_sq<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    out_ptr: T::Pointer<f32>,
    n_elements: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let x = T::load(
        x_ptr.add_offsets(offsets),
        Some(mask),
        Some(T::zeros::<D>(&[BLOCK_SIZE])),
        &[],
        None,
        None,
        None,
        false,
    );
    let x = T::cast::<D, f32>(x, None, false);
    let total = T::sum(x * x, Some(0), false);
    let at = T::arange(0, 1);
    let _ = T::atomic_add(
        out_ptr.add_offsets(at),
        T::expand_dims(total, 0),
        None,
        None,
        None,
    );
}

/// `out[R, R] = x @ x^T` for `x[M, N]`, or of its transpose.
///
/// Grid: `[ceil(R / BLOCK_R)^2]` with `R = min`, whichever side is the short one.
#[kernel]
pub fn muon_ns_xtx<T: Triton, const TRANSPOSE: bool, const BLOCK_R: i32, const BLOCK_K: i32>(
    x_ptr: T::Pointer<f32>,
    out_ptr: T::Pointer<f32>,
    M: i32,
    N: i32,
) {
    let pid = T::program_id(Axis::X);
    let R = if TRANSPOSE { N } else { M };
    let K = if TRANSPOSE { M } else { N };
    let stride_r = if TRANSPOSE { 1 } else { N };
    let stride_k = if TRANSPOSE { N } else { 1 };
    let grid_r = T::cdiv(R, BLOCK_R);
    let pid_i = pid / grid_r;
    let pid_j = pid % grid_r;

    let x_desc = T::make_tensor_descriptor(
        x_ptr,
        &[R, K],
        &[stride_r, stride_k],
        &[BLOCK_R, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let out_desc = T::make_tensor_descriptor(
        out_ptr,
        &[R, R],
        &[R, 1],
        &[BLOCK_R, BLOCK_R],
        Some(PaddingOption::Zero),
    );
    let mut acc = T::zeros::<f32>(&[BLOCK_R, BLOCK_R]);
    let k_tiles = T::cdiv(K, BLOCK_K);
    for k in 0..k_tiles {
        let a = T::load_tensor_descriptor(x_desc, &[pid_i * BLOCK_R, k * BLOCK_K]);
        let b = T::load_tensor_descriptor(x_desc, &[pid_j * BLOCK_R, k * BLOCK_K]);
        acc = T::dot::<f32, f32>(
            a,
            T::trans(b, &[1, 0]),
            Some(acc),
            InputPrecision::IEEE,
            None,
        );
    }
    T::store_tensor_descriptor(out_desc, &[pid_i * BLOCK_R, pid_j * BLOCK_R], acc);
}

/// One step of the iteration: `out = a * x + p @ x`, or `a * x + x @ p` where `TRANSPOSE`.
#[kernel]
pub fn muon_ns_step<
    T: Triton,
    const TRANSPOSE: bool,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
>(
    x_ptr: T::Pointer<f32>,
    p_ptr: T::Pointer<f32>,
    out_ptr: T::Pointer<f32>,
    M: i32,
    N: i32,
    a: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let grid_n = T::cdiv(N, BLOCK_N);
    let row = pid / grid_n * BLOCK_M;
    let col = pid % grid_n * BLOCK_N;
    let K = if TRANSPOSE { N } else { M };

    let (left, right) = if TRANSPOSE {
        (
            T::make_tensor_descriptor(
                x_ptr,
                &[M, N],
                &[N, 1],
                &[BLOCK_M, BLOCK_K],
                Some(PaddingOption::Zero),
            ),
            T::make_tensor_descriptor(
                p_ptr,
                &[N, N],
                &[N, 1],
                &[BLOCK_K, BLOCK_N],
                Some(PaddingOption::Zero),
            ),
        )
    } else {
        (
            T::make_tensor_descriptor(
                p_ptr,
                &[M, M],
                &[M, 1],
                &[BLOCK_M, BLOCK_K],
                Some(PaddingOption::Zero),
            ),
            T::make_tensor_descriptor(
                x_ptr,
                &[M, N],
                &[N, 1],
                &[BLOCK_K, BLOCK_N],
                Some(PaddingOption::Zero),
            ),
        )
    };
    let x_desc = T::make_tensor_descriptor(
        x_ptr,
        &[M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let out_desc = T::make_tensor_descriptor(
        out_ptr,
        &[M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );

    let x = T::load_tensor_descriptor(x_desc, &[row, col]);
    let mut acc = x * T::full(&[BLOCK_M, BLOCK_N], a);
    let k_tiles = T::cdiv(K, BLOCK_K);
    for k in 0..k_tiles {
        let l = T::load_tensor_descriptor(left, &[row, k * BLOCK_K]);
        let r = T::load_tensor_descriptor(right, &[k * BLOCK_K, col]);
        acc = T::dot::<f32, f32>(l, r, Some(acc), InputPrecision::IEEE, None);
    }
    T::store_tensor_descriptor(out_desc, &[row, col], acc);
}
