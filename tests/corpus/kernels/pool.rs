//! Pooling in one, two and three dimensions; a program makes a piece of one row of the output.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// Maximum over windows of `[B, C, L]`; positions outside count as the lowest number.
///
/// Grid: `[B * C * ceil(OL / BLOCK_OL)]`.
#[kernel]
pub fn maxpool1d_forward<
    T: Triton,
    D: Float,
    const KL: i32,
    const STRIDE: i32,
    const PAD: i32,
    const BLOCK_OL: i32,
>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    L: i32,
    OL: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(OL, BLOCK_OL);
    let bc = pid / n_blocks;
    let c = bc % C;
    let b = bc / C;
    let ol = T::arange(0, BLOCK_OL) + pid % n_blocks * BLOCK_OL;
    let out_mask = ol.lt(OL);
    let lowest = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_OL], -3.4028235e38_f32), None, false);

    let mut best = lowest;
    let loop_bound = KL;
    for k in 0..loop_bound {
        let l = ol * STRIDE + k - PAD;
        let mask = l.ge(0) & l.lt(L) & out_mask;
        best = T::maximum(
            best,
            T::load(
                x_ptr.add_offsets(l + (b * C + c) * L),
                Some(mask),
                Some(lowest),
                &[],
                None,
                None,
                None,
                false,
            ),
        );
    }
    T::store(
        y_ptr.add_offsets(ol + (b * C + c) * OL),
        best,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Maximum over windows of `[B, C, H, W]`; rows are scalars, so their bounds are found first.
#[kernel]
pub fn maxpool2d_forward<
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
    x_ptr: T::Pointer<D>,
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
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let c = bc % C;
    let b = bc / C;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let out_mask = ow.lt(OW);
    let lowest = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_OW], -3.4028235e38_f32), None, false);
    let mut best = lowest;

    // The first and the last row of the window that the image has.
    let top = oh * STRIDE_H - PAD_H;
    let mut kh_start: i32 = 0;
    while top + kh_start < 0 {
        kh_start += 1;
    }
    let mut kh_end = KH;
    let mut bottom = top + KH;
    while bottom > H {
        bottom -= 1;
        kh_end -= 1;
    }
    let mut iter = kh_start * KW;
    let stop = kh_end * KW;
    while iter < stop {
        let kh = iter / KW;
        let kw = iter % KW;
        let w = ow * STRIDE_W + kw - PAD_W;
        let mask = w.ge(0) & w.lt(W) & out_mask;
        let x = T::load(
            x_ptr.add_offsets(w + ((b * C + c) * H + top + kh) * W),
            Some(mask),
            Some(lowest),
            &[],
            None,
            None,
            None,
            false,
        );
        best = T::maximum(best, x);
        iter += 1;
    }
    T::store(
        y_ptr.add_offsets(ow + ((b * C + c) * OH + oh) * OW),
        best,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Gradient of the maximum to every position that holds it; the caller sets `dx` to 0 before.
#[cfg(feature = "training")]
#[kernel]
pub fn maxpool2d_backward<
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
    y_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
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
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let c = bc % C;
    let b = bc / C;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let out_mask = ow.lt(OW);
    let out = ow + ((b * C + c) * OH + oh) * OW;
    let dy = T::load(
        dy_ptr.add_offsets(out),
        Some(out_mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let y = T::load(
        y_ptr.add_offsets(out),
        Some(out_mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zero = T::zeros::<D>(&[BLOCK_OW]);

    let window = KH * KW;
    for idx in 0..window {
        let kh = idx / KW;
        let kw = idx % KW;
        let h = oh * STRIDE_H + kh - PAD_H;
        let w = ow * STRIDE_W + kw - PAD_W;
        #[allow(clippy::erasing_op)]
        let row = w * 0 + h;
        let mask = row.ge(0) & row.lt(H) & w.ge(0) & w.lt(W) & out_mask;
        let at = w + ((b * C + c) * H + h) * W;
        let x = T::load(
            x_ptr.add_offsets(at),
            Some(mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        let grad = T::where_(T::eq(x, y), dy, zero);
        T::atomic_add(dx_ptr.add_offsets(at), grad, Some(mask), None, None);
    }
}

/// Mean over windows of `[B, C, L]`, for any number type.
#[kernel]
pub fn avgpool1d_forward<
    T: Triton,
    D: Num,
    const KL: i32,
    const STRIDE: i32,
    const PAD: i32,
    const BLOCK_OL: i32,
>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    L: i32,
    OL: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(OL, BLOCK_OL);
    let bc = pid / n_blocks;
    let c = bc % C;
    let b = bc / C;
    let ol = T::arange(0, BLOCK_OL) + pid % n_blocks * BLOCK_OL;
    let out_mask = ol.lt(OL);
    let zero = T::zeros::<D>(&[BLOCK_OL]);
    let mut acc = zero;
    let loop_bound = KL;
    for k in 0..loop_bound {
        let l = ol * STRIDE + k - PAD;
        let mask = l.ge(0) & l.lt(L) & out_mask;
        acc = acc
            + T::load(
                x_ptr.add_offsets(l + (b * C + c) * L),
                Some(mask),
                Some(zero),
                &[],
                None,
                None,
                None,
                false,
            );
    }
    let count = T::cast::<i32, D>(T::full::<i32>(&[BLOCK_OL], KL), None, false);
    T::store(
        y_ptr.add_offsets(ol + (b * C + c) * OL),
        acc / count,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Mean over windows of `[B, C, H, W]`; padding counts.
#[kernel]
pub fn avgpool2d_forward<
    T: Triton,
    D: Num,
    const KH: i32,
    const KW: i32,
    const STRIDE_H: i32,
    const STRIDE_W: i32,
    const PAD_H: i32,
    const PAD_W: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>,
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
    let b = bc / C;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let out_mask = ow.lt(OW);
    let zero = T::zeros::<D>(&[BLOCK_OW]);
    let mut acc = zero;
    let loop_bound = KH * KW;
    for idx in 0..loop_bound {
        let kh = idx / KW;
        let kw = idx % KW;
        let ih = oh * STRIDE_H + kh - PAD_H;
        let iw = ow * STRIDE_W + kw - PAD_W;
        #[allow(clippy::erasing_op)]
        let ih_t = iw * 0 + ih;
        let mask = ih_t.ge(0) & ih_t.lt(H) & iw.ge(0) & iw.lt(W) & out_mask;
        let x = T::load(
            x_ptr.add_offsets(iw + ((b * C + c) * H + ih) * W),
            Some(mask),
            Some(zero),
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc + x;
    }
    let count = T::cast::<i32, D>(T::full::<i32>(&[BLOCK_OW], KH * KW), None, false);
    T::store(
        y_ptr.add_offsets(ow + ((b * C + c) * OH + oh) * OW),
        acc / count,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Gradient of the mean; the caller sets `dx` to 0 before.
#[cfg(feature = "training")]
#[kernel]
pub fn avgpool2d_backward<
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
    dx_ptr: T::Pointer<D>,
    _B: i32,
    _C: i32,
    H: i32,
    W: i32,
    OH: i32,
    OW: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let out_mask = ow.lt(OW);
    let dy = T::load(
        dy_ptr.add_offsets(ow + (bc * OH + oh) * OW),
        Some(out_mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let share = dy
        * T::cast::<f32, D>(
            T::full::<f32>(&[BLOCK_OW], 1.0_f32 / ((KH * KW) as f32)),
            None,
            false,
        );
    let loop_bound = KH * KW;
    for i in 0..loop_bound {
        let ih = oh * STRIDE_H + i / KW - PAD_H;
        let iw = ow * STRIDE_W + i % KW - PAD_W;
        #[allow(clippy::erasing_op)]
        let ih_t = iw * 0 + ih;
        let mask = ih_t.ge(0) & ih_t.lt(H) & iw.ge(0) & iw.lt(W) & out_mask;
        T::atomic_add(
            dx_ptr.add_offsets(iw + (bc * H + ih) * W),
            share,
            Some(mask),
            None,
            None,
        );
    }
}

/// Mean over windows of `[B, C, D, H, W]`, without padding.
#[kernel]
pub fn avgpool3d_forward<
    T: Triton,
    D: Num,
    const KD: i32,
    const KH: i32,
    const KW: i32,
    const STRIDE_D: i32,
    const STRIDE_H: i32,
    const STRIDE_W: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    Dv: i32,
    H: i32,
    W: i32,
    OD: i32,
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
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let rest2 = rest / OH;
    let od = rest2 % OD;
    let bc = rest2 / OD;
    let c = bc % C;
    let b = bc / C;
    let out_mask = ow.lt(OW);
    let zero = T::zeros::<D>(&[BLOCK_OW]);
    let mut acc = zero;
    let loop_bound = KD * KH * KW;
    for idx in 0..loop_bound {
        let kw = idx % KW;
        let kh = (idx / KW) % KH;
        let kd = idx / (KW * KH);
        let id = od * STRIDE_D + kd;
        let ih = oh * STRIDE_H + kh;
        let iw = ow * STRIDE_W + kw;
        let mask = iw.lt(W) & out_mask;
        acc = acc
            + T::load(
                x_ptr.add_offsets(iw + (((b * C + c) * Dv + id) * H + ih) * W),
                Some(mask),
                Some(zero),
                &[],
                None,
                None,
                None,
                false,
            );
    }
    let count = T::cast::<i32, D>(T::full::<i32>(&[BLOCK_OW], KD * KH * KW), None, false);
    T::store(
        y_ptr.add_offsets(ow + (((b * C + c) * OD + od) * OH + oh) * OW),
        acc / count,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Mean of a whole plane: `[B, C, HW]` to `[B, C]`.
#[kernel]
pub fn global_avgpool_forward<T: Triton, D: Float, const BLOCK_HW: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _BC: i32,
    HW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let bc = T::program_id(Axis::X);
    let zero = T::zeros::<D>(&[BLOCK_HW]);
    let mut acc = zero;
    let tiles = T::cdiv(HW, BLOCK_HW);
    for t in 0..tiles {
        let hw = T::arange(0, BLOCK_HW) + t * BLOCK_HW;
        acc = acc
            + T::load(
                x_ptr.add_offsets(hw + bc * HW),
                Some(hw.lt(HW)),
                Some(zero),
                &[],
                None,
                None,
                None,
                false,
            );
    }
    let mean = T::sum(acc, Some(0), true)
        * T::cast::<f32, D>(T::full::<f32>(&[1], 1.0_f32 / (HW as f32)), None, false);
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + bc),
        mean,
        None,
        &[],
        None,
        None,
    );
}

/// Adaptive mean of `[B, C, L]`: window `o` runs from `o * L / OL` to `ceil((o + 1) * L / OL)`.
///
/// Grid: `[B * C * OL]`; `BLOCK_L` is at least the longest window.
#[kernel]
pub fn adaptive_avgpool1d_forward<T: Triton, D: Float, const BLOCK_L: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    _C: i32,
    L: i32,
    OL: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let ol = pid % OL;
    let bc = pid / OL;
    let start = ol * L / OL;
    let end = ((ol + 1) * L + OL - 1) / OL;
    let l = T::arange(0, BLOCK_L) + start;
    let mask = l.lt(end);
    let x = T::load(
        x_ptr.add_offsets(l + bc * L),
        Some(mask),
        Some(T::zeros::<D>(&[BLOCK_L])),
        &[],
        None,
        None,
        None,
        false,
    );
    let scale = T::cast::<f32, D>(
        T::full::<f32>(&[1], 1.0_f32 / ((end - start) as f32)),
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + pid),
        T::sum(x, Some(0), true) * scale,
        None,
        &[],
        None,
        None,
    );
}

/// Adaptive maximum of `[B, C, H, W]`; windows are walked through as one loop.
#[kernel]
pub fn adaptive_maxpool2d_forward<T: Triton, D: Float, const BLOCK_NL: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    _C: i32,
    H: i32,
    W: i32,
    OH: i32,
    OW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let ow = pid % OW;
    let oh = pid / OW % OH;
    let bc = pid / (OW * OH);
    let h0 = oh * H / OH;
    let h1 = T::cdiv((oh + 1) * H, OH);
    let w0 = ow * W / OW;
    let w1 = T::cdiv((ow + 1) * W, OW);
    let width = w1 - w0;
    let lowest = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_NL], -3.4028235e38_f32), None, false);
    let lanes = T::arange(0, BLOCK_NL);
    let mut best = lowest;
    let mut h = h0;
    while h < h1 {
        let x = T::load(
            x_ptr.add_offsets(lanes + ((bc * H + h) * W + w0)),
            Some(lanes.lt(width)),
            Some(lowest),
            &[],
            None,
            None,
            None,
            false,
        );
        best = T::maximum(best, x);
        h += 1;
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + pid),
        T::max(best, Some(0), true),
        None,
        &[],
        None,
        None,
    );
}

/// `(sum x^p)^(1/p)` over windows of `[B, C, L]` of positive numbers.
#[kernel]
pub fn lp_pool1d_forward<
    T: Triton,
    D: Float,
    const KL: i32,
    const STRIDE: i32,
    const BLOCK_OL: i32,
>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    _C: i32,
    L: i32,
    OL: i32,
    p: f32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(OL, BLOCK_OL);
    let bc = pid / n_blocks;
    let ol = T::arange(0, BLOCK_OL) + pid % n_blocks * BLOCK_OL;
    let mask = ol.lt(OL);
    let one = T::full(&[BLOCK_OL], D::from_f64(1.0));
    let p_t = T::full(&[BLOCK_OL], D::from_f64(p as f64));
    let inv_p = T::full(&[BLOCK_OL], D::from_f64(1.0 / p as f64));
    let mut acc = T::zeros::<D>(&[BLOCK_OL]);
    let loop_bound = KL;
    for k in 0..loop_bound {
        let x = T::load(
            x_ptr.add_offsets(ol * STRIDE + k + bc * L),
            Some(mask),
            Some(one),
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc + T::exp(p_t * T::log(x));
    }
    T::store(
        y_ptr.add_offsets(ol + bc * OL),
        T::exp(inv_p * T::log(acc)),
        Some(mask),
        &[],
        None,
        None,
    );
}
