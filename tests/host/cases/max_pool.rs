//! Pooling of NCHW images by their largest element, and where that is.

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The largest element of each window of `K` by `K`.
///
/// Grid: one program a part of a row of the output.
#[kernel]
pub fn max_pool2d_forward<
    T: Triton,
    D: Float,
    const K: i32,
    const STRIDE: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    _C: i32,
    H: i32,
    W: i32,
    OH: i32,
    OW: i32,
    neg_inf: f32,
) {
    let pid = T::program_id(Axis::X);
    let tiles = T::cdiv(OW, BLOCK_OW);
    let ow = T::arange(0, BLOCK_OW) + (pid % tiles) * BLOCK_OW;
    let oh = (pid / tiles) % OH;
    let plane = pid / (tiles * OH);
    let mask = ow.lt(OW);
    let lowest = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_OW], neg_inf), None, false);
    let mut best = lowest;
    for tap in 0..K * K {
        let ih = oh * STRIDE + tap / K;
        let at = ow * STRIDE + ((plane * H + ih) * W + tap % K);
        let x = T::load(
            x_ptr.add_offsets(at),
            Some(mask),
            Some(lowest),
            &[],
            None,
            None,
            None,
            false,
        );
        best = T::where_(T::gt(x, best), x, best);
    }
    T::store(
        y_ptr.add_offsets(ow + (plane * OH + oh) * OW),
        best,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Adds each `dy` to the first place of its window that has its largest element.
#[cfg(feature = "training")]
#[kernel]
pub fn max_pool2d_backward<
    T: Triton,
    D: Float,
    const K: i32,
    const STRIDE: i32,
    const BLOCK_OW: i32,
>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    _B: i32,
    _C: i32,
    H: i32,
    W: i32,
    OH: i32,
    OW: i32,
    neg_inf: f32,
) {
    let pid = T::program_id(Axis::X);
    let tiles = T::cdiv(OW, BLOCK_OW);
    let ow = T::arange(0, BLOCK_OW) + (pid % tiles) * BLOCK_OW;
    let oh = (pid / tiles) % OH;
    let plane = pid / (tiles * OH);
    let mask = ow.lt(OW);
    let lowest = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_OW], neg_inf), None, false);
    let mut best = lowest;
    let mut place = T::full::<i32>(&[BLOCK_OW], 0);
    for tap in 0..K * K {
        let ih = oh * STRIDE + tap / K;
        let at = ow * STRIDE + ((plane * H + ih) * W + tap % K);
        let x = T::load(
            x_ptr.add_offsets(at),
            Some(mask),
            Some(lowest),
            &[],
            None,
            None,
            None,
            false,
        );
        let more = T::gt(x, best);
        best = T::where_(more, x, best);
        place = T::where_(more, at, place);
    }
    let dy = T::load(
        dy_ptr.add_offsets(ow + (plane * OH + oh) * OW),
        Some(mask),
        Some(T::zeros::<D>(&[BLOCK_OW])),
        &[],
        None,
        None,
        None,
        false,
    );
    T::atomic_add(dx_ptr.add_offsets(place), dy, Some(mask), None, None);
}

/// Where in its plane the largest element of each window is: an output of indices.
#[kernel]
pub fn max_pool2d_index<
    T: Triton,
    D: Float,
    const K: i32,
    const STRIDE: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>,
    index_ptr: T::Pointer<i32>,
    H: i32,
    W: i32,
    OH: i32,
    OW: i32,
    neg_inf: f32,
) {
    let tile = T::program_id(Axis::X);
    let oh = T::program_id(Axis::Y);
    let plane = T::program_id(Axis::Z);
    let ow = T::arange(0, BLOCK_OW) + tile * BLOCK_OW;
    let mask = ow.lt(OW);
    let lowest = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_OW], neg_inf), None, false);
    let mut best = lowest;
    let mut place = T::full::<i32>(&[BLOCK_OW], 0);
    for tap in 0..K * K {
        let within = ow * STRIDE + ((oh * STRIDE + tap / K) * W + tap % K);
        let x = T::load(
            x_ptr.add_offsets(within + plane * H * W),
            Some(mask),
            Some(lowest),
            &[],
            None,
            None,
            None,
            false,
        );
        let more = T::gt(x, best);
        best = T::where_(more, x, best);
        place = T::where_(more, within, place);
    }
    T::store(
        index_ptr.add_offsets(ow + (plane * OH + oh) * OW),
        place,
        Some(mask),
        &[],
        None,
        None,
    );
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for MaxPool2dForward<D> {
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
        let s = inputs[0].1;
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_i32(s[0] as i32);
        visitor.visit_i32(s[1] as i32);
        visitor.visit_i32(s[2] as i32);
        visitor.visit_i32(s[3] as i32);
        visitor.visit_i32(output_shape[2] as i32);
        visitor.visit_i32(output_shape[3] as i32);
        visitor.visit_f32(f32::NEG_INFINITY);
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let rows = output_shape[0] * output_shape[1] * output_shape[2];
        let tiles = output_shape[3].div_ceil(self.block_ow as usize);
        [(rows * tiles) as u32, 1, 1]
    }

    #[cfg(feature = "training")]
    fn has_backward(&self) -> bool {
        true
    }

    #[cfg(feature = "training")]
    fn pack_backward_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        _params: &[RawPtr],
        _output: RawPtr,
        output_shape: &[usize],
        grad_output: RawPtr,
        _grad_output_row_stride: i32,
        grad_inputs: &[RawPtr],
        _grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        let s = inputs[0].1;
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_i32(s[0] as i32);
        visitor.visit_i32(s[1] as i32);
        visitor.visit_i32(s[2] as i32);
        visitor.visit_i32(s[3] as i32);
        visitor.visit_i32(output_shape[2] as i32);
        visitor.visit_i32(output_shape[3] as i32);
        visitor.visit_f32(-f32::INFINITY);
    }

    #[cfg(feature = "training")]
    fn backward_block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, _input_shapes: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
        let rows = output_shape[0] * output_shape[1] * output_shape[2];
        let tiles = output_shape[3].div_ceil(self.block_ow as usize);
        [(rows * tiles) as u32, 1, 1]
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for MaxPool2dIndex<D> {
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
        let &[_, _, h, w] = inputs[0].1 else {
            unreachable!("an image has four axes");
        };
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_i32(h as i32);
        visitor.visit_i32(w as i32);
        visitor.visit_i32(output_shape[2] as i32);
        visitor.visit_i32(output_shape[3] as i32);
        visitor.visit_f32(f32::NEG_INFINITY);
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        match output_shape {
            [b, c, oh, ow] => [
                ow.div_ceil(self.block_ow as usize) as u32,
                *oh as u32,
                (b * c) as u32,
            ],
            _ => [0, 0, 0],
        }
    }
}
