"""The memory that outputs are computed in: rows with padding, and zeros where not all is written."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.host.interpreted import interpreted
from tests.host.loading import module_of
from tests.host.plans import norms

RUST = """
#[kernel]
pub fn copy_rows<T: Triton, D: Float, const BLOCK: i32>(
    x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32, stride: i32,
) {
    let row = T::program_id(Axis::X);
    let offsets = T::arange(0, BLOCK);
    let mask = offsets.lt(n);
    let x = T::load(x_ptr.add_offsets(offsets + row * n), Some(mask), None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets(offsets + row * stride), x, Some(mask), &[], None, None);
}
"""


def operator(*, pads: bool = False, zeroes: bool = False, rows: int | None = None) -> Any:
    """What copies the first `rows` of a matrix, or all; `seen` are the outputs it was given to pack."""
    base: Any = norms().RuntimeOp
    launcher = module_of(RUST).CopyRows(8)

    class CopyRuntimeOp(base):  # type: ignore[misc] # made at run time
        _inputs = ("x",)
        _zeroes_output = zeroes
        seen: list[Any] = []  # noqa: RUF012 - of this class, which is made for one test

        def forward_kernel(self) -> Any:
            return launcher

        def param_shapes(self, _input_shapes: Any, _output_shape: Any) -> Any:
            return []

        def pack_args(self, inputs: Any, _params: Any, output: Any, shape: Any, stride: Any) -> Any:
            self.seen.append(output)
            return inputs[0], output, shape[1], stride

        def grid(self, output_shape: Any) -> Any:
            return (output_shape[0] if rows is None else rows, 1, 1)

        def forward_output_row_stride(self, shape: Any) -> Any:
            return -(-shape[-1] // 4) * 4 if pads else shape[-1]

    return CopyRuntimeOp()


@interpreted
@pytest.mark.parametrize("columns", [4, 5])
def test_rows_are_computed_with_their_padding_and_returned_without(columns: int) -> None:
    copy, x = operator(pads=True), torch.arange(3.0 * columns).reshape(3, columns)
    out = copy(x)
    assert torch.equal(out, x)
    assert out.is_contiguous()
    padded = copy.seen[-1]
    assert padded.shape == (3, 4 if columns == 4 else 8)
    assert not padded[:, columns:].any()


@interpreted
def test_outputs_are_zeroed_where_not_all_is_written() -> None:
    x = torch.ones(3, 5)
    assert torch.equal(operator(zeroes=True, rows=1)(x), torch.tensor([1.0, 0, 0])[:, None] * x)
    assert not operator(zeroes=True, rows=0)(x).any()


@interpreted
def test_grids_beyond_the_hardware_are_refused() -> None:
    with pytest.raises(ValueError, match=r"copy_rows\(\): 2147483648 programs along x"):
        operator(rows=2**31)(torch.ones(3, 5))
