//! A direct convolution of NCHW images, whose window is known when it is compiled.

use teeny_core::device::program::ArgVisitor;
use teeny_core::dtype::Float;
use teeny_core::model::{RawPtr, RuntimeOp};
use teeny_macros::kernel;
use teeny_triton::triton::*;

/// `y[b, o, oh, ow] = Σ x[b, c, oh STRIDE + i - PAD, ow STRIDE + j - PAD] w[o, c, i, j]`.
///
/// Grid: `B * C_OUT * OH * ceil(OW / BLOCK_OW)` programs, each of a part of a row of the output.
#[kernel]
pub fn conv2d_forward<
    T: Triton,
    D: Float,
    const KH: i32,
    const KW: i32,
    const STRIDE: i32,
    const PAD: i32,
    const BLOCK_OW: i32,
>(
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    _B: i32,
    C_IN: i32,
    H: i32,
    W: i32,
    C_OUT: i32,
    OH: i32,
    OW: i32,
) {
    let pid = T::program_id(Axis::X);
    let tiles = T::cdiv(OW, BLOCK_OW);
    let tile = pid % tiles;
    let oh = (pid / tiles) % OH;
    let c_out = (pid / (tiles * OH)) % C_OUT;
    let b = pid / (tiles * OH * C_OUT);
    let ow = T::arange(0, BLOCK_OW) + tile * BLOCK_OW;
    let inside = ow.lt(OW);
    let zeros = T::zeros::<D>(&[BLOCK_OW]);
    let mut acc = zeros;
    for tap in 0..C_IN * KH * KW {
        let c_in = tap / (KH * KW);
        let ih = oh * STRIDE + (tap / KW) % KH - PAD;
        let iw = ow * STRIDE + (tap % KW - PAD);
        // A row outside of the image moves every column outside.
        let row = T::full::<i32>(&[BLOCK_OW], ih);
        let mask = inside & iw.ge(0) & iw.lt(W) & row.ge(0) & row.lt(H);
        let x = T::load(
            x_ptr.add_offsets(iw + ((b * C_IN + c_in) * H + ih) * W),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            w_ptr.add_offsets(T::arange(0, 1) + c_out * C_IN * KH * KW + tap),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        acc = acc + x * T::broadcast_to(w, &[BLOCK_OW]);
    }
    T::store(
        y_ptr.add_offsets(ow + ((b * C_OUT + c_out) * OH + oh) * OW),
        acc,
        Some(inside),
        &[],
        None,
        None,
    );
}

/// Adds what each part of a row of `dy` gives to `dx` and to `dw`, which start as zeros.
#[cfg(feature = "training")]
#[kernel]
pub fn conv2d_backward<
    T: Triton,
    D: Float,
    const KH: i32,
    const KW: i32,
    const STRIDE: i32,
    const PAD: i32,
    const BLOCK_OW: i32,
>(
    dy_ptr: T::Pointer<D>,
    x_ptr: T::Pointer<D>,
    w_ptr: T::Pointer<D>,
    dx_ptr: T::Pointer<D>,
    dw_ptr: T::Pointer<D>,
    _B: i32,
    C_IN: i32,
    H: i32,
    W: i32,
    C_OUT: i32,
    OH: i32,
    OW: i32,
) {
    let pid = T::program_id(Axis::X);
    let tiles = T::cdiv(OW, BLOCK_OW);
    let tile = pid % tiles;
    let oh = (pid / tiles) % OH;
    let c_out = (pid / (tiles * OH)) % C_OUT;
    let b = pid / (tiles * OH * C_OUT);
    let ow = T::arange(0, BLOCK_OW) + tile * BLOCK_OW;
    let inside = ow.lt(OW);
    let zeros = T::zeros::<D>(&[BLOCK_OW]);
    let dy = T::load(
        dy_ptr.add_offsets(ow + ((b * C_OUT + c_out) * OH + oh) * OW),
        Some(inside),
        Some(zeros),
        &[],
        None,
        None,
        None,
        false,
    );
    for tap in 0..C_IN * KH * KW {
        let c_in = tap / (KH * KW);
        let ih = oh * STRIDE + (tap / KW) % KH - PAD;
        let iw = ow * STRIDE + (tap % KW - PAD);
        let row = T::full::<i32>(&[BLOCK_OW], ih);
        let mask = inside & iw.ge(0) & iw.lt(W) & row.ge(0) & row.lt(H);
        let at = iw + ((b * C_IN + c_in) * H + ih) * W;
        let one = T::arange(0, 1) + c_out * C_IN * KH * KW + tap;
        let x = T::load(
            x_ptr.add_offsets(at),
            Some(mask),
            Some(zeros),
            &[],
            None,
            None,
            None,
            false,
        );
        let w = T::load(
            w_ptr.add_offsets(one),
            None,
            None,
            &[],
            None,
            None,
            None,
            false,
        );
        T::atomic_add(
            dx_ptr.add_offsets(at),
            dy * T::broadcast_to(w, &[BLOCK_OW]),
            Some(mask),
            None,
            None,
        );
        T::atomic_add(
            dw_ptr.add_offsets(one),
            T::sum(dy * x, Some(0), true),
            None,
            None,
            None,
        );
    }
}

impl<D: Float + Send + Sync + 'static> RuntimeOp for Conv2dForward<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, input_shapes: &[&[usize]], output_shape: &[usize]) -> Vec<Vec<usize>> {
        let c_in = input_shapes[0][1];
        let c_out = output_shape[1];
        vec![vec![c_out, c_in, self.kh as usize, self.kw as usize]]
    }

    fn param_names(&self) -> &'static [&'static str] {
        &["weight"]
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        _output_row_stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        let in_shape = inputs[0].1; // [B, C_IN, H, W]
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(output);
        for &extent in in_shape {
            visitor.visit_i32(extent as i32);
        }
        for &extent in output_shape.iter().skip(1) {
            visitor.visit_i32(extent as i32);
        }
    }

    fn block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        let b = output_shape[0];
        let c_out = output_shape[1];
        let oh = output_shape[2];
        let ow = output_shape[3];
        [
            (b * c_out * oh * ow.div_ceil(self.block_ow as usize)) as u32,
            1,
            1,
        ]
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
        _grad_output_row_stride: i32,
        grad_inputs: &[RawPtr],
        grad_params: &[RawPtr],
        visitor: &mut dyn ArgVisitor,
    ) {
        let (x, in_shape) = inputs[0];
        let (b, c_in) = (in_shape[0] as i32, in_shape[1] as i32);
        let (h, w) = (in_shape[2] as i32, in_shape[3] as i32);
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(x);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(grad_inputs[0]);
        visitor.visit_ptr(grad_params[0]);
        visitor.visit_i32(b);
        visitor.visit_i32(c_in);
        visitor.visit_i32(h);
        visitor.visit_i32(w);
        visitor.visit_i32(output_shape[1] as i32);
        visitor.visit_i32(output_shape[2] as i32);
        visitor.visit_i32(output_shape[3] as i32);
    }

    #[cfg(feature = "training")]
    fn backward_block(&self) -> [u32; 3] {
        [128, 1, 1]
    }

    #[cfg(feature = "training")]
    fn backward_grid(&self, _input_shapes: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {
        self.grid(output_shape)
    }
}
