"""Rust for the tests of the command: small, and as the language has it."""

from __future__ import annotations

_BOUNDS = """where
    T::I32Tensor: types::Tensor<i32, 1>,
    T::I32Tensor: Comparison<i32, BoolTensor = T::BoolTensor>,
    T::Pointer<D>: AddOffsets<i32, 1, T::I32Tensor, Output = T::Tensor<T::Pointer<D>>>,
"""


def kernel(name: str, *, value: str = "x + x", attributes: str = "#[kernel]") -> str:
    """A kernel that stores `value` for every element `x`."""
    return f"""
/// Writes a value for each element.
{attributes}
pub fn {name}<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
) {_BOUNDS}{{
    let offsets = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let mask = offsets.lt(n);
    let x = T::load(x_ptr.add_offsets(offsets), Some(mask), None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets(offsets), {value}, Some(mask), &[], None, None);
}}
"""


TRAINING = '#[cfg(feature = "training")]\n#[kernel]'
DOUBLE = kernel("double")
TWO_KERNELS = DOUBLE + kernel("square", value="x * x", attributes=TRAINING)
HOST_CODE = "pub fn host(n: i32) -> i32 {\n    n + 1\n}\n"
UNKNOWN_OPERATION = kernel("broken", value="T::lod(x)")
COLUMNS = """
#[kernel]
pub fn add_to_columns<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>, bias_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, rows: i32, columns: i32,
) {
    let column = T::program_id(Axis::X);
    let own = T::arange(0, 1) + column;
    let bias = T::load(bias_ptr.add_offsets(own), None, None, &[], None, None, None, false);
    let mut start = 0;
    while start < rows {
        let row = T::arange(0, BLOCK) + start;
        let at = row * columns + column;
        let x = T::load(x_ptr.add_offsets(at), Some(row.lt(rows)), None, &[], None, None, None, false);
        T::store(y_ptr.add_offsets(at), x + bias, Some(row.lt(rows)), &[], None, None);
        start += BLOCK;
    }
}
"""
"""A program handles a column, so what lies side by side in memory belongs to different programs."""
