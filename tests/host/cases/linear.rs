//! A dense layer: an optional bias, rows of the output that start on 16 bytes.

use core::marker::PhantomData;

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y = x wᵀ + b`, of `x` `[M, K]` and `w` `[N, K]`.
///
/// Grid: one program a tile of the output, those of a row of tiles one after another.
#[kernel]
pub fn linear_forward<
    T: Triton,
    D: Float,
    const USE_BIAS: bool,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
    stride_y: i32, // elements from one row of `y` to the next
) {
    let pid = T::program_id(Axis::X);
    let tiles = T::cdiv(N, BLOCK_N);
    let rows = T::arange(0, BLOCK_M) + (pid / tiles) * BLOCK_M;
    let columns = T::arange(0, BLOCK_N) + (pid % tiles) * BLOCK_N;
    let row_mask = T::expand_dims(rows.lt(M), 1);
    let column_mask = T::expand_dims(columns.lt(N), 0);
    let mut acc = T::zeros::<D>(&[BLOCK_M, BLOCK_N]);
    for step in 0..T::cdiv(K, BLOCK_K) {
        let inner = T::arange(0, BLOCK_K) + step * BLOCK_K;
        let inner_mask = inner.lt(K);
        let x = T::load(
            x_ptr.add_offsets(T::expand_dims(rows * K, 1) + T::expand_dims(inner, 0)),
            Some(row_mask & T::expand_dims(inner_mask, 0)),
            Some(T::zeros::<D>(&[BLOCK_M, BLOCK_K])),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            w_ptr.add_offsets(T::expand_dims(columns * K, 0) + T::expand_dims(inner, 1)),
            Some(column_mask & T::expand_dims(inner_mask, 1)),
            Some(T::zeros::<D>(&[BLOCK_K, BLOCK_N])),
            &[],
            None,
            None,
            None,
            false,
        );
        acc = T::dot::<D, D>(x, w, Some(acc), InputPrecision::IEEE, None);
    }
    if USE_BIAS {
        let b = T::load(
            b_ptr.add_offsets(columns),
            Some(columns.lt(N)),
            Some(T::zeros::<D>(&[BLOCK_N])),
            &[],
            None,
            None,
            None,
            false,
        );
        let b = T::expand_dims(b, 0);
        acc = acc + T::broadcast_to(b, &[BLOCK_M, BLOCK_N]);
    }
    T::store(
        y_ptr.add_offsets(T::expand_dims(rows * stride_y, 1) + T::expand_dims(columns, 0)),
        acc,
        Some(row_mask & column_mask),
        &[],
        None,
        None,
    );
}

/// `dx = dy w`, `dw = dyᵀ x`, `db = Σ dy`; the last two are summed atomically, into zeros.
///
/// Grid: `[M, ceil(K / BLOCK_K)]`.
#[cfg(feature = "training")]
#[kernel]
pub fn linear_backward<T: Triton, D: Float, const USE_BIAS: bool, const BLOCK_K: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    dw_ptr: T::Pointer<D>,
    db_ptr: T::Pointer<D>,
    N: i32,
    K: i32,
    stride_dy: i32,
) {
    let row = T::program_id(Axis::X);
    let tile = T::program_id(Axis::Y);
    let inner = T::arange(0, BLOCK_K) + tile * BLOCK_K;
    let mask = inner.lt(K);
    let zeros = T::zeros::<D>(&[BLOCK_K]);
    let x = T::load(
        x_ptr.add_offsets(inner + row * K),
        Some(mask),
        Some(zeros),
        &[],
        None,
        None,
        None,
        false,
    );
    let mut dx = zeros;
    for n in 0..N {
        let one = T::arange(0, 1) + row * stride_dy + n;
        let dy = T::load(
            dy_ptr.add_offsets(one),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            w_ptr.add_offsets(inner + n * K),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let spread = T::broadcast_to(dy, &[BLOCK_K]);
        dx = dx + spread * w;
        T::atomic_add(
            dw_ptr.add_offsets(inner + n * K),
            spread * x,
            Some(mask),
            None,
            None,
        );
        if USE_BIAS && tile == 0 {
            T::atomic_add(
                db_ptr.add_offsets(T::arange(0, 1) + n),
                dy,
                None,
                None,
                None,
            );
        }
    }
    T::store(
        dx_ptr.add_offsets(inner + row * K),
        dx,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// A dense layer of `[M, K]` to `[M, N]`.
pub struct LinearRuntimeOp<D: Float + Send + Sync + 'static> {
    fwd: LinearForward<D>,
    bwd: LinearBackward<D>,
    pub use_bias: bool,
    _dtype: PhantomData<D>,
}

impl<D: Float + Send + Sync + 'static> LinearRuntimeOp<D> {
    pub fn new(use_bias: bool, block_m: i32, block_n: i32, block_k: i32) -> Self {
        Self {
            fwd: LinearForward::<D>::new(use_bias, block_m, block_n, block_k),
            bwd: LinearBackward::<D>::new(use_bias, block_k),
            use_bias,
            _dtype: PhantomData,
        }
    }

    pub fn forward_source(&self) -> &str {
        &self.fwd.source
    }

    pub fn backward_source(&self) -> &str {
        &self.bwd.source
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for LinearRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], output_shape: &[usize]) -> Vec<Vec<usize>> {
        let k = input_shapes[0][1];
        let n = output_shape[1];
        if self.use_bias {
            vec![vec![n, k], vec![n]]
        } else {
            vec![vec![n, k]]
        }
    }

    fn param_names(&self) -> &'static [&'static str] {
        if self.use_bias {
            &["weight", "bias"]
        } else {
            &["weight"]
        }
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let bias = if self.use_bias {
            params[1]
        } else {
            core::ptr::null_mut()
        };
        let (x, x_shape) = inputs[0];
        visitor.visit_ptr(x);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(bias);
        visitor.visit_ptr(output);
        visitor.visit_i32(output_shape[0] as i32); // M
        visitor.visit_i32(output_shape[1] as i32); // N
        visitor.visit_i32(x_shape[1] as i32); // K
        visitor.visit_i32(output_row_stride);
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let tiles_m = output_shape[0].div_ceil(self.fwd.block_m as usize);
        let tiles_n = output_shape[1].div_ceil(self.fwd.block_n as usize);
        [(tiles_m * tiles_n) as u32, 1, 1]
    }

    fn forward_output_row_stride(&self, output_shape: &[usize]) -> usize {
        let align = 16 / core::mem::size_of::<D>();
        output_shape[output_shape.len() - 1].next_multiple_of(align)
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
        _output: RawPtr,
        output_shape: &[usize],
        grad_output: RawPtr,
        grad_output_row_stride: i32,
        grad_inputs: &[RawPtr],
        grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_ptr(grad_params[0]);
        visitor.visit_ptr(if self.use_bias {
            grad_params[1]
        } else {
            core::ptr::null_mut::<core::ffi::c_void>()
        });
        visitor.visit_i32(output_shape[1] as i32);
        visitor.visit_i32(inputs[0].1[1] as i32);
        visitor.visit_i32(grad_output_row_stride);
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> [u32; 3] {
        let [m, k] = [input_shapes[0][0], input_shapes[0][1]];
        [m as u32, k.div_ceil(self.bwd.block_k as usize) as u32, 1]
    }

    #[cfg(feature = "training")]
    fn backward_grad_output_row_stride(&self, output_shape: &[usize]) -> usize {
        self.forward_output_row_stride(output_shape)
    }
}
