//! A product of matrices through tensor descriptors: rows have to be whole numbers of 16 bytes.

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// How many rows of tiles one group has.
const GROUP_M: i32 = 4;

/// `c = a b`, of `a` `[M, K]` and `b` `[K, N]`; programs go through groups of rows of tiles.
#[kernel]
pub fn matmul_forward<
    T: Triton,
    D: Float,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
    const GROUP_M: i32,
>(
    a_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    c_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
) {
    let pid = T::program_id(Axis::X);
    let tiles_m = T::cdiv(M, BLOCK_M);
    let tiles_n = T::cdiv(N, BLOCK_N);
    let group = pid / (GROUP_M * tiles_n);
    let left = tiles_m - group * GROUP_M;
    let rows = if left < GROUP_M { left } else { GROUP_M };
    let within = pid % (GROUP_M * tiles_n);
    let row = (group * GROUP_M + within % rows) * BLOCK_M;
    let column = (within / rows) * BLOCK_N;
    let a = T::make_tensor_descriptor(
        a_ptr,
        &[M, K],
        &[K, 1],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let b = T::make_tensor_descriptor(
        b_ptr,
        &[K, N],
        &[N, 1],
        &[BLOCK_K, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let c = T::make_tensor_descriptor(
        c_ptr,
        &[M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let mut acc = T::zeros::<D>(&[BLOCK_M, BLOCK_N]);
    let steps = T::cdiv(K, BLOCK_K);
    for step in 0..steps {
        let left = T::load_tensor_descriptor(a, &[row, step * BLOCK_K]);
        let right = T::load_tensor_descriptor(b, &[step * BLOCK_K, column]);
        acc = T::dot::<D, D>(left, right, Some(acc), InputPrecision::IEEE, None);
    }
    T::store_tensor_descriptor(c, &[row, column], acc);
}

/// `da = dc bᵀ`.
#[cfg(feature = "training")]
#[kernel]
pub fn matmul_backward_a<
    T: Triton,
    D: Float,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
    const GROUP_M: i32,
>(
    dc_ptr: T::Pointer<D>,
    b_ptr: T::Pointer<D>,
    da_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
) {
    let pid = T::program_id(Axis::X);
    let tiles = T::cdiv(K, BLOCK_K);
    let row = (pid / tiles) * BLOCK_M;
    let column = (pid % tiles) * BLOCK_K;
    let dc = T::make_tensor_descriptor(
        dc_ptr,
        &[M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let b = T::make_tensor_descriptor(
        b_ptr,
        &[K, N],
        &[N, 1],
        &[BLOCK_K, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let da = T::make_tensor_descriptor(
        da_ptr,
        &[M, K],
        &[K, 1],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let mut acc = T::zeros::<D>(&[BLOCK_M, BLOCK_K]);
    let steps = T::cdiv(N, BLOCK_N);
    for step in 0..steps {
        let left = T::load_tensor_descriptor(dc, &[row, step * BLOCK_N]);
        let right = T::load_tensor_descriptor(b, &[column, step * BLOCK_N]);
        acc = T::dot::<D, D>(
            left,
            T::trans(right, &[1, 0]),
            Some(acc),
            InputPrecision::IEEE,
            None,
        );
    }
    T::store_tensor_descriptor(da, &[row, column], acc);
}

/// `db = aᵀ dc`.
#[cfg(feature = "training")]
#[kernel]
pub fn matmul_backward_b<
    T: Triton,
    D: Float,
    const BLOCK_M: i32,
    const BLOCK_N: i32,
    const BLOCK_K: i32,
    const GROUP_M: i32,
>(
    a_ptr: T::Pointer<D>,
    dc_ptr: T::Pointer<D>,
    db_ptr: T::Pointer<D>,
    M: i32,
    N: i32,
    K: i32,
) {
    let pid = T::program_id(Axis::X);
    let tiles = T::cdiv(N, BLOCK_N);
    let row = (pid / tiles) * BLOCK_K;
    let column = (pid % tiles) * BLOCK_N;
    let a = T::make_tensor_descriptor(
        a_ptr,
        &[M, K],
        &[K, 1],
        &[BLOCK_M, BLOCK_K],
        Some(PaddingOption::Zero),
    );
    let dc = T::make_tensor_descriptor(
        dc_ptr,
        &[M, N],
        &[N, 1],
        &[BLOCK_M, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let db = T::make_tensor_descriptor(
        db_ptr,
        &[K, N],
        &[N, 1],
        &[BLOCK_K, BLOCK_N],
        Some(PaddingOption::Zero),
    );
    let mut acc = T::zeros::<D>(&[BLOCK_K, BLOCK_N]);
    let steps = T::cdiv(M, BLOCK_M);
    for step in 0..steps {
        let left = T::load_tensor_descriptor(a, &[step * BLOCK_M, row]);
        let right = T::load_tensor_descriptor(dc, &[step * BLOCK_M, column]);
        acc = T::dot::<D, D>(
            T::trans(left, &[1, 0]),
            right,
            Some(acc),
            InputPrecision::IEEE,
            None,
        );
    }
    T::store_tensor_descriptor(db, &[row, column], acc);
}

/// `[M, K]` times `[K, N]`. Only the left one has a gradient here: the third kernel is launched
/// by hand.
pub struct MatmulRuntimeOp<D: Float + Send + Sync + 'static> {
    fwd_kernel: MatmulForward<D>,
    bwd_da_kernel: MatmulBackwardA<D>,
    bwd_db_kernel: MatmulBackwardB<D>,
}

impl<D: Float + Send + Sync + 'static> MatmulRuntimeOp<D> {
    pub fn new(block_m: i32, block_n: i32, block_k: i32) -> Self {
        Self {
            fwd_kernel: MatmulForward::new(block_m, block_n, block_k, GROUP_M),
            bwd_da_kernel: MatmulBackwardA::new(block_m, block_n, block_k, GROUP_M),
            bwd_db_kernel: MatmulBackwardB::new(block_m, block_n, block_k, GROUP_M),
        }
    }

    pub fn forward_source(&self) -> &str {
        &self.fwd_kernel.source
    }

    pub fn backward_source(&self) -> &str {
        &self.bwd_da_kernel.source
    }

    pub fn second_backward_source(&self) -> &str {
        &self.bwd_db_kernel.source
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for MatmulRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        2
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
        let m = output_shape.first().copied().unwrap_or(1);
        let n = output_shape.last().copied().unwrap_or(1);
        let k = inputs
            .first()
            .and_then(|(_, s)| s.last().copied())
            .unwrap_or(1);
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(inputs[1].0);
        visitor.visit_ptr(output);
        visitor.visit_i32(m as i32);
        visitor.visit_i32(n as i32);
        visitor.visit_i32(k as i32);
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let m = output_shape.first().copied().unwrap_or(1);
        let n = output_shape.last().copied().unwrap_or(1);
        let tiles_m = m.div_ceil(self.fwd_kernel.block_m as usize);
        let tiles_n = n.div_ceil(self.fwd_kernel.block_n as usize);
        [(tiles_m * tiles_n) as u32, 1, 1]
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
        let m = inputs
            .first()
            .and_then(|(_, s)| s.first().copied())
            .unwrap_or(1);
        let k = inputs
            .first()
            .and_then(|x| x.1.last().copied())
            .unwrap_or(1);
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(inputs[1].0);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_i32(m as i32);
        visitor.visit_i32(output_shape[output_shape.len() - 1] as i32);
        visitor.visit_i32(k as i32);
    }

    fn backward_block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn backward_grid(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> [u32; 3] {
        let m = input_shapes
            .first()
            .and_then(|s| s.first())
            .copied()
            .unwrap_or(1);
        let k = input_shapes
            .first()
            .and_then(|s| s.get(1))
            .copied()
            .unwrap_or(1);
        let tiles_m = m.div_ceil(self.bwd_da_kernel.block_m as usize);
        let tiles_k = k.div_ceil(self.bwd_da_kernel.block_k as usize);
        [(tiles_m * tiles_k) as u32, 1, 1]
    }
}
