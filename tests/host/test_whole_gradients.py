"""Gradients of parameters that are not zeroed first, as the backward kernel certainly stores each element of them."""

from __future__ import annotations

import pytest
import torch

from tests.host.interpreted import interpreted
from tests.host.loading import module_of

STORE = "T::store(dw_ptr.add_offsets(one), dw, None, &[], None, None);"
GRID = "[input_shapes[0][1] as u32, 1, 1]"
SHAPES = "let c = input_shapes[0][1]; vec![vec![c]]"
PACKED = "visitor.visit_ptr(grad_params[0]);"


def scaling(
    store: str = STORE, grid: str = GRID, shapes: str = SHAPES, packed: str = PACKED
) -> str:
    return f"""
#[kernel]
pub fn scale_forward<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>, w_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, c: i32,
) {{
    let row = T::program_id(Axis::X);
    let mut start: i32 = 0;
    while start < c {{
        let column = T::arange(0, BLOCK) + start;
        let mask = column.lt(c);
        let at = column + row * c;
        let x = T::load(x_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false);
        let w = T::load(w_ptr.add_offsets(column), Some(mask), None, &[], None, None, None, false);
        T::store(y_ptr.add_offsets(at), x * w, Some(mask), &[], None, None);
        start += BLOCK;
    }}
}}

/// Grid: a program a column.
#[kernel]
pub fn scale_backward<T: Triton, D: Float, const BLOCK: i32>(
    dy_ptr: T::Pointer<D>, x_ptr: T::Pointer<D>, dw_ptr: T::Pointer<D>, n: i32, c: i32,
) {{
    let one = T::arange(0, 1) + T::program_id(Axis::X);
    let mut sums = T::zeros::<D>(&[BLOCK]);
    let mut start: i32 = 0;
    while start < n {{
        let row = T::arange(0, BLOCK) + start;
        let mask = row.lt(n);
        let at = row * c + T::program_id(Axis::X);
        let zeros = T::zeros::<D>(&[BLOCK]);
        let dy =
            T::load(dy_ptr.add_offsets(at), Some(mask), Some(zeros), &[], None, None, None, false);
        let x =
            T::load(x_ptr.add_offsets(at), Some(mask), Some(zeros), &[], None, None, None, false);
        sums = sums + dy * x;
        start += BLOCK;
    }}
    let dw = T::sum(sums, None, true);
    {store}
}}

pub struct ScaleRuntimeOp<D> {{ fwd: ScaleForward<D>, bwd: ScaleBackward<D>, has: bool }}

impl<D> ScaleRuntimeOp<D> {{
    pub fn new(block: i32, has: bool) -> Self {{
        Self {{ fwd: ScaleForward::<D>::new(block), bwd: ScaleBackward::<D>::new(block), has }}
    }}
}}

impl<D> RuntimeOp for ScaleRuntimeOp<D> {{
    fn n_activation_inputs(&self) -> usize {{ 1 }}
    fn param_shapes(&self, input_shapes: &[&[usize]], output_shape: &[usize]) -> Vec<Vec<usize>> {{
        {shapes}
    }}
    fn pack_args(&self, inputs: &[(RawPtr, &[usize])], params: &[RawPtr], output: RawPtr,
        output_shape: &[usize], _stride: i32, visitor: &mut dyn ArgVisitor) {{
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(output);
        visitor.visit_i32(output_shape[1] as i32);
    }}
    fn block(&self) -> [u32; 3] {{ [1, 1, 1] }}
    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {{ [output_shape[0] as u32, 1, 1] }}
    fn has_backward(&self) -> bool {{ true }}
    fn pack_backward_args(&self, inputs: &[(RawPtr, &[usize])], params: &[RawPtr],
        output: RawPtr, output_shape: &[usize], grad_output: RawPtr, grad_stride: i32,
        grad_inputs: &[RawPtr], grad_params: &[RawPtr], visitor: &mut dyn ArgVisitor) {{
        visitor.visit_ptr(grad_output);
        visitor.visit_ptr(inputs[0].0);
        {packed}
        visitor.visit_i32(output_shape[0] as i32);
        visitor.visit_i32(output_shape[1] as i32);
    }}
    fn backward_grid(&self, input_shapes: &[&[usize]], output_shape: &[usize]) -> [u32; 3] {{
        {grid}
    }}
}}
"""


@interpreted
def test_a_gradient_that_each_program_stores_an_element_of_is_whole() -> None:
    module = module_of(scaling())
    operator = module.ScaleRuntimeOp(8, has=True)
    assert operator._whole_gradients == ("w",)
    x, w = torch.randn(5, 11), torch.randn(11, requires_grad=True)
    for _ in range(3):  # the first call zeroes, later ones do not
        dy = torch.randn(5, 11)
        (found,) = torch.autograd.grad(operator(x, w), w, dy)
        torch.testing.assert_close(found, (x * dy).sum(0))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"store": STORE.replace("None", "Some(one.lt(c))", 1)}, "there is a mask"),
        ({"store": f"if n > 3 {{ {STORE} }}"}, "there is a condition"),
        ({"store": f"if n > 3 {{ return; }} {STORE}"}, "some programs return before"),
        ({"store": f"for _i in 0..n {{ {STORE} }}"}, "it is in a loop that may have no round"),
        ({"store": STORE.replace("(one)", "(one + 1)")}, "it is another element"),
        ({"store": STORE.replace("(one)", "(one * 2)")}, "it is every other element"),
        (
            {
                "store": "let old = T::load(dw_ptr.add_offsets(one),"
                " None, None, &[], None, None, None, false);" + STORE.replace("dw, ", "dw + old, ")
            },
            "what was there is read",
        ),
        ({"grid": "[input_shapes[0][0] as u32, 1, 1]"}, "the grid is another extent"),
        ({"grid": "[(input_shapes[0][1] / 2) as u32, 1, 1]"}, "the grid is half of it"),
        ({"grid": "[1, input_shapes[0][1] as u32, 1]"}, "the programs are along y"),
        ({"shapes": "vec![vec![input_shapes[0][1], 1]]"}, "the parameter is a matrix"),
        (
            {
                "grid": "[input_shapes[0].iter().sum::<usize>() as u32, 1, 1]",
                "shapes": "vec![vec![output_shape[1..].iter().product()]]",
            },
            "neither extent is known",
        ),
        (
            {
                "packed": "visitor.visit_ptr("
                "if self.has { grad_params[0] } else { core::ptr::null_mut() });"
            },
            "it may be left out",
        ),
        (
            {
                "packed": "visitor.visit_ptr("
                "unsafe { (grad_params[0] as *mut D).add(1) } as RawPtr);"
            },
            "it is packed from its second element on",
        ),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_a_gradient_that_may_be_stored_in_part_is_not(change: dict[str, str], why: str) -> None:
    operator = module_of(scaling(**change)).ScaleRuntimeOp
    assert operator._gradients == ("w",)
    assert operator._whole_gradients == (), why
