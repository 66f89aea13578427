//! Host sides that nobody has written yet: each method of them only panics.

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::{Float, Num};
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y = x³`.
#[kernel]
pub fn cube<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
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
    T::store(
        y_ptr.add_offsets(at),
        x * x * x,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `y = x + x`.
#[kernel]
pub fn doubled<T: Triton, D: Num, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
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
    T::store(y_ptr.add_offsets(at), x + x, Some(mask), &[], None, None);
}

/// `y = x / 2`.
#[kernel]
pub fn halved<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
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
    let half = T::full::<D>(&[BLOCK_SIZE], D::from_f64(0.5));
    T::store(y_ptr.add_offsets(at), x * half, Some(mask), &[], None, None);
}

macro_rules! not_yet {
    ($Op:ident, $Bound:ident) => {
        impl<D: $Bound + Send + Sync + 'static> RuntimeOp for $Op<D> {
            fn n_activation_inputs(&self) -> usize {
                unimplemented!(concat!(stringify!($Op), " has no host side"))
            }

            fn param_shapes(&self, _: &[&[usize]], _: &[usize]) -> Vec<Vec<usize>> {
                unimplemented!()
            }

            fn pack_args(
                &self,
                _inputs: &[(RawPtr, &[usize])],
                _params: &[RawPtr],
                _output: RawPtr,
                _output_shape: &[usize],
                _output_row_stride: i32,
                _visitor: &mut dyn ArgVisitor,
            ) {
                unimplemented!()
            }

            fn block(&self) -> [u32; 3] {
                unimplemented!()
            }

            fn grid(&self, _output_shape: &[usize]) -> [u32; 3] {
                unimplemented!()
            }
        }
    };
}

not_yet!(Cube, Float);
not_yet!(Doubled, Num);

impl<D: Float + Send + Sync + 'static> RuntimeOp for Halved<D> {
    fn n_activation_inputs(&self) -> usize {
        todo!()
    }

    fn param_shapes(&self, _input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        todo!("no parameters, probably")
    }

    fn pack_args(
        &self,
        _inputs: &[(RawPtr, &[usize])],
        _params: &[RawPtr],
        _output: RawPtr,
        _output_shape: &[usize],
        _output_row_stride: i32,
        _visitor: &mut dyn ArgVisitor,
    ) {
        panic!("halving is not launched from a graph");
    }

    fn block(&self) -> [u32; 3] {
        panic!()
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        unreachable!("asked for the grid of {output_shape:?}")
    }
}
