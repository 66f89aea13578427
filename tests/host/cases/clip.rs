//! A hand-written op around two kernels, with bounds that the kernels do not keep.

use core::marker::PhantomData;

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y = min(max(x, low), high)`.
#[kernel]
pub fn clip_forward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
    low: f32,
    high: f32,
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
    let least = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], low), None, false);
    let most = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], high), None, false);
    let y = T::minimum(T::maximum(x, least), most);
    T::store(y_ptr.add_offsets(at), y, Some(mask), &[], None, None);
}

/// `dx = dy` within the bounds, 0 outside.
#[kernel]
pub fn clip_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n: i32,
    low: f32,
    high: f32,
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
    let zero = T::zeros::<D>(&[BLOCK_SIZE]);
    let least = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], low), None, false);
    let most = T::cast::<f32, D>(T::full::<f32>(&[BLOCK_SIZE], high), None, false);
    let above = T::where_(T::lt(x, least), zero, dy);
    let dx = T::where_(T::gt(x, most), zero, above);
    T::store(dx_ptr.add_offsets(at), dx, Some(mask), &[], None, None);
}

/// Clips to `[min_val, max_val]`.
pub struct ClipRuntimeOp<D: Float + Send + Sync + 'static> {
    kernel: ClipForward<D>,
    /// What `backward_source` gives.
    bwd_source: String,
    pub min_val: f32,
    pub max_val: f32, // at least `min_val`
    _dtype: PhantomData<D>,
}

impl<D: Float + Send + Sync + 'static> ClipRuntimeOp<D> {
    pub fn new(block_size: i32, min_val: f32, max_val: f32) -> Self {
        Self {
            kernel: ClipForward::<D>::new(block_size),
            bwd_source: ClipBackward::<D>::new(block_size).source,
            min_val,
            max_val,
            _dtype: PhantomData,
        }
    }

    /// Clips to `[0, 6]`.
    pub fn relu6(block_size: i32) -> Self {
        Self::new(block_size, 0.0, 6.0)
    }

    pub fn forward_source(&self) -> &str {
        &self.kernel.source
    }

    pub fn backward_source(&self) -> &str {
        &self.bwd_source
    }

    fn blocks(&self, shape: &[usize]) -> u32 {
        let n = shape.iter().product::<usize>();
        n.div_ceil(self.kernel.block_size as usize) as u32
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for ClipRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, _input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        Vec::new()
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
        let Self {
            min_val, max_val, ..
        } = self;
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_i32(output_shape.iter().product::<usize>() as i32);
        visitor.visit_f32(*min_val);
        visitor.visit_f32(*max_val);
    }

    fn block(&self) -> [u32; 3] {
        [self.kernel.block_size as u32, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [self.blocks(output_shape), 1, 1]
    }

    fn has_backward(&self) -> bool {
        true
    }

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
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_i32(output_shape.iter().product::<usize>() as i32);
        visitor.visit_f32(self.min_val);
        visitor.visit_f32(self.max_val);
    }

    fn backward_block(&self) -> [u32; 3] {
        [self.kernel.block_size as u32, 1, 1]
    }

    fn backward_grid(&self, _input_shapes: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
        [self.blocks(output_shape), 1, 1]
    }
}
