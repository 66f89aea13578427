//! Elementwise ops whose host side comes out of macros: with a backward half, and without one.

use teeny_core::dtype::Float;
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y = x / (1 + |x|)`.
#[kernel]
pub fn soft_sign<T: Triton, D: Float, const BLOCK_SIZE: i32>(
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
    let one = T::full::<D>(&[BLOCK_SIZE], D::from_f64(1.0));
    T::store(
        y_ptr.add_offsets(at),
        x / (one + T::abs(x)),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `dx = dy / (1 + |x|)²`.
#[cfg(feature = "training")]
#[kernel]
pub fn soft_sign_backward<T: Triton, D: Float, const BLOCK_SIZE: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
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
    let d = T::full::<D>(&[BLOCK_SIZE], D::from_f64(1.0)) + T::abs(x);
    T::store(
        dx_ptr.add_offsets(at),
        dy / (d * d),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `y = x²`.
#[kernel]
pub fn square<T: Triton, D: Float, const BLOCK_SIZE: i32>(
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
    T::store(y_ptr.add_offsets(at), x * x, Some(mask), &[], None, None);
}

/// `y = 2^x`.
#[kernel]
pub fn power_of_two<T: Triton, D: Float, const BLOCK_SIZE: i32>(
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
        T::exp2(x),
        Some(mask),
        &[],
        None,
        None,
    );
}

/// The host side of `(x, y, n)`, and of `(dy, x, dx, n)` on the way back.
macro_rules! op_with_gradient {
    ($Op:ident) => {
        impl<D: Float + Send + Sync + 'static> teeny_core::model::RuntimeOp for $Op<D> {
            fn n_activation_inputs(&self) -> usize {
                1
            }

            fn param_shapes(&self, _inputs: &[&[usize]], _output: &[usize]) -> Vec<Vec<usize>> {
                vec![]
            }

            fn pack_args(
                &self,
                inputs: &[(teeny_core::model::RawPtr, &[usize])],
                _params: &[teeny_core::model::RawPtr],
                output: teeny_core::model::RawPtr,
                output_shape: &[usize],
                _output_row_stride: i32,
                visitor: &mut dyn teeny_core::device::program::ArgVisitor,
            ) {
                let n: usize = output_shape.iter().product();
                visitor.visit_ptr(inputs[0].0);
                visitor.visit_ptr(output);
                visitor.visit_i32(n as i32);
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
            #[allow(clippy::too_many_arguments)]
            fn pack_backward_args(
                &self,
                inputs: &[(teeny_core::model::RawPtr, &[usize])],
                _params: &[teeny_core::model::RawPtr],
                _output: teeny_core::model::RawPtr,
                output_shape: &[usize],
                grad_output: teeny_core::model::RawPtr,
                _grad_output_row_stride: i32,
                grad_inputs: &[teeny_core::model::RawPtr],
                _grad_params: &[teeny_core::model::RawPtr],
                visitor: &mut dyn teeny_core::device::program::ArgVisitor,
            ) {
                let n: usize = output_shape.iter().product();
                visitor.visit_ptr(grad_output);
                visitor.visit_ptr(inputs[0].0);
                visitor.visit_ptr(grad_inputs[0]);
                visitor.visit_i32(n as i32);
            }

            #[cfg(feature = "training")]
            fn backward_block(&self) -> [u32; 3] {
                [self.block_size as u32, 1, 1]
            }

            #[cfg(feature = "training")]
            fn backward_grid(&self, _inputs: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
                let n: usize = output_shape.iter().product();
                [n.div_ceil(self.block_size as usize) as u32, 1, 1]
            }
        }
    };
}

/// The host side of `(x, y, n)` alone.
macro_rules! op {
    ($($Op:ident),+ $(,)?) => {
        $(
            impl<D: Float + Send + Sync + 'static> teeny_core::model::RuntimeOp for $Op<D> {
                fn n_activation_inputs(&self) -> usize {
                    1
                }

                fn param_shapes(&self, _: &[&[usize]], _: &[usize]) -> Vec<Vec<usize>> {
                    Vec::new()
                }

                fn pack_args(
                    &self,
                    inputs: &[(teeny_core::model::RawPtr, &[usize])],
                    _: &[teeny_core::model::RawPtr],
                    output: teeny_core::model::RawPtr,
                    _: &[usize],
                    _: i32,
                    visitor: &mut dyn teeny_core::device::program::ArgVisitor,
                ) {
                    visitor.visit_ptr(inputs[0].0);
                    visitor.visit_ptr(output);
                    visitor.visit_i32(inputs[0].1.iter().product::<usize>() as i32);
                }

                fn block(&self) -> [u32; 3] {
                    [128, 1, 1]
                }

                fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
                    let n: usize = output_shape.iter().product();
                    let block = self.block_size as usize;
                    [((n + block - 1) / block) as u32, 1, 1]
                }
            }
        )+
    };
}

op_with_gradient!(SoftSign);
op!(Square, PowerOfTwo);
