//! Column sums: the kernel as written, two kernels that compute the same together, and an operator.

use core::marker::PhantomData;

use teeny_core::{
    device::program::ArgVisitor,
    dtype::Float,
    model::{RawPtr, RuntimeOp},
};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `sums[c] = scale * (sum over n of x[n, c])`, plus `bias[c]` if there is one.
///
/// Grid: `[C]`.
#[kernel]
pub fn column_sums<T: Triton, D: Float, const BLOCK_N: i32, const HAS_BIAS: bool>(
    x_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    sums_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    scale: f32,
) {
    let channel = T::program_id(Axis::X);
    let at = T::arange(0, 1) + channel;
    let zeros = T::zeros::<D>(&[BLOCK_N]);
    let mut sums = zeros;
    let mut first: i32 = 0;
    while first < N {
        let rows = T::arange(0, BLOCK_N) + first;
        let inside = rows.lt(N);
        let offsets = rows * C + channel;
        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        sums = sums + T::where_(inside, x, zeros);
        first += BLOCK_N;
    }
    let mut sum = T::sum(sums, None, true) * T::full::<D>(&[1], D::from_f64(scale as f64));
    if HAS_BIAS {
        sum = sum + T::load(bias_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    }
    T::store(sums_ptr.add_offsets(at), sum, None, &[], None, None);
}

/// Sums of the rows that a program has, of `BLOCK_C` columns.
#[kernel]
pub fn partial<T: Triton, D: Float, const BLOCK_C: i32>(
    x_ptr: T::Pointer<D>,
    partial_ptr: T::Pointer<D>,
    N: i32,
    C: i32,
    rows: i32,
) {
    let columns = T::program_id(Axis::X) * BLOCK_C + T::arange(0, BLOCK_C);
    let inside = columns.lt(C);
    let zeros = T::zeros::<D>(&[BLOCK_C]);
    let mut sums = zeros;
    let mut row = T::program_id(Axis::Y) * rows;
    let end = if row + rows < N { row + rows } else { N };
    while row < end {
        let offsets = columns + row * C;
        // Lanes beyond the last column add nothing.
        let x =
            T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
        sums = sums + T::where_(inside, x, zeros);
        row += 1;
    }
    let offsets = columns + T::program_id(Axis::Y) * C;
    T::store(partial_ptr.add_offsets(offsets), sums, Some(inside), &[], None, None);
}

/// The sums of what `partial` left, in one order.
#[kernel]
pub fn finish<T: Triton, D: Float, const BLOCK_C: i32, const HAS_BIAS: bool>(
    partial_ptr: T::Pointer<D>,
    bias_ptr: T::Pointer<D>,
    sums_ptr: T::Pointer<D>,
    C: i32,
    splits: i32,
    scale: f32,
) {
    let columns = T::program_id(Axis::X) * BLOCK_C + T::arange(0, BLOCK_C);
    let inside = columns.lt(C);
    let mut sums = T::zeros::<D>(&[BLOCK_C]);
    for split in 0..splits {
        let offsets = columns + split * C;
        sums = sums
            + T::load(
                partial_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false,
            );
    }
    sums = sums * T::full::<D>(&[BLOCK_C], D::from_f64(scale as f64));
    if HAS_BIAS {
        sums = sums
            + T::load(
                bias_ptr.add_offsets(columns), Some(inside), None, &[], None, None, None, false,
            );
    }
    T::store(sums_ptr.add_offsets(columns), sums, Some(inside), &[], None, None);
}

/// Sums the columns of a matrix.
pub struct ColumnSumsRuntimeOp<D: Float + Send + Sync + 'static> {
    kernel: ColumnSums<D>,
    scale: f32,
    _marker: PhantomData<D>,
}

impl<D: Float + Send + Sync + 'static> ColumnSumsRuntimeOp<D> {
    pub fn new(block_n: i32, scale: f32) -> Self {
        Self { kernel: ColumnSums::new(block_n, true), scale, _marker: PhantomData }
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for ColumnSumsRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        vec![vec![input_shapes[0][1]]]
    }

    fn param_names(&self) -> &'static [&'static str] {
        &["bias"]
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        output: RawPtr,
        _output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let (x, shape) = inputs[0];
        visitor.visit_ptr(x);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(output);
        visitor.visit_i32(shape[0] as i32);
        visitor.visit_i32(shape[1] as i32);
        visitor.visit_f32(self.scale);
    }

    fn block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [output_shape[0] as u32, 1, 1]
    }
}
