"""What torch's compiler is shown of operators that write to slices of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.host.loading import load
from tests.host.noting_driver import noting
from transpiler.optimise.flags import OptimiseOptions
from transpiler.pipeline import Options, transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

RUST = """
/// Adds the first half of `x` to totals and twice to others, and says what they were.
#[kernel]
pub fn add_to_totals<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>, was_double_ptr: T::Pointer<D>, was_single_ptr: T::Pointer<D>,
    single_ptr: T::Pointer<D>, double_ptr: T::Pointer<D>, n: i32,
) {
    let place = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let inside = place.lt(n);
    let x = T::load(x_ptr.add_offsets(place), Some(inside), None, &[], None, None, None, false);
    let single = T::load(single_ptr.add_offsets(place),
        Some(inside), None, &[], None, None, None, false);
    let double = T::load(double_ptr.add_offsets(place),
        Some(inside), None, &[], None, None, None, false);
    T::store(was_double_ptr.add_offsets(place), double, Some(inside), &[], None, None);
    T::store(was_single_ptr.add_offsets(place), single, Some(inside), &[], None, None);
    T::store(single_ptr.add_offsets(place), single + x, Some(inside), &[], None, None);
    T::store(double_ptr.add_offsets(place), double + x + x, Some(inside), &[], None, None);
}

pub struct AddToTotalsRuntimeOp<D> { fwd: AddToTotals<D> }

impl<D> AddToTotalsRuntimeOp<D> {
    pub fn new(block: i32) -> Self { Self { fwd: AddToTotals::<D>::new(block) } }
}

impl<D: Float> RuntimeOp for AddToTotalsRuntimeOp<D> {
    fn n_activation_inputs(&self) -> usize { 1 }
    fn param_shapes(&self, input_shapes: &[&[usize]], _output_shape: &[usize]) -> Vec<Vec<usize>> {
        vec![vec![input_shapes[0][0] / 2]; 2]
    }
    fn pack_args(&self, inputs: &[(RawPtr, &[usize])], params: &[RawPtr], output: RawPtr,
        output_shape: &[usize], _stride: i32, visitor: &mut dyn ArgVisitor) {
        let n = output_shape[0] / 2;
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(unsafe { (output as *mut D).add(n) } as RawPtr);
        visitor.visit_ptr(output);
        visitor.visit_ptr(params[0]);
        visitor.visit_ptr(params[1]);
        visitor.visit_i32(n as i32);
    }
    fn block(&self) -> [u32; 3] { [1, 1, 1] }
    fn grid(&self, output_shape: &[usize]) -> [u32; 3] { [output_shape[0] as u32, 1, 1] }
}
"""


def module_of(*, is_optimised: bool) -> ModuleType:
    options = Options(optimise=OptimiseOptions(is_on=is_optimised))
    made = transpile_source(SourceFile("totals.rs", RUST), options)
    assert made.text is not None, [found.message for found in made.diagnostics]
    return load(made.text)


def totalling(module: ModuleType) -> Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]:
    def run(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        totals = (x + 1).view(2, -1)
        single, double = totals.unbind()
        return module.add_to_totals_op(x, single, double, block=8), totals

    return run


def add_to_totals(arguments: tuple[Any, ...]) -> None:
    """What the kernel does."""
    x, was_double, was_single, single, double, n, *_ = arguments
    was_double[:n], was_single[:n] = double, single
    single += x[:n]
    double += 2 * x[:n]


@pytest.mark.filterwarnings("ignore")  # Dynamo, while it is imported, of itself.
@pytest.mark.parametrize("dynamic", [False, True])
def test_slices_get_what_the_kernel_writes(*, dynamic: bool) -> None:
    torch._dynamo.reset()
    module = module_of(is_optimised=False)
    x = torch.arange(22.0)
    with noting(module, add_to_totals):
        run = torch.compile(totalling(module), fullgraph=True, backend="aot_eager", dynamic=dynamic)
        were, totals = run(x)
    torch.testing.assert_close(were, x + 1)
    torch.testing.assert_close(totals, were.view(2, -1) + torch.stack((x[:11], 2 * x[:11])))


class Seen(Exception):  # noqa: N818 - no error
    """Ends a compilation: what follows needs a GPU."""


@pytest.mark.filterwarnings("ignore")  # As above.
@pytest.mark.parametrize("is_optimised", [False, True])
def test_what_a_kernel_writes_begins_where_its_memory_does(*, is_optimised: bool) -> None:
    """Of other tensors Inductor copies what is not there, where it keeps what was in them."""
    torch._dynamo.reset()
    module = module_of(is_optimised=is_optimised)
    offsets: list[int] = []

    def look(graph: torch.fx.Graph) -> None:
        for node in graph.nodes:
            if node.target is torch.ops.higher_order.triton_kernel_wrapper_functional:
                given, written = node.kwargs["kwargs"], node.kwargs["tensors_to_clone"]
                offsets.extend(given[it].meta["val"].storage_offset() for it in written)
        raise Seen

    run = torch.compile(
        totalling(module), fullgraph=True, options={"post_grad_custom_post_pass": look}
    )
    with noting(module), pytest.raises(torch._inductor.exc.InductorError, match="Seen"):
        run(torch.arange(22.0))
    assert offsets == [0, 0, 0, 0]
