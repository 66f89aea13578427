//! Normalisation: batch, layer, group, instance, root mean square.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// Layer norm of rows of `N` numbers; saves mean and reciprocal deviation for the backward kernel.
///
/// Grid: `[M]`.
#[kernel]
pub fn layer_norm_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    _M: i32,
    N: i32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let row = T::program_id(Axis::X);
    let base = row * N;
    let zeros = T::zeros::<D>(&[BLOCK_SIZE]);

    // Pass 1: the mean.
    let mut acc = zeros;
    let mut start: i32 = 0;
    while start < N {
        let cols = T::arange(0, BLOCK_SIZE) + start;
        let mask = cols.lt(N);
        acc = acc
            + T::load(
                x_ptr.add_offsets(cols + base),
                Some(mask),
                Some(zeros),
                &[],
                None,
                None,
                None,
                false,
            );
        start += BLOCK_SIZE;
    }
    let inv_n = T::cast::<f32, D>(T::full::<f32>(&[1], 1.0_f32 / (N as f32)), None, false);
    let mean = T::sum(acc, None, true) * inv_n;
    let mean_b = T::broadcast_to(mean, &[BLOCK_SIZE]);

    // Pass 2: the variance around it.
    acc = zeros;
    start = 0;
    while start < N {
        let cols = T::arange(0, BLOCK_SIZE) + start;
        let mask = cols.lt(N);
        let x = T::load(
            x_ptr.add_offsets(cols + base),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let d = T::where_(mask, x - mean_b, zeros);
        acc = acc + d * d;
        start += BLOCK_SIZE;
    }
    let var = T::sum(acc, None, true) * inv_n;
    let rstd = T::rsqrt(var + T::cast::<f32, D>(T::full::<f32>(&[1], eps), None, false));
    let rstd_b = T::broadcast_to(rstd, &[BLOCK_SIZE]);

    let at = T::arange(0, 1) + row;
    T::store(mean_ptr.add_offsets(at), mean, None, &[], None, None);
    T::store(rstd_ptr.add_offsets(at), rstd, None, &[], None, None);

    // Pass 3: scale and shift.
    start = 0;
    while start < N {
        let cols = T::arange(0, BLOCK_SIZE) + start;
        let mask = cols.lt(N);
        let w = T::load(
            weight_ptr.add_offsets(cols),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let b = T::load(
            bias_ptr.add_offsets(cols),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let x = T::load(
            x_ptr.add_offsets(cols + base),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let y = (x - mean_b) * rstd_b * w + b;
        T::store(
            y_ptr.add_offsets(cols + base),
            y,
            Some(mask),
            &[],
            None,
            None,
        );
        start += BLOCK_SIZE;
    }
}

/// Gradients of layer norm; those of weight and bias are added up over the rows by atomics.
#[cfg(feature = "training")]
#[kernel]
pub fn layer_norm_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    dweight_ptr: T::Pointer<D>,
    dbias_ptr: T::Pointer<D>,
    _M: i32,
    N: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let row = T::program_id(Axis::X);
    let base = row * N;
    let at = T::arange(0, 1) + row;
    let mean = T::broadcast_to(
        T::load(
            mean_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ),
        &[BLOCK_SIZE],
    );
    let rstd = T::broadcast_to(
        T::load(
            rstd_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ),
        &[BLOCK_SIZE],
    );
    let zeros = T::zeros::<D>(&[BLOCK_SIZE]);

    let mut sum_g = zeros;
    let mut sum_gx = zeros;
    let mut n_start: i32 = 0;
    while n_start < N {
        let cols = T::arange(0, BLOCK_SIZE) + n_start;
        let mask = cols.lt(N);
        let x = T::load(
            x_ptr.add_offsets(cols + base),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let dy = T::load(
            dy_ptr.add_offsets(cols + base),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            weight_ptr.add_offsets(cols),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let xhat = (x - mean) * rstd;
        let g = dy * w;
        sum_g = sum_g + g;
        sum_gx = sum_gx + g * xhat;
        T::atomic_add(
            dweight_ptr.add_offsets(cols),
            dy * xhat,
            Some(mask),
            None,
            None,
        );
        T::atomic_add(dbias_ptr.add_offsets(cols), dy, Some(mask), None, None);
        n_start += BLOCK_SIZE;
    }
    let inv_n = T::broadcast_to(
        T::cast::<f32, D>(T::full::<f32>(&[1], 1.0_f32 / (N as f32)), None, false),
        &[BLOCK_SIZE],
    );
    let c1 = T::broadcast_to(T::sum(sum_g, None, true), &[BLOCK_SIZE]) * inv_n;
    let c2 = T::broadcast_to(T::sum(sum_gx, None, true), &[BLOCK_SIZE]) * inv_n;

    n_start = 0;
    while n_start < N {
        let cols = T::arange(0, BLOCK_SIZE) + n_start;
        let mask = cols.lt(N);
        let x = T::load(
            x_ptr.add_offsets(cols + base),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let dy = T::load(
            dy_ptr.add_offsets(cols + base),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            weight_ptr.add_offsets(cols),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let xhat = (x - mean) * rstd;
        T::store(
            dx_ptr.add_offsets(cols + base),
            rstd * (dy * w - c1 - xhat * c2),
            Some(mask),
            &[],
            None,
            None,
        );
        n_start += BLOCK_SIZE;
    }
}

/// Divides each row by its root mean square.
#[kernel]
pub fn rms_norm_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    _n_rows: i32,
    N: i32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let row = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK_SIZE]);
    let mut sum = zeros;
    let mut pos: i32 = 0;
    while pos < N {
        let cols = T::arange(0, BLOCK_SIZE) + pos;
        let mask = cols.lt(N);
        let x = T::load(
            x_ptr.add_offsets(cols + row * N),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        sum = sum + x * x;
        pos += BLOCK_SIZE;
    }
    let mean_sq = T::sum(sum, None, true) / T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false);
    let rstd = T::rsqrt(mean_sq + T::cast::<f32, D>(T::full::<f32>(&[1], eps), None, false));
    T::store(
        rstd_ptr.add_offsets(T::arange(0, 1) + row),
        rstd,
        None,
        &[],
        None,
        None,
    );
    let scale = T::broadcast_to(rstd, &[BLOCK_SIZE]);

    pos = 0;
    while pos < N {
        let cols = T::arange(0, BLOCK_SIZE) + pos;
        let mask = cols.lt(N);
        let x = T::load(
            x_ptr.add_offsets(cols + row * N),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            weight_ptr.add_offsets(cols),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        T::store(
            y_ptr.add_offsets(cols + row * N),
            x * scale * w,
            Some(mask),
            &[],
            None,
            None,
        );
        pos += BLOCK_SIZE;
    }
}

/// Group norm of `[B, C, HW]` with `G` groups: one program a group of an image.
///
/// Grid: `[B * G]`.
#[kernel]
pub fn group_norm_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    HW: i32,
    G: i32,
    eps: f32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let g = pid % G;
    let channels = C / G;
    let n = channels * HW;
    // Groups lie one after the other, whatever the image.
    let base = pid * n;
    let c_start = g * channels;
    let zeros = T::zeros::<D>(&[BLOCK_SIZE]);

    let mut sum = zeros;
    let mut i: i32 = 0;
    while i < n {
        let k = T::arange(0, BLOCK_SIZE) + i;
        sum = sum
            + T::load(
                x_ptr.add_offsets(k + base),
                Some(k.lt(n)),
                Some(zeros),
                &[],
                None,
                None,
                None,
                false,
            );
        i += BLOCK_SIZE;
    }
    let count = T::cast::<i32, D>(T::full::<i32>(&[1], n), None, false);
    let mean = T::broadcast_to(T::sum(sum, None, true) / count, &[BLOCK_SIZE]);

    let mut sq = zeros;
    i = 0;
    while i < n {
        let k = T::arange(0, BLOCK_SIZE) + i;
        let mask = k.lt(n);
        let d = T::where_(
            mask,
            T::load(
                x_ptr.add_offsets(k + base),
                Some(mask),
                Some(zeros),
                &[],
                None,
                None,
                None,
                false,
            ) - mean,
            zeros,
        );
        sq = sq + d * d;
        i += BLOCK_SIZE;
    }
    let var = T::sum(sq, None, true) / count;
    let rstd = T::broadcast_to(
        T::rsqrt(var + T::cast::<f32, D>(T::full::<f32>(&[1], eps), None, false)),
        &[BLOCK_SIZE],
    );

    i = 0;
    while i < n {
        let k = T::arange(0, BLOCK_SIZE) + i;
        let mask = k.lt(n);
        let c = k / HW + c_start;
        let w = T::load(
            weight_ptr.add_offsets(c),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let b = T::load(
            bias_ptr.add_offsets(c),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let x = T::load(
            x_ptr.add_offsets(k + base),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        T::store(
            y_ptr.add_offsets(k + base),
            (x - mean) * rstd * w + b,
            Some(mask),
            &[],
            None,
            None,
        );
        i += BLOCK_SIZE;
    }
}

/// Instance norm: every plane by its own statistics, `BLOCK_HW >= HW`.
#[kernel]
pub fn instance_norm_forward<T: Triton, D: Float, const BLOCK_HW: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    _C: i32,
    HW: i32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let plane = T::program_id(Axis::X);
    let hw = T::arange(0, BLOCK_HW);
    let mask = hw.lt(HW);
    let zero = T::zeros::<D>(&[BLOCK_HW]);
    let x = T::load(
        x_ptr.add_offsets(hw + plane * HW),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let inv = T::cast::<f32, D>(T::full::<f32>(&[1], 1.0f32 / (HW as f32)), None, false);
    let mean = T::broadcast_to(T::sum(x, None, true) * inv, &[BLOCK_HW]);
    let d = T::where_(mask, x - mean, zero);
    let var = T::sum(d * d, None, true) * inv;
    let rstd = T::broadcast_to(
        T::rsqrt(var + T::cast::<f32, D>(T::full::<f32>(&[1], eps), None, false)),
        &[BLOCK_HW],
    );
    T::store(
        y_ptr.add_offsets(hw + plane * HW),
        d * rstd,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Statistics of `[N, C]` in f32 for any float, and the running ones of the module.
#[cfg(feature = "training")]
#[kernel]
pub fn batch_norm_stats<T: Triton, D: Float, const BLOCK_N: i32>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<f32>,
    var_ptr: T::Pointer<f32>,
    running_mean_ptr: T::Pointer<f32>,
    N: i32,
    C: i32,
    momentum: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let c = T::program_id(Axis::X);
    let at = T::arange(0, 1) + c;
    let zeros = T::zeros::<f32>(&[BLOCK_N]);

    let mut sum = zeros;
    let mut start: i32 = 0;
    while start < N {
        let n = T::arange(0, BLOCK_N) + start;
        let mask = n.lt(N);
        let x = T::load(
            x_ptr.add_offsets(n * C + c),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        sum = sum + T::where_(mask, T::cast::<D, f32>(x, None, false), zeros);
        start += BLOCK_N;
    }
    let inv_n = T::full(&[1], 1.0_f32 / (N as f32));
    let mean = T::sum(sum, None, true) * inv_n;

    let centre = T::broadcast_to(mean, &[BLOCK_N]);
    let mut sq = zeros;
    start = 0;
    while start < N {
        let n = T::arange(0, BLOCK_N) + start;
        let mask = n.lt(N);
        let x = T::cast::<D, f32>(
            T::load(
                x_ptr.add_offsets(n * C + c),
                Some(mask),
                None,
                &[],
                None,
                None,
                None,
                false,
            ),
            None,
            false,
        );
        let d = T::where_(mask, x - centre, zeros);
        sq = sq + d * d;
        start += BLOCK_N;
    }
    T::store(mean_ptr.add_offsets(at), mean, None, &[], None, None);
    T::store(
        var_ptr.add_offsets(at),
        T::sum(sq, None, true) * inv_n,
        None,
        &[],
        None,
        None,
    );

    let m = T::full(&[1], momentum);
    let keep = T::full(&[1], 1.0_f32 - momentum);
    let old = T::load(
        running_mean_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        running_mean_ptr.add_offsets(at),
        keep * old + m * mean,
        None,
        &[],
        None,
        None,
    );
}

/// Batch norm of `[B, C, H, W]` with known statistics, one plane a program.
///
/// Grid: `[C, B]`.
#[kernel]
pub fn batch_norm_nchw_forward<T: Triton, D: Float, const BLOCK_HW: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    C: i32,
    HW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let c = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let c_idx = T::arange(0, 1) + c;
    let scale = T::load(
        weight_ptr.add_offsets(c_idx),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    ) * T::load(
        rstd_ptr.add_offsets(c_idx),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let mean = T::broadcast_to(
        T::load(
            mean_ptr.add_offsets(c_idx),
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
    let shift = T::broadcast_to(
        T::load(
            bias_ptr.add_offsets(c_idx),
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
    let scale = T::broadcast_to(scale, &[BLOCK_HW]);
    let plane: i32 = (b * C + c) * HW;

    let mut hw_start: i32 = 0;
    while hw_start < HW {
        let hw = T::arange(0, BLOCK_HW) + hw_start;
        let mask = hw.lt(HW);
        let x = T::load(
            x_ptr.add_offsets(hw + plane),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        T::store(
            y_ptr.add_offsets(hw + plane),
            (x - mean) * scale + shift,
            Some(mask),
            &[],
            None,
            None,
        );
        hw_start += BLOCK_HW;
    }
}

/// Gradients of weight and bias, one number at a time through a flat loop over batch and plane.
#[cfg(feature = "training")]
#[kernel]
pub fn batch_norm_nchw_backward_affine<T: Triton, D: Float, const BLOCK_HW: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    dweight_ptr: T::Pointer<D>,
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
    let c_idx = T::arange(0, 1) + c;
    let mean = T::load(
        mean_ptr.add_offsets(c_idx),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let rstd = T::load(
        rstd_ptr.add_offsets(c_idx),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let mut dw = T::zeros::<D>(&[1]);
    let mut db = T::zeros::<D>(&[1]);
    let total = B * HW;
    let mut n: i32 = 0;
    while n < total {
        let b = n / HW; // which image
        let hw = n % HW; // which position
        let offset: i32 = b * C * HW + c * HW + hw;
        let at = T::arange(0, 1) + offset;
        let dy = T::load(
            dy_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let x = T::load(
            x_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        dw = dw + dy * ((x - mean) * rstd);
        db = db + dy;
        n += 1;
    }
    T::store(dweight_ptr.add_offsets(c_idx), dw, None, &[], None, None);
    T::store(dbias_ptr.add_offsets(c_idx), db, None, &[], None, None);
}
