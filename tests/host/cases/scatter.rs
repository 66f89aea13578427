//! Outputs that many programs add to, and that therefore have to start as zeros.

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y[index[i], :] += x[i, :]`, into zeros.
///
/// Grid: `[ceil(WIDTH / BLOCK), rows of y]`; each program takes every `ROWS_OUT`th row of `x`.
#[kernel]
pub fn scatter_rows<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    index_ptr: T::Pointer<i32>,
    y_ptr: T::Pointer<D>,
    ROWS: i32,
    ROWS_OUT: i32,
    WIDTH: i32,
) {
    let column = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = column.lt(WIDTH);
    let mut row = T::program_id(Axis::Y);
    while row < ROWS {
        let x = T::load(
            x_ptr.add_offsets(column + row * WIDTH),
            Some(mask),
            Some(T::zeros::<D>(&[BLOCK])),
            &[],
            None,
            None,
            None,
            false,
        );
        let target = T::load(
            index_ptr.add_offsets(T::arange(0, 1) + row),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let place = T::broadcast_to(target * WIDTH, &[BLOCK]) + column;
        T::atomic_add(y_ptr.add_offsets(place), x, Some(mask), None, None);
        row += ROWS_OUT;
    }
}

/// `dx[i, :] = dy[index[i], :]`.
///
/// Grid: `[ceil(WIDTH / BLOCK), rows of x]`.
#[kernel]
pub fn scatter_rows_backward<T: Triton, D: Float, const BLOCK: i32>(
    dy_ptr: T::Pointer<D>,
    index_ptr: T::Pointer<i32>,
    dx_ptr: T::Pointer<D>,
    WIDTH: i32,
) {
    let row = T::program_id(Axis::Y);
    let column = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = column.lt(WIDTH);
    let source = T::load(
        index_ptr.add_offsets(T::arange(0, 1) + row),
        None,
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let place = T::broadcast_to(source * WIDTH, &[BLOCK]) + column;
    let dy = T::load(
        dy_ptr.add_offsets(place),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        dx_ptr.add_offsets(column + row * WIDTH),
        dy,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// How often each of the numbers below the length of the output occurs; others do not count.
#[kernel]
pub fn count_values<T: Triton, const BLOCK: i32>(
    value_ptr: T::Pointer<i32>,
    count_ptr: T::Pointer<i32>,
    n: i32,
    n_counts: i32,
) {
    let mut start = T::program_id(Axis::X) * BLOCK;
    while start < n {
        let at = T::arange(0, BLOCK) + start;
        let mask = at.lt(n);
        let value = T::load(
            value_ptr.add_offsets(at),
            Some(mask),
            Some(T::full::<i32>(&[BLOCK], -1)),
            &[],
            None,
            None,
            None,
            false,
        );
        let counted = mask & value.ge(0) & value.lt(n_counts);
        let one = T::full::<i32>(&[BLOCK], 1);
        T::atomic_add(count_ptr.add_offsets(value), one, Some(counted), None, None);
        start += n_counts * BLOCK;
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for ScatterRows<D> {
    fn n_activation_inputs(&self) -> usize {
        2
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
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(inputs[1].0);
        visitor.visit_ptr(output);
        visitor.visit_i32(inputs[0].1[0] as i32);
        visitor.visit_i32(output_shape[0] as i32);
        visitor.visit_i32(output_shape[1] as i32);
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let blocks = output_shape[1].div_ceil(self.block as usize);
        [blocks as u32, output_shape[0] as u32, 1]
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
        visitor.visit_ptr(inputs[1].0);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_i32(output_shape[1] as i32);
    }

    fn backward_grid(&self, input_shapes: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
        let [blocks, _, _] = self.grid(output_shape);
        [blocks, input_shapes[0][0] as u32, 1]
    }
}

impl RuntimeOp for CountValues {
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
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_i32(inputs[0].1.iter().product::<usize>() as i32);
        visitor.visit_i32(output_shape[0] as i32);
    }

    fn block(&self) -> [u32; 3] {
        [self.block as u32, 1, 1]
    }

    /// As many programs as there are counts.
    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [output_shape[0] as u32, 1, 1]
    }
}
