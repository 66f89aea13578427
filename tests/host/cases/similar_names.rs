//! Kernels and operators whose names begin alike, or are those of something else in Python.

use core::marker::PhantomData;

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

macro_rules! pointwise {
    ($forward:ident, $backward:ident, |$x:ident| $y:expr, |$dy:ident, $at:ident| $dx:expr) => {
        #[kernel]
        pub fn $forward<T: Triton, D: Float, const BLOCK: i32>(
            x_ptr: T::Pointer<D>,
            y_ptr: T::Pointer<D>,
            n: i32,
        ) {
            let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
            let mask = at.lt(n);
            let one = T::full::<D>(&[BLOCK], D::from_f64(1.0));
            let $x = T::load(
                x_ptr.add_offsets(at),
                Some(mask),
                Some(one),
                &[],
                None,
                None,
                None,
                false,
            );
            T::store(y_ptr.add_offsets(at), $y, Some(mask), &[], None, None);
        }

        #[cfg(feature = "training")]
        #[kernel]
        pub fn $backward<T: Triton, D: Float, const BLOCK: i32>(
            dy_ptr: T::Pointer<D>,
            x_ptr: T::Pointer<D>,
            dx_ptr: T::Pointer<D>,
            n: i32,
        ) {
            let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
            let mask = at.lt(n);
            let one = T::full::<D>(&[BLOCK], D::from_f64(1.0));
            let $dy = T::load(
                dy_ptr.add_offsets(at),
                Some(mask),
                None,
                &[],
                None,
                None,
                None,
                false,
            );
            let $at = T::load(
                x_ptr.add_offsets(at),
                Some(mask),
                Some(one),
                &[],
                None,
                None,
                None,
                false,
            );
            T::store(dx_ptr.add_offsets(at), $dx, Some(mask), &[], None, None);
        }
    };
}

pointwise!(log_tripled, log_tripled_bwd, |x| T::log(x * x * x), |dy, x| (dy + dy + dy) / x);
pointwise!(log, log_bwd, |x| T::log(x), |dy, x| dy / x);
pointwise!(log_squared, log_squared_bwd, |x| T::log(x * x), |dy, x| (dy + dy) / x);
pointwise!(abs, abs_bwd, |x| T::abs(x), |dy, x| dy * T::abs(x) / x);
pointwise!(max_fwd, grad_max, |x| T::maximum(x, x + x), |dy, x| dy + dy * T::maximum(x, x - x) / x);

mod shapes {
    pub fn elements(shape: &[usize]) -> usize {
        shape.iter().product()
    }
}

mod grids {
    /// How many programs there are.
    pub fn elements(shape: &[usize], block: usize) -> usize {
        super::shapes::elements(shape).max(1).div_ceil(block)
    }
}

macro_rules! op {
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
                _: &[RawPtr],
                output: RawPtr,
                output_shape: &[usize],
                _: i32,
                visitor: &mut dyn ArgVisitor,
            ) {
                visitor.visit_ptr(inputs[0].0);
                visitor.visit_ptr(output);
                visitor.visit_i32(shapes::elements(output_shape) as i32);
            }

            fn block(&self) -> [u32; 3] {
                [self.block as u32, 1, 1]
            }

            fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
                [grids::elements(output_shape, self.block as usize) as u32, 1, 1]
            }

            #[cfg(feature = "training")]
            fn has_backward(&self) -> bool {
                true
            }

            #[cfg(feature = "training")]
            fn pack_backward_args(
                &self,
                inputs: &[(RawPtr, &[usize])],
                _: &[RawPtr],
                _: RawPtr,
                output_shape: &[usize],
                grad_output: RawPtr,
                _: i32,
                grad_inputs: &[RawPtr],
                _: &[RawPtr],
                visitor: &mut dyn ArgVisitor,
            ) {
                visitor.visit_ptr(grad_output);
                visitor.visit_ptr(inputs[0].0);
                visitor.visit_ptr(grad_inputs[0]);
                visitor.visit_i32(shapes::elements(output_shape) as i32);
            }

            #[cfg(feature = "training")]
            fn backward_grid(&self, _: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
                self.grid(output_shape)
            }
        }
    };
}

op!(Log);
op!(LogTripled);
op!(Abs);

/// Tells its kernel by its own name alone; `log` begins the names of others.
pub struct LogRuntimeOp<D: Float + Send + Sync + 'static> {
    block: i32,
    _dtype: PhantomData<D>,
}

impl<D: Float + Send + Sync + 'static> LogRuntimeOp<D> {
    pub fn new(block: i32) -> Self {
        Self {
            block,
            _dtype: PhantomData,
        }
    }

    /// A method whose name is a keyword of Python.
    pub fn with(&self, block: i32) -> i32 {
        self.block.max(block)
    }
}

op!(LogRuntimeOp);

/// Keeps what is compiled as a text.
pub struct MaxRuntimeOp<D: Float + Send + Sync + 'static> {
    block: i32,
    source: String,
    backward_source: String,
    _dtype: PhantomData<D>,
}

impl<D: Float + Send + Sync + 'static> MaxRuntimeOp<D> {
    pub fn new(block: i32) -> Self {
        Self {
            block,
            source: LogSquared::<D>::new(block).source,
            backward_source: LogSquaredBwd::<D>::new(block).source,
            _dtype: PhantomData,
        }
    }

    pub fn forward_source(&self) -> &str {
        &self.source
    }

    pub fn backward_source(&self) -> &str {
        &self.backward_source
    }
}

op!(MaxRuntimeOp);
