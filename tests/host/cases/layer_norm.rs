//! Layer normalisation of the last axis.

use teeny_core::dtype::Float;
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y = w (x - mean) / sqrt(variance + eps) + b`, row by row.
///
/// Grid: one program a row, which goes through it three times, `BLOCK_N` columns at once.
#[kernel]
pub fn layer_norm_forward<T: Triton, D: Float, const BLOCK_N: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    _n_rows: i32,
    N: i32,
    eps: f32,
) {
    let row = T::program_id(Axis::X);
    let zeros = T::zeros::<D>(&[BLOCK_N]);
    let inverse = T::full::<D>(&[1], D::from_f64(1.0))
        / T::cast::<f32, D>(T::full::<f32>(&[1], N as f32), None, false);
    let mut total = zeros;
    let mut start: i32 = 0;
    while start < N {
        let column = T::arange(0, BLOCK_N) + start;
        let x = T::load(
            x_ptr.add_offsets(column + row * N),
            Some(column.lt(N)),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        total = total + x;
        start += BLOCK_N;
    }
    let mean = T::broadcast_to(T::sum(total, Some(0), true) * inverse, &[BLOCK_N]);
    let mut squares = zeros;
    start = 0;
    while start < N {
        let column = T::arange(0, BLOCK_N) + start;
        let mask = column.lt(N);
        let x = T::load(
            x_ptr.add_offsets(column + row * N),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let centred = T::where_(mask, x - mean, zeros);
        squares = squares + centred * centred;
        start += BLOCK_N;
    }
    let variance = T::sum(squares, Some(0), true) * inverse;
    let rstd = T::broadcast_to(
        T::rsqrt(variance + T::cast::<f32, D>(T::full::<f32>(&[1], eps), None, false)),
        &[BLOCK_N],
    );
    start = 0;
    while start < N {
        let column = T::arange(0, BLOCK_N) + start;
        let mask = column.lt(N);
        let x = T::load(
            x_ptr.add_offsets(column + row * N),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            w_ptr.add_offsets(column),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        let b = T::load(
            b_ptr.add_offsets(column),
            Some(mask),
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        T::store(
            y_ptr.add_offsets(column + row * N),
            w * (x - mean) * rstd + b,
            Some(mask),
            &[],
            None,
            None,
        );
        start += BLOCK_N;
    }
}

/// The three gradients of a row that fits in one block; `dw` and `db` are summed atomically.
///
/// ```text
/// x̂  = (x - mean) rstd
/// dx = rstd (w dy - mean(w dy) - x̂ mean(w dy x̂))
/// ```
#[cfg(feature = "training")]
#[kernel]
pub fn layer_norm_backward<T: Triton, D: Float, const BLOCK_N: i32>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    dw_ptr: T::Pointer<D>,
    db_ptr: T::Pointer<D>,
    _n_rows: i32,
    N: i32,
    eps: f32,
) {
    let row = T::program_id(Axis::X);
    let column = T::arange(0, BLOCK_N);
    let mask = column.lt(N);
    let zeros = T::zeros::<D>(&[BLOCK_N]);
    let dy = T::load(
        dy_ptr.add_offsets(column + row * N),
        Some(mask),
        Some(zeros),
        &[],
        None,
        None,
        None,
        false,
    );
    let x = T::load(
        x_ptr.add_offsets(column + row * N),
        Some(mask),
        Some(zeros),
        &[],
        None,
        None,
        None,
        false,
    );
    let w = T::load(
        w_ptr.add_offsets(column),
        Some(mask),
        Some(zeros),
        &[],
        None,
        None,
        None,
        false,
    );
    let inverse = T::full::<D>(&[1], D::from_f64(1.0))
        / T::cast::<f32, D>(T::full::<f32>(&[1], N as f32), None, false);
    let mean = T::broadcast_to(T::sum(x, Some(0), true) * inverse, &[BLOCK_N]);
    let centred = T::where_(mask, x - mean, zeros);
    let variance = T::sum(centred * centred, Some(0), true) * inverse;
    let rstd = T::broadcast_to(
        T::rsqrt(variance + T::cast::<f32, D>(T::full::<f32>(&[1], eps), None, false)),
        &[BLOCK_N],
    );
    let hat = centred * rstd;
    let weighted = w * dy;
    let first = T::broadcast_to(T::sum(weighted, Some(0), true) * inverse, &[BLOCK_N]);
    let second = T::broadcast_to(T::sum(weighted * hat, Some(0), true) * inverse, &[BLOCK_N]);
    T::store(
        dx_ptr.add_offsets(column + row * N),
        rstd * (weighted - first - hat * second),
        Some(mask),
        &[],
        None,
        None,
    );
    T::atomic_add(dw_ptr.add_offsets(column), dy * hat, Some(mask), None, None);
    T::atomic_add(db_ptr.add_offsets(column), dy, Some(mask), None, None);
}

/// Layer normalisation of rows of at most `block_n` columns (any number forward).
pub struct LayerNormRuntimeOp<D: Float + Send + Sync + 'static> {
    kernel: LayerNormForward<D>,
    block_n: i32,
    eps: f32,
}

impl<D: Float + Send + Sync + 'static> LayerNormRuntimeOp<D> {
    pub fn new(block_n: i32, eps: f32) -> Self {
        Self {
            kernel: LayerNormForward::<D>::new(block_n),
            block_n,
            eps,
        }
    }

    pub fn kernel_name(&self) -> &str {
        self.kernel.name
    }

    #[cfg(feature = "training")]
    pub fn backward_source(&self) -> String {
        LayerNormBackward::<D>::new(self.block_n).source
    }
}

impl<D: Float + Send + Sync + 'static> teeny_core::model::RuntimeOp for LayerNormRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        let n = *input_shapes[0].last().unwrap();
        vec![vec![n]; 2]
    }

    fn param_names(&self) -> &'static [&'static str] {
        &["weight", "bias"]
    }

    fn pack_args(
        &self,
        inputs: &[(teeny_core::model::RawPtr, &[usize])],
        params: &[teeny_core::model::RawPtr],
        output: teeny_core::model::RawPtr,
        output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn teeny_core::device::program::ArgVisitor,
    ) {
        let n = *output_shape.last().unwrap();
        let rows = output_shape.iter().product::<usize>() / n;
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(params[1]);
        visitor.visit_i32(rows as i32);
        visitor.visit_i32(n as i32);
        visitor.visit_f32(self.eps);
    }

    fn block(&self) -> [u32; 3] {
        [self.kernel.block_n as u32, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let rows: usize = output_shape[..output_shape.len() - 1].iter().product();
        [rows as u32, 1, 1]
    }

    fn has_backward(&self) -> bool {
        true
    }

    #[cfg(feature = "training")]
    fn pack_backward_args(
        &self,
        inputs: &[(teeny_core::model::RawPtr, &[usize])],
        params: &[teeny_core::model::RawPtr],
        _output: teeny_core::model::RawPtr,
        _output_shape: &[usize],
        grad_output: teeny_core::model::RawPtr,
        _grad_output_row_stride: i32,
        grad_inputs: &[teeny_core::model::RawPtr],
        grad_params: &[teeny_core::model::RawPtr],
        visitor: &mut dyn teeny_core::device::program::ArgVisitor,
    ) {
        let shape = inputs[0].1;
        let n: usize = *shape.last().unwrap();
        assert!(
            n <= self.block_n as usize,
            "a row of {n} does not fit in one block"
        );
        let n_total: usize = shape.iter().product();
        visitor.visit_ptr(grad_output); // dy
        visitor.visit_ptr(inputs[0].0); // x
        visitor.visit_ptr(params[0]); // weight
        visitor.visit_ptr(grad_inputs[0]); // dx
        visitor.visit_ptr(grad_params[0]); // dw
        visitor.visit_ptr(grad_params[1]); // db
        visitor.visit_i32((n_total / n) as i32);
        visitor.visit_i32(n as i32);
        visitor.visit_f32(self.eps);
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> [u32; 3] {
        let shape = input_shapes[0];
        let n = *shape.last().unwrap();
        [(shape.iter().product::<usize>() / n) as u32, 1, 1]
    }
}
