//! Running sums, products and maxima of the last axis: a row fits in one block.

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Num;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// The sums of what comes up to each element of a row.
#[kernel]
pub fn running_sum<T: Triton, D: Num, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_inner: i32,
    n_outer: i32,
) {
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let column = T::arange(0, BLOCK_INNER);
    let mask = column.lt(n_inner);
    let x = T::load(
        x_ptr.add_offsets(column + row * n_inner),
        Some(mask),
        Some(T::zeros::<D>(&[BLOCK_INNER])),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(column + row * n_inner),
        T::cumsum(x, 0, false),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// The gradient of a running sum: the sums of what comes from each element on.
#[cfg(feature = "training")]
#[kernel]
pub fn running_sum_backward<T: Triton, D: Num, const BLOCK_INNER: i32>(
    dy_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    n_inner: i32,
    n_outer: i32,
) {
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let column = T::arange(0, BLOCK_INNER);
    let mask = column.lt(n_inner);
    let dy = T::load(
        dy_ptr.add_offsets(column + row * n_inner),
        Some(mask),
        Some(T::zeros::<D>(&[BLOCK_INNER])),
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        dx_ptr.add_offsets(column + row * n_inner),
        T::cumsum(dy, 0, true),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// The products of what comes up to each element of a row.
#[kernel]
pub fn running_product<T: Triton, D: Num, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_inner: i32,
    n_outer: i32,
) {
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let column = T::arange(0, BLOCK_INNER);
    let mask = column.lt(n_inner);
    let x = T::load(
        x_ptr.add_offsets(column + row * n_inner),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(column + row * n_inner),
        T::cumprod(x, 0, false),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// The larger of two.
fn larger<T: Triton, D: Num>(a: T::Tensor<D>, b: T::Tensor<D>) -> T::Tensor<D> {
    T::where_(T::gt(a, b), a, b)
}

/// The largest of what comes up to each element of a row.
#[kernel]
pub fn running_max<T: Triton, D: Num, const BLOCK_INNER: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n_inner: i32,
    n_outer: i32,
) {
    let row = T::program_id(Axis::X);
    if row >= n_outer {
        return;
    }
    let column = T::arange(0, BLOCK_INNER);
    let mask = column.lt(n_inner);
    let x = T::load(
        x_ptr.add_offsets(column + row * n_inner),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(
        y_ptr.add_offsets(column + row * n_inner),
        T::associative_scan(x, 0, larger::<T, D>, false),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// How a row and the number of rows come out of a shape.
fn split(shape: &[usize]) -> (usize, usize) {
    let inner = shape.last().copied().unwrap_or(1).max(1);
    let all: usize = shape.iter().product();
    (inner, all / inner)
}

macro_rules! scan {
    ($Op:ident) => {
        impl<D: Num + Send + Sync + 'static> RuntimeOp for $Op<D> {
            fn n_activation_inputs(&self) -> usize {
                1
            }

            fn param_shapes(&self, _: &[&[usize]], _: &[usize]) -> Vec<Vec<usize>> {
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
                let (n_inner, n_outer) = split(output_shape);
                debug_assert!(n_inner <= self.block_inner as usize);
                visitor.visit_ptr(inputs[0].0);
                visitor.visit_ptr(output);
                visitor.visit_i32(n_inner as i32);
                visitor.visit_i32(n_outer as i32);
            }

            fn block(&self) -> [u32; 3] {
                [self.block_inner as u32, 1, 1]
            }

            fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
                let (_, n_outer) = split(output_shape);
                [n_outer as u32, 1, 1]
            }
        }
    };
}

scan!(RunningProduct);
scan!(RunningMax);

impl<D: Num + Send + Sync + 'static> RuntimeOp for RunningSum<D> {
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
        let (n_inner, n_outer) = split(output_shape);
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_i32(n_inner as i32);
        visitor.visit_i32(n_outer as i32);
    }

    fn block(&self) -> [u32; 3] {
        [self.block_inner as u32, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let n: usize = output_shape.iter().product();
        let last = output_shape.last().copied().unwrap_or(1);
        [(n / last) as u32, 1, 1]
    }

    #[cfg(feature = "training")]
    fn has_backward(&self) -> bool {
        true
    }

    #[cfg(feature = "training")]
    fn pack_backward_args(
        &self,
        _inputs: &[(RawPtr, &[usize])],
        _params: &[RawPtr],
        _output: RawPtr,
        output_shape: &[usize],
        grad_output: RawPtr,
        _grad_output_row_stride: i32,
        grad_inputs: &[RawPtr],
        _grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        let (n_inner, n_outer) = split(output_shape);
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_i32(n_inner as i32);
        visitor.visit_i32(n_outer as i32);
    }

    #[cfg(feature = "training")]
    fn backward_block(&self) -> [u32; 3] {
        [self.block_inner as u32, 1, 1]
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, _input_shapes: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
        self.grid(output_shape)
    }
}
