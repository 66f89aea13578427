//! Convolutions. Images are `[B, C, …]`, weights `[C_OUT, C_IN / G, …]`; a program makes a piece of
//! one row.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// Convolution of `[B, C_IN, L]` in `G` groups.
///
/// Grid: `[B * C_OUT * ceil(OL / BLOCK_OL)]`.
#[kernel]
pub fn conv1d_forward<
    T: Triton,
    D: Num,
    const KL: i32,
    const STRIDE: i32,
    const PAD: i32,
    const G: i32,
    const BLOCK_OL: i32,
>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C_IN: i32,
    L: i32,
    C_OUT: i32,
    OL: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
    T::BoolTensor: BitOr<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(OL, BLOCK_OL);
    let rest = pid / n_blocks;
    let c_out = rest % C_OUT;
    let b = rest / C_OUT;
    let ol = T::arange(0, BLOCK_OL) + pid % n_blocks * BLOCK_OL;
    let out_mask = ol.lt(OL);
    let zero = T::zeros::<D>(&[BLOCK_OL]);

    let c_in_g = C_IN / G;
    let g = c_out / (C_OUT / G);
    let mut acc = zero;
    let loop_bound = c_in_g * KL;
    for i in 0..loop_bound {
        let kl = i % KL;
        let c_in = i / KL;
        let il = ol * STRIDE + kl - PAD;
        let mask = il.ge(0) & il.lt(L) & out_mask;
        let x = T::load(
            x_ptr.add_offsets(il + (b * C_IN + g * c_in_g + c_in) * L),
            Some(mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            w_ptr.add_offsets(T::arange(0, 1) + ((c_out * c_in_g + c_in) * KL + kl)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc + x * T::broadcast_to(w, &[BLOCK_OL]);
    }
    T::store(
        y_ptr.add_offsets(ol + (b * C_OUT + c_out) * OL),
        acc,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Convolution of `[B, C_IN, H, W]` in `G` groups.
#[kernel]
pub fn conv2d_forward<
    T: Triton,
    D: Num,
    const KH: i32,
    const KW: i32,
    const STRIDE_H: i32,
    const STRIDE_W: i32,
    const PAD_H: i32,
    const PAD_W: i32,
    const G: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>, // [B, C_IN, H, W]
    w_ptr: T::Pointer<D>, // [C_OUT, C_IN / G, KH, KW]
    y_ptr: T::Pointer<D>, // [B, C_OUT, OH, OW]
    _B: i32,
    C_IN: i32,
    H: i32,
    W: i32,
    C_OUT: i32,
    OH: i32,
    OW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let rest2 = rest / OH;
    let c_out = rest2 % C_OUT;
    let b = rest2 / C_OUT;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let out_mask = ow.lt(OW);

    let c_in_g = C_IN / G;
    let group = c_out / (C_OUT / G);
    let zero = T::zeros::<D>(&[BLOCK_OW]);
    let mut acc = zero;
    let loop_bound = c_in_g * KH * KW;
    for idx in 0..loop_bound {
        let kw = idx % KW;
        let kh = (idx / KW) % KH;
        let ci = idx / (KW * KH);
        let c_in = group * c_in_g + ci;
        let ih = oh * STRIDE_H + kh - PAD_H;
        let iw = ow * STRIDE_W + kw - PAD_W;
        // A tile, so that the row's bounds can join the mask.
        #[allow(clippy::erasing_op)]
        let ih_t = iw * 0 + ih;
        let mask = ih_t.ge(0) & ih_t.lt(H) & iw.ge(0) & iw.lt(W) & out_mask;
        let x = T::load(
            x_ptr.add_offsets(iw + ((b * C_IN + c_in) * H + ih) * W),
            Some(mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        let w_off = T::arange(0, 1) + (((c_out * c_in_g + ci) * KH + kh) * KW + kw);
        let w = T::broadcast_to(
            T::load(
                w_ptr.add_offsets(w_off),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            ),
            &[BLOCK_OW],
        );
        acc = acc + x * w;
    }
    T::store(
        y_ptr.add_offsets(ow + ((b * C_OUT + c_out) * OH + oh) * OW),
        acc,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Gradient of the input: each program gathers what its row gave.
#[cfg(feature = "training")]
#[kernel]
pub fn conv2d_backward_dx<
    T: Triton,
    D: Float,
    const KH: i32,
    const KW: i32,
    const STRIDE_H: i32,
    const STRIDE_W: i32,
    const PAD_H: i32,
    const PAD_W: i32,
    const BLOCK_IW: i32,
>(
    dy_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    _B: i32,
    C_IN: i32,
    H: i32,
    W: i32,
    C_OUT: i32,
    OH: i32,
    OW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let iw_blocks = T::cdiv(W, BLOCK_IW);
    let rest = pid / iw_blocks;
    let ih = rest % H;
    let rest2 = rest / H;
    let c_in = rest2 % C_IN;
    let b = rest2 / C_IN;
    let iw = T::arange(0, BLOCK_IW) + (pid % iw_blocks) * BLOCK_IW;
    let in_mask = iw.lt(W);
    let zero = T::zeros::<D>(&[BLOCK_IW]);
    let mut acc = zero;
    let loop_bound = C_OUT * KH * KW;
    for idx in 0..loop_bound {
        let kw = idx % KW;
        let kh = (idx / KW) % KH;
        let c_out = idx / (KW * KH);
        // Which output took this input at (kh, kw), if the strides meet it.
        let h = ih + PAD_H - kh;
        let oh = h / STRIDE_H;
        let w = iw + (PAD_W - kw);
        let ow = w / STRIDE_W;
        #[allow(clippy::erasing_op)]
        let h_t = w * 0 + h;
        #[allow(clippy::erasing_op)]
        let oh_t = w * 0 + oh;
        let hit_h = T::eq(oh_t * STRIDE_H, h_t);
        let hit_w = T::eq(ow * STRIDE_W, w);
        let mask = h_t.ge(0) & w.ge(0) & oh_t.lt(OH) & ow.lt(OW) & hit_h & hit_w & in_mask;
        let dy = T::load(
            dy_ptr.add_offsets(ow + ((b * C_OUT + c_out) * OH + oh) * OW),
            Some(mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        let wt = T::load(
            w_ptr.add_offsets(T::arange(0, 1) + (((c_out * C_IN + c_in) * KH + kh) * KW + kw)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc + dy * T::broadcast_to(wt, &[BLOCK_IW]);
    }
    T::store(
        dx_ptr.add_offsets(iw + ((b * C_IN + c_in) * H + ih) * W),
        acc,
        Some(in_mask),
        &[],
        None,
        None,
    );
}

/// Gradient of one weight a program, as a sum over all images and positions.
///
/// Grid: `[C_OUT * C_IN * KH * KW]`.
#[cfg(feature = "training")]
#[kernel]
pub fn conv2d_backward_dw<
    T: Triton,
    D: Float,
    const KH: i32,
    const KW: i32,
    const STRIDE_H: i32,
    const STRIDE_W: i32,
    const PAD_H: i32,
    const PAD_W: i32,
    const BLOCK_OW: i32,
>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dw_ptr: T::Pointer<D>,
    B: i32,
    C_IN: i32,
    H: i32,
    W: i32,
    C_OUT: i32,
    OH: i32,
    OW: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let kw = pid % KW;
    let kh = pid / KW % KH;
    let c_in = pid / (KW * KH) % C_IN;
    let c_out = pid / (KW * KH * C_IN);
    let zero = T::zeros::<D>(&[BLOCK_OW]);
    let mut acc = zero;
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let n_iter = B * OH * ow_blocks;
    for i in 0..n_iter {
        let rest = i / ow_blocks;
        let oh = rest % OH;
        let b = rest / OH;
        let ow = T::arange(0, BLOCK_OW) + (i % ow_blocks) * BLOCK_OW;
        let out_mask = ow.lt(OW);
        let ih = oh * STRIDE_H + kh - PAD_H;
        let iw = ow * STRIDE_W + kw - PAD_W;
        #[allow(clippy::erasing_op)]
        let ih_t = iw * 0 + ih;
        let mask = ih_t.ge(0) & ih_t.lt(H) & iw.ge(0) & iw.lt(W) & out_mask;
        let x = T::load(
            x_ptr.add_offsets(iw + ((b * C_IN + c_in) * H + ih) * W),
            Some(mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        let dy = T::load(
            dy_ptr.add_offsets(ow + ((b * C_OUT + c_out) * OH + oh) * OW),
            Some(out_mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc + x * dy;
    }
    let total = T::sum(acc, Some(0), false);
    T::store(
        dw_ptr.add_offsets(T::arange(0, 1) + pid),
        T::expand_dims(total, 0),
        None,
        &[],
        None,
        None,
    );
}

/// Convolution of `[B, C_IN, D, H, W]`, without padding.
#[kernel]
pub fn conv3d_forward<
    T: Triton,
    D: Float,
    const KD: i32,
    const KH: i32,
    const KW: i32,
    const STRIDE_D: i32,
    const STRIDE_H: i32,
    const STRIDE_W: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C_IN: i32,
    Dv: i32,
    H: i32,
    W: i32,
    C_OUT: i32,
    OD: i32,
    OH: i32,
    OW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let ow_start = (pid % ow_blocks) * BLOCK_OW;
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let rest2 = rest / OH;
    let od = rest2 % OD;
    let rest3 = rest2 / OD;
    let c_out = rest3 % C_OUT;
    let b = rest3 / C_OUT;
    let ow = T::arange(0, BLOCK_OW) + ow_start;
    let mask = ow.lt(OW);
    let zero = T::zeros::<D>(&[BLOCK_OW]);
    let mut acc = zero;
    let loop_bound = C_IN * KD * KH * KW;
    for idx in 0..loop_bound {
        let kw = idx % KW;
        let kh = (idx / KW) % KH;
        let kd = (idx / (KW * KH)) % KD;
        let c_in = idx / (KW * KH * KD);
        let id = od * STRIDE_D + kd;
        let ih = oh * STRIDE_H + kh;
        let iw = ow * STRIDE_W + kw;
        let x = T::load(
            x_ptr.add_offsets(iw + (((b * C_IN + c_in) * Dv + id) * H + ih) * W),
            Some(mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            w_ptr.add_offsets(
                T::arange(0, 1) + ((((c_out * C_IN + c_in) * KD + kd) * KH + kh) * KW + kw),
            ),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc + x * T::broadcast_to(w, &[BLOCK_OW]);
    }
    T::store(
        y_ptr.add_offsets(ow + (((b * C_OUT + c_out) * OD + od) * OH + oh) * OW),
        acc,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Transposed convolution of `[B, C_IN, L]`, scattered by atomics; the caller sets `y` to 0 before.
#[kernel]
pub fn conv_transpose1d_forward<
    T: Triton,
    D: Float,
    const KL: i32,
    const STRIDE: i32,
    const PAD: i32,
    const BLOCK_L: i32,
>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C_IN: i32,
    L: i32,
    C_OUT: i32,
    OL: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(L, BLOCK_L);
    let rest = pid / n_blocks;
    let c_in = rest % C_IN;
    let b = rest / C_IN;
    let l = T::arange(0, BLOCK_L) + pid % n_blocks * BLOCK_L;
    let in_mask = l.lt(L);
    let x = T::load(
        x_ptr.add_offsets(l + (b * C_IN + c_in) * L),
        Some(in_mask),
        Some(T::zeros::<D>(&[BLOCK_L])),
        &[],
        None,
        None,
        None,
        false,
    );
    let loop_bound = C_OUT * KL;
    for i in 0..loop_bound {
        let c_out = i / KL;
        let kl = i % KL;
        let ol = l * STRIDE + kl - PAD;
        let mask = ol.ge(0) & ol.lt(OL) & in_mask;
        let w = T::load(
            w_ptr.add_offsets(T::arange(0, 1) + ((c_in * C_OUT + c_out) * KL + kl)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let part = x * T::broadcast_to(w, &[BLOCK_L]);
        T::atomic_add(
            y_ptr.add_offsets(ol + (b * C_OUT + c_out) * OL),
            part,
            Some(mask),
            None,
            None,
        );
    }
}

/// One filter a channel, with a bias and a ReLU.
#[kernel]
pub fn depthwise_conv2d_relu<
    T: Triton,
    D: Float,
    const KH: i32,
    const KW: i32,
    const PAD_H: i32,
    const PAD_W: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    H: i32,
    W: i32,
    OH: i32,
    OW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
    T::BoolTensor: BitOr<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let c = bc % C;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let out_mask = ow.lt(OW);
    let zero = T::zeros::<D>(&[BLOCK_OW]);
    let bias = T::load(
        bias_ptr.add_offsets(T::arange(0, 1) + c),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let mut acc = T::broadcast_to(bias, &[BLOCK_OW]);
    let loop_bound = KH * KW;
    for q in 0..loop_bound {
        let kh = q / KW;
        let kw = q % KW;
        let ih = oh + kh - PAD_H;
        let iw = ow + kw - PAD_W;
        #[allow(clippy::erasing_op)]
        let ih_t = iw * 0 + ih;
        let mask = ih_t.ge(0) & ih_t.lt(H) & iw.ge(0) & iw.lt(W) & out_mask;
        let x = T::load(
            x_ptr.add_offsets(iw + (bc * H + ih) * W),
            Some(mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            w_ptr.add_offsets(T::arange(0, 1) + ((c * KH + kh) * KW + kw)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc + x * T::broadcast_to(w, &[BLOCK_OW]);
    }
    T::store(
        y_ptr.add_offsets(ow + (bc * OH + oh) * OW),
        T::maximum(acc, zero),
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// A 1x1 convolution as a matrix product over channels, with bias and SiLU.
///
/// `w[M, K] @ x[K, N]`, one image a program along Y. Grid: `[ceil(M/BM) * ceil(N/BN), B]`.
#[kernel]
pub fn conv1x1_bias_silu<
    T: Triton,
    D: Float,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let n_tiles = T::cdiv(N, BLOCK_N);
    let pid_m = pid / n_tiles;
    let pid_n = pid % n_tiles;

    let w_desc = T::make_tensor_descriptor(
        w_ptr,
        &[M, K],
        &[K, 1],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let x_desc = T::make_tensor_descriptor(
        x_ptr, // all images, one above the other
        &[(b + 1) * K, N],
        &[N, 1],
        &[BLOCK_K, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let mut acc = T::zeros::<D>(&[BLOCK_M, BLOCK_N]);
    let k_tiles = T::cdiv(K, BLOCK_K);
    for k in 0..k_tiles {
        let w = T::load_tensor_descriptor(w_desc, &[pid_m * BLOCK_M, k * BLOCK_K]);
        let x = T::load_tensor_descriptor(x_desc, &[b * K + k * BLOCK_K, pid_n * BLOCK_N]);
        acc = T::dot::<D, D>(w, x, Some(acc), InputPrecision::IEEE, None);
    }

    let m = T::arange(0, BLOCK_M) + pid_m * BLOCK_M;
    let bias = T::load(
        bias_ptr.add_offsets(m),
        Some(m.lt(M)),
        Some(T::zeros::<D>(&[BLOCK_M])),
        &[],
        None,
        None,
        None,
        false,
    );
    let z = acc + T::broadcast_to(T::expand_dims(bias, 1), &[BLOCK_M, BLOCK_N]);
    let y = z * T::sigmoid(z);
    let y_desc = T::make_tensor_descriptor(
        y_ptr,
        &[(b + 1) * M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    T::store_tensor_descriptor(y_desc, &[b * M + pid_m * BLOCK_M, pid_n * BLOCK_N], y);
}
