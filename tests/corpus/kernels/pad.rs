//! Padding in one, two and three dimensions; a program writes a piece of one row of the output.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// Constant padding of `[B, C, L]`.
///
/// Grid: `[B * C * ceil(OL / BLOCK_OL)]`.
#[kernel]
pub fn constant_pad1d_forward<
    T: Triton,
    D: Float,
    const PAD_LEFT: i32,
    const PAD_RIGHT: i32,
    const BLOCK_OL: i32,
>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    L: i32,
    OL: i32,
    value: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(OL, BLOCK_OL);
    let block = pid % n_blocks;
    let bc = pid / n_blocks;
    let c = bc % C;
    let b = bc / C;

    let ol = T::arange(0, BLOCK_OL) + block * BLOCK_OL;
    let out_mask = ol.lt(OL);
    let l = ol - PAD_LEFT;
    let in_mask = l.ge(0) & l.lt(L) & out_mask;
    let fill = T::full(&[BLOCK_OL], D::from_f64(value as f64));
    let x = T::load(
        x_ptr.add_offsets(l + (b * C + c) * L),
        Some(in_mask),
        Some(fill),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(ol + (b * C + c) * OL),
        x,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Gradient of constant padding: what falls on the input.
#[kernel]
pub fn constant_pad1d_backward<
    T: Triton,
    D: Float,
    const PAD_LEFT: i32,
    const PAD_RIGHT: i32,
    const BLOCK_OL: i32,
>(
    dy_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    _B: i32,
    _C: i32,
    L: i32,
    OL: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(L, BLOCK_OL);
    let bc = pid / n_blocks;
    let l = T::arange(0, BLOCK_OL) + (pid % n_blocks) * BLOCK_OL;
    let mask = l.lt(L);
    let dy = T::load(
        dy_ptr.add_offsets(l + (bc * OL + PAD_LEFT)),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        dx_ptr.add_offsets(l + bc * L),
        dy,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Constant padding of `[B, C, H, W]`: rows above and below are filled and done with.
#[kernel]
pub fn constant_pad2d_forward<
    T: Triton,
    D: Float,
    const PT: i32,
    const PB: i32,
    const PL: i32,
    const PR: i32,
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
    value: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let ow_start = pid % ow_blocks * BLOCK_OW;
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let c = bc % C;
    let b = bc / C;

    let ow = T::arange(0, BLOCK_OW) + ow_start;
    let out_mask = ow.lt(OW);
    let out_offsets = ow + ((b * C + c) * OH + oh) * OW;
    let fill = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_OW], value), None, false);
    let h = oh - PT;
    if h < 0 || h >= H {
        T::store(
            y_ptr.add_offsets(out_offsets),
            fill,
            Some(out_mask),
            &[],
            None,
            None,
        );
        return;
    }
    let w = ow - PL;
    let in_mask = w.ge(0) & w.lt(W) & out_mask;
    let x = T::load(
        x_ptr.add_offsets(w + ((b * C + c) * H + h) * W),
        Some(in_mask),
        Some(fill),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(out_offsets),
        x,
        Some(out_mask),
        &[],
        None,
        None,
    );
}

/// Gradient of constant padding, from the programs of the output.
#[kernel]
pub fn constant_pad2d_backward<
    T: Triton,
    D: Float,
    const PT: i32,
    const PB: i32,
    const PL: i32,
    const PR: i32,
    const BLOCK_OW: i32,
>(
    dy_ptr: T::Pointer<D>,
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
    let c = (rest / OH) % C;
    let b = (rest / OH) / C;
    let h = oh - PT;
    if h < 0 || h >= H {
        return;
    }
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let w = ow - PL;
    let mask = w.ge(0) & w.lt(W) & ow.lt(OW);
    let dy = T::load(
        dy_ptr.add_offsets(ow + ((b * C + c) * OH + oh) * OW),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        dx_ptr.add_offsets(w + ((b * C + c) * H + h) * W),
        dy,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Mirrors `[B, C, L]` at its ends, which are not repeated.
#[kernel]
pub fn reflection_pad1d_forward<
    T: Triton,
    D: Float,
    const PAD_LEFT: i32,
    const PAD_RIGHT: i32,
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
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(OL, BLOCK_OL);
    let bc = pid / n_blocks;
    let c = bc % C;
    let b = bc / C;
    let ol = T::arange(0, BLOCK_OL) + pid % n_blocks * BLOCK_OL;
    let mask = ol.lt(OL);

    let l = ol - PAD_LEFT;
    let l = T::abs(l);
    let last = T::full::<i32>(&[BLOCK_OL], L - 1);
    // Beyond the end, as far back as it is beyond.
    let l = last - T::abs(last - l);
    let x = T::load(
        x_ptr.add_offsets(l + (b * C + c) * L),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(ol + (b * C + c) * OL),
        x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Adds the gradient of every copy to its source; the caller sets `dx` to 0 before.
#[cfg(feature = "training")]
#[kernel]
pub fn reflection_pad1d_backward<
    T: Triton,
    D: Float,
    const PAD_LEFT: i32,
    const PAD_RIGHT: i32,
    const BLOCK_OL: i32,
>(
    dy_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    L: i32,
    OL: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(OL, BLOCK_OL);
    let bc = pid / n_blocks;
    let c = bc % C;
    let b = bc / C;
    let ol = T::arange(0, BLOCK_OL) + pid % n_blocks * BLOCK_OL;
    let mask = ol.lt(OL);
    let last = T::full::<i32>(&[BLOCK_OL], L - 1);
    let l = last - T::abs(last - T::abs(ol - PAD_LEFT));
    let dy = T::load(
        dy_ptr.add_offsets(ol + (b * C + c) * OL),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::atomic_add(
        dx_ptr.add_offsets(l + (b * C + c) * L),
        dy,
        Some(mask),
        None,
        None,
    );
}

/// Mirrors `[B, C, H, W]`; the row is a scalar, the columns are a tile.
#[kernel]
pub fn reflection_pad2d_forward<
    T: Triton,
    D: Float,
    const PT: i32,
    const PB: i32,
    const PL: i32,
    const PR: i32,
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
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let c = bc % C;
    let b = bc / C;

    let h_raw = oh - PT;
    let h = if h_raw < 0 {
        -h_raw
    } else if h_raw >= H {
        2 * (H - 1) - h_raw
    } else {
        h_raw
    };

    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let mask = ow.lt(OW);
    let w_raw = ow - PL;
    let w_neg = w_raw * (-1);
    let w_far = w_raw * (-1) + 2 * (W - 1);
    let zero = T::full::<i32>(&[BLOCK_OW], 0);
    let edge = T::full::<i32>(&[BLOCK_OW], W);
    let w = T::where_(
        T::lt(w_raw, zero),
        w_neg,
        T::where_(T::ge(w_raw, edge), w_far, w_raw),
    );
    let x = T::load(
        x_ptr.add_offsets(w + ((b * C + c) * H + h) * W),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(ow + ((b * C + c) * OH + oh) * OW),
        x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Repeats the border of `[B, C, H, W]`.
#[kernel]
pub fn replication_pad2d_forward<
    T: Triton,
    D: Float,
    const PT: i32,
    const PB: i32,
    const PL: i32,
    const PR: i32,
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
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let c = bc % C;
    let b = bc / C;

    let h_raw = oh - PT;
    let h = if h_raw < 0 {
        0
    } else if h_raw >= H {
        H - 1
    } else {
        h_raw
    };
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let mask = ow.lt(OW);
    let lo = T::full::<i32>(&[BLOCK_OW], 0);
    let hi = T::full::<i32>(&[BLOCK_OW], W - 1);
    let w = T::minimum(T::maximum(ow - PL, lo), hi);
    let x = T::load(
        x_ptr.add_offsets(w + ((b * C + c) * H + h) * W),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(ow + ((b * C + c) * OH + oh) * OW),
        x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Repeats the border of `[B, C, D, H, W]` (`Dv` planes, since `D` is the dtype).
#[kernel]
pub fn replication_pad3d_forward<
    T: Triton,
    D: Float,
    const PD1: i32,
    const PD2: i32,
    const PH1: i32,
    const PH2: i32,
    const PW1: i32,
    const PW2: i32,
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
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let ow_start = pid % ow_blocks * BLOCK_OW;
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let rest2 = rest / OH;
    let od = rest2 % OD;
    let bc = rest2 / OD;
    let c = bc % C;
    let b = bc / C;

    let id_raw = od - PD1;
    let id = if id_raw < 0 {
        0
    } else if id_raw >= Dv {
        Dv - 1
    } else {
        id_raw
    };
    let ih_raw = oh - PH1;
    let ih = if ih_raw < 0 {
        0
    } else if ih_raw >= H {
        H - 1
    } else {
        ih_raw
    };
    let ow = T::arange(0, BLOCK_OW) + ow_start;
    let mask = ow.lt(OW);
    let lo = T::zeros::<i32>(&[BLOCK_OW]);
    let hi = T::full(&[BLOCK_OW], W - 1);
    let iw = T::clamp(ow - PW1, lo, hi);
    let x = T::load(
        x_ptr.add_offsets(iw + (((b * C + c) * Dv + id) * H + ih) * W),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(ow + (((b * C + c) * OD + od) * OH + oh) * OW),
        x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Continues `[B, C, H, W]` with itself.
#[kernel]
pub fn circular_pad2d_forward<
    T: Triton,
    D: Float,
    const PT: i32,
    const PB: i32,
    const PL: i32,
    const PR: i32,
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
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let c = bc % C;
    let b = bc / C;
    // Never negative: the padding is at most the extent.
    let ih = oh - PT;
    let ih = (ih + H) % H;

    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let mask = ow.lt(OW);
    let iw = ow - PL;
    let zero = T::full(&[BLOCK_OW], 0);
    let width = T::full(&[BLOCK_OW], W);
    let iw = T::where_(
        T::lt(iw, zero),
        iw + W,
        T::where_(T::ge(iw, width), iw - W, iw),
    );
    let x = T::load(
        x_ptr.add_offsets(iw + ((b * C + c) * H + ih) * W),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(ow + ((b * C + c) * OH + oh) * OW),
        x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradient of circular padding; the caller sets `dx` to 0 before.
#[cfg(feature = "training")]
#[kernel]
pub fn circular_pad2d_backward<
    T: Triton,
    D: Float,
    const PT: i32,
    const PB: i32,
    const PL: i32,
    const PR: i32,
    const BLOCK_OW: i32,
>(
    dy_ptr: T::Pointer<D>,
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
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let c = bc % C;
    let b = bc / C;
    let ih = (oh - PT + H) % H;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let mask = ow.lt(OW);
    let iw = ow - PL;
    let low = T::lt(iw, T::full(&[BLOCK_OW], 0));
    let high = T::ge(iw, T::full(&[BLOCK_OW], W));
    let iw = T::where_(low, iw + W, T::where_(high, iw - W, iw));
    let dy = T::load(
        dy_ptr.add_offsets(ow + ((b * C + c) * OH + oh) * OW),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::atomic_add(
        dx_ptr.add_offsets(iw + ((b * C + c) * H + ih) * W),
        dy,
        Some(mask),
        None,
        None,
    );
}

/// Zeros around `[B, C, H, W]`, without a branch.
#[kernel]
pub fn zero_pad2d_forward<
    T: Triton,
    D: Float,
    const PT: i32,
    const PB: i32,
    const PL: i32,
    const PR: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
    T::BoolTensor: BitOr<Output = T::BoolTensor>,
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let h = oh - PT;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let out_mask = ow.lt(OW);
    let w = ow - PL;

    #[allow(clippy::erasing_op)]
    let row = w * 0 + h;
    let mask = row.ge(0) & row.lt(H) & w.ge(0) & w.lt(W) & out_mask;
    let zero = T::zeros::<D>(&[BLOCK_OW]);
    let x = T::load(
        x_ptr.add_offsets(w + (bc * H + h) * W),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(ow + (bc * OH + oh) * OW),
        x,
        Some(out_mask),
        &[],
        None,
        None,
    );
}
