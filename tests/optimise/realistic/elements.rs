//! Element by element: updates of parameters, copies, conversions.

use teeny_core::dtype::{Float, Num};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// Gradient descent with momentum, in flat tiles.
///
/// Grid: `[n / BLOCK]`, rounded up.
#[kernel]
pub fn momentum_step<T: Triton, D: Float, const BLOCK: i32>(
    p_ptr: T::Pointer<D>,
    g_ptr: T::Pointer<D>,
    v_ptr: T::Pointer<f32>,
    n: i32,
    rate: f32,
    momentum: f32,
) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let g = T::cast::<D, f32>(
        T::load(g_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false),
        None,
        false,
    );
    let v = T::load(v_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false)
        * T::full::<f32>(&[BLOCK], momentum)
        + g;
    let p = T::load(p_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false);
    T::store(v_ptr.add_offsets(at), v, Some(mask), &[], None, None);
    T::store(
        p_ptr.add_offsets(at),
        p - T::cast::<f32, D>(v * T::full::<f32>(&[BLOCK], rate), None, false),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// A step of Adam, one parameter a program.
///
/// Grid: `[n]`.
#[kernel]
pub fn adam_step<T: Triton>(
    p_ptr: T::Pointer<f32>,
    g_ptr: T::Pointer<f32>,
    m_ptr: T::Pointer<f32>,
    v_ptr: T::Pointer<f32>,
    rate: f32,
    beta1: f32,
    beta2: f32,
    eps: f32,
) {
    let at = T::arange(0, 1) + T::program_id(Axis::X);
    let g = T::load(g_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let b1 = T::full::<f32>(&[1], beta1);
    let b2 = T::full::<f32>(&[1], beta2);
    let m = T::load(m_ptr.add_offsets(at), None, None, &[], None, None, None, false) * b1
        + g * T::full::<f32>(&[1], 1.0_f32 - beta1);
    let v = T::load(v_ptr.add_offsets(at), None, None, &[], None, None, None, false) * b2
        + g * g * T::full::<f32>(&[1], 1.0_f32 - beta2);
    let step = m / (T::sqrt(v) + T::full::<f32>(&[1], eps));
    T::store(m_ptr.add_offsets(at), m, None, &[], None, None);
    T::store(v_ptr.add_offsets(at), v, None, &[], None, None);
    T::store(
        p_ptr.add_offsets(at),
        T::load(p_ptr.add_offsets(at), None, None, &[], None, None, None, false)
            - T::full::<f32>(&[1], rate) * step,
        None,
        &[],
        None,
        None,
    );
}

/// A step of Adam by programs that take rows of a matrix of parameters.
///
/// Grid: `[M]`.
#[kernel]
pub fn adam_rows<T: Triton, D: Float, const BLOCK: i32>(
    p_ptr: T::Pointer<D>,
    g_ptr: T::Pointer<D>,
    m_ptr: T::Pointer<f32>,
    v_ptr: T::Pointer<f32>,
    N: i32,
    rate: f32,
    beta1: f32,
    beta2: f32,
    eps: f32,
) {
    let row = T::program_id(Axis::X);
    let mut start: i32 = 0;
    while start < N {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(N);
        let at = cols + row * N;
        let g = T::cast::<D, f32>(
            T::load(g_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false),
            None,
            false,
        );
        let m = T::load(m_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false)
            * T::full::<f32>(&[BLOCK], beta1)
            + g * T::full::<f32>(&[BLOCK], 1.0_f32 - beta1);
        let v = T::load(v_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false)
            * T::full::<f32>(&[BLOCK], beta2)
            + g * g * T::full::<f32>(&[BLOCK], 1.0_f32 - beta2);
        T::store(m_ptr.add_offsets(at), m, Some(mask), &[], None, None);
        T::store(v_ptr.add_offsets(at), v, Some(mask), &[], None, None);
        let step = T::full::<f32>(&[BLOCK], rate) * m / (T::sqrt(v) + T::full::<f32>(&[BLOCK], eps));
        T::store(
            p_ptr.add_offsets(at),
            T::load(p_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false)
                - T::cast::<f32, D>(step, None, false),
            Some(mask),
            &[],
            None,
            None,
        );
        start += BLOCK;
    }
}

/// Moves an average of parameters towards them, one a program.
///
/// Grid: `[n]`.
#[kernel]
pub fn move_average<T: Triton, D: Float>(average_ptr: T::Pointer<D>, p_ptr: T::Pointer<D>, decay: f32) {
    let at = T::arange(0, 1) + T::program_id(Axis::X);
    let average = T::load(average_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    T::store(
        average_ptr.add_offsets(at),
        average
            + T::full::<D>(&[1], D::from_f64((1.0_f32 - decay) as f64))
                * (T::load(p_ptr.add_offsets(at), None, None, &[], None, None, None, false) - average),
        None,
        &[],
        None,
        None,
    );
}

/// The transpose of a matrix, one element a program.
///
/// Grid: `[M, N]`.
#[kernel]
pub fn transpose<T: Triton, D: Num>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, M: i32, N: i32) {
    let i = T::program_id(Axis::X);
    let j = T::program_id(Axis::Y);
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + (j * M + i)),
        T::load(x_ptr.add_offsets(T::arange(0, 1) + (i * N + j)), None, None, &[], None, None, None, false),
        None,
        &[],
        None,
        None,
    );
}

/// Adds a vector to the rows of a matrix, one element a program.
///
/// Grid: `[N, M]`.
#[kernel]
pub fn add_bias<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
) {
    let column = T::program_id(Axis::X);
    let row = T::program_id(Axis::Y);
    let at = row * N + column;
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + at),
        T::load(x_ptr.add_offsets(T::arange(0, 1) + at), None, None, &[], None, None, None, false)
            + T::load(
                bias_ptr.add_offsets(T::arange(0, 1) + column),
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

/// Every other element, in a dtype of its own.
///
/// Grid: `[n]`.
#[kernel]
pub fn every_other<T: Triton>(x_ptr: T::Pointer<i64>, y_ptr: T::Pointer<f32>) {
    let i = T::program_id(Axis::X);
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + i),
        T::cast::<i64, f32>(
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (2 * i + 1)),
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
        ),
        None,
        &[],
        None,
        None,
    );
}

/// Rows in another order, which `rows_ptr` gives.
///
/// Grid: `[M]`.
#[kernel]
pub fn gather_rows<T: Triton, D: Num, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    rows_ptr: T::Pointer<i32>,
    y_ptr: T::Pointer<D>,
    N: i32,
) {
    let row = T::program_id(Axis::X);
    let from = T::load(rows_ptr.add_offsets(T::arange(0, 1) + row), None, None, &[], None, None, None, false);
    let mut start: i32 = 0;
    while start < N {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(N);
        T::store(
            y_ptr.add_offsets(cols + row * N),
            T::load(
                x_ptr.add_offsets(cols + T::broadcast_to(from, &[BLOCK]) * N),
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
