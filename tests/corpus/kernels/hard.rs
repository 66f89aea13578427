//! Piecewise linear activations.

#![allow(non_snake_case)]

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{self, AddOffsets, Comparison},
    *,
};

#[kernel]
pub fn relu_forward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
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
    let zero = T::zeros_like(x);
    T::store(
        y_ptr.add_offsets(offsets),
        T::maximum(x, zero),
        Some(mask),
        &[],
        None,
        None,
    );
}

#[kernel]
pub fn relu_backward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
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
    let zero = T::zeros_like(x);
    T::store(
        dx_ptr.add_offsets(offsets),
        T::where_(T::gt(x, zero), dy, zero),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// ReLU6 with both bounds as constants.
#[kernel]
pub fn relu6_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
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
    T::store(
        y_ptr.add_offsets(offsets),
        T::clamp(
            x,
            T::full(&[BLOCK_SIZE], D::from_f64(0.0)),
            T::full(&[BLOCK_SIZE], D::from_f64(6.0)),
        ),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Leaky ReLU with a run-time slope.
#[kernel(backward = LeakyReluBackward)]
pub fn leaky_relu_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    negative_slope: f32,
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
    let slope = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], negative_slope), None, false);
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let y = T::where_(T::ge(x, zero), x, slope * x);
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of leaky ReLU.
#[kernel]
pub fn leaky_relu_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
    negative_slope: f32,
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
    let slope = T::cast(T::full(&[BLOCK_SIZE], negative_slope), None, false);
    let dx = T::where_(T::ge(x, T::zeros::<D>(&[BLOCK_SIZE])), dy, slope * dy);
    T::store(dx_ptr.add_offsets(offsets), dx, Some(mask), &[], None, None);
}

/// PReLU with one slope a channel: `[B, C, HW]`.
///
/// Grid: `[B * C * ceil(HW / BLOCK_SIZE)]`.
#[kernel]
pub fn prelu_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    HW: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let pid = T::program_id(Axis::X);
    let blocks = T::cdiv(HW, BLOCK_SIZE);
    let bc = pid / blocks;
    let c = bc % C;
    let hw = T::arange(0, BLOCK_SIZE) + (pid % blocks) * BLOCK_SIZE;
    let mask = hw.lt(HW);
    let offsets = hw + bc * HW;

    let w = T::load(
        weight_ptr.add_offsets(T::arange(0, 1) + c),
        None,
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
    let y = T::where_(
        T::gt(x, T::zeros::<D>(&[BLOCK_SIZE])),
        x,
        T::broadcast_to(w, &[BLOCK_SIZE]) * x,
    );
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Hardtanh between two run-time bounds.
#[kernel]
pub fn hardtanh_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    min_val: f32,
    max_val: f32,
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
    let lo = T::full(&[BLOCK_SIZE], D::from_f64(min_val as f64));
    let hi = T::full(&[BLOCK_SIZE], D::from_f64(max_val as f64));
    T::store(
        y_ptr.add_offsets(offsets),
        T::clamp(x, lo, hi),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Gradient of hardtanh: the gradient passes strictly between the bounds.
#[kernel]
pub fn hardtanh_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
    min_val: f32,
    max_val: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
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
    let lo = T::full(&[BLOCK_SIZE], D::from_f64(min_val as f64));
    let hi = T::full(&[BLOCK_SIZE], D::from_f64(max_val as f64));
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let above = T::gt(x, lo);
    let below = T::lt(x, hi);
    let dx = T::where_(above & below, dy, zero);
    T::store(dx_ptr.add_offsets(offsets), dx, Some(mask), &[], None, None);
}

/// `clamp(x + 3, 0, 6) / 6`.
#[kernel(backward = HardsigmoidBackward)]
pub fn hardsigmoid_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
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
    let three = T::full(&[BLOCK_SIZE], D::from_f64(3.0));
    let six = T::full(&[BLOCK_SIZE], D::from_f64(6.0));
    let y = T::clamp(x + three, T::full(&[BLOCK_SIZE], D::from_f64(0.0)), six) / six;
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of hardsigmoid: a sixth strictly between -3 and 3.
#[kernel]
pub fn hardsigmoid_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
    T::BoolTensor: BitAnd<Output = T::BoolTensor>,
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
    let sixth = T::full(&[BLOCK_SIZE], D::from_f64(1.0 / 6.0));
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let inside = T::gt(x, T::full(&[BLOCK_SIZE], D::from_f64(-3.0)))
        & T::lt(x, T::full(&[BLOCK_SIZE], D::from_f64(3.0)));
    T::store(
        dx_ptr.add_offsets(offsets),
        T::where_(inside, dy * sixth, zero),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `x * clamp(x + 3, 0, 6) / 6`.
#[kernel]
pub fn hardswish_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
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
    let three = T::full(&[BLOCK_SIZE], D::from_f64(3.0));
    let zero = T::full(&[BLOCK_SIZE], D::from_f64(0.0));
    let six = T::full(&[BLOCK_SIZE], D::from_f64(6.0));
    let y = x * T::minimum(T::maximum(x + three, zero), six) / six;
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of hardswish, in three pieces.
#[kernel]
pub fn hardswish_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
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
    let three = T::full(&[BLOCK_SIZE], D::from_f64(3.0));
    let minus_three = T::full(&[BLOCK_SIZE], D::from_f64(-3.0));
    let zero = T::full(&[BLOCK_SIZE], D::from_f64(0.0));
    let middle = (T::full(&[BLOCK_SIZE], D::from_f64(2.0)) * x + three)
        / T::full(&[BLOCK_SIZE], D::from_f64(6.0));
    let slope = T::where_(
        T::le(x, minus_three), // left of the ramp
        zero,
        T::where_(
            T::ge(x, three),
            T::full(&[BLOCK_SIZE], D::from_f64(1.0)),
            middle,
        ),
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

/// Keeps what lies outside `[-lambda, lambda]`.
#[kernel(backward = HardshrinkBackward)]
pub fn hardshrink_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    lambda: f32,
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
    let l = T::full(&[BLOCK_SIZE], D::from_f64(lambda as f64));
    let y = T::where_(T::gt(T::abs(x), l), x, T::zeros::<D>(&[BLOCK_SIZE]));
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Gradient of hardshrink.
#[kernel]
pub fn hardshrink_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_elements: i32,
    lambda: f32,
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
    let l = T::full(&[BLOCK_SIZE], D::from_f64(lambda as f64));
    let dx = T::where_(T::gt(T::abs(x), l), dy, T::zeros::<D>(&[BLOCK_SIZE]));
    T::store(dx_ptr.add_offsets(offsets), dx, Some(mask), &[], None, None);
}

/// Moves everything towards zero by `lambda`, and what is nearer to zero.
#[kernel]
pub fn softshrink_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    lambda: f32,
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
    let pos = T::full(&[BLOCK_SIZE], D::from_f64(lambda as f64));
    let neg = T::full(&[BLOCK_SIZE], D::from_f64(-(lambda as f64)));
    let zero = T::full(&[BLOCK_SIZE], D::from_f64(0.0));
    let y = T::where_(
        T::gt(x, pos),
        x - pos,
        T::where_(T::lt(x, neg), x + pos, zero),
    );
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// Shrinkage of an f32 tensor with a bias and a threshold `lambda`.
#[kernel]
pub fn shrink_forward<T: Triton, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    n_elements: i32,
    bias: f32,
    lambda: f32,
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
    let zero = T::zeros::<f32>(&[BLOCK_SIZE]);
    let b = T::full(&[BLOCK_SIZE], bias);
    let y = T::where_(
        T::lt(x, T::full(&[BLOCK_SIZE], -lambda)),
        x + b,
        T::where_(T::gt(x, T::full(&[BLOCK_SIZE], lambda)), x - b, zero),
    );
    T::store(y_ptr.add_offsets(offsets), y, Some(mask), &[], None, None);
}

/// `x` above `threshold`, `value` elsewhere; any number type.
#[kernel]
pub fn threshold_forward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_elements: i32,
    threshold: f32,
    value: f32,
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
    let t = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], threshold), None, false);
    let v = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], value), None, false);
    T::store(
        y_ptr.add_offsets(offsets),
        T::where_(T::gt(x, t), x, v),
        Some(mask),
        &[],
        None,
        None,
    );
}
