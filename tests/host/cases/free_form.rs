//! Host methods in much of the Rust that a method may be written in.

use core::marker::PhantomData;

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// How many axes the kernel takes; shapes of fewer get ones in front.
const AXES: usize = 4;

/// The fewest elements that one program works on.
const LEAST: usize = 16;

/// `y = x scale + shift`, of strided views of up to four axes; `y` is contiguous.
#[kernel]
pub fn affine_strided<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
    size_1: i32,
    size_2: i32,
    size_3: i32,
    stride_0: i32,
    stride_1: i32,
    stride_2: i32,
    stride_3: i32,
    scale: f32,
    shift: f32,
) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let i3 = at % size_3;
    let i2 = (at / size_3) % size_2;
    let i1 = (at / (size_3 * size_2)) % size_1;
    let i0 = at / (size_3 * size_2 * size_1);
    let from = i0 * stride_0 + i1 * stride_1 + i2 * stride_2 + i3 * stride_3;
    let x = T::load(
        x_ptr.add_offsets(from),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let scale = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], scale), None, false);
    let shift = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], shift), None, false);
    T::store(
        y_ptr.add_offsets(at),
        x * scale + shift,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// The shape with ones in front, up to the axes that the kernel takes.
fn padded(shape: &[usize]) -> [usize; AXES] {
    let mut out = [1; AXES];
    let missing = AXES - shape.len();
    for (axis, &extent) in shape.iter().enumerate() {
        out[missing + axis] = extent;
    }
    out
}

/// Elements from one index of each axis to the next, in a contiguous tensor.
fn strides(shape: &[usize]) -> Vec<usize> {
    let mut step = 1;
    let mut out = Vec::with_capacity(shape.len());
    for extent in shape.iter().rev() {
        out.push(step);
        step *= extent;
    }
    out.reverse();
    out
}

fn numel(shape: &[usize]) -> usize {
    shape.iter().fold(1, |all, extent| all * extent)
}

/// Repeats `x` along its axes of one element, then scales and shifts it.
pub struct ExpandAffineRuntimeOp<D: Float + Send + Sync + 'static> {
    block: i32,
    scale: f32,
    /// Nothing is added where there is none.
    shift: Option<f32>,
    _dtype: PhantomData<D>,
}

impl<D: Float + Send + Sync + 'static> ExpandAffineRuntimeOp<D> {
    const DEFAULT_SCALE: f32 = 1.5;

    pub fn new(block: i32, scale: Option<f32>, shift: Option<f32>) -> Self {
        let scale = match scale {
            Some(value) => value,
            None => Self::DEFAULT_SCALE,
        };
        Self {
            block,
            scale,
            shift,
            _dtype: PhantomData,
        }
    }

    pub fn forward_source(&self) -> String {
        AffineStrided::<D>::new(self.block).source
    }

    /// The stride of an axis: repeated axes stay where they are.
    fn stride(extent: usize, wanted: usize, step: usize) -> usize {
        match (extent, wanted) {
            (same, other) if same == other => step,
            (1, _) => 0,
            _ => panic!("{extent} elements cannot be repeated to {wanted}"),
        }
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for ExpandAffineRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize {
        1
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
        let Some(&(x, shape)) = inputs.first() else {
            return;
        };
        let shape = padded(shape);
        let wanted = padded(output_shape);
        let steps = strides(&shape);
        visitor.visit_ptr(x);
        visitor.visit_ptr(output);
        visitor.visit_i32(numel(output_shape) as i32);
        for extent in &wanted[1..] {
            visitor.visit_i32(*extent as i32);
        }
        for ((&extent, &other), &step) in shape.iter().zip(wanted.iter()).zip(steps.iter()) {
            visitor.visit_i32(Self::stride(extent, other, step) as i32);
        }
        visitor.visit_f32(self.scale);
        if let Some(shift) = self.shift {
            visitor.visit_f32(shift);
        } else {
            visitor.visit_f32(0.0);
        }
    }

    fn block(&self) -> [u32; 3] {
        [self.block as u32, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let block = self.block as usize;
        let mut left = numel(output_shape);
        if left == 0 {
            return [0, 1, 1];
        }
        let mut programs = 0u32;
        while left > block {
            left -= block;
            programs += 1;
        }
        [programs + 1, 1, 1]
    }
}

/// The sum of each group of rows, by weights that come in pairs of numbers.
#[kernel]
pub fn weighted_rows<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    rows: i32,
    width: i32,
    first: f32,
    second: f32,
) {
    let out_row = T::program_id(Axis::Y);
    let column = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = column.lt(width);
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut total = zeros;
    for row in 0..rows {
        let x = T::load(
            x_ptr.add_offsets(column + (out_row * rows + row) * width),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let part = row as f32;
        let weight =
            T::cast::<f32, D>(T::full::<f32>(&[BLOCK], first + part * second), None, false);
        total = total + weight * x;
    }
    T::store(
        y_ptr.add_offsets(column + out_row * width),
        total,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// `dx` of every row, each weighted as it was.
#[kernel]
pub fn weighted_rows_backward<T: Triton, D: Float, const BLOCK: i32>(
    dy_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    rows: i32,
    width: i32,
    first: f32,
    second: f32,
) {
    let row = T::program_id(Axis::Y);
    let column = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = column.lt(width);
    let dy = T::load(
        dy_ptr.add_offsets(column + (row / rows) * width),
        Some(mask),
        None,
        &[],
        None,
        None,
        None,
        false,
    );
    let part = (row % rows) as f32;
    let weight = T::cast::<f32, D>(T::full::<f32>(&[BLOCK], first + part * second), None, false);
    T::store(
        dx_ptr.add_offsets(column + row * width),
        weight * dy,
        Some(mask),
        &[],
        None,
        None,
    );
}

/// Groups of rows of `[ROWS, WIDTH]`, summed to `[ROWS / n, WIDTH]`.
pub struct WeightedRowsRuntimeOp<D: Float + Send + Sync + 'static> {
    kernel: WeightedRows<D>,
    weights: [f32; 2],
}

impl<D: Float + Send + Sync + 'static> WeightedRowsRuntimeOp<D> {
    pub fn new(block: i32, first: f32, second: f32) -> Self {
        let block = block.max(LEAST as i32);
        Self {
            kernel: WeightedRows::new(block),
            weights: [first, second],
        }
    }

    #[cfg(feature = "training")]
    pub fn backward_source(&self) -> String {
        WeightedRowsBackward::<D>::new(self.kernel.block).source
    }

    fn group(rows: usize, groups: usize) -> usize {
        assert_eq!(rows % groups, 0, "{rows} rows in {groups} groups");
        rows / groups
    }

    fn columns(&self, shape: &[usize]) -> u32 {
        let width = shape[shape.len() - 1];
        let mut blocks = 0;
        let mut done = 0;
        loop {
            if done >= width {
                break blocks;
            }
            done += self.kernel.block as usize;
            blocks += 1;
        }
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for WeightedRowsRuntimeOp<D> {
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
        let (x, shape) = inputs[0];
        let sizes = [Self::group(shape[0], output_shape[0]), output_shape[1]];
        for pointer in [x, output] {
            visitor.visit_ptr(pointer);
        }
        sizes
            .iter()
            .for_each(|&size| visitor.visit_i32(size as i32));
        for pair in self.weights.chunks(2) {
            visitor.visit_f32(pair[0]);
            visitor.visit_f32(pair[1]);
        }
    }

    fn block(&self) -> [u32; 3] {
        [self.kernel.block as u32, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [self.columns(output_shape), output_shape[0] as u32, 1]
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
        let [first, second] = self.weights;
        let rows = inputs[0].1[0];
        let &[groups, width] = output_shape else {
            panic!("rows have two axes")
        };
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_i32(Self::group(rows, groups) as i32);
        visitor.visit_i32(width as i32);
        visitor.visit_f32(first);
        visitor.visit_f32(second);
    }

    fn backward_grid(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> [u32; 3] {
        let shape = input_shapes[0];
        let rows = match shape.len() {
            2 => shape[0],
            n => unreachable!("{n} axes"),
        };
        [self.columns(shape), rows as u32, 1]
    }
}
