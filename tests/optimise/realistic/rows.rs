//! Rows of a matrix `x[M, N]`, and all elements of a tensor by one program.

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The sum of each row, element by element.
///
/// Grid: `[M]`.
#[kernel]
pub fn row_sum<T: Triton, D: Num>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32) {
    let row = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    let mut i: i32 = 0;
    while i < N {
        sum = sum
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (row * N + i)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
        i += 1;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), sum, None, &[], None, None);
}

/// The largest of each row, in tiles.
///
/// Grid: `[M]`.
#[kernel]
pub fn row_max<T: Triton, const BLOCK: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    N: i32,
    lowest: f32,
) {
    let row = T::program_id(Axis::X);
    let fill = T::full::<f32>(&[BLOCK], lowest);
    let mut largest = fill;
    let mut start: i32 = 0;
    while start < N {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(N);
        largest = T::maximum(
            largest,
            T::load(x_ptr.add_offsets(cols + row * N), Some(mask), Some(fill), &[], None, None, None, false),
        );
        start += BLOCK;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), T::max(largest, None, true), None, &[], None, None);
}

/// Each row divided by its Euclidean norm.
///
/// Grid: `[M]`.
#[kernel]
pub fn normalise_rows<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    eps: f32,
) {
    let row = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut squares = zeros;
    let mut start: i32 = 0;
    while start < N {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(N);
        let x =
            T::load(x_ptr.add_offsets(cols + row * N), Some(mask), Some(zeros), &[], None, None, None, false);
        squares = squares + x * x;
        start += BLOCK;
    }
    let norm = T::maximum(T::sqrt(T::sum(squares, None, true)), T::full::<D>(&[1], D::from_f64(eps as f64)));
    start = 0;
    while start < N {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(N);
        let x = T::load(x_ptr.add_offsets(cols + row * N), Some(mask), None, &[], None, None, None, false);
        T::store(y_ptr.add_offsets(cols + row * N), x / norm, Some(mask), &[], None, None);
        start += BLOCK;
    }
}

/// The root mean square of each row, and the row divided by it with weights.
///
/// Grid: `[M]`.
#[kernel]
pub fn rms_norm<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    rrms_ptr: T::Pointer<f32>,
    N: i32,
    eps: f32,
) {
    let row = T::program_id(Axis::X);
    let mut squares = T::zeros::<D>(&[1]);
    for i in 0..N {
        let x = T::load(
            x_ptr.add_offsets(T::arange(0, 1) + (row * N + i)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        squares = squares + x * x;
    }
    let rrms = T::rsqrt(
        squares / T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false)
            + T::full::<D>(&[1], D::from_f64(eps as f64)),
    );
    for i in 0..N {
        let at = T::arange(0, 1) + (row * N + i);
        T::store(
            y_ptr.add_offsets(at),
            T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false)
                * rrms
                * T::load(
                    weight_ptr.add_offsets(T::arange(0, 1) + i),
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
    T::store(
        rrms_ptr.add_offsets(T::arange(0, 1) + row),
        T::cast::<D, f32>(rrms, None, false),
        None,
        &[],
        None,
        None,
    );
}

/// The dot product of two vectors.
///
/// Grid: `[1]`.
#[kernel]
pub fn dot_product<T: Triton, D: Float, const BLOCK: i32>(
    a_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<f32>,
    n: i32,
) {
    let zeros = T::zeros::<f32>(&[BLOCK]);
    let mut sums = zeros;
    let mut start: i32 = 0;
    while start < n {
        let at = T::arange(0, BLOCK) + start;
        let mask = at.lt(n);
        let a = T::cast::<D, f32>(
            T::load(
                a_ptr.add_offsets(at),
                Some(mask),
                Some(T::zeros::<D>(&[BLOCK])),
                &[],
                None,
                None,
                None,
                false,
            ),
            None,
            false,
        );
        let b = T::cast::<D, f32>(
            T::load(
                b_ptr.add_offsets(at),
                Some(mask),
                Some(T::zeros::<D>(&[BLOCK])),
                &[],
                None,
                None,
                None,
                false,
            ),
            None,
            false,
        );
        sums = sums + a * b;
        start += BLOCK;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1)), T::sum(sums, None, true), None, &[], None, None);
}

/// The mean of squared differences, element by element.
///
/// Grid: `[1]`.
#[kernel]
pub fn mean_squared_error<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    target_ptr: T::Pointer<D>,
    loss_ptr: T::Pointer<D>,
    n: i32,
) {
    let mut sum = T::zeros::<D>(&[1]);
    let mut i: i32 = 0;
    while i < n {
        let difference =
            T::load(x_ptr.add_offsets(T::arange(0, 1) + i), None, None, &[], None, None, None, false)
                - T::load(
                    target_ptr.add_offsets(T::arange(0, 1) + i),
                    None,
                    None,
                    &[],
                    None,
                    None,
                    None,
                    false,
                );
        sum = sum + difference * difference;
        i += 1;
    }
    T::store(
        loss_ptr.add_offsets(T::arange(0, 1)),
        sum / T::cast::<i32, D>(T::full::<i32>(&[1], n), None, false),
        None,
        &[],
        None,
        None,
    );
}

/// The largest absolute value of a tensor.
///
/// Grid: `[1]`.
#[kernel]
pub fn largest_magnitude<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
) {
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut largest = zeros;
    let mut start: i32 = 0;
    while start < n {
        let at = T::arange(0, BLOCK) + start;
        let mask = at.lt(n);
        let x = T::abs(T::load(x_ptr.add_offsets(at), Some(mask), Some(zeros), &[], None, None, None, false));
        largest = T::maximum(largest, x);
        start += BLOCK;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1)), T::max(largest, None, true), None, &[], None, None);
}

/// The product of each row.
///
/// Grid: `[M]`.
#[kernel]
pub fn row_product<T: Triton>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, N: i32) {
    let row = T::program_id(Axis::X);
    let mut product = T::full::<f32>(&[1], 1.0_f32);
    for i in 0..N {
        product = product
            * T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (row * N + i)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), product, None, &[], None, None);
}

/// Adds a vector to every row.
///
/// Grid: `[M]`.
#[kernel]
pub fn add_to_rows<T: Triton, D: Num>(
    x_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
) {
    let row = T::program_id(Axis::X);
    let mut i: i32 = 0;
    while i < N {
        T::store(
            y_ptr.add_offsets(T::arange(0, 1) + (row * N + i)),
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (row * N + i)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            ) + T::load(bias_ptr.add_offsets(T::arange(0, 1) + i), None, None, &[], None, None, None, false),
            None,
            &[],
            None,
            None,
        );
        i += 1;
    }
}
