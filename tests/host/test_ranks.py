"""How many dimensions an operator takes: as many as its Rust reads extents of, where sizes come from nowhere else."""

from __future__ import annotations

import pytest
import torch

from tests.host.interpreted import interpreted
from tests.host.loading import module_of

KERNELS = """
#[kernel]
pub fn scale<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>, w_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, c: i32, hw: i32,
) {
    let channel = T::program_id(Axis::X);
    let base = (T::program_id(Axis::Y) * c + channel) * hw;
    let w = T::load(w_ptr.add_offsets(T::arange(0, 1) + channel),
        None, None, &[], None, None, None, false);
    let mut start: i32 = 0;
    while start < hw {
        let place = T::arange(0, BLOCK) + start;
        let mask = place.lt(hw);
        let x = T::load(x_ptr.add_offsets(place + base),
            Some(mask), None, &[], None, None, None, false);
        T::store(y_ptr.add_offsets(place + base), x * w, Some(mask), &[], None, None);
        start += BLOCK;
    }
}

/// Takes rows of `COLUMNS`, whatever the tensor is.
#[kernel]
pub fn copy_rows<T: Triton, D: Float, const COLUMNS: i32>(
    x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>,
) {
    let place = T::arange(0, COLUMNS) + T::program_id(Axis::X) * COLUMNS;
    let x = T::load(x_ptr.add_offsets(place), None, None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets(place), x, None, &[], None, None);
}
"""

PACK = """
        let c = output_shape[1] as i32;
        let in_shape = inputs[0].1;
        let hw = (in_shape[2] * in_shape[3]) as i32;
"""
GRID = "[output_shape[1] as u32, output_shape[0] as u32, 1]"


def scaling(pack: str = PACK, grid: str = GRID, stride: str = "_stride") -> str:
    return (
        KERNELS
        + f"""
pub struct ScaleImagesRuntimeOp<D> {{ fwd: Scale<D>, channels: usize, factor: f32 }}

impl<D> ScaleImagesRuntimeOp<D> {{
    pub fn new(block: i32, channels: usize, factor: f32) -> Self {{
        Self {{ fwd: Scale::<D>::new(block), channels, factor }}
    }}

    fn area(shape: &[usize]) -> usize {{ shape[2] * shape[3] }}
}}

impl<D> RuntimeOp for ScaleImagesRuntimeOp<D> {{
    fn n_activation_inputs(&self) -> usize {{ 1 }}
    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {{
        vec![vec![input_shapes[0][1]]; 1]
    }}
    fn pack_args(&self, inputs: &[(RawPtr, &[usize])], params: &[RawPtr], output: RawPtr,
        output_shape: &[usize], {stride}: i32, visitor: &mut dyn ArgVisitor) {{
        {pack}
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(output);
        visitor.visit_i32(c);
        visitor.visit_i32(hw);
    }}
    fn block(&self) -> [u32; 3] {{ [self.channels as u32, 1, 1] }}
    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {{ {grid} }}
}}
"""
    )


def ranks(rust: str) -> tuple[int | None, ...]:
    found: tuple[int | None, ...] = module_of(rust).ScaleImagesRuntimeOp._ranks
    return found


@interpreted
def test_tensors_of_other_ranks_are_refused_where_all_sizes_are_extents_at_fixed_places() -> None:
    op = module_of(scaling()).ScaleImagesRuntimeOp(8, 3, 1.0)
    w = torch.tensor([1.0, 2.0, 3.0])
    x = torch.randn(2, 3, 4, 5)
    torch.testing.assert_close(op(x, w), x * w[:, None, None])
    for shape in ((2, 3, 4), (2, 3, 4, 5, 1), (2, 3, 4, 5, 2)):
        words = (
            rf"expected x to have 4 dimensions, but it has shape \[{', '.join(map(str, shape))}\]"
        )
        with pytest.raises(RuntimeError, match=words):
            op(torch.randn(shape), w)


@pytest.mark.parametrize(
    "pack",
    [
        "let c = output_shape[1] as i32; let hw = (output_shape[2] * output_shape[3]) as i32;",
        "let (_, s) = inputs[0]; let c = s[1] as i32; let hw = (s[2] * s[3]) as i32;",
        (
            "let k = self.factor; let c = inputs[0].1[1] as i32;"
            " let hw = if k > 0.0 { 2 } else { 3 } * (output_shape[3] * output_shape[2]) as i32;"
        ),
    ],
)
def test_the_rank_is_that_of_the_last_extent_that_is_read(pack: str) -> None:
    assert ranks(scaling(pack)) == (4,)


@pytest.mark.parametrize(
    ("pack", "why"),
    [
        ("let c = 1; let hw: i32 = output_shape.iter().product::<usize>() as i32;", "a product"),
        ("let c = output_shape[1] as i32; let hw = output_shape.len() as i32;", "its length"),
        ("let c = 1; let hw = *output_shape.last().unwrap() as i32;", "the last extent"),
        (
            (
                "let c = output_shape[1] as i32;"
                " let hw = (output_shape[2] * output_shape.get(3).copied().unwrap_or(1)) as i32;"
            ),
            "an extent that may be missing",
        ),
        ("let c = 1; let hw = output_shape[2..].iter().product::<usize>() as i32;", "a slice"),
        (
            "let c = output_shape[1] as i32; let hw = Self::area(output_shape) as i32;",
            "a function that is given the shape",
        ),
        (
            (
                "let c = output_shape[1] as i32; let i = output_shape[0];"
                " let hw = output_shape[i] as i32;"
            ),
            "an extent anywhere",
        ),
        (
            (
                "let c = output_shape[1] as i32; let mut hw = 1i32;"
                " for i in 2..4 { hw *= output_shape[i] as i32; }"
            ),
            "a loop",
        ),
        (
            (
                "let c = output_shape[1] as i32; let mut hw = output_shape[2] as i32;"
                " if c > 3 { hw *= output_shape[3] as i32; }"
            ),
            "a condition",
        ),
        ("let c = self.channels as i32; let hw = output_shape[2] as i32;", "a size in a field"),
    ],
)
def test_the_rank_is_open_where_sizes_may_come_from_elsewhere(pack: str, why: str) -> None:
    found = ranks(scaling(pack, "[output_shape[1] as u32, 1, 1]"))
    assert set(found) <= {None}, why


def test_the_rank_is_open_where_rows_are_told_by_their_stride() -> None:
    pack = "let c = output_shape[1] as i32; let hw = stride;"
    assert set(ranks(scaling(pack, stride="stride"))) <= {None}


ROWS = """
impl<D> RuntimeOp for CopyRows<D> {
    fn n_activation_inputs(&self) -> usize { 1 }
    fn param_shapes(&self, _i: &[&[usize]], _o: &[usize]) -> Vec<Vec<usize>> { vec![] }
    fn pack_args(&self, inputs: &[(RawPtr, &[usize])], _params: &[RawPtr], output: RawPtr,
        _output_shape: &[usize], _stride: i32, visitor: &mut dyn ArgVisitor) {
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
    }
    fn block(&self) -> [u32; 3] { [1, 1, 1] }
    fn grid(&self, output_shape: &[usize]) -> [u32; 3] { [output_shape[0] as u32, 1, 1] }
}
"""


@interpreted
def test_the_rank_is_open_where_a_constant_of_the_kernel_is_a_size() -> None:
    op = module_of(KERNELS + ROWS).CopyRows(8)
    x = torch.randn(3, 8)
    assert torch.equal(op(x), x)


SUM = """
#[kernel]
pub fn add<T: Triton, D: Float, const BLOCK: i32>(
    a_ptr: T::Pointer<D>, b_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32,
) {
    let place = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = place.lt(n);
    let a = T::load(a_ptr.add_offsets(place), Some(mask), None, &[], None, None, None, false);
    let b = T::load(b_ptr.add_offsets(place), Some(mask), None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets(place), a + b, Some(mask), &[], None, None);
}

impl<D> RuntimeOp for Add<D> {
    fn n_activation_inputs(&self) -> usize { 2 }
    fn param_shapes(&self, _i: &[&[usize]], _o: &[usize]) -> Vec<Vec<usize>> { vec![] }
    fn pack_args(&self, inputs: &[(RawPtr, &[usize])], _params: &[RawPtr], output: RawPtr,
        output_shape: &[usize], _stride: i32, visitor: &mut dyn ArgVisitor) {
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(inputs[1].0);
        visitor.visit_ptr(output);
        visitor.visit_i32((inputs[0].1[0] * SECOND) as i32);
    }
    fn block(&self) -> [u32; 3] { [1, 1, 1] }
    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [(output_shape[0] * SECOND).div_ceil(self.block as usize) as u32, 1, 1]
    }
}
"""


@pytest.mark.parametrize(
    ("second", "expected"), [("output_shape[1]", (2, None)), ("inputs[1].1[1]", ())]
)
def test_what_is_read_of_the_output_or_of_another_input(
    second: str, expected: tuple[int | None, ...]
) -> None:
    rust = SUM.replace("(inputs[0].1[0] * SECOND)", f"(inputs[0].1[0] * {second})")
    assert module_of(rust.replace("SECOND", "output_shape[1]")).Add._ranks == expected
