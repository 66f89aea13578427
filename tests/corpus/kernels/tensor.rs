//! Moving numbers about: biases, resampling, lookups, permutations.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// Adds one number a channel to `[B, C, HW]`.
///
/// Grid: `[C, B]`.
#[kernel]
pub fn nchw_bias_add_forward<T: Triton, D: Float, const BLOCK_HW: i32>(
    x_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    C: i32,
    HW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let c = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let bias = T::broadcast_to(
        T::load(
            bias_ptr.add_offsets(T::arange(0, 1) + c),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ),
        &[BLOCK_HW],
    );
    let base = (b * C + c) * HW;
    let mut start: i32 = 0;
    while start < HW {
        let hw = T::arange(0, BLOCK_HW) + start;
        let mask = hw.lt(HW);
        let x = T::load(
            x_ptr.add_offsets(hw + base),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        T::store(
            y_ptr.add_offsets(hw + base),
            x + bias,
            Some(mask),
            &[],
            None,
            None,
        );
        start += BLOCK_HW;
    }
}

/// Gradient of the bias: one program a channel walks through all images.
#[cfg(feature = "training")]
#[kernel]
pub fn nchw_bias_add_backward<T: Triton, D: Float, const BLOCK_HW: i32>(
    dy_ptr: T::Pointer<D>,
    dbias_ptr: T::Pointer<D>,
    B: i32,
    C: i32,
    HW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let c = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK_HW]);
    let mut acc = zeros;
    let tiles = T::cdiv(HW, BLOCK_HW);
    let total = B * tiles;
    let mut i: i32 = 0;
    while i < total {
        let b = i / tiles;
        let hw = T::arange(0, BLOCK_HW) + i % tiles * BLOCK_HW;
        acc = acc
            + T::load(
                dy_ptr.add_offsets(hw + (b * C + c) * HW),
                Some(hw.lt(HW)),
                Some(zeros),
                &[],
                None,
                None,
                None,
                false,
            );
        i += 1;
    }
    T::store(
        dbias_ptr.add_offsets(T::arange(0, 1) + c),
        T::sum(acc, None, true),
        None,
        &[],
        None,
        None,
    );
}

/// Repeats every pixel `SCALE_H` by `SCALE_W` times.
#[kernel]
pub fn upsample_nearest2d_forward<
    T: Triton,
    D: Float,
    const SCALE_H: i32,
    const SCALE_W: i32,
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
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let mask = ow.lt(OW);
    let ih = oh / SCALE_H;
    let iw = ow / SCALE_W;
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

/// Adds up the gradients of the copies of a pixel.
#[cfg(feature = "training")]
#[kernel]
pub fn upsample_nearest2d_backward<
    T: Triton,
    D: Float,
    const SCALE_H: i32,
    const SCALE_W: i32,
    const BLOCK_IW: i32,
>(
    dy_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    _B: i32,
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
    let blocks = T::cdiv(W, BLOCK_IW);
    let rest = pid / blocks;
    let ih = rest % H;
    let bc = rest / H;
    let iw = T::arange(0, BLOCK_IW) + (pid % blocks) * BLOCK_IW;
    let mask = iw.lt(W);
    let zero = T::zeros::<D>(&[BLOCK_IW]);
    let mut acc = zero;
    let loop_bound = SCALE_H * SCALE_W;
    for k in 0..loop_bound {
        let oh = ih * SCALE_H + k / SCALE_W;
        let ow = iw * SCALE_W + k % SCALE_W;
        acc = acc
            + T::load(
                dy_ptr.add_offsets(ow + (bc * OH + oh) * OW),
                Some(mask),
                Some(zero),
                &[],
                None,
                None,
                None,
                false,
            );
    }
    T::store(
        dx_ptr.add_offsets(iw + (bc * H + ih) * W),
        acc,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Bilinear resampling with aligned corners: `ratio = (in - 1) / (out - 1)`.
#[kernel]
pub fn upsample_bilinear2d_forward<T: Triton, const BLOCK_OW: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    H: i32,
    W: i32,
    OH: i32,
    OW: i32,
    ratio_h: f32,
    ratio_w: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let ow_blocks = T::cdiv(OW, BLOCK_OW);
    let rest = pid / ow_blocks;
    let oh = rest % OH;
    let bc = rest / OH;
    let ow = T::arange(0, BLOCK_OW) + (pid % ow_blocks) * BLOCK_OW;
    let mask = ow.lt(OW);

    let fy = T::cast::<i32, f32>(T::full::<i32>(&[BLOCK_OW], oh), None, false)
        * T::full(&[BLOCK_OW], ratio_h);
    let fx = T::cast::<i32, f32>(ow, None, false) * T::full(&[BLOCK_OW], ratio_w);
    let y0f = T::floor(fy);
    let x0f = T::floor(fx);
    let dy = fy - y0f;
    let dx = fx - x0f;
    let one = T::full::<i32>(&[BLOCK_OW], 1);
    let y0: T::I32Tensor = T::cast(y0f, None, false);
    let x0: T::I32Tensor = T::cast(x0f, None, false);
    let y1 = T::minimum(y0 + one, T::full::<i32>(&[BLOCK_OW], H - 1));
    let x1 = T::minimum(x0 + one, T::full::<i32>(&[BLOCK_OW], W - 1));

    let plane = bc * H * W;
    let p00 = T::load(
        x_ptr.add_offsets(y0 * W + x0 + plane),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let p01 = T::load(
        x_ptr.add_offsets(y0 * W + x1 + plane),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let p10 = T::load(
        x_ptr.add_offsets(y1 * W + x0 + plane),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let p11 = T::load(
        x_ptr.add_offsets(y1 * W + x1 + plane),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let unit = T::full(&[BLOCK_OW], 1.0_f32);
    let top = p00 * (unit - dx) + p01 * dx;
    let bottom = p10 * (unit - dx) + p11 * dx;
    T::store(
        y_ptr.add_offsets(ow + (bc * OH + oh) * OW),
        top * (unit - dy) + bottom * dy,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `[B, C * R * R, H, W]` to `[B, C, H * R, W * R]`.
#[kernel]
pub fn pixel_shuffle_forward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    C: i32,
    H: i32,
    W: i32,
    R: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    // Coordinates in the output.
    let wide = W * R;
    let high = H * R;
    let ow = offsets % wide;
    let row = offsets / wide;
    let oh = row % high;
    let bc = row / high;
    let c = bc % C;
    let b = bc / C;
    let channel = (c * R + oh % R) * R + ow % R;
    let from = ((b * (C * R * R) + channel) * H + oh / R) * W + ow / R;
    let x = T::load(
        x_ptr.add_offsets(from),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(y_ptr.add_offsets(offsets), x, Some(mask), &[], None, None);
}

/// Rows of a table; one program a token.
#[kernel]
pub fn embedding_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    ids_ptr: T::Pointer<i32>,
    table_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_tokens: i32,
    dim: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::Tensor<i32>: types::Tensor<i32, 1>,
    // class targets
    T::Pointer<i32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<i32>>>,
{
    let token = T::program_id(Axis::X);
    if token >= n_tokens {
        return;
    }
    let id: T::Tensor<i32> = T::load(
        ids_ptr.add_offsets(T::arange(0, 1) + token),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let mut d0: i32 = 0;
    while d0 < dim {
        let d = T::arange(0, BLOCK_SIZE) + d0;
        let mask = d.lt(dim);
        let row = T::broadcast_to(id, &[BLOCK_SIZE]) * dim;
        let x = T::load(
            table_ptr.add_offsets(row + d),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        T::store(
            y_ptr.add_offsets(d + token * dim),
            x,
            Some(mask),
            &[],
            None,
            None,
        );
        d0 += BLOCK_SIZE;
    }
}

/// Adds the gradient of each token to its row; the caller sets the table's gradient to 0 before.
#[cfg(feature = "training")]
#[kernel]
pub fn embedding_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    ids_ptr: T::Pointer<i32>,
    dy_ptr: T::Pointer<D>,
    dtable_ptr: T::Pointer<D>,
    n_tokens: i32,
    dim: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::Tensor<i32>: types::Tensor<i32, 1>,
    // class targets
    T::Pointer<i32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<i32>>>,
{
    let token = T::program_id(Axis::X);
    if token >= n_tokens {
        return;
    }
    let id: T::Tensor<i32> = T::load(
        ids_ptr.add_offsets(T::arange(0, 1) + token),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let d = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::Y) * BLOCK_SIZE;
    let mask = d.lt(dim);
    let dy = T::load(
        dy_ptr.add_offsets(d + token * dim),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::atomic_add(
        dtable_ptr.add_offsets(T::broadcast_to(id, &[BLOCK_SIZE]) * dim + d),
        dy,
        Some(mask),
        None,
        None,
    );
}

/// `y[i, j] = x[i, index[i, j]]`.
#[kernel]
pub fn gather_forward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    index_ptr: T::Pointer<i32>,
    y_ptr: T::Pointer<D>,
    n_cols: i32,
    n_out: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::Tensor<i32>: types::Tensor<i32, 1>,
    // class targets
    T::Pointer<i32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<i32>>>,
{
    let row = T::program_id(Axis::X);
    let lanes = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::Y) * BLOCK_SIZE;
    let mask = lanes.lt(n_out);
    let index: T::Tensor<i32> = T::load(
        index_ptr.add_offsets(lanes + row * n_out),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let x = T::load(
        x_ptr.add_offsets(index + row * n_cols),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(lanes + row * n_out),
        x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// 1 at the class of each row, 0 elsewhere.
#[kernel]
pub fn one_hot_forward<T: Triton, const BLOCK_SIZE: i32>(
    target_ptr: T::Pointer<i32>,
    y_ptr: T::Pointer<f32>,
    _n_rows: i32,
    C: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
    T::Tensor<i32>: types::Tensor<i32, 1>,
    // class targets
    T::Pointer<i32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<i32>>>,
{
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK_SIZE);
    let class: T::Tensor<i32> = T::load(
        target_ptr.add_offsets(T::arange(0, 1) + row),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let hit = T::eq(cols, T::broadcast_to(class, &[BLOCK_SIZE]));
    let y = T::where_(
        hit,
        T::full(&[BLOCK_SIZE], 1.0_f32),
        T::zeros::<f32>(&[BLOCK_SIZE]),
    );
    T::store(
        y_ptr.add_offsets(cols + row * C),
        y,
        Some(cols.lt(C)),
        &[],
        None,
        None,
    );
}

/// `[M, N]` to `[N, M]`, through a tile.
#[kernel]
pub fn transpose_forward<T: Triton, D: Num, const BLOCK_M: i32, const BLOCK_N: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let rm = T::arange(0, BLOCK_M) + T::program_id(Axis::X) * BLOCK_M;
    let rn = T::arange(0, BLOCK_N) + T::program_id(Axis::Y) * BLOCK_N;
    let m = T::expand_dims(rm, 1);
    let n = T::expand_dims(rn, 0);
    let x = T::load(
        x_ptr.add_offsets(m * N + n),
        Some(m.lt(M) & n.lt(N)),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let mt = T::expand_dims(rm, 0);
    let nt = T::expand_dims(rn, 1);
    T::store(
        y_ptr.add_offsets(nt * M + mt),
        T::trans(x, &[1, 0]),
        Some(nt.lt(N) & mt.lt(M)),
        &[],
        None,
        None,
    );
}

/// Two tensors one behind the other along the rows of `[n_rows, na]` and `[n_rows, nb]`.
#[kernel]
pub fn concat_forward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    a_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _n_rows: i32,
    na: i32,
    nb: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let row = T::program_id(Axis::X);
    let n = na + nb;
    let cols = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::Y) * BLOCK_SIZE;
    let mask = cols.lt(n);
    let from_a = cols.lt(na) & mask;
    let from_b = cols.ge(na) & mask;
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let a = T::load(
        a_ptr.add_offsets(cols + row * na),
        Some(from_a),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        b_ptr.add_offsets(cols + (row * nb - na)),
        Some(from_b),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(cols + row * n),
        T::where_(from_a, a, b),
        Some(mask),
        &[],
        None,
        None,
    );
}
