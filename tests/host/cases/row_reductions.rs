//! Reductions of the last axis, one program a row; one macro makes all their host sides.

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The sum of each row.
#[kernel]
pub fn row_sum<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_inner: i32,
    n_outer: i32,
) {
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let mut total = T::zeros::<D>(&[BLOCK_SIZE]);
    let mut start: i32 = 0;
    while start < n_inner {
        let column = T::arange(0, BLOCK_SIZE) + start;
        let x = T::load(
            x_ptr.add_offsets(column + row * n_inner),
            Some(column.lt(n_inner)),
            Some(T::zeros::<D>(&[BLOCK_SIZE])),
            &[],
            None,
            None,
            None,
            false,
        );
        total = total + x;
        start += BLOCK_SIZE;
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        T::sum(total, Some(0), true),
        None,
        &[],
        None,
        None,
    );
}

/// The Euclidean norm of each row.
#[kernel]
pub fn row_norm<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_inner: i32,
    n_outer: i32,
) {
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let mut total = T::zeros::<D>(&[BLOCK_SIZE]);
    let mut start: i32 = 0;
    while start < n_inner {
        let column = T::arange(0, BLOCK_SIZE) + start;
        let x = T::load(
            x_ptr.add_offsets(column + row * n_inner),
            Some(column.lt(n_inner)),
            Some(T::zeros::<D>(&[BLOCK_SIZE])),
            &[],
            None,
            None,
            None,
            false,
        );
        total = total + x * x;
        start += BLOCK_SIZE;
    }
    T::store(
        y_ptr.add_offsets(T::arange(0, 1) + row),
        T::sqrt(T::sum(total, Some(0), true)),
        None,
        &[],
        None,
        None,
    );
}

macro_rules! row_reduction {
    ($Op:ident) => {
        impl<D: Float + Send + Sync + 'static> RuntimeOp for $Op<D> {
            fn n_activation_inputs(&self) -> usize {
                1
            }

            fn param_shapes(&self, _: &[&[usize]], _: &[usize]) -> Vec<Vec<usize>> {
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
                // A reduction to a single number has an output of no axes: one row.
                let rows = output_shape.iter().product::<usize>().max(1);
                let all: usize = inputs[0].1.iter().product();
                visitor.visit_ptr(inputs[0].0);
                visitor.visit_ptr(output);
                visitor.visit_i32((all / rows) as i32); // n_inner
                visitor.visit_i32(rows as i32); // n_outer
            }

            fn block(&self) -> [u32; 3] {
                [self.block_size as u32, 1, 1]
            }

            fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
                let rows: usize = output_shape.iter().product();
                [rows.max(1) as u32, 1, 1]
            }
        }
    };
}

row_reduction!(RowSum);
row_reduction!(RowNorm);
