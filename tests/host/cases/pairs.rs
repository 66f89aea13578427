//! Kernels that name the one that goes back, with no host side at all.

use teeny_core::dtype::Float;
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y = x / (1 + exp(-x))`.
#[kernel(backward = SwishBackward)]
pub fn swish_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
) {
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(n);
    let x = T::load(
        x_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full::<D>(&[BLOCK_SIZE], D::from_f64(1.0));
    let y = x / (one + T::exp(-x));
    T::store(y_ptr.add_offsets(at), y, Some(mask), &[], None, None);
}

/// `dx = dy s (1 + x (1 - s))` with `s` the logistic function of `x`.
#[kernel]
pub fn swish_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n: i32,
) {
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(n);
    let dy = T::load(
        dy_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let x = T::load(
        x_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full::<D>(&[BLOCK_SIZE], D::from_f64(1.0));
    let s = one / (one + T::exp(-x));
    let dx = dy * s * (one + x * (one - s));
    T::store(dx_ptr.add_offsets(at), dx, Some(mask), &[], None, None);
}

/// `y = 1 / (1 + exp(-x))`; the way back needs `y` alone.
#[kernel(backward = LogisticBackward)]
pub fn logistic_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
) {
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(n);
    let x = T::load(
        x_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full::<D>(&[BLOCK_SIZE], D::from_f64(1.0));
    T::store(
        y_ptr.add_offsets(at),
        one / (one + T::exp(-x)),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `dx = dy y (1 - y)`.
#[kernel]
pub fn logistic_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n: i32,
) {
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(n);
    let dy = T::load(
        dy_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let y = T::load(
        y_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let one = T::full::<D>(&[BLOCK_SIZE], D::from_f64(1.0));
    T::store(
        dx_ptr.add_offsets(at),
        dy * y * (one - y),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `y = x` above zero and `slope x` below.
#[kernel(backward = LeakyBackward)]
pub fn leaky_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
    slope: f32,
) {
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(n);
    let x = T::load(
        x_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let slopes = T::full::<D>(&[BLOCK_SIZE], D::from_f64(slope as f64));
    let y = T::where_(T::gt(x, T::zeros_like(x)), x, slopes * x);
    T::store(y_ptr.add_offsets(at), y, Some(mask), &[], None, None);
}

/// `dx = dy` above zero and `slope dy` below.
#[kernel]
pub fn leaky_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n: i32,
    slope: f32,
) {
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(n);
    let dy = T::load(
        dy_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let x = T::load(
        x_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let slopes = T::full::<D>(&[BLOCK_SIZE], D::from_f64(slope as f64));
    let dx = T::where_(T::gt(x, T::zeros_like(x)), dy, slopes * dy);
    T::store(dx_ptr.add_offsets(at), dx, Some(mask), &[], None, None);
}
