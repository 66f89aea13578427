//! Smooth activations and their gradients, element by element.
//!
//! Every kernel takes a flat tensor of `n_elements`; a backward kernel takes the gradient of the
//! output and the input (or the output, where that is cheaper) of the forward kernel.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

// ─── Exponential family ──────────────────────────────────────────────────────

/// ELU: `x` where positive, `alpha * (exp(x) - 1)` elsewhere.
///
/// Grid: `[ceil(n_elements / BLOCK_SIZE)]`.
#[kernel(backward = EluBackward)]
pub fn elu_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    alpha: f32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
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
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let alpha_t = T::full(&[BLOCK_SIZE], D::from_f64(alpha as f64));
    let y = T::where_(T::gt(x, zero), x, alpha_t * (T::exp(x) - one));
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of ELU with respect to `x`.
#[kernel]
pub fn elu_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
    alpha: f32,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
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
    let slope = T::full(&[BLOCK_SIZE], D::from_f64(alpha as f64)) * T::exp(x);
    let dx = T::where_(T::gt(x, T::zeros::<D>(&[BLOCK_SIZE])), dy, dy * slope);
    T::store(dx_ptr.add_offsets(offsets), dx, Some(mask), &[], None, None);
}

/// SELU with the constants of self-normalising networks.
#[kernel(backward = SeluBackward)]
pub fn selu_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );

    // scale * (max(0, x) + min(0, alpha * (exp(x) - 1)))
    let scale = T::full(&[BLOCK_SIZE], D::from_f64(1.0507009873554804));
    let alpha = T::full(&[BLOCK_SIZE], D::from_f64(1.6732632423543772));
    let zero = T::zeros_like(x);
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let negative = T::minimum(zero, alpha * (T::exp(x) - one));
    T::store(
        y_ptr.add_offsets(offsets),
        scale * (T::maximum(zero, x) + negative),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradient of SELU; the product of both constants is one literal.
#[kernel]
pub fn selu_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
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
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let scale = T::full(&[BLOCK_SIZE], D::from_f64(1.0507009873554804));
    let scale_alpha = T::full(&[BLOCK_SIZE], D::from_f64(1.7580993408473766));
    let slope = T::where_(T::gt(x, zero), scale, scale_alpha * T::exp(x));
    T::store(
        dx_ptr.add_offsets(offsets),
        dy * slope,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// CELU: `max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`.
#[kernel(backward = CeluBackward)]
pub fn celu_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    alpha: f32,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let alpha_t = T::full(&[BLOCK_SIZE], D::from_f64(alpha as f64));
    let inv_alpha = T::full(&[BLOCK_SIZE], D::from_f64(1.0 / alpha as f64));
    let tail = alpha_t * (T::exp(x * inv_alpha) - one);
    let y = T::maximum(zero, x) + T::minimum(zero, tail);
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of CELU.
#[kernel]
pub fn celu_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
    alpha: f32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
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
    let inv_alpha = T::full(&[BLOCK_SIZE], D::from_f64(1.0 / alpha as f64));
    let decay = T::exp(x * inv_alpha);
    let slope = T::where_(
        T::gt(x, T::zeros::<D>(&[BLOCK_SIZE])),
        T::full(&[BLOCK_SIZE], D::from_f64(1.0)),
        decay,
    );
    T::store(
        dx_ptr.add_offsets(offsets),
        dy * slope,
        Some(mask),
        &[],
        None,
        None,
    );
}

// ─── Gaussian error ──────────────────────────────────────────────────────────

/// GELU in its tanh form: `x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))`.
///
/// `tanh(u)` is `2 * sigmoid(2u) - 1`, which does not overflow.
#[kernel(backward = GeluTanhBackward)]
pub fn gelu_tanh_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );

    let k = T::full(&[BLOCK_SIZE], D::from_f64(0.7978845608028654));
    let c = T::full(&[BLOCK_SIZE], D::from_f64(0.044715));
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let two = T::full(&[BLOCK_SIZE], D::from_f64(2.0));
    let half = T::full(&[BLOCK_SIZE], D::from_f64(0.5));

    let inner = k * (x + c * x * x * x);
    let t = two / (one + T::exp(-(two * inner))) - one;
    let y = half * x * (one + t);
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of GELU in its tanh form.
#[kernel]
pub fn gelu_tanh_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
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

    let k = T::full(&[BLOCK_SIZE], D::from_f64(0.7978845608028654));
    let c = T::full(&[BLOCK_SIZE], D::from_f64(0.044715));
    let c3 = T::full(&[BLOCK_SIZE], D::from_f64(3.0 * 0.044715));
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let two = T::full(&[BLOCK_SIZE], D::from_f64(2.0));
    let half = T::full(&[BLOCK_SIZE], D::from_f64(0.5));

    let x2 = x * x;
    let inner = k * (x + c * x2 * x);
    let t = two / (one + T::exp(-(two * inner))) - one;
    // d inner / dx
    let d_inner = k * (one + c3 * x2);
    let slope = half * (one + t) + half * x * (one - t * t) * d_inner;
    T::store(
        dx_ptr.add_offsets(offsets),
        dy * slope,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// GELU, exactly: `x * Phi(x)` through the error function.
#[kernel]
pub fn gelu_erf_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let inv_sqrt2 = T::full(&[BLOCK_SIZE], D::from_f64(0.707_106_781_186_547_6));
    let half = T::full(&[BLOCK_SIZE], D::from_f64(0.5));
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    T::store(
        y_ptr.add_offsets(offsets),
        x * half * (one + T::erf(x * inv_sqrt2)),
        Some(mask),
        &[],
        None,
        None,
    );
}

// ─── Sigmoid family ──────────────────────────────────────────────────────────

/// `1 / (1 + exp(-x))`.
#[kernel(backward = SigmoidBackward)]
pub fn sigmoid_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let y = one / (one + T::exp(-x));
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of the sigmoid from its output.
#[kernel]
pub fn sigmoid_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
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
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    T::store(
        dx_ptr.add_offsets(offsets),
        dy * y * (one - y),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// SiLU, `x * sigmoid(x)`.
#[kernel(backward = SiluBackward)]
pub fn silu_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let y = x * T::sigmoid(x);
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of SiLU.
#[kernel]
pub fn silu_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
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
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let s = one / (one + T::exp(-x));
    let dx = dy * (s * (one + x * (one - s)));
    T::store(dx_ptr.add_offsets(offsets), dx, Some(mask), &[], None, None);
}

/// `log(sigmoid(x))`, without overflow: `min(0, x) - log(1 + exp(-|x|))`.
#[kernel]
pub fn log_sigmoid_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let y = T::minimum(zero, x) - T::log(one + T::exp(-T::abs(x)));
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Softplus with its linear part beyond `threshold`.
#[kernel(backward = SoftplusBackward)]
pub fn softplus_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    beta: f32,
    threshold: f32,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let beta_t = T::full(&[BLOCK_SIZE], D::from_f64(beta as f64));
    let limit = T::full(&[BLOCK_SIZE], D::from_f64(threshold as f64));
    let inv_beta = T::full(&[BLOCK_SIZE], D::from_f64(1.0 / beta as f64));
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let scaled = beta_t * x;
    let soft = inv_beta * T::log(one + T::exp(scaled));
    T::store(
        y_ptr.add_offsets(offsets),
        T::where_(T::gt(scaled, limit), x, soft),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradient of softplus: a sigmoid of `beta * x`, and 1 in the linear part.
#[kernel]
pub fn softplus_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
    beta: f32,
    threshold: f32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
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
    let neg_beta = T::full(&[BLOCK_SIZE], D::from_f64(-(beta as f64)));
    let limit = T::full(&[BLOCK_SIZE], D::from_f64(threshold as f64));
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let s = one / (one + T::exp(neg_beta * x));
    let linear = T::gt(T::full(&[BLOCK_SIZE], D::from_f64(beta as f64)) * x, limit);
    let dx = T::where_(linear, dy, dy * s);
    T::store(dx_ptr.add_offsets(offsets), dx, Some(mask), &[], None, None);
}

/// Mish: `x * tanh(softplus(x))`.
#[kernel(backward = MishBackward)]
pub fn mish_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let two = T::full(&[BLOCK_SIZE], D::from_f64(2.0));
    // tanh(log(1 + e)) = ((1 + e)^2 - 1) / ((1 + e)^2 + 1)
    let e = T::exp(T::minimum(x, T::full(&[BLOCK_SIZE], D::from_f64(20.0))));
    let n = e * (e + two);
    let y = x * n / (n + two);
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of Mish.
#[kernel]
pub fn mish_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
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
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let two = T::full(&[BLOCK_SIZE], D::from_f64(2.0));
    let e = T::exp(T::minimum(x, T::full(&[BLOCK_SIZE], D::from_f64(20.0))));
    let n = e * (e + two);
    let t = n / (n + two);
    let s = e / (one + e);
    let dx = dy * (t + x * s * (one - t * t));
    T::store(dx_ptr.add_offsets(offsets), dx, Some(mask), &[], None, None);
}

// ─── Hyperbolic tangent ──────────────────────────────────────────────────────

/// `tanh(x) = 2 * sigmoid(2 * x) - 1`.
#[kernel(backward = TanhBackward)]
pub fn tanh_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let two = T::full(&[BLOCK_SIZE], D::from_f64(2.0));
    let y = two / (one + T::exp(T::full(&[BLOCK_SIZE], D::from_f64(-2.0)) * x)) - one;
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of tanh from its output.
#[kernel]
pub fn tanh_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
    T::store(
        dx_ptr.add_offsets(offsets),
        dy * (T::full(&[BLOCK_SIZE], D::from_f64(1.0)) - y * y),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `x - tanh(x)`.
#[kernel]
pub fn tanhshrink_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
) where
    T::I32Tensor: Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
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
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let two = T::full(&[BLOCK_SIZE], D::from_f64(2.0));
    let y = x - (two * T::sigmoid(two * x) - one);
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// `x / (1 + |x|)`.
#[kernel]
pub fn softsign_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
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
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let y = x / (T::full(&[BLOCK_SIZE], D::from_f64(1.0)) + T::abs(x));
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

// ─── Gated units ─────────────────────────────────────────────────────────────

/// SwiGLU over the two halves of each row: `x[.., :half] * silu(x[.., half:])`.
///
/// Grid: `[n_rows * ceil(half / BLOCK_SIZE)]`.
#[kernel]
pub fn swiglu_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _n_rows: i32,
    half: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(half, BLOCK_SIZE);
    let row = pid / n_blocks;
    let col_start = pid % n_blocks * BLOCK_SIZE;
    let cols = T::arange(0, BLOCK_SIZE) + col_start;
    let mask = cols.lt(half);

    let a = T::load(
        x_ptr.add_offsets(cols + row * half * 2),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        x_ptr.add_offsets(cols + (row * half * 2 + half)),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let y = a * (b / (one + T::exp(-b)));
    T::store(
        y_ptr.add_offsets(cols + row * half),
        y,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradients of SwiGLU.
#[cfg(feature = "training")]
#[kernel]
pub fn swiglu_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    _n_rows: i32,
    half: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let n_blocks = T::cdiv(half, BLOCK_SIZE);
    let row = pid / n_blocks;
    let cols = T::arange(0, BLOCK_SIZE) + (pid % n_blocks) * BLOCK_SIZE;
    let mask = cols.lt(half);

    let off_a = cols + row * half * 2;
    let off_b = off_a + half;
    let a = T::load(
        x_ptr.add_offsets(off_a),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        x_ptr.add_offsets(off_b),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let dy = T::load(
        dy_ptr.add_offsets(cols + row * half),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full(&[BLOCK_SIZE], D::from_f64(1.0));
    let s = one / (one + T::exp(-b));
    T::store(
        dx_ptr.add_offsets(off_a),
        dy * b * s,
        Some(mask),
        &[],
        None,
        None,
    );
    T::store(
        dx_ptr.add_offsets(off_b),
        dy * a * s * (one + b * (one - s)),
        Some(mask),
        &[],
        None,
        None,
    );
}
