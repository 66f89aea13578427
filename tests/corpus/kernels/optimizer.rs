//! Steps of optimisers, in place; state that a step moves on is in f32 beside the parameters.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

/// Gradient descent with momentum and weight decay.
#[kernel]
pub fn sgd_step<T: Triton, const BLOCK_SIZE: i32>(
    param_ptr: T::Pointer<f32>,
    grad_ptr: T::Pointer<f32>,
    momentum_ptr: T::Pointer<f32>,
    n_elements: i32,
    lr: f32, // learning rate
    momentum: f32,
    weight_decay: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        param_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let g = T::load(
        grad_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let buf = T::load(
        momentum_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let g = g + T::full(&[BLOCK_SIZE], weight_decay) * p;
    let buf_new = T::full(&[BLOCK_SIZE], momentum) * buf + g;
    T::store(
        momentum_ptr.add_offsets(offsets),
        buf_new,
        Some(mask),
        &[],
        None,
        None,
    );
    T::store(
        param_ptr.add_offsets(offsets),
        p - T::full(&[BLOCK_SIZE], lr) * buf_new,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Adam; the caller passes `1 - beta^t` for both.
#[kernel]
pub fn adam_step<T: Triton, const BLOCK_SIZE: i32>(
    param_ptr: T::Pointer<f32>,
    grad_ptr: T::Pointer<f32>,
    m_ptr: T::Pointer<f32>,
    v_ptr: T::Pointer<f32>,
    n_elements: i32,
    lr: f32,
    beta1: f32,
    beta2: f32,
    eps: f32,
    // bias corrections of this step
    bias1: f32,
    bias2: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        param_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let g = T::load(
        grad_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let m = T::load(
        m_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let v = T::load(
        v_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );

    let b1 = T::full(&[BLOCK_SIZE], beta1);
    let b2 = T::full(&[BLOCK_SIZE], beta2);
    let one_minus_b1 = T::full(&[BLOCK_SIZE], 1.0_f32 - beta1);
    let one_minus_b2 = T::full(&[BLOCK_SIZE], 1.0_f32 - beta2);
    let m_new = b1 * m + one_minus_b1 * g;
    let v_new = b2 * v + one_minus_b2 * g * g;
    let m_hat = m_new / T::full(&[BLOCK_SIZE], bias1);
    let v_hat = v_new / T::full(&[BLOCK_SIZE], bias2);
    let p_new =
        p - T::full(&[BLOCK_SIZE], lr) * m_hat / (T::sqrt_rn(v_hat) + T::full(&[BLOCK_SIZE], eps));

    T::store(
        m_ptr.add_offsets(offsets),
        m_new,
        Some(mask),
        &[],
        None,
        None,
    );
    T::store(
        v_ptr.add_offsets(offsets),
        v_new,
        Some(mask),
        &[],
        None,
        None,
    );
    T::store(
        param_ptr.add_offsets(offsets),
        p_new,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// AdamW: the decay does not pass through the moments.
#[kernel]
pub fn adamw_step<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    param_ptr: T::Pointer<D>,
    grad_ptr: T::Pointer<D>,
    m_ptr: T::Pointer<f32>,
    v_ptr: T::Pointer<f32>,
    n_elements: i32,
    lr: f32,
    beta1: f32,
    beta2: f32,
    eps: f32,
    weight_decay: f32,
    bias1: f32,
    bias2: f32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::cast::<D, f32>(
        T::load(
            param_ptr.add_offsets(offsets),
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
    let g = T::cast::<D, f32>(
        T::load(
            grad_ptr.add_offsets(offsets),
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
    let m = T::full(&[BLOCK_SIZE], beta1)
        * T::load(
            m_ptr.add_offsets(offsets),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        )
        + T::full(&[BLOCK_SIZE], 1.0_f32 - beta1) * g;
    let v = T::full(&[BLOCK_SIZE], beta2)
        * T::load(
            v_ptr.add_offsets(offsets),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        )
        + T::full(&[BLOCK_SIZE], 1.0_f32 - beta2) * g * g;
    T::store(m_ptr.add_offsets(offsets), m, Some(mask), &[], None, None);
    T::store(v_ptr.add_offsets(offsets), v, Some(mask), &[], None, None);
    let decayed = p * T::full(&[BLOCK_SIZE], 1.0_f32 - lr * weight_decay);
    let denom = T::sqrt_rn(v / T::full(&[BLOCK_SIZE], bias2)) + T::full(&[BLOCK_SIZE], eps);
    let p_new = decayed - T::full(&[BLOCK_SIZE], lr / bias1) * m / denom;
    T::store(
        param_ptr.add_offsets(offsets),
        T::cast::<f32, D>(p_new, None, false),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// RMSprop.
#[kernel]
pub fn rmsprop_step<T: Triton, const BLOCK_SIZE: i32>(
    param_ptr: T::Pointer<f32>,
    grad_ptr: T::Pointer<f32>,
    sq_ptr: T::Pointer<f32>,
    n_elements: i32,
    lr: f32,
    alpha: f32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        param_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let g = T::load(
        grad_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let sq = T::load(
        sq_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let sq_new =
        T::full(&[BLOCK_SIZE], alpha) * sq + T::full(&[BLOCK_SIZE], 1.0_f32 - alpha) * g * g;
    T::store(
        sq_ptr.add_offsets(offsets),
        sq_new,
        Some(mask),
        &[],
        None,
        None,
    );
    let step = T::full(&[BLOCK_SIZE], lr) * g / (T::sqrt_rn(sq_new) + T::full(&[BLOCK_SIZE], eps));
    T::store(
        param_ptr.add_offsets(offsets),
        p - step,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Adagrad.
#[kernel]
pub fn adagrad_step<T: Triton, const BLOCK_SIZE: i32>(
    param_ptr: T::Pointer<f32>,
    grad_ptr: T::Pointer<f32>,
    sum_ptr: T::Pointer<f32>,
    n_elements: i32,
    lr: f32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        param_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let g = T::load(
        grad_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let s = T::load(
        sum_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    ) + g * g;
    T::store(sum_ptr.add_offsets(offsets), s, Some(mask), &[], None, None);
    T::store(
        param_ptr.add_offsets(offsets),
        p - T::full(&[BLOCK_SIZE], lr) * g / (T::sqrt_rn(s) + T::full(&[BLOCK_SIZE], eps)),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Adadelta: the step has the units of the parameter.
#[kernel]
pub fn adadelta_step<T: Triton, const BLOCK_SIZE: i32>(
    param_ptr: T::Pointer<f32>,
    grad_ptr: T::Pointer<f32>,
    sq_ptr: T::Pointer<f32>,
    acc_ptr: T::Pointer<f32>,
    n_elements: i32,
    lr: f32,
    rho: f32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        param_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let g = T::load(
        grad_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let sq = T::load(
        sq_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let acc = T::load(
        acc_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let rho_t = T::full(&[BLOCK_SIZE], rho);
    let rest = T::full(&[BLOCK_SIZE], 1.0_f32 - rho);
    let eps_t = T::full(&[BLOCK_SIZE], eps);
    let sq_new = rho_t * sq + rest * g * g;
    let delta = T::sqrt_rn(acc + eps_t) / T::sqrt_rn(sq_new + eps_t) * g;
    T::store(
        sq_ptr.add_offsets(offsets),
        sq_new,
        Some(mask),
        &[],
        None,
        None,
    );
    T::store(
        acc_ptr.add_offsets(offsets),
        rho_t * acc + rest * delta * delta,
        Some(mask),
        &[],
        None,
        None,
    );
    T::store(
        param_ptr.add_offsets(offsets),
        p - T::full(&[BLOCK_SIZE], lr) * delta,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Adamax: the infinity norm instead of the second moment.
#[kernel]
pub fn adamax_step<T: Triton, const BLOCK_SIZE: i32>(
    param_ptr: T::Pointer<f32>,
    grad_ptr: T::Pointer<f32>,
    m_ptr: T::Pointer<f32>,
    u_ptr: T::Pointer<f32>,
    n_elements: i32,
    lr: f32,
    beta1: f32,
    beta2: f32,
    eps: f32,
    bias1: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        param_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let g = T::load(
        grad_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let m = T::full(&[BLOCK_SIZE], beta1)
        * T::load(
            m_ptr.add_offsets(offsets),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        )
        + T::full(&[BLOCK_SIZE], 1.0_f32 - beta1) * g;
    let u = T::maximum(
        T::full(&[BLOCK_SIZE], beta2)
            * T::load(
                u_ptr.add_offsets(offsets),
                Some(mask),
                None,
                &[],
                None,
                None,
                None,
                false,
            ),
        T::abs(g) + T::full(&[BLOCK_SIZE], eps),
    );
    T::store(m_ptr.add_offsets(offsets), m, Some(mask), &[], None, None);
    T::store(u_ptr.add_offsets(offsets), u, Some(mask), &[], None, None);
    T::store(
        param_ptr.add_offsets(offsets),
        p - T::full(&[BLOCK_SIZE], lr / bias1) * m / u,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Lion: the sign of an interpolated momentum.
#[kernel]
pub fn lion_step<T: Triton, const BLOCK_SIZE: i32>(
    param_ptr: T::Pointer<f32>,
    grad_ptr: T::Pointer<f32>,
    m_ptr: T::Pointer<f32>,
    n_elements: i32,
    lr: f32,
    beta1: f32,
    beta2: f32,
    weight_decay: f32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<f32>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<f32>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let p = T::load(
        param_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let g = T::load(
        grad_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let m = T::load(
        m_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zero = T::zeros_like(g);
    let one = T::full(&[BLOCK_SIZE], 1.0_f32);
    let minus_one = T::full(&[BLOCK_SIZE], -1.0_f32);
    let c = T::full(&[BLOCK_SIZE], beta1) * m + T::full(&[BLOCK_SIZE], 1.0_f32 - beta1) * g;
    let sign = T::where_(
        T::gt(c, zero),
        one,
        T::where_(T::lt(c, zero), minus_one, zero),
    );
    T::store(
        param_ptr.add_offsets(offsets),
        p - T::full(&[BLOCK_SIZE], lr) * (sign + T::full(&[BLOCK_SIZE], weight_decay) * p),
        Some(mask),
        &[],
        None,
        None,
    );
    T::store(
        m_ptr.add_offsets(offsets),
        T::full(&[BLOCK_SIZE], beta2) * m + T::full(&[BLOCK_SIZE], 1.0_f32 - beta2) * g,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Exponential moving average of parameters of any float type.
#[kernel]
pub fn ema_update<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    ema_ptr: T::Pointer<D>,
    param_ptr: T::Pointer<D>,
    n_elements: i32,
    decay: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK_SIZE) + pid * BLOCK_SIZE;
    let mask = offsets.lt(n_elements);
    let e = T::load(
        ema_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let p = T::load(
        param_ptr.add_offsets(offsets),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let d = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], decay), None, false);
    let keep = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], 1.0_f32 - decay), None, false);
    T::store(
        ema_ptr.add_offsets(offsets),
        d * e + keep * p,
        Some(mask),
        &[],
        None,
        None,
    );
}
