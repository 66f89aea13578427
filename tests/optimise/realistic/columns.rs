//! Columns of a matrix `x[N, C]`: statistics, gradients of parameters, scales of quantisation, and what is applied to each.
//!
//! A program takes one column, and a loop its rows, in tiles of `BLOCK` or one by one.

use core::marker::PhantomData;

use teeny_core::{
    device::program::ArgVisitor,
    dtype::{Float, Int},
    model::{RawPtr, RuntimeOp},
};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The mean of each column.
///
/// Grid: `[C]`.
#[kernel]
pub fn column_mean<T: Triton, D: Float>(x_ptr: T::Pointer<D>, mean_ptr: T::Pointer<D>, N: i32, C: i32) {
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
    T::store(
        mean_ptr.add_offsets(T::arange(0, 1) + c),
        sum / T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false),
        None,
        &[],
        None,
        None,
    );
}

/// Mean and unbiased variance of each column, in two passes.
#[kernel]
pub fn column_variance<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    var_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let at = T::arange(0, 1) + c;
    let mut sum = T::zeros::<D>(&[1]);
    let mut n: i32 = 0;
    while n < N {
        sum = sum + T::load(x_ptr.add_offsets(at + n * C), None, None, &[], None, None, None, false);
        n += 1;
    }
    let mean = sum / T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false);
    let mut squares = T::zeros::<D>(&[1]);
    n = 0;
    while n < N {
        let centred = T::load(x_ptr.add_offsets(at + n * C), None, None, &[], None, None, None, false) - mean;
        squares = squares + centred * centred;
        n += 1;
    }
    T::store(mean_ptr.add_offsets(at), mean, None, &[], None, None);
    T::store(
        var_ptr.add_offsets(at),
        squares / T::cast::<i32, D>(T::full::<i32>(&[1], N - 1), None, false),
        None,
        &[],
        None,
        None,
    );
}

/// Mean and variance of each column from one pass, of tiles of rows.
#[kernel]
pub fn column_moments<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<f32>,
    var_ptr: T::Pointer<f32>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let zeros = T::zeros::<f32>(&[BLOCK]);
    let mut sums = zeros;
    let mut squares = zeros;
    let mut start: i32 = 0;
    while start < N {
        let rows = T::arange(0, BLOCK) + start;
        let mask = rows.lt(N);
        let x = T::cast::<D, f32>(
            T::load(x_ptr.add_offsets(rows * C + c), Some(mask), None, &[], None, None, None, false),
            None,
            false,
        );
        let x = T::where_(mask, x, zeros);
        sums = sums + x;
        squares = squares + x * x;
        start += BLOCK;
    }
    let scale = T::full::<f32>(&[1], 1.0_f32 / (N as f32));
    let mean = T::sum(sums, None, true) * scale;
    let var = T::maximum(T::sum(squares, None, true) * scale - mean * mean, T::zeros::<f32>(&[1]));
    T::store(mean_ptr.add_offsets(T::arange(0, 1) + c), mean, None, &[], None, None);
    T::store(var_ptr.add_offsets(T::arange(0, 1) + c), var, None, &[], None, None);
}

/// The largest of each column, from its first row on.
#[kernel]
pub fn column_max<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut largest =
        T::load(x_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false);
    for n in 1..N {
        largest = T::maximum(
            largest,
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            ),
        );
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), largest, None, &[], None, None);
}

/// The least of each column, of tiles of rows.
#[kernel]
pub fn column_min<T: Triton, const BLOCK: i32>(
    x_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<f32>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let far = T::full::<f32>(&[BLOCK], 3.4028235e38_f32);
    let mut least = far;
    let mut start: i32 = 0;
    while start < N {
        let rows = T::arange(0, BLOCK) + start;
        let mask = rows.lt(N);
        let x = T::load(x_ptr.add_offsets(rows * C + c), Some(mask), Some(far), &[], None, None, None, false);
        least = T::minimum(least, x);
        start += BLOCK;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), T::min(least, None, true), None, &[], None, None);
}

/// The scale of each column for 8 bits: its largest absolute value over 127.
#[kernel]
pub fn column_scale<T: Triton, D: Float>(x_ptr: T::Pointer<D>, scale_ptr: T::Pointer<f32>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut largest = T::zeros::<f32>(&[1]);
    for n in 0..N {
        let x = T::cast::<D, f32>(
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
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
        largest = T::maximum(largest, T::abs(x));
    }
    T::store(
        scale_ptr.add_offsets(T::arange(0, 1) + c),
        largest / T::full::<f32>(&[1], 127.0_f32),
        None,
        &[],
        None,
        None,
    );
}

/// Each column in steps of its scale, as integers.
#[kernel]
pub fn quantise_columns<T: Triton, const BLOCK: i32>(
    x_ptr: T::Pointer<f32>,
    scale_ptr: T::Pointer<f32>,
    y_ptr: T::Pointer<i32>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let scale = T::broadcast_to(
        T::load(scale_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false),
        &[BLOCK],
    );
    let half = T::full::<f32>(&[BLOCK], 0.5_f32);
    let mut start: i32 = 0;
    while start < N {
        let rows = T::arange(0, BLOCK) + start;
        let mask = rows.lt(N);
        let x = T::load(x_ptr.add_offsets(rows * C + c), Some(mask), None, &[], None, None, None, false);
        let y = T::cast::<f32, i32>(T::floor(x / scale + half), None, false);
        T::store(y_ptr.add_offsets(rows * C + c), y, Some(mask), &[], None, None);
        start += BLOCK;
    }
}

/// The Euclidean norm of each column.
#[kernel]
pub fn column_norm<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let at = T::arange(0, 1) + c;
    let mut squares = T::zeros::<D>(&[1]);
    let mut n: i32 = 0;
    while n < N {
        let x = T::load(x_ptr.add_offsets(at + C * n), None, None, &[], None, None, None, false);
        squares = squares + x * x;
        n += 1;
    }
    T::store(y_ptr.add_offsets(at), T::sqrt(squares), None, &[], None, None);
}

/// What a softmax over each column needs: the largest, and the sum of exponentials below it.
#[kernel]
pub fn column_softmax_statistics<T: Triton>(
    x_ptr: T::Pointer<f32>,
    max_ptr: T::Pointer<f32>,
    sum_ptr: T::Pointer<f32>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let mut largest = T::full::<f32>(&[1], -3.4028235e38_f32);
    let mut n: i32 = 0;
    while n < N {
        largest = T::maximum(
            largest,
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            ),
        );
        n += 1;
    }
    let mut sum = T::zeros::<f32>(&[1]);
    n = 0;
    while n < N {
        sum = sum
            + T::exp(
                T::load(
                    x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                    None,
                    None,
                    &[],
                    None,
                    None,
                    None,
                    false,
                ) - largest,
            );
        n += 1;
    }
    T::store(max_ptr.add_offsets(T::arange(0, 1) + c), largest, None, &[], None, None);
    T::store(sum_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// A softmax over each column.
#[kernel]
pub fn column_softmax<T: Triton>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut largest = T::full::<f32>(&[1], -3.4028235e38_f32);
    for n in 0..N {
        largest = T::maximum(
            largest,
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            ),
        );
    }
    let mut sum = T::zeros::<f32>(&[1]);
    for n in 0..N {
        sum = sum
            + T::exp(
                T::load(
                    x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
                    None,
                    None,
                    &[],
                    None,
                    None,
                    None,
                    false,
                ) - largest,
            );
    }
    for n in 0..N {
        let at = T::arange(0, 1) + (n * C + c);
        let shifted =
            T::exp(T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false) - largest);
        T::store(y_ptr.add_offsets(at), shifted / sum, None, &[], None, None);
    }
}

/// The gradients of weight and bias of a layer norm: sums over the rows.
#[kernel]
pub fn layer_norm_parameter_gradients<T: Triton, D: Float, const BLOCK: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<f32>,
    rstd_ptr: T::Pointer<f32>,
    dweight_ptr: T::Pointer<D>,
    dbias_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut dweight = zeros;
    let mut dbias = zeros;
    let mut start: i32 = 0;
    while start < N {
        let rows = T::arange(0, BLOCK) + start;
        let mask = rows.lt(N);
        let dy =
            T::load(dy_ptr.add_offsets(rows * C + c), Some(mask), Some(zeros), &[], None, None, None, false);
        let x =
            T::load(x_ptr.add_offsets(rows * C + c), Some(mask), Some(zeros), &[], None, None, None, false);
        let mean = T::cast::<f32, D>(
            T::load(
                mean_ptr.add_offsets(rows),
                Some(mask),
                Some(T::zeros::<f32>(&[BLOCK])),
                &[],
                None,
                None,
                None,
                false,
            ),
            None,
            false,
        );
        let rstd = T::cast::<f32, D>(
            T::load(
                rstd_ptr.add_offsets(rows),
                Some(mask),
                Some(T::zeros::<f32>(&[BLOCK])),
                &[],
                None,
                None,
                None,
                false,
            ),
            None,
            false,
        );
        dweight = dweight + dy * (x - mean) * rstd;
        dbias = dbias + dy;
        start += BLOCK;
    }
    let at = T::arange(0, 1) + c;
    T::store(dweight_ptr.add_offsets(at), T::sum(dweight, None, true), None, &[], None, None);
    T::store(dbias_ptr.add_offsets(at), T::sum(dbias, None, true), None, &[], None, None);
}

/// The sum of each column of integers.
#[kernel]
pub fn column_total<T: Triton, D: Int>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, N: i32, C: i32) {
    let c = T::program_id(Axis::X);
    let mut total = T::zeros::<D>(&[1]);
    let mut n: i32 = 0;
    while n < N {
        total = total
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
    T::store(y_ptr.add_offsets(T::arange(0, 1) + c), total, None, &[], None, None);
}

/// How many numbers of each column are above a threshold.
#[kernel]
pub fn column_count_above<T: Triton>(
    x_ptr: T::Pointer<f32>,
    count_ptr: T::Pointer<i32>,
    N: i32,
    C: i32,
    threshold: f32,
) {
    let c = T::program_id(Axis::X);
    let mut count = T::zeros::<i32>(&[1]);
    for n in 0..N {
        let above = T::load(
            x_ptr.add_offsets(T::arange(0, 1) + (n * C + c)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        )
        .gt(threshold);
        count = count + T::where_(above, T::full::<i32>(&[1], 1), T::full::<i32>(&[1], 0));
    }
    T::store(count_ptr.add_offsets(T::arange(0, 1) + c), count, None, &[], None, None);
}

/// Moves a running mean towards the mean of each column.
#[kernel]
pub fn update_running_mean<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    running_ptr: T::Pointer<f32>,
    N: i32,
    C: i32,
    momentum: f32,
) {
    let c = T::program_id(Axis::X);
    let at = T::arange(0, 1) + c;
    let mut sum = T::zeros::<f32>(&[1]);
    let mut n: i32 = 0;
    while n < N {
        sum = sum
            + T::cast::<D, f32>(
                T::load(x_ptr.add_offsets(at + n * C), None, None, &[], None, None, None, false),
                None,
                false,
            );
        n += 1;
    }
    let mean = sum / T::full::<f32>(&[1], N as f32);
    let old = T::load(running_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    T::store(
        running_ptr.add_offsets(at),
        old + T::full::<f32>(&[1], momentum) * (mean - old),
        None,
        &[],
        None,
        None,
    );
}

/// A scale and a shift for each channel of `x[N, C]`, channels last.
#[kernel]
pub fn channel_affine<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let weight =
        T::load(weight_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false);
    let bias = T::load(bias_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false);
    for n in 0..N {
        let at = T::arange(0, 1) + (n * C + c);
        T::store(
            y_ptr.add_offsets(at),
            T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false) * weight + bias,
            None,
            &[],
            None,
            None,
        );
    }
}

/// A leaky unit with a slope for each channel of `x[N, C]`.
#[kernel]
pub fn prelu_columns<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    slope_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) {
    let c = T::program_id(Axis::X);
    let slope = T::broadcast_to(
        T::load(slope_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false),
        &[BLOCK],
    );
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut start: i32 = 0;
    while start < N {
        let rows = T::arange(0, BLOCK) + start;
        let mask = rows.lt(N);
        let x = T::load(x_ptr.add_offsets(rows * C + c), Some(mask), None, &[], None, None, None, false);
        let y = T::where_(x.gt(zeros), x, x * slope);
        T::store(y_ptr.add_offsets(rows * C + c), y, Some(mask), &[], None, None);
        start += BLOCK;
    }
}

/// A moving average along each column: each row needs the one before.
#[kernel]
pub fn moving_average<T: Triton>(x_ptr: T::Pointer<f32>, y_ptr: T::Pointer<f32>, N: i32, C: i32, decay: f32) {
    let c = T::program_id(Axis::X);
    let keep = T::full::<f32>(&[1], decay);
    let mut state = T::zeros::<f32>(&[1]);
    for n in 0..N {
        let at = T::arange(0, 1) + (n * C + c);
        let x = T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);
        state = state * keep + x;
        T::store(y_ptr.add_offsets(at), state, None, &[], None, None);
    }
}

/// The means of columns.
pub struct ColumnMeanRuntimeOp<D: Float + Send + Sync + 'static> {
    kernel: ColumnMean<D>,
    _marker: PhantomData<D>,
}

impl<D: Float + Send + Sync + 'static> ColumnMeanRuntimeOp<D> {
    pub fn new() -> Self {
        Self { kernel: ColumnMean::new(), _marker: PhantomData }
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for ColumnMeanRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, _input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        vec![]
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        _params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let (x, shape) = inputs[0];
        visitor.visit_ptr(x);
        visitor.visit_ptr(output);
        visitor.visit_i32((shape.iter().product::<usize>() / output_shape[0]) as i32);
        visitor.visit_i32(output_shape[0] as i32);
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [output_shape[0] as u32, 1, 1]
    }
}
