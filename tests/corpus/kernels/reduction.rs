//! Reductions over the last axis, softmax, and scans.
//!
//! A program takes one row of `n_inner` numbers, `BLOCK_INNER >= n_inner`; a grid may hold more
//! programs than rows.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// Sum of each row.
///
/// Grid: at least `[n_outer]`.
#[kernel]
pub fn reduce_sum_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_inner),
        Some(mask),
        Some(T::zeros::<f32>(&[BLOCK_INNER])),
        &[],
        None,
        None,
        None,
        false,
    );
    let total = T::sum(x, Some(0), true);
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        total,
        None,
        &[],
        None,
        None,
    );
}

/// Spreads the gradient of a sum over its row.
#[kernel]
pub fn reduce_sum_backward<T: Triton, const BLOCK_INNER: i32>(
    dy_ptr: T::Pointer<f32>,
    dx_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let dy = T::load(
        dy_ptr.add_offsets(T::arange(0, 1) + row),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        dx_ptr.add_offsets(cols + row * n_inner),
        T::broadcast_to(dy, &[BLOCK_INNER]),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Mean of each row.
#[kernel]
pub fn reduce_mean_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let zero = T::zeros::<f32>(&[BLOCK_INNER]);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_inner),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let inv_n = T::full(&[1], 1.0_f32 / (n_inner as f32));
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        T::sum(x, Some(0), true) * inv_n,
        None,
        &[],
        None,
        None,
    );
}

/// Largest number of each row.
#[kernel]
pub fn reduce_max_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let lowest = T::full(&[BLOCK_INNER], -3.4028235e38_f32);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_inner),
        Some(mask),
        Some(lowest),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        T::max(x, Some(0), true),
        None,
        &[],
        None,
        None,
    );
}

/// Gradient of the maximum: to every number that equals it.
#[cfg(feature = "training")]
#[kernel]
pub fn reduce_max_backward<T: Triton, const BLOCK_INNER: i32>(
    dy_ptr: T::Pointer<f32>,
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    dx_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let at = T::arange(0, 1) + row;
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let offsets = cols + row * n_inner;
    let x = T::load(
        x_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let y = T::broadcast_to(
        T::load(
            y_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ),
        &[BLOCK_INNER],
    );
    let dy = T::broadcast_to(
        T::load(
            dy_ptr.add_offsets(at),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ),
        &[BLOCK_INNER],
    );
    let zero = T::zeros::<f32>(&[BLOCK_INNER]);
    T::store(
        dx_ptr.add_offsets(offsets),
        T::where_(T::eq(x, y), dy, zero),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Smallest number of each row.
#[kernel]
pub fn reduce_min_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let highest = T::full(&[BLOCK_INNER], 3.4028235e38_f32);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_inner),
        Some(mask),
        Some(highest),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        T::min(x, Some(0), true),
        None,
        &[],
        None,
        None,
    );
}

/// Logarithm of the sum of exponentials of each row.
#[kernel]
pub fn reduce_log_sum_exp_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
    neg_inf: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_inner),
        Some(mask),
        Some(T::full(&[BLOCK_INNER], neg_inf)),
        &[],
        None,
        None,
        None,
        false,
    );
    let m = T::max(x, Some(0), true);
    let e = T::exp(x - m);
    let y = T::log(T::sum(e, Some(0), true)) + m;
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        y,
        None,
        &[],
        None,
        None,
    );
}

/// Product of each row: the last number of its running product.
#[kernel]
pub fn reduce_prod_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let one = T::full(&[BLOCK_INNER], 1.0_f32);
    let zero = T::zeros::<f32>(&[BLOCK_INNER]);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_inner),
        Some(mask),
        Some(one),
        &[],
        None,
        None,
        None,
        false,
    );
    let running = T::cumprod(x, 0, false);
    let last = T::full(&[BLOCK_INNER], BLOCK_INNER - 1);
    let picked = T::where_(T::eq(cols, last), running, zero);
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        T::sum(picked, Some(0), true),
        None,
        &[],
        None,
        None,
    );
}

/// Unbiased variance of each row.
#[kernel]
pub fn reduce_var_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let zero = T::zeros::<f32>(&[BLOCK_INNER]);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_inner),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let inv_n = T::full(&[1], 1.0_f32 / (n_inner as f32));
    let inv_n1 = T::full(&[1], 1.0_f32 / ((n_inner - 1) as f32));
    let mean = T::broadcast_to(T::sum(x, Some(0), true) * inv_n, &[BLOCK_INNER]);
    let d = T::where_(mask, x - mean, zero);
    let var = T::sum(d * d, Some(0), true) * inv_n1;
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        var,
        None,
        &[],
        None,
        None,
    );
}

/// Euclidean norm of each row.
#[kernel]
pub fn reduce_norm_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_inner),
        Some(mask),
        Some(T::zeros::<f32>(&[BLOCK_INNER])),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        T::sqrt_rn(T::sum(x * x, Some(0), true)),
        None,
        &[],
        None,
        None,
    );
}

/// Sum of each row for any number type, over tiles of the row.
///
/// Grid: `[n_outer]`.
#[kernel]
pub fn sum_dim_forward<T: Triton, D: Num, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let row = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let n_tiles = T::cdiv(n_inner, BLOCK);
    let mut acc = zeros;
    for i in 0..n_tiles {
        let cols = T::arange(0, BLOCK) + i * BLOCK;
        let mask = cols.lt(n_inner);
        acc = acc
            + T::load(
                x_ptr.add_offsets(cols + row * n_inner),
                Some(mask),
                Some(zeros),
                &[],
                None,
                None,
                None,
                false,
            );
    }
    let sum = T::sum(acc, None, true);
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        sum,
        None,
        &[],
        None,
        None,
    );
}

// ─── Softmax ─────────────────────────────────────────────────────────────────

/// Softmax of rows that fill their block.
#[kernel]
pub fn softmax_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_cols: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let row = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + row * n_cols;
    let x = T::load(
        x_ptr.add_offsets(offsets),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let y = T::softmax(x, None, false, false);
    T::store(y_ptr.add_offsets(offsets), y, None, &[], None, None);
}

/// `y * (dy - sum(dy * y))`.
#[kernel]
pub fn softmax_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_cols: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK_SIZE);
    let mask = cols.lt(n_cols);
    let offsets = cols + row * n_cols;
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let dy = T::load(
        dy_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let y = T::load(
        y_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let dot = T::sum(dy * y, Some(0), false);
    T::store(
        dx_ptr.add_offsets(offsets),
        y * (dy - dot),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `x - max - log(sum(exp(x - max)))`.
#[kernel]
pub fn log_softmax_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_cols: i32,
    neg_inf: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK_SIZE);
    let mask = cols.lt(n_cols);
    let x = T::load(
        x_ptr.add_offsets(cols + row * n_cols),
        Some(mask),
        Some(T::full(&[BLOCK_SIZE], neg_inf)),
        &[],
        None,
        None,
        None,
        false,
    );
    let shifted = x - T::max(x, Some(0), true);
    let log_sum = T::log(T::sum(T::exp(shifted), Some(0), true));
    T::store(
        y_ptr.add_offsets(cols + row * n_cols),
        shifted - log_sum,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `dy - exp(y) * sum(dy)`.
#[kernel]
pub fn log_softmax_backward<T: Triton, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    dx_ptr: T::Pointer<f32>,
    n_cols: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK_SIZE);
    let mask = cols.lt(n_cols);
    let offsets = cols + row * n_cols;
    let zero = T::zeros::<f32>(&[BLOCK_SIZE]);
    let dy = T::load(
        dy_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let y = T::load(
        y_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let total = T::sum(dy, Some(0), true);
    T::store(
        dx_ptr.add_offsets(offsets),
        dy - T::exp(y) * total,
        Some(mask),
        &[],
        None,
        None,
    );
}

// ─── Scans ───────────────────────────────────────────────────────────────────

/// Running sum of each row.
#[kernel]
pub fn cumsum_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let offsets = cols + row * n_inner;
    let x = T::load(
        x_ptr.add_offsets(offsets),
        Some(mask),
        Some(T::zeros::<f32>(&[BLOCK_INNER])),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(offsets),
        T::cumsum(x, 0, false),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradient of the running sum: the total less what came before.
#[kernel]
pub fn cumsum_backward<T: Triton, const BLOCK_INNER: i32>(
    dy_ptr: T::Pointer<f32>,
    dx_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let offsets = cols + row * n_inner;
    let dy = T::load(
        dy_ptr.add_offsets(offsets),
        Some(mask),
        Some(T::zeros::<f32>(&[BLOCK_INNER])),
        &[],
        None,
        None,
        None,
        false,
    );
    let total = T::broadcast_to(T::sum(dy, Some(0), true), &[BLOCK_INNER]);
    let dx = total - T::cumsum(dy, 0, false) + dy;
    T::store(dx_ptr.add_offsets(offsets), dx, Some(mask), &[], None, None);
}

/// Running product of each row.
#[kernel]
pub fn cumprod_forward<T: Triton, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_outer: i32,
    n_inner: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let cols = T::arange(0, BLOCK_INNER);
    let mask = cols.lt(n_inner);
    let offsets = cols + row * n_inner;
    let x = T::load(
        x_ptr.add_offsets(offsets),
        Some(mask),
        Some(T::full(&[BLOCK_INNER], 1.0_f32)),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(offsets),
        T::cumprod(x, 0, false),
        Some(mask),
        &[],
        None,
        None,
    );
}
