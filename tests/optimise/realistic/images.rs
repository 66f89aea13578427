//! Images `x[N, C, HW]`: a plane of `HW` numbers for each channel `C` of each of `N` images.
//!
//! A program takes one channel, or one plane of it. Some kernels walk all `N * HW` elements of a channel by one index, and
//! take it apart with `/` and `%`.

use core::marker::PhantomData;

use teeny_core::{
    device::program::ArgVisitor,
    dtype::{Float, Num},
    model::{RawPtr, RuntimeOp},
};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The gradient of a bias for each channel, element by element.
///
/// Grid: `[C]`.
#[kernel]
pub fn bias_gradient<T: Triton, D: Float>(
    dy_ptr: T::Pointer<D>,
    dbias_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    HW: i32,
) {
    let c = T::program_id(Axis::X);
    let total = N * HW;
    let mut sum = T::zeros::<D>(&[1]);
    let mut i: i32 = 0;
    while i < total {
        let n = i / HW;
        let p = i % HW;
        sum = sum
            + T::load(
                dy_ptr.add_offsets(T::arange(0, 1) + ((n * C + c) * HW + p)),
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
    T::store(dbias_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// The same, an image after the other, in tiles of their planes.
///
/// Grid: `[C]`.
#[kernel]
pub fn bias_gradient_in_tiles<T: Triton, D: Float, const BLOCK: i32>(
    dy_ptr: T::Pointer<D>,
    dbias_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    HW: i32,
) {
    let c = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut sums = zeros;
    for n in 0..N {
        let base = (n * C + c) * HW;
        let mut start: i32 = 0;
        while start < HW {
            let p = T::arange(0, BLOCK) + start;
            let mask = p.lt(HW);
            sums = sums
                + T::load(
                    dy_ptr.add_offsets(p + base),
                    Some(mask),
                    Some(zeros),
                    &[],
                    None,
                    None,
                    None,
                    false,
                );
            start += BLOCK;
        }
    }
    T::store(dbias_ptr.add_offsets(T::arange(0, 1) + c), T::sum(sums, None, true), None, &[], None, None);
}

/// The gradient of a scale for each channel: the sum of `dy * x`.
///
/// Grid: `[C]`.
#[kernel]
pub fn scale_gradient<T: Triton, D: Float>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dscale_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    HW: i32,
) {
    let c = T::program_id(Axis::X);
    let mut sum = T::zeros::<D>(&[1]);
    for n in 0..N {
        for p in 0..HW {
            let at = T::arange(0, 1) + ((n * C + c) * HW + p);
            sum = sum
                + T::load(dy_ptr.add_offsets(at), None, None, &[], None, None, None, false)
                    * T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);
        }
    }
    T::store(dscale_ptr.add_offsets(T::arange(0, 1) + c), sum, None, &[], None, None);
}

/// Mean and variance of each channel over images and planes.
///
/// Grid: `[C]`.
#[kernel]
pub fn channel_statistics<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    var_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    HW: i32,
) {
    let c = T::program_id(Axis::X);
    let count = T::cast::<i32, D>(T::full::<i32>(&[1], N * HW), None, false);
    let mut sum = T::zeros::<D>(&[1]);
    let mut i: i32 = 0;
    while i < N * HW {
        sum = sum
            + T::load(
                x_ptr.add_offsets(T::arange(0, 1) + ((i / HW) * C * HW + c * HW + i % HW)),
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
    let mean = sum / count;
    let mut squares = T::zeros::<D>(&[1]);
    i = 0;
    while i < N * HW {
        let centred = T::load(
            x_ptr.add_offsets(T::arange(0, 1) + ((i / HW) * C * HW + c * HW + i % HW)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        ) - mean;
        squares = squares + centred * centred;
        i += 1;
    }
    T::store(mean_ptr.add_offsets(T::arange(0, 1) + c), mean, None, &[], None, None);
    T::store(var_ptr.add_offsets(T::arange(0, 1) + c), squares / count, None, &[], None, None);
}

/// The mean of each plane.
///
/// Grid: `[N * C]`.
#[kernel]
pub fn global_average_pool<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    HW: i32,
) {
    let plane = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut sums = zeros;
    let mut start: i32 = 0;
    while start < HW {
        let p = T::arange(0, BLOCK) + start;
        let mask = p.lt(HW);
        sums = sums
            + T::load(
                x_ptr.add_offsets(p + plane * HW),
                Some(mask),
                Some(zeros),
                &[],
                None,
                None,
                None,
                false,
            );
        start += BLOCK;
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + plane),
        T::sum(sums, None, true) / T::cast::<i32, D>(T::full::<i32>(&[1], HW), None, false),
        None,
        &[],
        None,
        None,
    );
}

/// The largest of each plane, element by element.
///
/// Grid: `[C, N]`.
#[kernel]
pub fn global_max_pool<T: Triton, D: Float>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, C: i32, HW: i32) {
    let c = T::program_id(Axis::X);
    let n = T::program_id(Axis::Y);
    let plane = n * C + c;
    let mut largest =
        T::load(x_ptr.add_offsets(T::arange(0, 1) + (plane * HW)), None, None, &[], None, None, None, false);
    let mut p: i32 = 1;
    while p < HW {
        largest = T::maximum(
            largest,
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (plane * HW + p)),
                None,
                None,
                &[],
                None,
                None,
                None,
                false,
            ),
        );
        p += 1;
    }
    T::store(y_ptr.add_offsets(T::arange(0, 1) + plane), largest, None, &[], None, None);
}

/// Each plane with mean 0 and variance 1; its statistics are kept.
///
/// Grid: `[N * C]`.
#[kernel]
pub fn instance_norm<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    rstd_ptr: T::Pointer<D>,
    HW: i32,
    eps: f32,
) {
    let plane = T::program_id(Axis::X);
    let base = plane * HW;
    let zeros = T::zeros::<D>(&[BLOCK]);
    let count = T::cast::<i32, D>(T::full::<i32>(&[1], HW), None, false);
    let mut sums = zeros;
    let mut start: i32 = 0;
    while start < HW {
        let p = T::arange(0, BLOCK) + start;
        let mask = p.lt(HW);
        sums = sums
            + T::load(x_ptr.add_offsets(p + base), Some(mask), Some(zeros), &[], None, None, None, false);
        start += BLOCK;
    }
    let mean = T::sum(sums, None, true) / count;
    let centre = T::broadcast_to(mean, &[BLOCK]);
    let mut squares = zeros;
    start = 0;
    while start < HW {
        let p = T::arange(0, BLOCK) + start;
        let mask = p.lt(HW);
        let x = T::load(x_ptr.add_offsets(p + base), Some(mask), Some(zeros), &[], None, None, None, false);
        let centred = T::where_(mask, x - centre, zeros);
        squares = squares + centred * centred;
        start += BLOCK;
    }
    let rstd = T::rsqrt(T::sum(squares, None, true) / count + T::full::<D>(&[1], D::from_f64(eps as f64)));
    let slope = T::broadcast_to(rstd, &[BLOCK]);
    T::store(mean_ptr.add_offsets(T::arange(0, 1) + plane), mean, None, &[], None, None);
    T::store(rstd_ptr.add_offsets(T::arange(0, 1) + plane), rstd, None, &[], None, None);
    start = 0;
    while start < HW {
        let p = T::arange(0, BLOCK) + start;
        let mask = p.lt(HW);
        let x = T::load(x_ptr.add_offsets(p + base), Some(mask), None, &[], None, None, None, false);
        T::store(y_ptr.add_offsets(p + base), (x - centre) * slope, Some(mask), &[], None, None);
        start += BLOCK;
    }
}

/// Mean and reciprocal deviation of each group of `K` channels, which are one piece of memory.
///
/// Grid: `[N, G]`.
#[kernel]
pub fn group_norm_statistics<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<f32>,
    rstd_ptr: T::Pointer<f32>,
    G: i32,
    K: i32,
    HW: i32,
    eps: f32,
) {
    let n = T::program_id(Axis::X);
    let g = T::program_id(Axis::Y);
    let group = n * G + g;
    let length = K * HW;
    let mut sum = T::zeros::<f32>(&[1]);
    let mut squares = T::zeros::<f32>(&[1]);
    let mut i: i32 = 0;
    while i < length {
        let x = T::cast::<D, f32>(
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + (group * length + i)),
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
        sum = sum + x;
        squares = squares + x * x;
        i += 1;
    }
    let count = T::full::<f32>(&[1], length as f32);
    let mean = sum / count;
    let var = T::maximum(squares / count - mean * mean, T::zeros::<f32>(&[1]));
    T::store(mean_ptr.add_offsets(T::arange(0, 1) + group), mean, None, &[], None, None);
    T::store(
        rstd_ptr.add_offsets(T::arange(0, 1) + group),
        T::rsqrt(var + T::full::<f32>(&[1], eps)),
        None,
        &[],
        None,
        None,
    );
}

/// Applies a group norm, whose weight and bias are those of channels.
///
/// Grid: `[N, G]`.
#[kernel]
pub fn group_norm_apply<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<f32>,
    rstd_ptr: T::Pointer<f32>,
    weight_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    G: i32,
    K: i32,
    HW: i32,
) {
    let n = T::program_id(Axis::X);
    let g = T::program_id(Axis::Y);
    let group = n * G + g;
    let mean = T::cast::<f32, D>(
        T::load(mean_ptr.add_offsets(T::arange(0, 1) + group), None, None, &[], None, None, None, false),
        None,
        false,
    );
    let rstd = T::cast::<f32, D>(
        T::load(rstd_ptr.add_offsets(T::arange(0, 1) + group), None, None, &[], None, None, None, false),
        None,
        false,
    );
    let mut i: i32 = 0;
    while i < K * HW {
        let channel = T::arange(0, 1) + (g * K + i / HW);
        let at = T::arange(0, 1) + ((group * K + i / HW) * HW + i % HW);
        let x = (T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false) - mean) * rstd;
        T::store(
            y_ptr.add_offsets(at),
            x * T::load(weight_ptr.add_offsets(channel), None, None, &[], None, None, None, false)
                + T::load(bias_ptr.add_offsets(channel), None, None, &[], None, None, None, false),
            None,
            &[],
            None,
            None,
        );
        i += 1;
    }
}

/// A leaky unit with a slope for each channel, a plane a program.
///
/// Grid: `[C, N]`.
#[kernel]
pub fn prelu_planes<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    slope_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    C: i32,
    HW: i32,
) {
    let c = T::program_id(Axis::X);
    let n = T::program_id(Axis::Y);
    let base = (n * C + c) * HW;
    let slope = T::broadcast_to(
        T::load(slope_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false),
        &[BLOCK],
    );
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut start: i32 = 0;
    while start < HW {
        let p = T::arange(0, BLOCK) + start;
        let mask = p.lt(HW);
        let x = T::load(x_ptr.add_offsets(p + base), Some(mask), None, &[], None, None, None, false);
        T::store(
            y_ptr.add_offsets(p + base),
            T::where_(x.gt(zeros), x, x * slope),
            Some(mask),
            &[],
            None,
            None,
        );
        start += BLOCK;
    }
}

/// A scale and a shift for each channel; a program takes the channel in all images.
///
/// Grid: `[C]`.
#[kernel]
pub fn scale_shift_channels<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    scale_ptr: T::Pointer<D>,
    shift_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    HW: i32,
) {
    let c = T::program_id(Axis::X);
    let scale = T::load(scale_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false);
    let shift = T::load(shift_ptr.add_offsets(T::arange(0, 1) + c), None, None, &[], None, None, None, false);
    let mut i: i32 = 0;
    while i < N * HW {
        let n = i / HW;
        let p = i % HW;
        let at = T::arange(0, 1) + ((n * C + c) * HW + p);
        T::store(
            y_ptr.add_offsets(at),
            T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false) * scale + shift,
            None,
            &[],
            None,
            None,
        );
        i += 1;
    }
}

/// The same over flat tiles, whose lanes find their channels.
///
/// Grid: `[N * C * HW / BLOCK]`, rounded up.
#[kernel]
pub fn scale_shift_flat<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    scale_ptr: T::Pointer<D>,
    shift_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    total: i32,
    C: i32,
    HW: i32,
) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(total);
    let channel = (at / HW) % C;
    let scale = T::load(scale_ptr.add_offsets(channel), Some(mask), None, &[], None, None, None, false);
    let shift = T::load(shift_ptr.add_offsets(channel), Some(mask), None, &[], None, None, None, false);
    T::store(
        y_ptr.add_offsets(at),
        T::load(x_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false) * scale + shift,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Shuffles channels: channel `k` of group `g` becomes channel `g` of group `k`.
///
/// Grid: `[G * K]`.
#[kernel]
pub fn channel_shuffle<T: Triton, D: Num>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    G: i32,
    K: i32,
    HW: i32,
) {
    let c = T::program_id(Axis::X);
    let C = G * K;
    let to = (c % K) * G + c / K;
    let mut i: i32 = 0;
    while i < N * HW {
        let n = i / HW;
        let p = i % HW;
        let x = T::load(
            x_ptr.add_offsets(T::arange(0, 1) + ((n * C + c) * HW + p)),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        T::store(y_ptr.add_offsets(T::arange(0, 1) + ((n * C + to) * HW + p)), x, None, &[], None, None);
        i += 1;
    }
}

/// Copies channels into a tensor of more, from channel `first` on.
///
/// Grid: `[C]`.
#[kernel]
pub fn copy_channels<T: Triton, D: Num>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    HW: i32,
    first: i32,
    wide: i32,
) {
    let c = T::program_id(Axis::X);
    let mut i: i32 = 0;
    while i < N * HW {
        let n = i / HW;
        let p = i % HW;
        T::store(
            y_ptr.add_offsets(T::arange(0, 1) + ((n * wide + first + c) * HW + p)),
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + ((n * C + c) * HW + p)),
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
        i += 1;
    }
}

/// Images from channels first to channels last.
///
/// Grid: `[C, N]`.
#[kernel]
pub fn channels_last<T: Triton, D: Num>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, C: i32, HW: i32) {
    let c = T::program_id(Axis::X);
    let n = T::program_id(Axis::Y);
    for p in 0..HW {
        T::store(
            y_ptr.add_offsets(T::arange(0, 1) + ((n * HW + p) * C + c)),
            T::load(
                x_ptr.add_offsets(T::arange(0, 1) + ((n * C + c) * HW + p)),
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

/// The means of planes.
pub struct GlobalAveragePoolRuntimeOp<D: Float + Send + Sync + 'static> {
    kernel: GlobalAveragePool<D>,
    _marker: PhantomData<D>,
}

impl<D: Float + Send + Sync + 'static> GlobalAveragePoolRuntimeOp<D> {
    pub fn new(block: i32) -> Self {
        Self { kernel: GlobalAveragePool::new(block), _marker: PhantomData }
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for GlobalAveragePoolRuntimeOp<D> {
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
        _output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let (x, shape) = inputs[0];
        visitor.visit_ptr(x);
        visitor.visit_ptr(output);
        visitor.visit_i32((shape[2] * shape[3]) as i32);
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [(output_shape[0] * output_shape[1]) as u32, 1, 1]
    }
}

/// A convolution of each channel of `x[N, H, W, C]` with a window of its own, padded by zeros.
///
/// Grid: `[C, N]`.
#[kernel]
pub fn depthwise_channels_last<T: Triton, D: Float>(
    x_ptr: T::Pointer<D>,
    weight_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    H: i32,
    W: i32,
    C: i32,
    K: i32,
) {
    let c = T::program_id(Axis::X);
    let image = T::program_id(Axis::Y);
    for h in 0..H {
        for w in 0..W {
            let mut sum = T::zeros::<f32>(&[1]);
            for kh in 0..K {
                for kw in 0..K {
                    let row = T::arange(0, 1) * 0 + (h + kh - K / 2);
                    let col = T::arange(0, 1) * 0 + (w + kw - K / 2);
                    let inside = row.ge(0) & row.lt(H) & col.ge(0) & col.lt(W);
                    let x = T::cast::<D, f32>(
                        T::load(
                            x_ptr.add_offsets(((row + image * H) * W + col) * C + c),
                            Some(inside),
                            Some(T::zeros::<D>(&[1])),
                            &[],
                            None,
                            None,
                            None,
                            false,
                        ),
                        None,
                        false,
                    );
                    let weight = T::cast::<D, f32>(
                        T::load(
                            weight_ptr.add_offsets(T::arange(0, 1) + ((kh * K + kw) * C + c)),
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
                    sum = sum + x * weight;
                }
            }
            T::store(
                y_ptr.add_offsets(T::arange(0, 1) + (((image * H + h) * W + w) * C + c)),
                T::cast::<f32, D>(sum, None, false),
                None,
                &[],
                None,
                None,
            );
        }
    }
}
