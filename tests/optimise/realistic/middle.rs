//! Tensors `x[B, S, C]`, whose middle axis is reduced, weighted, added to or moved.

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The mean over the middle axis.
///
/// Grid: `[C, B]`.
#[kernel]
pub fn mean_over_middle<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, S: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let mut sum = T::zeros::<D>(&[1]);
    let mut s: i32 = 0;
    while s < S {
        sum = sum
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + ((b * S + s) * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
        s += 1;
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + (b * C + c)),
        sum / T::cast::<i32, D>(T::full::<i32>(&[1], S), None, false),
        None,
        &[],
        None,
        None,
    );
}

/// The largest over the middle axis, in tiles.
///
/// Grid: `[B, C]`.
#[kernel]
pub fn max_over_middle<T: Triton, const BLOCK: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    S: i32,
    C: i32,
) {
    let b = T::program_id(Axis::X);
    let c = T::program_id(Axis::Y);
    let lowest = T::full::<f32>(&[BLOCK], -3.4028235e38_f32);
    let mut largest = lowest;
    let mut start: i32 = 0;
    while start < S {
        let s = T::arange(0, BLOCK) + start;
        let mask = s.lt(S);
        largest = T::maximum(
            largest,
            T::load(
                x_ptr.add_offsets((s + b * S) * C + c),
                Some(mask),
                Some(lowest),
                &[],
                None,
                None,
                None,
                false,
            ),
        );
        start += BLOCK;
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + (b * C + c)),
        T::max(largest, None, true),
        None,
        &[],
        None,
        None,
    );
}

/// The variance over the middle axis, in two passes.
///
/// Grid: `[C, B]`.
#[kernel]
pub fn variance_over_middle<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, S: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let base = b * S * C + c;
    let mut sum = T::zeros::<D>(&[1]);
    for s in 0..S {
        sum = sum
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (base + s * C)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
    }
    let mean = sum / T::cast::<i32, D>(T::full::<i32>(&[1], S), None, false);
    let mut squares = T::zeros::<D>(&[1]);
    for s in 0..S {
        let centred = T::load(
            x_ptr.add_offsets(T::arange(0, 1) + (base + s * C)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ) - mean;
        squares = squares + centred * centred;
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + (b * C + c)),
        squares / T::cast::<i32, D>(T::full::<i32>(&[1], S), None, false),
        None,
        &[],
        None,
        None,
    );
}

/// The sum over the outer and the inner axis, for each index of the middle one.
///
/// Grid: `[S]`.
#[kernel]
pub fn sum_around_middle<T: Triton, D: Num>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    B: i32,
    S: i32,
    C: i32,
) {
    let s = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    for b in 0..B {
        for c in 0..C {
            sum = sum
                + T::load(
                    x_ptr.add_offsets(T::arange(0, 1) + ((b * S + s) * C + c)),
                    None,
                    None,
                    &[],
                    None,
                    None,
                    None,
                    false,
                );
        }
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + s), sum, None, &[], None, None);
}

/// The sum over the outer axis: a gradient of what is added to every `x[b]`.
///
/// Grid: `[S * C]`.
#[kernel]
pub fn sum_over_outer<T: Triton, D: Float>(dy_ptr: T::Pointer<D>, dx_ptr: T::Pointer<D>, B: i32, SC: i32) {
    let i = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    let mut b: i32 = 0;
    while b < B {
        sum = sum
            + T::load(
                dy_ptr.add_offsets(T::arange(0, 1) + (b * SC + i)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
        b += 1;
    }
    T::store(dx_ptr.add_offsets(T::arange(0, 1) + i), sum, None, &[], None, None);
}

/// The middle axis weighted and summed: `y[b, c]` is the sum of `w[b, s] * x[b, s, c]`.
///
/// Grid: `[C, B]`.
#[kernel]
pub fn weighted_sum<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<D>,
    S: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let mut sum = T::zeros::<D>(&[1]);
    for s in 0..S {
        let w = T::cast::<f32, D>(
            T::load(
                w_ptr.add_offsets(T::arange(0, 1) + (b * S + s)),
                None,
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
        sum = sum
            + w * T::load(
                x_ptr.add_offsets(T::arange(0, 1) + ((b * S + s) * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + (b * C + c)), sum, None, &[], None, None);
}

/// Adds what depends on the place along the middle axis, a row a program.
///
/// Grid: `[S, B]`.
#[kernel]
pub fn add_positions<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    position_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    S: i32,
    C: i32,
) {
    let s = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    let mut start: i32 = 0;
    while start < C {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(C);
        let at = cols + (b * S + s) * C;
        T::store(
            y_ptr.add_offsets(at),
            T::load(x_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false)
                + T::load(
                    position_ptr.add_offsets(cols + s * C),
                    Some(mask),
                    None,
                    &[],
                    None,
                    None,
                    None,
                    false,
                ),
            Some(mask),
            &[],
            None,
            None,
        );
        start += BLOCK;
    }
}

/// Swaps the outer axis and the middle one.
///
/// Grid: `[B]`.
#[kernel]
pub fn swap_outer_and_middle<T: Triton, D: Num>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    B: i32,
    S: i32,
    C: i32,
) {
    let b = T::program_id(Axis::X);
    for s in 0..S {
        for c in 0..C {
            T::store(
                y_ptr.add_offsets(T::arange(0, 1) + ((s * B + b) * C + c)),
                T::load(
                    x_ptr.add_offsets(T::arange(0, 1) + ((b * S + s) * C + c)),
                    None,
                    None,
                    &[],
                    None,
                    None,
                    None,
                    false,
                ),
                None,
                &[],
                None,
                None,
            );
        }
    }
}
