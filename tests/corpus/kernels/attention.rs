//! Attention without a matrix of scores: one query (or one key) a program, the softmax on the fly.
//!
//! `q`, `k`, `v` and the output are `[B * H, N, HEAD_DIM]`; `lse` and `delta` are `[B * H, N]`.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// Forward, with the logarithm of the sum of exponentials for the backward kernels.
///
/// Grid: `[N, B * H]`.
#[kernel(backward = FlashAttention2BackwardDq)]
pub fn flash_attention2_forward<T: Triton, D: Float, const HEAD_DIM: i32, const BLOCK_N: i32>(
    q_ptr: T::Pointer<D>,
    k_ptr: T::Pointer<D>,
    v_ptr: T::Pointer<D>,
    o_ptr: T::Pointer<D>,
    lse_ptr: T::Pointer<D>,
    N: i32,
    scale: f32,
    neg_inf: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let m = T::program_id(Axis::X);
    let bh = T::program_id(Axis::Y);
    let base = bh * N * HEAD_DIM;
    let d = T::arange(0, HEAD_DIM);
    let q = T::load(
        q_ptr.add_offsets(d + (base + m * HEAD_DIM)),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let scale_t = T::full(&[HEAD_DIM], D::from_f64(scale as f64));
    let q = q * scale_t;

    let mut acc = T::zeros::<D>(&[HEAD_DIM]);
    let mut l_i = T::zeros::<D>(&[1]);
    let mut m_i = T::full(&[1], D::from_f64(neg_inf as f64));
    for n in 0..N {
        let row = d + (base + n * HEAD_DIM);
        let k = T::load(
            k_ptr.add_offsets(row),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let s = T::expand_dims(T::sum(q * k, Some(0), false), 0);
        let m_new = T::maximum(m_i, s);
        let alpha = T::exp(m_i - m_new);
        let p = T::exp(s - m_new);
        l_i = l_i * alpha + p;
        let v = T::load(
            v_ptr.add_offsets(row),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc * T::broadcast_to(alpha, &[HEAD_DIM]) + T::broadcast_to(p, &[HEAD_DIM]) * v;
        m_i = m_new;
    }
    let inv_l = T::full(&[1], D::from_f64(1.0)) / l_i;
    T::store(
        o_ptr.add_offsets(d + (base + m * HEAD_DIM)),
        acc * inv_l,
        None,
        &[],
        None,
        None,
    );
    T::store(
        lse_ptr.add_offsets(T::arange(0, 1) + (bh * N + m)),
        m_i + T::log(l_i),
        None,
        &[],
        None,
        None,
    );
}

/// Gradient of the queries.
#[cfg(feature = "training")]
#[kernel]
pub fn flash_attention2_backward_dq<T: Triton, D: Float, const HEAD_DIM: i32, const BLOCK_N: i32>(
    q_ptr: T::Pointer<D>,
    k_ptr: T::Pointer<D>,
    v_ptr: T::Pointer<D>,
    do_ptr: T::Pointer<D>,
    lse_ptr: T::Pointer<D>,
    delta_ptr: T::Pointer<D>,
    dq_ptr: T::Pointer<D>,
    N: i32,
    scale: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let m = T::program_id(Axis::X);
    let bh = T::program_id(Axis::Y);
    let base = bh * N * HEAD_DIM;
    let d = T::arange(0, HEAD_DIM);
    let at = T::arange(0, 1) + (bh * N + m);
    let q = T::load(
        q_ptr.add_offsets(d + (base + m * HEAD_DIM)),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let grad = T::load(
        do_ptr.add_offsets(d + (base + m * HEAD_DIM)),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let lse = T::load(
        lse_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let delta = T::load(
        delta_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let scale_1 = T::full(&[1], D::from_f64(scale as f64));

    let mut dq = T::zeros::<D>(&[HEAD_DIM]);
    for n in 0..N {
        let row = d + (base + n * HEAD_DIM);
        let k = T::load(
            k_ptr.add_offsets(row),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let v = T::load(
            v_ptr.add_offsets(row),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let s = T::sum(q * k, Some(0), false);
        let p = T::exp(s * scale_1 - lse);
        let dp = T::sum(grad * v, Some(0), false);
        let ds = p * (dp - delta) * scale_1;
        dq = dq + T::broadcast_to(ds, &[HEAD_DIM]) * k;
    }
    T::store(
        dq_ptr.add_offsets(d + (base + m * HEAD_DIM)),
        dq,
        None,
        &[],
        None,
        None,
    );
}

/// Gradients of the keys and the values; a program takes one key and walks through the queries.
#[cfg(feature = "training")]
#[kernel]
pub fn flash_attention2_backward_dkv<T: Triton, D: Float, const HEAD_DIM: i32, const BLOCK_N: i32>(
    q_ptr: T::Pointer<D>,
    k_ptr: T::Pointer<D>,
    v_ptr: T::Pointer<D>,
    do_ptr: T::Pointer<D>,
    lse_ptr: T::Pointer<D>,
    delta_ptr: T::Pointer<D>,
    dk_ptr: T::Pointer<D>,
    dv_ptr: T::Pointer<D>,
    N: i32,
    scale: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let n = T::program_id(Axis::X);
    let bh = T::program_id(Axis::Y);
    let base = bh * N * HEAD_DIM;
    let d = T::arange(0, HEAD_DIM);
    let own = d + (base + n * HEAD_DIM);
    let k = T::load(
        k_ptr.add_offsets(own),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let v = T::load(
        v_ptr.add_offsets(own),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    // 1 / sqrt(HEAD_DIM) unless the caller says otherwise.
    let default_scale = T::rsqrt(T::full(&[1], D::from_f64(HEAD_DIM as f64)));
    let scale_1 = T::where_(
        T::gt(
            T::full(&[1], D::from_f64(scale as f64)),
            T::zeros::<D>(&[1]),
        ),
        T::full(&[1], D::from_f64(scale as f64)),
        default_scale,
    );

    let mut dk = T::zeros::<D>(&[HEAD_DIM]);
    let mut dv = T::zeros::<D>(&[HEAD_DIM]);
    for m in 0..N {
        let row = d + (base + m * HEAD_DIM);
        let at = T::arange(0, 1) + (bh * N + m);
        let q = T::load(
            q_ptr.add_offsets(row),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let grad = T::load(
            do_ptr.add_offsets(row),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let lse = T::load(
            lse_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let delta = T::load(
            delta_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let s = T::sum(q * k, Some(0), false);
        let p = T::exp(s * scale_1 - lse);
        let dp = T::sum(grad * v, Some(0), false);
        dv = dv + T::broadcast_to(p, &[HEAD_DIM]) * grad;
        dk = dk + T::broadcast_to(p * (dp - delta) * scale_1, &[HEAD_DIM]) * q;
    }
    T::store(dk_ptr.add_offsets(own), dk, None, &[], None, None);
    T::store(dv_ptr.add_offsets(own), dv, None, &[], None, None);
}

/// `delta = sum(o * do)` over the head dimension, for the backward kernels.
#[kernel]
pub fn flash_attention2_delta<T: Triton, D: Float, const HEAD_DIM: i32>(
    o_ptr: T::Pointer<D>,
    do_ptr: T::Pointer<D>,
    delta_ptr: T::Pointer<D>,
    _n_rows: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let row = T::program_id(Axis::X);
    let at = T::arange(0, HEAD_DIM) + row * HEAD_DIM;
    let total = T::sum(
        T::load(
            o_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ) * T::load(
            do_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ),
        None,
        true,
    );
    T::store(
        delta_ptr.add_offsets(T::arange(0, 1) + row),
        total,
        None,
        &[],
        None,
        None,
    );
}
