"""Fences see every write, and only writes."""

from __future__ import annotations

import pytest
import torch

from tests.numerics.fences import GUARD, Fenced


def test_the_tensor_is_the_values_between_guards() -> None:
    values = torch.arange(6.0).view(2, 3)
    fenced = Fenced.around(values, guard=torch.nan)
    assert torch.equal(fenced.tensor, values)
    assert fenced.buffer.numel() == 6 + 2 * GUARD
    assert fenced.tensor.data_ptr() % 16 == fenced.buffer.data_ptr() % 16
    assert not fenced.breached()
    assert not fenced.changed().any()


def test_a_write_inside_is_a_change_and_no_breach() -> None:
    fenced = Fenced.around(torch.full((2, 3), torch.nan), guard=torch.nan)
    fenced.tensor[1, 2] = 4.0
    assert fenced.changed().nonzero().tolist() == [[1, 2]]
    assert not fenced.breached()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("side", [-1, 4])
def test_a_write_next_to_the_tensor_is_a_breach(dtype: torch.dtype, side: int) -> None:
    fenced = Fenced.around(torch.zeros(4, dtype=dtype), guard=-7.0)
    fenced.buffer[fenced.start + side] = torch.nan
    assert fenced.breached()
    assert not fenced.changed().any()


def test_a_misaligned_tensor_starts_one_element_later() -> None:
    fenced = Fenced.around(torch.zeros(4), guard=0.0, misaligned=True)
    assert (fenced.tensor.data_ptr() - fenced.buffer.data_ptr()) % 16 == 4
