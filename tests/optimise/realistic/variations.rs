//! Reductions of columns, rows and middle axes in other ways of writing them: with guards, with variables used again, with
//! addresses that are counted up.

use teeny_core::dtype::Float;
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The variance of each column, whose sum starts again for the second pass.
///
/// Grid: `[C]`.
#[kernel]
pub fn sum_again<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    let mut n: i32 = 0;
    while n < N {
        sum = sum
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
        n += 1;
    }
    let mean = sum / T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false);
    sum = T::zeros::<D>(&[1]);
    n = 0;
    while n < N {
        let centred = T::load(
            x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ) - mean;
        sum = sum + centred * centred;
        n += 1;
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + c),
        sum / T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false),
        None,
        &[],
        None,
        None,
    );
}

/// The mean of each column, divided in its variable.
///
/// Grid: `[C]`.
#[kernel]
pub fn divided_in_place<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut mean = T::zeros::<D>(&[1]);
    for n in 0..N {
        mean = mean
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
    }
    mean = mean / T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false);
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), mean, None, &[], None, None);
}

/// The sum of each column, in a grid that may have programs beyond them.
///
/// Grid: at least `[C]`.
#[kernel]
pub fn guarded<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    if c >= C {
        return;
    }
    let mut sum = T::zeros::<D>(&[1]);
    for n in 0..N {
        sum = sum
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// A bias for each column, and the sum of the column on top of it.
///
/// Grid: `[C]`.
#[kernel]
pub fn from_bias<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let mut sum =
        T::load(bias_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false);
    for n in 0..N {
        sum = sum
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// The negative sum of each column.
///
/// Grid: `[C]`.
#[kernel]
pub fn subtracted<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut rest = T::zeros::<D>(&[1]);
    for n in 0..N {
        rest = rest
            - T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), rest, None, &[], None, None);
}

/// The sum of each column, whose address is counted up.
///
/// Grid: `[C]`.
#[kernel]
pub fn counted_up<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    let mut at: i32 = c;
    let mut n: i32 = 0;
    while n < N {
        sum =
            sum + T::load(x_ptr.add_offsets(T::arange(0, 1) + at), None, None, &[], None, None, None, false);
        at += C;
        n += 1;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// The sum of each column, in a loop that strides.
///
/// Grid: `[C]`.
#[kernel]
pub fn strided<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    let mut at: i32 = c;
    while at < N * C {
        sum =
            sum + T::load(x_ptr.add_offsets(T::arange(0, 1) + at), None, None, &[], None, None, None, false);
        at += C;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// The sum of each column, in as many tiles as the caller says.
///
/// Grid: `[C]`.
#[kernel]
pub fn tile_by_tile<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    tiles: i32,
) {
    let c = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut sums = zeros;
    for tile in 0..tiles {
        let rows = T::arange(0, BLOCK) + tile * BLOCK;
        let mask = rows.lt(N);
        sums = sums
            + T::load(x_ptr.add_offsets(rows * C + c), Some(mask), Some(zeros), &[], None, None, None, false);
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), T::sum(sums, None, true), None, &[], None, None);
}

/// The sum of each row, a tile at a time made one number.
///
/// Grid: `[N]`.
#[kernel]
pub fn one_by_one<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, C: i32) {
    let row = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    let mut start: i32 = 0;
    while start < C {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(C);
        sum = sum
            + T::sum(
                T::load(
                    x_ptr.add_offsets(cols + row * C),
                    Some(mask),
                    Some(T::zeros::<D>(&[BLOCK])),
                    &[],
                    None,
                    None,
                    None,
                    false,
                ),
                Some(0),
                true,
            );
        start += BLOCK;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), sum, None, &[], None, None);
}

/// The sum over the middle axis of `x[B, S, C]`, whose programs take their indices apart.
///
/// Grid: `[B * C]`.
#[kernel]
pub fn program_taken_apart<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, S: i32, C: i32) {
    let pid = T::program_id(Axis::X);
    let b = pid / C;
    let c = pid % C;
    let mut sum = T::zeros::<D>(&[1]);
    for s in 0..S {
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
    T::store(y_ptr.add_offsets(T::arange(0, 1) + pid), sum, None, &[], None, None);
}

/// The sum of each row by one tile that is as long as it.
///
/// Grid: at least `[N]`.
#[kernel]
pub fn whole_rows<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) {
    let row = T::program_id(Axis::X);
    if row >= N {
        return;
    }
    let cols = T::arange(0, BLOCK);
    let x = T::load(
        x_ptr.add_offsets(cols + row * C),
        Some(cols.lt(C)),
        Some(T::zeros::<D>(&[BLOCK])),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(y_ptr.add_offsets(T::arange(0, 1) + row), T::sum(x, Some(0), true), None, &[], None, None);
}

/// The sum of each column below a limit that a number for the column says: programs differ in how long they run.
///
/// Grid: `[C]`.
#[kernel]
pub fn up_to<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    length_ptr: T::Pointer<i32>,
    y_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let length =
        T::load(length_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false);
    let mut sum = T::zeros::<D>(&[1]);
    for n in 0..N {
        let x = T::load(
            x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        sum = sum + T::where_(length.gt(n), x, T::zeros::<D>(&[1]));
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// The sum over the second axis of `x[B, S, W, C]`, whose programs are numbers of three digits.
///
/// Grid: `[B * W * C]`.
#[kernel]
pub fn program_of_three_digits<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    S: i32,
    W: i32,
    C: i32,
) {
    let pid = T::program_id(Axis::X);
    let b = pid / (W * C);
    let w = (pid / C) % W;
    let c = pid % C;
    let mut sum = T::zeros::<D>(&[1]);
    for s in 0..S {
        sum = sum
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (((b * S + s) * W + w) * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            );
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + ((b * W + w) * C + c)), sum, None, &[], None, None);
}

/// Each row less its mean, in a grid that may have programs beyond them along both axes.
///
/// Grid: at least `[S, B]`.
#[kernel]
pub fn guarded_rows<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    B: i32,
    S: i32,
    C: i32,
) {
    let s = T::program_id(Axis::X);
    let b = T::program_id(Axis::Y);
    if s >= S {
        return;
    }
    if b >= B {
        return;
    }
    let base = (b * S + s) * C;
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut sums = zeros;
    let mut start: i32 = 0;
    while start < C {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(C);
        sums = sums
            + T::load(x_ptr.add_offsets(cols + base), Some(mask), Some(zeros), &[], None, None, None, false);
        start += BLOCK;
    }
    let mean = T::sum(sums, None, true) / T::cast::<i32, D>(T::full::<i32>(&[1], C), None, false);
    start = 0;
    while start < C {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(C);
        T::store(
            y_ptr.add_offsets(cols + base),
            T::load(x_ptr.add_offsets(cols + base), Some(mask), None, &[], None, None, None, false) - mean,
            Some(mask),
            &[],
            None,
            None,
        );
        start += BLOCK;
    }
}

/// The sum of each column, over tiles that are counted.
///
/// Grid: `[C]`.
#[kernel]
pub fn counted_tiles<T: Triton, const BLOCK: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let lowest = T::full::<f32>(&[BLOCK], -3.4028235e38_f32);
    let mut largest = lowest;
    for tile in 0..(N + BLOCK - 1) / BLOCK {
        let rows = T::arange(0, BLOCK) + tile * BLOCK;
        largest = T::maximum(
            largest,
            T::load(
                x_ptr.add_offsets(rows * C + c),
                Some(rows.lt(N)),
                Some(lowest),
                &[],
                None,
                None,
                None,
                false,
            ),
        );
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + c),
        T::max(largest, None, true),
        None,
        &[],
        None,
        None,
    );
}

/// Turns pairs of neighbours in each row by angles, where they stand.
///
/// Grid: `[N]`.
#[kernel]
pub fn turned_pairs<T: Triton, D: Float>(x_ptr: T::Pointer<D>, angle_ptr: T::Pointer<f32>, C: i32) {
    let row = T::program_id(Axis::X);
    let mut at: i32 = row * C * 2;
    let mut pair: i32 = 0;
    while pair < C {
        let angle = T::load(
            angle_ptr.add_offsets(T::arange(0, 1) + pair),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let re = T::cast::<D, f32>(
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + at),
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
        let im = T::cast::<D, f32>(
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (at + 1)),
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
        let c = T::cos(angle);
        let s = T::sin(angle);
        T::store(
            x_ptr.add_offsets(T::arange(0, 1) + at),
            T::cast::<f32, D>(re * c - im * s, None, false),
            None,
            &[],
            None,
            None,
        );
        T::store(
            x_ptr.add_offsets(T::arange(0, 1) + (at + 1)),
            T::cast::<f32, D>(re * s + im * c, None, false),
            None,
            &[],
            None,
            None,
        );
        at += 2;
        pair += 1;
    }
}

/// What is loaded of a row at `columns`, 0 beyond its end, with its square.
fn with_square<T: Triton, D: Float, const N: i32>(
    x_ptr: T::Pointer<D>,
    row: i32,
    columns: T::Tensor<i32>,
    C: i32,
) -> (T::Tensor<D>, T::Tensor<D>) {
    let inside = columns.lt(C);
    let x = T::load(
        x_ptr.add_offsets(columns + row * C),
        Some(inside),
        Some(T::zeros::<D>(&[N])),
        &[],
        None,
        None,
        None,
        false,
    );
    (x, x * x)
}

/// The sums of a row and of its squares.
fn row_sums<T: Triton, D: Float, const N: i32>(x_ptr: T::Pointer<D>, row: i32, C: i32) -> (T::Tensor<D>, T::Tensor<D>) {
    let mut sums = (T::zeros::<D>(&[N]), T::zeros::<D>(&[N]));
    let mut start: i32 = 0;
    while start < C {
        let (x, square) = with_square::<T, D, N>(x_ptr, row, T::arange(0, N) + start, C);
        sums.0 = sums.0 + x;
        sums.1 = sums.1 + square;
        start += N;
    }
    (T::sum(sums.0, Some(0), true), T::sum(sums.1, Some(0), true))
}

/// The mean of each row and that of its squares, through functions and tuples.
///
/// Grid: `[N]`.
#[kernel]
pub fn by_functions<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    square_ptr: T::Pointer<D>,
    C: i32,
) {
    let row = T::program_id(Axis::X);
    let count = T::cast::<i32, D>(T::full::<i32>(&[1], C), None, false);
    let sums = row_sums::<T, D, BLOCK>(x_ptr, row, C);
    let (sum, squares) = sums;
    T::store(mean_ptr.add_offsets(T::arange(0, 1) + row), sum / count, None, &[], None, None);
    T::store(square_ptr.add_offsets(T::arange(0, 1) + row), squares / count, None, &[], None, None);
}

/// The sum of each column, whose first rows count twice.
///
/// Grid: `[C]`.
#[kernel]
pub fn first_rows_twice<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32, first: i32) {
    let c = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    for n in 0..N {
        let x = T::load(
            x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let term = if n < first { x + x } else { x };
        sum = sum + term;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// Each row summed up to every element, itself counted or not.
///
/// Grid: `[N]`.
#[kernel]
pub fn summed_up_to<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    C: i32,
    exclusive: i32,
) {
    let row = T::program_id(Axis::X);
    let mut before = T::zeros::<D>(&[1]);
    let mut start: i32 = 0;
    while start < C {
        let cols = T::arange(0, BLOCK) + start;
        let mask = cols.lt(C);
        let x = T::load(
            x_ptr.add_offsets(cols + row * C),
            Some(mask),
            Some(T::zeros::<D>(&[BLOCK])),
            &[],
            None,
            None,
            None,
            false,
        );
        let sums = T::cumsum(x, 0, false) + before;
        let left = if exclusive > 0 { sums - x } else { sums };
        T::store(y_ptr.add_offsets(cols + row * C), left, Some(mask), &[], None, None);
        before = before + T::sum(x, Some(0), true);
        start += BLOCK;
    }
}
