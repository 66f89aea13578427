//! Losses, one value an element or a row, and their gradients.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

// ─── Binary cross entropy ────────────────────────────────────────────────────

/// `-(t log p + (1 - t) log(1 - p))`, with `p` kept away from 0 and 1.
#[kernel]
pub fn bce_loss_forward<T: Triton, const BLOCK_SIZE: i32>(
    pred_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        pred_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full(&[BLOCK_SIZE], 1.0_f32);
    let eps = T::full(&[BLOCK_SIZE], 1e-7_f32);
    let hi = T::full(&[BLOCK_SIZE], 1.0_f32 - 1e-7_f32);
    let p = T::minimum(T::maximum(p, eps), hi);
    let loss = -(t * T::log(p) + (one - t) * T::log(one - p));
    T::store(
        loss_ptr.add_offsets(offsets),
        loss,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `(p - t) / (p (1 - p))`, scaled by the gradient of the loss.
#[kernel]
pub fn bce_loss_backward<T: Triton, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<f32>,
    pred_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    dx_ptr: T::Pointer<f32>,
    n_elements: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let dy = T::load(
        dy_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let p_raw = T::load(
        pred_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full(&[BLOCK_SIZE], 1.0_f32);
    let p = T::clamp(
        p_raw,
        T::full(&[BLOCK_SIZE], 1e-7_f32),
        T::full(&[BLOCK_SIZE], 1.0_f32 - 1e-7_f32),
    );
    T::store(
        dx_ptr.add_offsets(offsets),
        dy * (p - t) / (p * (one - p)),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// BCE of logits: `max(x, 0) - x t + log(1 + exp(-|x|))`.
#[kernel]
pub fn bce_with_logits_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
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
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zero = T::zeros::<f32>(&[BLOCK_SIZE]);
    let one = T::full(&[BLOCK_SIZE], 1.0_f32);
    let log_term = T::log(one + T::exp(-T::abs(x)));
    let loss = T::maximum(x, zero) - x * t + log_term;
    T::store(
        loss_ptr.add_offsets(offsets),
        loss,
        Some(mask),
        &[],
        None,
        None,
    );
}

// ─── Distances ───────────────────────────────────────────────────────────────

/// Squared error.
#[kernel]
pub fn mse_loss_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    pred_ptr: T::Pointer<D>,
    target_ptr: T::Pointer<D>,
    loss_ptr: T::Pointer<D>,
    n_elements: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let diff = T::load(
        pred_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    ) - T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        loss_ptr.add_offsets(offsets),
        diff * diff,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradient of the mean of squared errors.
#[kernel]
pub fn mse_loss_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    pred_ptr: T::Pointer<D>,
    target_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        pred_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let scale = T::full(&[BLOCK_SIZE], D::from_f64(2.0));
    let inv_n = T::cast::<f32, D>(
        T::full::<f32>(&[BLOCK_SIZE], 1.0_f32 / (n_elements as f32)),
        None,
        false,
    );
    T::store(
        dx_ptr.add_offsets(offsets),
        scale * (p - t) * inv_n,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Absolute error, averaged over all programs into one number by atomics.
///
/// The caller sets `loss` to 0 before.
#[kernel]
pub fn l1_loss_mean_forward<T: Triton, const BLOCK_SIZE: i32>(
    pred_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let zero = T::zeros::<f32>(&[BLOCK_SIZE]);
    let p = T::load(
        pred_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let total = T::sum(T::abs(p - t), Some(0), true);
    let inv_n = T::full(&[1], 1.0_f32 / (n_elements as f32));
    let at = T::arange(0, 1);
    T::atomic_add(loss_ptr.add_offsets(at), total * inv_n, None, None, None);
}

/// Smooth L1: quadratic within `beta`, linear beyond it.
#[kernel]
pub fn smooth_l1_loss_forward<T: Triton, const BLOCK_SIZE: i32>(
    pred_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
    beta: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        pred_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let beta_t = T::full(&[BLOCK_SIZE], beta);
    let half = T::full(&[BLOCK_SIZE], 0.5_f32);
    let d = T::abs(p - t);
    let quadratic = half * d * d / beta_t;
    let linear = d - half * beta_t;
    T::store(
        loss_ptr.add_offsets(offsets),
        T::where_(T::lt(d, beta_t), quadratic, linear),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradient of smooth L1, from -1 to 1.
#[kernel]
pub fn smooth_l1_loss_backward<T: Triton, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<f32>,
    pred_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    dx_ptr: T::Pointer<f32>,
    n_elements: i32,
    beta: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let dy = T::load(
        dy_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let p = T::load(
        pred_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full(&[BLOCK_SIZE], 1.0_f32);
    let minus_one = T::full(&[BLOCK_SIZE], -1.0_f32);
    let slope = T::clamp((p - t) / T::full(&[BLOCK_SIZE], beta), minus_one, one);
    T::store(
        dx_ptr.add_offsets(offsets),
        dy * slope,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Huber loss with its gradient in one launch.
#[kernel]
pub fn huber_loss_forward_backward<T: Triton, const BLOCK_SIZE: i32>(
    pred_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    dx_ptr: T::Pointer<f32>,
    n_elements: i32,
    delta: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let e = T::load(
        pred_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    ) - T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let d = T::full(&[BLOCK_SIZE], delta);
    let half = T::full(&[BLOCK_SIZE], 0.5_f32);
    let a = T::abs(e);
    let inside = T::le(a, d);
    T::store(
        loss_ptr.add_offsets(offsets),
        T::where_(inside, half * e * e, d * (a - half * d)),
        Some(mask),
        &[],
        None,
        None,
    );
    let sign = T::where_(
        T::ge(e, T::zeros::<f32>(&[BLOCK_SIZE])),
        T::full(&[BLOCK_SIZE], 1.0_f32),
        T::full(&[BLOCK_SIZE], -1.0_f32),
    );
    T::store(
        dx_ptr.add_offsets(offsets),
        T::where_(inside, e, d * sign),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// KL divergence from log probabilities: `t (log t - x)`, 0 where `t` is 0.
#[kernel]
pub fn kl_div_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
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
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zero = T::full(&[BLOCK_SIZE], 0.0_f32);
    let tiny = T::full(&[BLOCK_SIZE], 1e-12_f32);
    let loss = t * (T::log(T::maximum(t, tiny)) - x);
    T::store(
        loss_ptr.add_offsets(offsets),
        T::where_(T::gt(t, zero), loss, zero),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Poisson loss of a logarithmic rate.
#[kernel]
pub fn poisson_nll_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
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
    let t = T::load(
        target_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        loss_ptr.add_offsets(offsets),
        T::exp(x) - t * x,
        Some(mask),
        &[],
        None,
        None,
    );
}

// ─── Classes ─────────────────────────────────────────────────────────────────

/// Negative log likelihood: one program a row, which picks one logarithm.
///
/// Grid: `[N]`.
#[kernel]
pub fn nll_loss_forward<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    target_ptr: T::Pointer<i32>,
    loss_ptr: T::Pointer<D>,
    _N: i32,
    C: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::Tensor<i32>: types::Tensor<i32, 1>,
    // class targets
    T::Pointer<i32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<i32>>>,
{
    let row = T::program_id(Axis::X);
    let at = T::arange(0, 1) + row;
    let class: T::Tensor<i32> = T::load(
        target_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let picked = T::load(
        x_ptr.add_offsets(class + row * C),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(loss_ptr.add_offsets(at), -picked, None, &[], None, None);
}

/// -1 at the class of the row; the caller sets the gradient to 0 before.
#[kernel]
pub fn nll_loss_backward<T: Triton, D: Float>(
    dy_ptr: T::Pointer<D>,
    target_ptr: T::Pointer<i32>,
    dx_ptr: T::Pointer<D>,
    _N: i32,
    C: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::Tensor<i32>: types::Tensor<i32, 1>,
    // class targets
    T::Pointer<i32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<i32>>>,
{
    let row = T::program_id(Axis::X);
    let at: T::I32Tensor = T::arange(0, 1) + row;
    let class: T::Tensor<i32> = T::load(
        target_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
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
    T::store(
        dx_ptr.add_offsets(class + row * C),
        -dy,
        None,
        &[],
        None,
        None,
    );
}

/// Softmax and negative log likelihood in one pass; `BLOCK_SIZE >= C`.
///
/// Grid: `[N]`.
#[kernel]
pub fn cross_entropy_loss_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<i32>,
    loss_ptr: T::Pointer<f32>,
    _N: i32,
    C: i32,
    neg_inf: f32,
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
    let mask = cols.lt(C);
    let base = row * C;
    let x = T::load(
        x_ptr.add_offsets(cols + base),
        Some(mask),
        Some(T::full(&[BLOCK_SIZE], neg_inf)),
        &[],
        None,
        None,
        None,
        false,
    );

    let m = T::max(x, Some(0), true);
    let e = T::exp(x - m);
    let lse = m + T::log(T::sum(e, Some(0), true));

    let at = T::arange(0, 1) + row;
    let class: T::Tensor<i32> = T::load(
        target_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let picked: T::Tensor<f32> = T::load(
        x_ptr.add_offsets(class + base),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        loss_ptr.add_offsets(at),
        lse - picked,
        None,
        &[],
        None,
        None,
    );
}

/// `softmax(x) - onehot(target)`, scaled by the gradient of the row's loss.
#[kernel]
pub fn cross_entropy_loss_backward<T: Triton, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<f32>,
    x_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<i32>,
    dx_ptr: T::Pointer<f32>,
    _N: i32,
    C: i32,
    neg_inf: f32,
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
    let mask = cols.lt(C);
    let x = T::load(
        x_ptr.add_offsets(cols + row * C),
        Some(mask),
        Some(T::full(&[BLOCK_SIZE], neg_inf)),
        &[],
        None,
        None,
        None,
        false,
    );
    let p = T::softmax(x, None, false, false);

    let at = T::arange(0, 1) + row;
    let class: T::Tensor<i32> = T::load(
        target_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
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
        &[BLOCK_SIZE],
    );
    let hit = T::eq(cols, T::broadcast_to(class, &[BLOCK_SIZE]));
    let one_hot = T::where_(
        hit,
        T::full(&[BLOCK_SIZE], 1.0_f32),
        T::full(&[BLOCK_SIZE], 0.0_f32),
    );
    T::store(
        dx_ptr.add_offsets(cols + row * C),
        dy * (p - one_hot),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Multi-class margin loss: the mean of `max(0, margin - x[y] + x[j])` over `j != y`.
#[kernel]
pub fn multi_margin_loss_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<i32>,
    loss_ptr: T::Pointer<f32>,
    _N: i32,
    C: i32,
    margin: f32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
    T::Tensor<i32>: types::Tensor<i32, 1>,
    // class targets
    T::Pointer<i32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<i32>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
    T::BoolTensor: BitOr<Output = T::BoolTensor>,
{
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK_SIZE);
    let mask = cols.lt(C);
    let zero = T::zeros::<f32>(&[BLOCK_SIZE]);
    let x = T::load(
        x_ptr.add_offsets(cols + row * C),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let at = T::arange(0, 1) + row;
    let class: T::Tensor<i32> = T::load(
        target_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let picked: T::Tensor<f32> = T::load(
        x_ptr.add_offsets(class + row * C),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );

    let hinge = T::maximum(
        T::full(&[BLOCK_SIZE], margin) - T::broadcast_to(picked, &[BLOCK_SIZE]) + x,
        zero,
    );
    // The class itself and the lanes beyond the row count nothing.
    let other = T::ne(cols, T::broadcast_to(class, &[BLOCK_SIZE])) & mask;
    let total = T::sum(T::where_(other, hinge, zero), Some(0), true);
    T::store(
        loss_ptr.add_offsets(at),
        total * T::full(&[1], 1.0_f32 / (C as f32)),
        None,
        &[],
        None,
        None,
    );
}

/// Gradient of the multi-class margin loss.
#[cfg(feature = "training")]
#[kernel]
pub fn multi_margin_loss_backward<T: Triton, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<f32>,
    x_ptr: T::Pointer<f32>,
    target_ptr: T::Pointer<i32>,
    dx_ptr: T::Pointer<f32>,
    _N: i32,
    C: i32,
    margin: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
    T::Tensor<i32>: types::Tensor<i32, 1>,
    // class targets
    T::Pointer<i32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<i32>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
{
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK_SIZE);
    let mask = cols.lt(C);
    let zero = T::zeros::<f32>(&[BLOCK_SIZE]);
    let one = T::full(&[BLOCK_SIZE], 1.0f32);
    let x = T::load(
        x_ptr.add_offsets(cols + row * C),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let at = T::arange(0, 1) + row;
    let class: T::Tensor<i32> = T::load(
        target_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let picked: T::Tensor<f32> = T::load(
        x_ptr.add_offsets(class + row * C),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
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
        ) * T::full(&[1], 1.0f32 / (C as f32)),
        &[BLOCK_SIZE],
    );

    let hinge = T::full(&[BLOCK_SIZE], margin) - T::broadcast_to(picked, &[BLOCK_SIZE]) + x;
    let is_class = T::eq(cols, T::broadcast_to(class, &[BLOCK_SIZE]));
    let active = T::gt(hinge, zero) & T::ne(cols, T::broadcast_to(class, &[BLOCK_SIZE])) & mask;
    let slope = T::where_(active, one, zero);
    let count = T::sum(slope, Some(0), true);
    let dx = T::where_(
        is_class,
        -(T::broadcast_to(count, &[BLOCK_SIZE]) * dy),
        slope * dy,
    );
    T::store(
        dx_ptr.add_offsets(cols + row * C),
        dx,
        Some(mask),
        &[],
        None,
        None,
    );
}

// ─── Rankings and embeddings ─────────────────────────────────────────────────

/// `max(0, -y (a - b) + margin)`.
#[kernel]
pub fn margin_ranking_loss_forward<T: Triton, const BLOCK_SIZE: i32>(
    a_ptr: T::Pointer<f32>,
    b_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
    margin: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let a = T::load(
        a_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        b_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let y = T::load(
        y_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let loss = T::maximum(
        -y * (a - b) + T::full(&[BLOCK_SIZE], margin),
        T::full(&[BLOCK_SIZE], 0.0_f32),
    );
    T::store(
        loss_ptr.add_offsets(offsets),
        loss,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradients of the ranking loss for both inputs.
#[kernel]
pub fn margin_ranking_loss_backward<T: Triton, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<f32>,
    a_ptr: T::Pointer<f32>,
    b_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    da_ptr: T::Pointer<f32>,
    db_ptr: T::Pointer<f32>,
    n_elements: i32,
    margin: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let dy = T::load(
        dy_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let a = T::load(
        a_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        b_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let y = T::load(
        y_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zero = T::full(&[BLOCK_SIZE], 0.0_f32);
    let active = T::gt(T::full(&[BLOCK_SIZE], margin) - y * (a - b), zero);
    let da = T::where_(active, -(y * dy), zero);
    T::store(da_ptr.add_offsets(offsets), da, Some(mask), &[], None, None);
    T::store(
        db_ptr.add_offsets(offsets),
        -da,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Hinge embedding loss: `x` for 1, `max(0, margin - x)` for -1.
#[kernel]
pub fn hinge_embedding_loss_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
    margin: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
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
    let y = T::load(
        y_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zero = T::full(&[BLOCK_SIZE], 0.0_f32);
    let apart = T::maximum(T::full(&[BLOCK_SIZE], margin) - x, zero);
    T::store(
        loss_ptr.add_offsets(offsets),
        T::where_(T::gt(y, zero), x, apart),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Soft margin: `log(1 + exp(-y x))`.
#[kernel]
pub fn soft_margin_loss_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    n_elements: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
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
    let y = T::load(
        y_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full(&[BLOCK_SIZE], 1.0_f32);
    T::store(
        loss_ptr.add_offsets(offsets),
        T::log(one + T::exp(-y * x)),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Cosine of the angle between two rows of `dim` numbers, `BLOCK_SIZE >= dim`.
#[kernel]
pub fn cosine_similarity_forward<T: Triton, const BLOCK_SIZE: i32>(
    a_ptr: T::Pointer<f32>,
    b_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    _n_rows: i32,
    dim: i32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK_SIZE);
    let mask = cols.lt(dim);
    let zero = T::zeros::<f32>(&[BLOCK_SIZE]);
    let a = T::load(
        a_ptr.add_offsets(cols + row * dim),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        b_ptr.add_offsets(cols + row * dim),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let ab = T::sum(a * b, None, true);
    let aa = T::sum(a * a, None, true);
    let bb = T::sum(b * b, None, true);
    let norm = T::maximum(T::sqrt_rn(aa * bb), T::full(&[1], eps));
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        ab / norm,
        None,
        &[],
        None,
        None,
    );
}

/// Distance of the anchor to the positive less that to the negative, plus `margin`.
#[kernel]
pub fn triplet_margin_loss_forward<T: Triton, const BLOCK_SIZE: i32>(
    a_ptr: T::Pointer<f32>,
    p_ptr: T::Pointer<f32>,
    n_ptr: T::Pointer<f32>,
    loss_ptr: T::Pointer<f32>,
    _n_rows: i32,
    dim: i32,
    margin: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let row = T::program_id(Axis::X);
    let cols = T::arange(0, BLOCK_SIZE);
    let mask = cols.lt(dim);
    let offsets = cols + row * dim;
    let zero = T::zeros::<f32>(&[BLOCK_SIZE]);
    let a = T::load(
        a_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let to_p = a - T::load(
        p_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let to_n = a - T::load(
        n_ptr.add_offsets(offsets),
        Some(mask),
        Some(zero),
        &[],
        None,
        None,
        None,
        false,
    );
    let dp = T::sqrt_rn(T::sum(to_p * to_p, Some(0), true));
    let dn = T::sqrt_rn(T::sum(to_n * to_n, Some(0), true));
    let loss = T::maximum(dp - dn + T::full(&[1], margin), T::full(&[1], 0.0_f32));
    T::store(
        loss_ptr.add_offsets(T::arange(0, 1) + row),
        loss,
        None,
        &[],
        None,
        None,
    );
}
