"""Free functions of host code, in a file whose operator calls them so that they are translated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.host.loading import load
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

_FILE = """
#[kernel]
pub fn copy<T: Triton, D: Float, const BLOCK: i32>(x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32) {
    let at = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = at.lt(n);
    let x = T::load(x_ptr.add_offsets(at), Some(mask), None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets(at), x, Some(mask), &[], None, None);
}

FUNCTIONS
impl<D: Float> RuntimeOp for Copy<D> {
    fn n_activation_inputs(&self) -> usize {
        1
    }

    fn param_shapes(&self, _: &[&[usize]], _: &[usize]) -> Vec<Vec<usize>> {
        CALLS
        vec![]
    }

    fn pack_args(
        &self,
        inputs: &[(RawPtr, &[usize])],
        _params: &[RawPtr],
        output: RawPtr,
        output_shape: &[usize],
        _stride: i32,
        visitor: &mut dyn ArgVisitor,
    ) {
        visitor.visit_ptr(inputs[0].0);
        visitor.visit_ptr(output);
        visitor.visit_i32(output_shape.iter().product::<usize>() as i32);
    }

    fn block(&self) -> [u32; 3] {
        [1, 1, 1]
    }

    fn grid(&self, output_shape: &[usize]) -> [u32; 3] {
        [output_shape.iter().product::<usize>() as u32, 1, 1]
    }
}
"""


def file_of(functions: str, calls: Sequence[str]) -> SourceFile:
    """A file with the functions, and an operator that makes the calls."""
    text = _FILE.replace("FUNCTIONS", functions).replace(
        "CALLS", "".join(f"{it};\n" for it in calls)
    )
    return SourceFile("functions.rs", text)


def refusal(functions: str, calls: Sequence[str]) -> str | None:
    """Why the operator is none; None where it is one."""
    result = transpile_source(file_of(functions, calls))
    return result.diagnostics[0].message if result.diagnostics else None


def module_with(functions: str, calls: Sequence[str]) -> ModuleType:
    """The module, in which a function has an underscore before its name."""
    result = transpile_source(file_of(functions, calls))
    assert result.text is not None
    assert [it.message for it in result.diagnostics] == []
    return load(result.text)
