//! Batch normalisation: inference, the two launches of a training step, and the gradients.
//!
//! Two layouts. The `batch_norm_*` kernels read a row-major matrix `x[N, C]`, whose element
//! `x[n, c]` lies at `n * C + c` (a channels-last image batch is one, batch and positions folded
//! into `N`). The `batch_norm_2d_nchw_*` kernels read `x[B, C, H, W]` in place, with `HW = H * W`:
//! element `x[b, c, p]` lies at `(b * C + c) * HW + p`.
//!
//! A program owns one channel (one plane of it for the image forward) and walks it in tiles, so no
//! two programs share a sum and a result does not depend on the order in which they run. Offsets
//! are `i32`; of a tensor of 2^31 elements and more, they need the form with 64-bit offsets.
//!
//! Numerics. Statistics take two passes over the data, the mean first and then the squares of what
//! is left after subtracting it; the difference of two large sums never appears. Lanes beyond the
//! end of a channel enter a sum as an explicit zero, whatever their load returned. `eps` and
//! `momentum` arrive as f32 and enter the arithmetic in `D`; a mean divides by the count in `D`.
//!
//! Operators. The `…RuntimeOp`s at the end say how a graph launches the kernels. Those over a matrix
//! take `x[..., C]` of any rank: the last dimension is the channel, the others are rows. A training
//! step is two of them: `BatchNormStatsRuntimeOp`, then `BatchNormNormalizeRuntimeOp` on its result.

#![allow(non_snake_case)]

use core::marker::PhantomData;

use teeny_core::{
    device::program::ArgVisitor,
    dtype::Float,
    model::{RawPtr, RuntimeOp},
};
use teeny_macros::kernel;
use teeny_triton::triton::{
    types::{AddOffsets, Comparison},
    *,
};

/// Normalises `x[N, C]` with the running statistics, as a model in evaluation mode does.
///
/// `y = (x - running_mean) * weight / sqrt(running_var + eps) + bias`, channel by channel. The
/// statistics, `weight` and `bias` have shape `[C]` and are only read; `y` has the shape of `x`.
///
/// Grid: `[C]`.
#[kernel]
pub fn batch_norm_forward_inference<T: Triton, D: Float, const BLOCK_N: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    running_mean_ptr: T::Pointer<D>,
    running_var_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let channel = T::program_id(Axis::X);
    let at = T::arange(0, 1) + channel;

    let mean = T::load(running_mean_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let var = T::load(running_var_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let weight = T::load(weight_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let bias = T::load(bias_ptr.add_offsets(at), None, None, &[], None, None, None, false);

    // One factor a channel: the tiles below then cost a subtraction, a product and a sum.
    let scale = weight * T::rsqrt(var + T::full::<D>(&[1], D::from_f64(eps as f64)));

    let centre = T::broadcast_to(mean, &[BLOCK_N]);
    let slope = T::broadcast_to(scale, &[BLOCK_N]);
    let shift = T::broadcast_to(bias, &[BLOCK_N]);

    let mut first: i32 = 0;
    while first < N {
        let rows = T::arange(0, BLOCK_N) + first;
        let inside = rows.lt(N);
        let offsets = rows * C + channel;

        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        let y = (x - centre) * slope + shift;
        T::store(y_ptr.add_offsets(offsets), y, Some(inside), &[], None, None);

        first += BLOCK_N;
    }
}

/// Takes the statistics of a training batch `x[N, C]` and moves the running ones towards them.
///
/// Writes the mean of each channel to `mean[C]` and `1 / sqrt(var + eps)` to `rstd[C]`, where `var`
/// is the biased variance, the mean of the squared distances from the mean. Then updates in place
/// `running = (1 - momentum) * running + momentum * batch` for `running_mean[C]` and
/// `running_var[C]`. The running variance takes the biased variance as well; `torch.nn.BatchNorm1d`
/// would take `var * N / (N - 1)` there.
///
/// `batch_norm_normalize_forward` reads what this kernel wrote: launch it afterwards on the same
/// stream.
///
/// Grid: `[C]`.
#[cfg(feature = "training")]
#[kernel]
pub fn batch_norm_stats_forward<T: Triton, D: Float, const BLOCK_N: i32>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    running_mean_ptr: T::Pointer<D>,
    running_var_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    eps: f32,
    momentum: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let channel = T::program_id(Axis::X);
    let at = T::arange(0, 1) + channel;
    let zeros = T::zeros::<D>(&[BLOCK_N]);
    let count = T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false);

    // First pass: every lane adds up its own rows, and the lanes are added once at the end.
    let mut sums = zeros;
    let mut first: i32 = 0;
    while first < N {
        let rows = T::arange(0, BLOCK_N) + first;
        let inside = rows.lt(N);
        let offsets = rows * C + channel;

        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        sums = sums + T::where_(inside, x, zeros);

        first += BLOCK_N;
    }
    let mean = T::sum(sums, None, true) / count;

    // Second pass: the squares of the distances from that mean.
    let centre = T::broadcast_to(mean, &[BLOCK_N]);
    let mut squares = zeros;
    first = 0;
    while first < N {
        let rows = T::arange(0, BLOCK_N) + first;
        let inside = rows.lt(N);
        let offsets = rows * C + channel;

        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        let distance = T::where_(inside, x - centre, zeros);
        squares = squares + distance * distance;

        first += BLOCK_N;
    }
    let var = T::sum(squares, None, true) / count;
    let rstd = T::rsqrt(var + T::full::<D>(&[1], D::from_f64(eps as f64)));

    T::store(mean_ptr.add_offsets(at), mean, None, &[], None, None);
    T::store(rstd_ptr.add_offsets(at), rstd, None, &[], None, None);

    // Two products rather than `old + momentum * (batch - old)`: an infinite old value stays
    // infinite instead of turning into NaN.
    let take = T::full::<D>(&[1], D::from_f64(momentum as f64));
    let keep = T::full::<D>(&[1], D::from_f64(1.0 - momentum as f64));
    let old_mean =
        T::load(running_mean_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let old_var =
        T::load(running_var_ptr.add_offsets(at), None, None, &[], None, None, None, false);

    let new_mean = keep * old_mean + take * mean;
    let new_var = keep * old_var + take * var;
    T::store(running_mean_ptr.add_offsets(at), new_mean, None, &[], None, None);
    T::store(running_var_ptr.add_offsets(at), new_var, None, &[], None, None);
}

/// Normalises a training batch `x[N, C]` with the statistics of that batch.
///
/// `y = (x - mean) * rstd * weight + bias`, channel by channel, with `mean[C]` and `rstd[C]` as
/// `batch_norm_stats_forward` left them.
///
/// Grid: `[C]`.
#[cfg(feature = "training")]
#[kernel]
pub fn batch_norm_normalize_forward<T: Triton, D: Float, const BLOCK_N: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let channel = T::program_id(Axis::X);
    let at = T::arange(0, 1) + channel;

    let mean = T::load(mean_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let rstd = T::load(rstd_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let weight = T::load(weight_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let bias = T::load(bias_ptr.add_offsets(at), None, None, &[], None, None, None, false);

    let centre = T::broadcast_to(mean, &[BLOCK_N]);
    let slope = T::broadcast_to(weight * rstd, &[BLOCK_N]);
    let shift = T::broadcast_to(bias, &[BLOCK_N]);

    let mut first: i32 = 0;
    while first < N {
        let rows = T::arange(0, BLOCK_N) + first;
        let inside = rows.lt(N);
        let offsets = rows * C + channel;

        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        let y = (x - centre) * slope + shift;
        T::store(y_ptr.add_offsets(offsets), y, Some(inside), &[], None, None);

        first += BLOCK_N;
    }
}

/// Gradients of a training step over `x[N, C]`, given the gradient `dy[N, C]` of its output.
///
/// With `xhat = (x - mean) * rstd` and averages over the rows of a channel:
/// ```text
/// dbias   = sum(dy)
/// dweight = sum(dy * xhat)
/// dx      = weight * rstd * (dy - average(dy) - xhat * average(dy * xhat))
/// ```
/// The two averages in `dx` are the paths through the batch's own mean and variance (Ioffe and
/// Szegedy, 2015, section 3). `xhat` is computed again from `x` in each pass instead of being kept.
///
/// Grid: `[C]`.
#[cfg(feature = "training")]
#[kernel]
pub fn batch_norm_backward<T: Triton, D: Float, const BLOCK_N: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    dweight_ptr: T::Pointer<D>,
    dbias_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let channel = T::program_id(Axis::X);
    let at = T::arange(0, 1) + channel;
    let zeros = T::zeros::<D>(&[BLOCK_N]);

    let mean = T::load(mean_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let rstd = T::load(rstd_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let weight = T::load(weight_ptr.add_offsets(at), None, None, &[], None, None, None, false);

    let centre = T::broadcast_to(mean, &[BLOCK_N]);
    let spread = T::broadcast_to(rstd, &[BLOCK_N]);

    // First pass: the gradients of the parameters.
    let mut bias_sums = zeros;
    let mut weight_sums = zeros;
    let mut first: i32 = 0;
    while first < N {
        let rows = T::arange(0, BLOCK_N) + first;
        let inside = rows.lt(N);
        let offsets = rows * C + channel;

        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        let dy =
            T::load(dy_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        let xhat = (x - centre) * spread;

        bias_sums = bias_sums + T::where_(inside, dy, zeros);
        weight_sums = weight_sums + T::where_(inside, dy * xhat, zeros);

        first += BLOCK_N;
    }
    let dbias = T::sum(bias_sums, None, true);
    let dweight = T::sum(weight_sums, None, true);
    T::store(dbias_ptr.add_offsets(at), dbias, None, &[], None, None);
    T::store(dweight_ptr.add_offsets(at), dweight, None, &[], None, None);

    // Second pass: the gradient of the input, which needs both sums complete.
    let count = T::cast::<i32, D>(T::full::<i32>(&[1], N), None, false);
    let average_dy = T::broadcast_to(dbias / count, &[BLOCK_N]);
    let average_dy_xhat = T::broadcast_to(dweight / count, &[BLOCK_N]);
    let slope = T::broadcast_to(weight * rstd, &[BLOCK_N]);
    first = 0;
    while first < N {
        let rows = T::arange(0, BLOCK_N) + first;
        let inside = rows.lt(N);
        let offsets = rows * C + channel;

        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        let dy =
            T::load(dy_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        let xhat = (x - centre) * spread;

        let dx = slope * (dy - average_dy - xhat * average_dy_xhat);
        T::store(dx_ptr.add_offsets(offsets), dx, Some(inside), &[], None, None);

        first += BLOCK_N;
    }
}

/// Normalises an image batch `x[B, C, H, W]` with the running statistics, without moving it to
/// another layout.
///
/// `y = (x - running_mean) * weight / sqrt(running_var + eps) + bias`, with statistics, `weight`
/// and `bias` of shape `[C]`; `HW` is `H * W`.
///
/// Grid: `[C, B]`, one program a plane.
#[kernel]
pub fn batch_norm_2d_nchw_forward_inference<T: Triton, D: Float, const BLOCK_HW: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    running_mean_ptr: T::Pointer<D>,
    running_var_ptr: T::Pointer<D>,
    C: i32,
    HW: i32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let channel = T::program_id(Axis::X);
    let image = T::program_id(Axis::Y);
    let at = T::arange(0, 1) + channel;

    let mean = T::load(running_mean_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let var = T::load(running_var_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let weight = T::load(weight_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let bias = T::load(bias_ptr.add_offsets(at), None, None, &[], None, None, None, false);

    let scale = weight * T::rsqrt(var + T::full::<D>(&[1], D::from_f64(eps as f64)));

    let centre = T::broadcast_to(mean, &[BLOCK_HW]);
    let slope = T::broadcast_to(scale, &[BLOCK_HW]);
    let shift = T::broadcast_to(bias, &[BLOCK_HW]);

    let plane = (image * C + channel) * HW;
    let mut first: i32 = 0;
    while first < HW {
        let positions = T::arange(0, BLOCK_HW) + first;
        let inside = positions.lt(HW);
        let offsets = positions + plane;

        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        let y = (x - centre) * slope + shift;
        T::store(y_ptr.add_offsets(offsets), y, Some(inside), &[], None, None);

        first += BLOCK_HW;
    }
}

/// Gradients of `batch_norm_2d_nchw_forward_inference`, given the gradient `dy[B, C, H, W]` of its
/// output.
///
/// The running statistics are constants here, so no average over the batch enters `dx`. With
/// `rstd = 1 / sqrt(running_var + eps)` and `xhat = (x - running_mean) * rstd`:
/// ```text
/// dbias   = sum(dy)
/// dweight = sum(dy * xhat)
/// dx      = weight * rstd * dy
/// ```
/// with the sums over the batch and the positions of a channel.
///
/// Grid: `[C]`; each program walks the `B` planes of its channel.
#[cfg(feature = "training")]
#[kernel]
pub fn batch_norm_2d_nchw_backward<T: Triton, D: Float, const BLOCK_HW: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    running_mean_ptr: T::Pointer<D>,
    running_var_ptr: T::Pointer<D>,
    dweight_ptr: T::Pointer<D>,
    dbias_ptr: T::Pointer<D>,
    B: i32,
    C: i32,
    HW: i32,
    eps: f32,
) where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
{
    let channel = T::program_id(Axis::X);
    let at = T::arange(0, 1) + channel;
    let zeros = T::zeros::<D>(&[BLOCK_HW]);

    let mean = T::load(running_mean_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let var = T::load(running_var_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let weight = T::load(weight_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    let rstd = T::rsqrt(var + T::full::<D>(&[1], D::from_f64(eps as f64)));

    let centre = T::broadcast_to(mean, &[BLOCK_HW]);
    let spread = T::broadcast_to(rstd, &[BLOCK_HW]);
    let slope = T::broadcast_to(weight * rstd, &[BLOCK_HW]);

    let mut bias_sums = zeros;
    let mut weight_sums = zeros;
    for image in 0..B {
        // A tile stays inside one plane, where the positions are contiguous in memory.
        let plane = (image * C + channel) * HW;
        let mut first: i32 = 0;
        while first < HW {
            let positions = T::arange(0, BLOCK_HW) + first;
            let inside = positions.lt(HW);
            let offsets = positions + plane;

            let x = T::load(
                x_ptr.add_offsets(offsets),
                Some(inside),
                None,
                &[],
                None,
                None,
                None,
                false,
            );
            let dy = T::load(
                dy_ptr.add_offsets(offsets),
                Some(inside),
                None,
                &[],
                None,
                None,
                None,
                false,
            );
            let xhat = (x - centre) * spread;

            bias_sums = bias_sums + T::where_(inside, dy, zeros);
            weight_sums = weight_sums + T::where_(inside, dy * xhat, zeros);
            T::store(dx_ptr.add_offsets(offsets), slope * dy, Some(inside), &[], None, None);

            first += BLOCK_HW;
        }
    }

    T::store(dbias_ptr.add_offsets(at), T::sum(bias_sums, None, true), None, &[], None, None);
    T::store(dweight_ptr.add_offsets(at), T::sum(weight_sums, None, true), None, &[], None, None);
}

/// Normalises `x[..., C]` with the running statistics; the output has the shape of `x`.
///
/// The parameters are `weight`, `bias`, `running_mean` and `running_var`, all of shape `[C]`. There
/// is no backward half: `BatchNorm2dNchwInferenceRuntimeOp` has one.
pub struct BatchNormInferenceRuntimeOp<D: Float + Send + Sync + 'static> {
    kernel: BatchNormForwardInference<D>,
    eps: f32,
}

impl<D: Float + Send + Sync + 'static> BatchNormInferenceRuntimeOp<D> {
    pub fn new(block_n: i32, eps: f32) -> Self {
        Self { kernel: BatchNormForwardInference::<D>::new(block_n), eps }
    }

    pub fn forward_source(&self) -> &str {
        &self.kernel.source
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for BatchNormInferenceRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        let channels = input_shapes[0].last().copied().unwrap_or(1);
        vec![vec![channels], vec![channels], vec![channels], vec![channels]]
    }

    fn param_names(&self) -> &'static [&'static str] {
        &["weight", "bias", "running_mean", "running_var"]
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let channels = output_shape.last().copied().unwrap_or(1);
        let elements: usize = output_shape.iter().product();

        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_ptr(params[0]); // weight
        visitor.visit_ptr(params[1]); // bias
        visitor.visit_ptr(params[2]); // running_mean
        visitor.visit_ptr(params[3]); // running_var
        visitor.visit_i32((elements / channels) as i32);
        visitor.visit_i32(channels as i32);
        visitor.visit_f32(self.eps);
    }

    fn block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let channels = output_shape.last().copied().unwrap_or(1);
        [channels as u32, 1, 1]
    }
}

/// What `BatchNormStatsRuntimeOp` computes of each channel: its mean, and `1 / sqrt(var + eps)`.
#[cfg(feature = "training")]
const STATISTICS: usize = 2;

/// Takes the statistics of a training batch `x[..., C]`, and moves the running ones towards them.
///
/// The output is `[2 * C]`: the means of all channels, then their `1 / sqrt(var + eps)`. The
/// parameters are `running_mean` and `running_var`, both of shape `[C]`, updated in place.
#[cfg(feature = "training")]
pub struct BatchNormStatsRuntimeOp<D: Float + Send + Sync + 'static> {
    block_n: i32,
    eps: f32,
    momentum: f32,
    _dtype: PhantomData<D>,
}

#[cfg(feature = "training")]
impl<D: Float + Send + Sync + 'static> BatchNormStatsRuntimeOp<D> {
    pub fn new(block_n: i32, eps: f32, momentum: f32) -> Self {
        Self { block_n, eps, momentum, _dtype: PhantomData }
    }

    pub fn forward_source(&self) -> String {
        BatchNormStatsForward::<D>::new(self.block_n).source
    }
}

#[cfg(feature = "training")]
impl<D: Float + Send + Sync + 'static> RuntimeOp for BatchNormStatsRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        let channels = input_shapes[0].last().copied().unwrap_or(1);
        vec![vec![channels], vec![channels]]
    }

    fn param_names(&self) -> &'static [&'static str] {
        &["running_mean", "running_var"]
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let (x, x_shape) = inputs[0];
        let channels = output_shape[0] / STATISTICS;
        let elements: usize = x_shape.iter().product();
        // SAFETY: the output has room for two values a channel.
        let rstd = unsafe { (output as *mut D).add(channels) } as RawPtr;

        visitor.visit_ptr(x);
        visitor.visit_ptr(output); // mean, the first half
        visitor.visit_ptr(rstd); // the second
        visitor.visit_ptr(params[0]); // running_mean
        visitor.visit_ptr(params[1]); // running_var
        visitor.visit_i32((elements / channels) as i32);
        visitor.visit_i32(channels as i32);
        visitor.visit_f32(self.eps);
        visitor.visit_f32(self.momentum);
    }

    fn block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [(output_shape[0] / STATISTICS) as u32, 1, 1]
    }
}

/// Normalises a training batch `x[..., C]` with the statistics `stats[2 * C]` that
/// `BatchNormStatsRuntimeOp` took of it; the output has the shape of `x`.
///
/// The parameters are `weight` and `bias`, both of shape `[C]`. The backward half differentiates the
/// whole training step: the gradient of `x` contains the paths through the statistics, and `stats`
/// itself has none.
#[cfg(feature = "training")]
pub struct BatchNormNormalizeRuntimeOp<D: Float + Send + Sync + 'static> {
    normalize: BatchNormNormalizeForward<D>,
    gradients: BatchNormBackward<D>,
}

#[cfg(feature = "training")]
impl<D: Float + Send + Sync + 'static> BatchNormNormalizeRuntimeOp<D> {
    pub fn new(block_n: i32) -> Self {
        Self {
            normalize: BatchNormNormalizeForward::<D>::new(block_n),
            gradients: BatchNormBackward::<D>::new(block_n),
        }
    }

    pub fn forward_source(&self) -> &str {
        &self.normalize.source
    }

    pub fn backward_source(&self) -> &str {
        &self.gradients.source
    }
}

#[cfg(feature = "training")]
impl<D: Float + Send + Sync + 'static> RuntimeOp for BatchNormNormalizeRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        2
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        let channels = input_shapes[1][0] / STATISTICS;
        vec![vec![channels], vec![channels]]
    }

    fn param_names(&self) -> &'static [&'static str] {
        &["weight", "bias"]
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let (x, _) = inputs[0];
        let (stats, stats_shape) = inputs[1];
        let channels = stats_shape[0] / STATISTICS;
        let elements: usize = output_shape.iter().product();
        // SAFETY: `stats` holds two values a channel.
        let rstd = unsafe { (stats as *mut D).add(channels) } as RawPtr;

        visitor.visit_ptr(x);
        visitor.visit_ptr(output);
        visitor.visit_ptr(params[0]); // weight
        visitor.visit_ptr(params[1]); // bias
        visitor.visit_ptr(stats); // mean, the first half
        visitor.visit_ptr(rstd); // the second
        visitor.visit_i32((elements / channels) as i32);
        visitor.visit_i32(channels as i32);
    }

    fn block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let channels = output_shape.last().copied().unwrap_or(1);
        [channels as u32, 1, 1]
    }

    fn has_backward(&self) -> bool {
        true
    }

    fn pack_backward_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        _output: RawPtr,
        output_shape: &[usize],
        grad_output: RawPtr,
        _grad_output_row_stride: i32,
        grad_inputs: &[RawPtr],
        grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        let (x, _) = inputs[0];
        let (stats, stats_shape) = inputs[1];
        let channels = stats_shape[0] / STATISTICS;
        let elements: usize = output_shape.iter().product();
        // SAFETY: `stats` holds two values a channel.
        let rstd = unsafe { (stats as *mut D).add(channels) } as RawPtr;

        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(x);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_ptr(params[0]); // weight; the gradients do not depend on bias
        visitor.visit_ptr(stats);
        visitor.visit_ptr(rstd);
        visitor.visit_ptr(grad_params[0]); // of weight
        visitor.visit_ptr(grad_params[1]); // of bias
        visitor.visit_i32((elements / channels) as i32);
        visitor.visit_i32(channels as i32);
    }

    fn backward_block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    fn backward_grid(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> [u32; 3] {
        [(input_shapes[1][0] / STATISTICS) as u32, 1, 1]
    }
}

/// Normalises an image batch `x[B, C, H, W]` with the running statistics; the output has the shape
/// of `x`.
///
/// The parameters are `weight`, `bias`, `running_mean` and `running_var`, all of shape `[C]`; the
/// backward half leaves the statistics alone.
pub struct BatchNorm2dNchwInferenceRuntimeOp<D: Float + Send + Sync + 'static> {
    kernel: BatchNorm2dNchwForwardInference<D>,
    block_hw: i32,
    eps: f32,
}

impl<D: Float + Send + Sync + 'static> BatchNorm2dNchwInferenceRuntimeOp<D> {
    pub fn new(block_hw: i32, eps: f32) -> Self {
        Self { kernel: BatchNorm2dNchwForwardInference::<D>::new(block_hw), block_hw, eps }
    }

    pub fn forward_source(&self) -> &str {
        &self.kernel.source
    }

    #[cfg(feature = "training")]
    pub fn backward_source(&self) -> String {
        BatchNorm2dNchwBackward::<D>::new(self.block_hw).source
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for BatchNorm2dNchwInferenceRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        let channels = input_shapes[0][1];
        vec![vec![channels], vec![channels], vec![channels], vec![channels]]
    }

    fn param_names(&self) -> &'static [&'static str] {
        &["weight", "bias", "running_mean", "running_var"]
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let positions = output_shape[2] * output_shape[3];

        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_ptr(params[0]); // weight
        visitor.visit_ptr(params[1]); // bias
        visitor.visit_ptr(params[2]); // running_mean
        visitor.visit_ptr(params[3]); // running_var
        visitor.visit_i32(output_shape[1] as i32);
        visitor.visit_i32(positions as i32);
        visitor.visit_f32(self.eps);
    }

    fn block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [output_shape[1] as u32, output_shape[0] as u32, 1]
    }

    #[cfg(feature = "training")]
    fn has_backward(&self) -> bool {
        true
    }

    #[cfg(feature = "training")]
    fn pack_backward_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        _output: RawPtr,
        output_shape: &[usize],
        grad_output: RawPtr,
        _grad_output_row_stride: i32,
        grad_inputs: &[RawPtr],
        grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        let positions = output_shape[2] * output_shape[3];

        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_ptr(params[0]); // weight; the gradients do not depend on bias
        visitor.visit_ptr(params[2]); // running_mean
        visitor.visit_ptr(params[3]); // running_var
        visitor.visit_ptr(grad_params[0]); // of weight
        visitor.visit_ptr(grad_params[1]); // of bias
        visitor.visit_i32(output_shape[0] as i32);
        visitor.visit_i32(output_shape[1] as i32);
        visitor.visit_i32(positions as i32);
        visitor.visit_f32(self.eps);
    }

    #[cfg(feature = "training")]
    fn backward_block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> [u32; 3] {
        [input_shapes[0][1] as u32, 1, 1]
    }
}
