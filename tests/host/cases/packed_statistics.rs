//! Channel statistics of `[B, C, L]` in one packed output, and what standardises by them.

use core::marker::PhantomData;

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The mean and the reciprocal deviation of each channel; moves the running ones towards them.
///
/// Grid: `[C]`.
#[cfg(feature = "training")]
#[kernel]
pub fn channel_moments<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    scale_ptr: T::Pointer<D>,
    running_mean_ptr: T::Pointer<D>,
    running_var_ptr: T::Pointer<D>,
    B: i32,
    C: i32,
    L: i32,
    eps: f32,
    rate: f32,
) {
    let c = T::program_id(Axis::X);
    let at = T::arange(0, 1) + c;
    let zeros = T::zeros::<D>(&[BLOCK]);
    let count = B * L;
    let n = T::cast::<f32, D>(T::full::<f32>(&[1], count as f32), None, false);
    let mut total = zeros;
    let mut start: i32 = 0;
    while start < count {
        let i = T::arange(0, BLOCK) + start;
        let x = T::load(
            x_ptr.add_offsets((i / L) * C * L + i % L + c * L),
            Some(i.lt(count)),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        total = total + x;
        start += BLOCK;
    }
    let mean = T::sum(total, Some(0), true) / n;
    let means = T::broadcast_to(mean, &[BLOCK]);
    let mut squares = zeros;
    start = 0;
    while start < count {
        let i = T::arange(0, BLOCK) + start;
        let mask = i.lt(count);
        let x = T::load(
            x_ptr.add_offsets((i / L) * C * L + i % L + c * L),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let centred = T::where_(mask, x - means, zeros);
        squares = squares + centred * centred;
        start += BLOCK;
    }
    let variance = T::sum(squares, Some(0), true) / n;
    let eps = T::cast::<f32, D>(T::full::<f32>(&[1], eps), None, false);
    T::store(mean_ptr.add_offsets(at), mean, None, &[], None, None);
    T::store(
        scale_ptr.add_offsets(at),
        T::rsqrt(variance + eps),
        None,
        &[],
        None,
        None,
    );
    let rate = T::cast::<f32, D>(T::full::<f32>(&[1], rate), None, false);
    let old_mean = T::load(
        running_mean_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let old_var = T::load(
        running_var_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        running_mean_ptr.add_offsets(at),
        old_mean + rate * (mean - old_mean),
        None,
        &[],
        None,
        None,
    );
    T::store(
        running_var_ptr.add_offsets(at),
        old_var + rate * (variance - old_var),
        None,
        &[],
        None,
        None,
    );
}

/// `y = w (x - mean) scale + b`, of the packed statistics.
///
/// Grid: `[B * C]`, one program a line of `L`.
#[cfg(feature = "training")]
#[kernel]
pub fn channel_standardise<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    scale_ptr: T::Pointer<D>,
    C: i32,
    L: i32,
) {
    let line = T::program_id(Axis::X);
    let at = T::arange(0, 1) + line % C;
    let mean = T::load(
        mean_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let scale = T::load(
        scale_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let w = T::load(
        w_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        b_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let factor = T::broadcast_to(w * scale, &[BLOCK]);
    let mean = T::broadcast_to(mean, &[BLOCK]);
    let b = T::broadcast_to(b, &[BLOCK]);
    for tile in 0..T::cdiv(L, BLOCK) {
        let i = T::arange(0, BLOCK) + tile * BLOCK;
        let mask = i.lt(L);
        let x = T::load(
            x_ptr.add_offsets(i + line * L),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        T::store(
            y_ptr.add_offsets(i + line * L),
            (x - mean) * factor + b,
            Some(mask),
            &[],
            None,
            None,
        );
    }
}

/// The gradients of the whole: `dx` counts what `x` does to the statistics.
///
/// Grid: `[C]`.
#[cfg(feature = "training")]
#[kernel]
pub fn channel_standardise_backward<T: Triton, D: Float, const BLOCK: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    mean_ptr: T::Pointer<D>,
    scale_ptr: T::Pointer<D>,
    dw_ptr: T::Pointer<D>,
    db_ptr: T::Pointer<D>,
    B: i32,
    C: i32,
    L: i32,
) {
    let c = T::program_id(Axis::X);
    let at = T::arange(0, 1) + c;
    let mean = T::load(
        mean_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let scale = T::load(
        scale_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let w = T::load(
        w_ptr.add_offsets(at),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let zeros = T::zeros::<D>(&[BLOCK]);
    let means = T::broadcast_to(mean, &[BLOCK]);
    let scales = T::broadcast_to(scale, &[BLOCK]);
    let count = B * L;
    let mut all_dy = zeros;
    let mut all_dy_hat = zeros;
    let mut start: i32 = 0;
    while start < count {
        let i = T::arange(0, BLOCK) + start;
        let mask = i.lt(count);
        let place = (i / L) * C * L + i % L + c * L;
        let x = T::load(
            x_ptr.add_offsets(place),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let dy = T::load(
            dy_ptr.add_offsets(place),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        all_dy = all_dy + dy;
        all_dy_hat = all_dy_hat + dy * (x - means) * scales;
        start += BLOCK;
    }
    let db = T::sum(all_dy, Some(0), true);
    let dw = T::sum(all_dy_hat, Some(0), true);
    T::store(db_ptr.add_offsets(at), db, None, &[], None, None);
    T::store(dw_ptr.add_offsets(at), dw, None, &[], None, None);
    let n = T::cast::<f32, D>(T::full::<f32>(&[1], count as f32), None, false);
    let mean_dy = T::broadcast_to(db / n, &[BLOCK]);
    let mean_dy_hat = T::broadcast_to(dw / n, &[BLOCK]);
    let factor = T::broadcast_to(w * scale, &[BLOCK]);
    start = 0;
    while start < count {
        let i = T::arange(0, BLOCK) + start;
        let mask = i.lt(count);
        let place = (i / L) * C * L + i % L + c * L;
        let x = T::load(
            x_ptr.add_offsets(place),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let dy = T::load(
            dy_ptr.add_offsets(place),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let hat = (x - means) * scales;
        T::store(
            dx_ptr.add_offsets(place),
            factor * (dy - mean_dy - hat * mean_dy_hat),
            Some(mask),
            &[],
            None,
            None,
        );
        start += BLOCK;
    }
}

/// The first node: statistics as `[2 * C]`, the means before the reciprocal deviations.
#[cfg(feature = "training")]
pub struct ChannelMomentsRuntimeOp<D: Float + Send + Sync + 'static> {
    pub block: i32,
    pub eps: f32,
    pub rate: f32,
    _dtype: PhantomData<D>,
}

#[cfg(feature = "training")]
impl<D: Float + Send + Sync + 'static> ChannelMomentsRuntimeOp<D> {
    pub fn new(block: i32, eps: f32, rate: f32) -> Self {
        Self {
            block,
            eps,
            rate,
            _dtype: PhantomData,
        }
    }

    pub fn forward_source(&self) -> String {
        ChannelMoments::<D>::new(self.block).source
    }
}

#[cfg(feature = "training")]
impl<D: Float + Send + Sync + 'static> RuntimeOp for ChannelMomentsRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        let c = input_shapes[0][1];
        vec![vec![c], vec![c]]
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
        let c = output_shape[0] / 2;
        let shape = inputs[0].1;
        let length: usize = shape[2..].iter().product();
        // SAFETY: the output has 2 * c elements.
        let scale = unsafe { (output as *mut D).add(c) } as RawPtr;
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_ptr(scale);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(params[1]);
        visitor.visit_i32(shape[0] as i32);
        visitor.visit_i32(c as i32);
        visitor.visit_i32(length as i32);
        visitor.visit_f32(self.eps);
        visitor.visit_f32(self.rate);
    }

    fn block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [(output_shape[0] / 2) as u32, 1, 1]
    }
}

/// The second node: takes `x` and the packed statistics of it.
#[cfg(feature = "training")]
pub struct ChannelStandardiseRuntimeOp<D: Float + Send + Sync + 'static> {
    pub block: i32,
    fwd: ChannelStandardise<D>,
    bwd: ChannelStandardiseBackward<D>,
}

#[cfg(feature = "training")]
impl<D: Float + Send + Sync + 'static> ChannelStandardiseRuntimeOp<D> {
    pub fn new(block: i32) -> Self {
        let fwd = ChannelStandardise::<D>::new(block);
        let bwd = ChannelStandardiseBackward::<D>::new(block);
        Self { block, fwd, bwd }
    }

    pub fn forward_source(&self) -> &str {
        &self.fwd.source
    }

    pub fn backward_source(&self) -> &str {
        &self.bwd.source
    }
}

#[cfg(feature = "training")]
impl<D: Float + Send + Sync + 'static> RuntimeOp for ChannelStandardiseRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        2
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        let c = input_shapes[0]
            .get(1)
            .copied()
            .unwrap_or(input_shapes[0][0]);
        vec![vec![c], vec![c]]
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
        let c = inputs[1].1[0] / 2;
        let all: usize = output_shape.iter().product();
        let mean = inputs[1].0;
        let scale = unsafe { (inputs[1].0 as *mut D).add(c) } as RawPtr;
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(params[1]);
        visitor.visit_ptr(mean);
        visitor.visit_ptr(scale);
        visitor.visit_i32(c as i32);
        visitor.visit_i32((all / (output_shape[0] * c)) as i32);
    }

    fn block(&self) -> [u32; 3] {
        [self.block as u32, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [(output_shape[0] * output_shape[1]) as u32, 1, 1]
    }

    fn has_backward(&self) -> bool {
        true
    }

    fn pack_backward_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        _output: RawPtr,
        _output_shape: &[usize],
        grad_output: RawPtr,
        _grad_output_row_stride: i32,
        grad_inputs: &[RawPtr],
        grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        let (x, x_shape) = inputs[0];
        let (packed, packed_shape) = inputs[1];
        let c = packed_shape[0] / 2;
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(x);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(packed);
        visitor.visit_ptr(unsafe { (packed as *mut D).add(c) } as RawPtr);
        visitor.visit_ptr(grad_params[0]);
        visitor.visit_ptr(grad_params[1]);
        visitor.visit_i32(x_shape[0] as i32);
        visitor.visit_i32(c as i32);
        visitor.visit_i32(x_shape[2..].iter().product::<usize>() as i32);
    }

    fn backward_block(&self) -> [u32; 3] {
        [self.block as u32, 1, 1]
    }

    fn backward_grid(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> [u32; 3] {
        [(input_shapes[1][0] / 2) as u32, 1, 1]
    }
}
