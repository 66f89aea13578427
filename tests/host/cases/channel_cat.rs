//! Joins tensors along their channels, one launch a tensor.

use core::marker::PhantomData;

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Num;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// Copies `[B, C, H, W]` to channels `C_FIRST..` of `[B, C_ALL, H, W]`.
///
/// Grid: `[ceil(C * HW / BLOCK_SIZE), B]`.
#[kernel]
pub fn channel_cat_forward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    src_ptr: T::Pointer<D>,
    dst_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    C_ALL: i32,
    C_FIRST: i32,
    HW: i32,
) {
    let batch = T::program_id(Axis::Y);
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(C * HW);
    let x = T::load(
        src_ptr.add_offsets(at + batch * C * HW),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        dst_ptr.add_offsets(at + (batch * C_ALL + C_FIRST) * HW),
        x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Copies the channels from `C_FIRST` of the gradient back to the tensor that they came from.
#[cfg(feature = "training")]
#[kernel]
pub fn channel_cat_backward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    _B: i32,
    C: i32,
    C_ALL: i32,
    C_FIRST: i32,
    HW: i32,
) {
    let batch = T::program_id(Axis::Y);
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(C * HW);
    let dy = T::load(
        dy_ptr.add_offsets(at + (batch * C_ALL + C_FIRST) * HW),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        dx_ptr.add_offsets(at + batch * C * HW),
        dy,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Joins `n_inputs` tensors `[B, C_i, H, W]`.
pub struct ChannelCatRuntimeOp<D: Num + Send + Sync + 'static> {
    fwd: ChannelCatForward<D>,
    bwd: ChannelCatBackward<D>,
    n_inputs: usize,
    _dtype: PhantomData<D>,
}

impl<D: Num + Send + Sync + 'static> ChannelCatRuntimeOp<D> {
    pub fn new(n_inputs: usize, block_size: i32) -> Self {
        Self {
            fwd: ChannelCatForward::new(block_size),
            bwd: ChannelCatBackward::new(block_size),
            n_inputs,
            _dtype: PhantomData,
        }
    }

    /// The blocks that one tensor of this shape takes.
    fn blocks(&self, shape: &[usize]) -> [u32; 3] {
        let each: usize = shape[1..].iter().product();
        [
            each.div_ceil(self.fwd.block_size as usize) as u32,
            shape[0] as u32,
            1,
        ]
    }
}

impl<D: Num + Send + Sync + 'static> RuntimeOp for ChannelCatRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        self.n_inputs
    }

    fn param_shapes(&self, _input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        vec![]
    }

    // The plain call is the first launch: what has one input needs no other.
    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        self.pack_args_for_launch(
            0,
            inputs,
            params,
            output,
            output_shape,
            output_row_stride,
            visitor,
        );
    }

    fn block(&self) -> [u32; 3] {
        [self.fwd.block_size as u32, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        self.blocks(output_shape)
    }

    fn n_launches(&self) -> usize {
        self.n_inputs
    }

    fn pack_args_for_launch(
        &self,
        launch: usize,
        inputs: &[(RawPtr, &[usize])],
        _params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let c_all: i32 = inputs.iter().map(|(_, shape)| shape[1] as i32).sum();
        let c_first: i32 = inputs[..launch].iter().map(|(_, s)| s[1] as i32).sum();
        let (src, shape) = inputs[launch];
        visitor.visit_ptr(src);
        visitor.visit_ptr(output);
        visitor.visit_i32(output_shape[0] as i32);
        visitor.visit_i32(shape[1] as i32);
        visitor.visit_i32(c_all);
        visitor.visit_i32(c_first);
        visitor.visit_i32((output_shape[2] * output_shape[3]) as i32);
    }

    fn grid_for_launch(
        &self,
        launch: usize,
        input_shapes: &[&[usize]],
        _output_shape: &[usize],
    ) -> [u32; 3] {
        self.blocks(input_shapes[launch])
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
        output: RawPtr,
        output_shape: &[usize],
        grad_output: RawPtr,
        grad_output_row_stride: i32,
        grad_inputs: &[RawPtr],
        grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        self.pack_backward_args_for_launch(
            0,
            inputs,
            params,
            output,
            output_shape,
            grad_output,
            grad_output_row_stride,
            grad_inputs,
            grad_params,
            visitor,
        );
    }

    #[cfg(feature = "training")]
    fn n_backward_launches(&self) -> usize {
        self.n_inputs
    }

    #[cfg(feature = "training")]
    #[allow(clippy::too_many_arguments)]
    fn pack_backward_args_for_launch(
        &self,
        launch: usize,
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
        let channels: Vec<usize> = inputs.iter().map(|&(_, shape)| shape[1]).collect();
        let first = channels.iter().take(launch).sum::<usize>();
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(grad_inputs[launch]);
        visitor.visit_i32(output_shape[0] as i32);
        visitor.visit_i32(channels[launch] as i32);
        visitor.visit_i32(channels.iter().sum::<usize>() as i32);
        visitor.visit_i32(first as i32);
        visitor.visit_i32(output_shape[2..].iter().product::<usize>() as i32);
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> [u32; 3] {
        self.blocks(input_shapes[0])
    }

    #[cfg(feature = "training")]
    fn backward_grid_for_launch(
        &self,
        launch: usize,
        input_shapes: &[&[usize]],
        _output_shape: &[usize],
    ) -> [u32; 3] {
        self.blocks(input_shapes[launch])
    }
}
