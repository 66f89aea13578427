//! Two inputs of one shape; the gradient of a product reads both of them.

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Num;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y = a * b`.
#[kernel]
pub fn product<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    a_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
) {
    let at = T::arange(0, BLOCK_SIZE) + T::program_id(Axis::X) * BLOCK_SIZE;
    let mask = at.lt(n);
    let a = T::load(
        a_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        b_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(y_ptr.add_offsets(at), a * b, Some(mask), &[], None, None);
}

/// `da = dy * b`, `db = dy * a`.
#[cfg(feature = "training")]
#[kernel]
pub fn product_backward<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    a_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    da_ptr: T::Pointer<D>,
    db_ptr: T::Pointer<D>,
    n: i32,
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
    let a = T::load(
        a_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let b = T::load(
        b_ptr.add_offsets(at),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    T::store(da_ptr.add_offsets(at), dy * b, Some(mask), &[], None, None);
    T::store(db_ptr.add_offsets(at), dy * a, Some(mask), &[], None, None);
}

impl<D: Num + Send + Sync + 'static> RuntimeOp for Product<D> {
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
        for (pointer, _) in inputs {
            visitor.visit_ptr(*pointer);
        }
        visitor.visit_ptr(output);
        visitor.visit_i32(output_shape.iter().fold(1, |n, extent| n * extent) as i32);
    }

    fn block(&self) -> [u32; 3] {
        [self.block_size as u32, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let n: usize = output_shape.iter().product();
        [n.div_ceil(self.block_size as usize) as u32, 1, 1]
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
        let [(a, _), (b, _)] = inputs else {
            panic!("a product has two inputs, not {}", inputs.len());
        };
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(*a);
        visitor.visit_ptr(*b);
        grad_inputs
            .iter()
            .for_each(|&gradient| visitor.visit_ptr(gradient));
        visitor.visit_i32(output_shape.iter().product::<usize>() as i32);
    }

    #[cfg(feature = "training")]
    fn backward_block(&self) -> [u32; 3] {
        self.block()
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, _input_shapes: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
        self.grid(output_shape)
    }
}
