//! Rows of a table by their numbers; only the table tells the dtype of the output.

use core::marker::PhantomData;

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y[i] = table[index[i]]`, a block of columns a program.
#[kernel]
pub fn table_rows_forward<T: Triton, D: Float, const BLOCK_D: i32>(
    index_ptr: T::Pointer<i32>,
    table_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    width: i32,
) {
    let row = T::program_id(Axis::X);
    let column = T::arange(0, BLOCK_D) + T::program_id(Axis::Y) * BLOCK_D;
    let mask = column.lt(width);
    let index = T::load(
        index_ptr.add_offsets(T::arange(0, 1) + row),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let from = T::broadcast_to(index * width, &[BLOCK_D]) + column;
    let x = T::load(
        table_ptr.add_offsets(from),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(column + row * width),
        x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Adds the rows of `dy` to those of the table that they came from.
#[cfg(feature = "training")]
#[kernel]
pub fn table_rows_backward<T: Triton, D: Float, const BLOCK_D: i32>(
    dy_ptr: T::Pointer<D>,
    index_ptr: T::Pointer<i32>,
    dtable_ptr: T::Pointer<D>,
    width: i32,
) {
    let row = T::program_id(Axis::X);
    let column = T::arange(0, BLOCK_D) + T::program_id(Axis::Y) * BLOCK_D;
    let mask = column.lt(width);
    let index = T::load(
        index_ptr.add_offsets(T::arange(0, 1) + row),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let dy = T::load(
        dy_ptr.add_offsets(column + row * width),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::atomic_add(
        dtable_ptr.add_offsets(T::broadcast_to(index * width, &[BLOCK_D]) + column),
        dy,
        Some(mask),
        None,
        None,
    );
}

/// Looks up rows of a table of `count` rows.
pub struct EmbeddingRuntimeOp<'a, D: Float + Send + Sync + 'static> {
    count: usize,
    kernel: TableRowsForward<D>,
    #[cfg(feature = "training")]
    bwd_kernel: TableRowsBackward<D>,
    _lifetime: PhantomData<&'a ()>,
}

impl<'a, D: Float + Send + Sync + 'static> EmbeddingRuntimeOp<'a, D> {
    pub fn new(count: usize, block_d: i32) -> Self {
        Self {
            count,
            kernel: TableRowsForward::<D>::new(block_d),
            #[cfg(feature = "training")]
            bwd_kernel: TableRowsBackward::<D>::new(block_d),
            _lifetime: PhantomData,
        }
    }
}

impl<'a, D: Float + Send + Sync + 'static> RuntimeOp for EmbeddingRuntimeOp<'a, D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, _input_shapes: &[&[usize]], output_shape: &[usize]) -> Vec<Vec<usize>> {
        vec![vec![self.count, *output_shape.last().unwrap()]]
    }

    fn param_names(&self) -> &'static [&'static str] {
        &["weight"]
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
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(output);
        visitor.visit_i32(*output_shape.last().unwrap() as i32);
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let width = output_shape.last().copied().unwrap_or(1);
        let all: usize = output_shape.iter().product();
        let blocks = width.div_ceil(self.kernel.block_d as usize);
        [(all / width) as u32, blocks as u32, 1]
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
        _grad_inputs: &[RawPtr],
        grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(grad_params[0]);
        visitor.visit_i32(output_shape[output_shape.len() - 1] as i32);
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, _input_shapes: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
        self.grid(output_shape)
    }
}
