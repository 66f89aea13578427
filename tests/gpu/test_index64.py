"""The forms with offsets in 64 bits, on tensors with more elements than 32 bits can count.

What is compared lies at the beginning, around element 2^31 and at the end. Tensors are of half precision or bytes: the
largest test takes 13 GB of the GPU's memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.gpu.device import load
from tests.numerics.modules import OWN_MODULE

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

pytestmark = pytest.mark.gpu

LIMIT = 2**31
"""The first element that an i32 does not reach."""

DOUBLED = """
#[kernel]
pub fn doubled<T: Triton, D: Num, const BLOCK: i32>(
    x_ptr: T::Pointer<D>,
    y_ptr: T::Pointer<D>,
    n: i32,
) {
    let offsets = T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK;
    let inside = offsets.lt(n);
    let x = T::load(x_ptr.add_offsets(offsets), Some(inside), None, &[], None, None, None, false);
    T::store(y_ptr.add_offsets(offsets), x + x, Some(inside), &[], None, None);
}
"""


@pytest.fixture(autouse=True)
def _room() -> None:
    """Skips where there is no GPU, or none with room for the tensors."""
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    torch.cuda.empty_cache()
    if torch.cuda.mem_get_info()[0] < 16 * 2**30:
        pytest.skip("needs 16 GiB of free memory on the GPU")


@pytest.fixture(scope="module")
def batchnorm() -> ModuleType:
    return load(OWN_MODULE.path)


def whole_numbers(*shape: int, dtype: torch.dtype = torch.float16) -> torch.Tensor:
    """Numbers from -2 to 2: their sums are exact in f32."""
    generator = torch.Generator("cuda").manual_seed(7)
    return torch.empty(shape, dtype=dtype, device="cuda").random_(-2, 3, generator=generator)


def places(elements: int) -> tuple[slice, ...]:
    """Where to look in a tensor of that many elements."""
    return slice(0, 1024), slice(LIMIT - 1024, LIMIT + 1024), slice(elements - 1024, elements)


@pytest.mark.parametrize("dtype", [torch.int8, torch.float16])
def test_each_element_of_a_vector(dtype: torch.dtype, tmp_path: Path) -> None:
    transpiler = pytest.importorskip("transpiler")
    path = tmp_path / "doubled.py"
    path.write_text(transpiler.transpile(DOUBLED).text, "utf-8")
    kernel = load(path).KERNELS["doubled"]
    n = LIMIT + 1025
    x = whole_numbers(n, dtype=dtype)
    y = torch.zeros_like(x)
    kernel.index64[(-(-n // 1024),)](x, y, n, BLOCK=1024)
    for place in (*places(n), slice(n // 2, n // 2 + 1024)):
        assert torch.equal(y[place], 2 * x[place])
    assert int((y[LIMIT - 4096 :] != 0).sum()) == int((x[LIMIT - 4096 :] != 0).sum())


def rows(count: int, channels: int) -> tuple[slice, ...]:
    """The rows of a matrix in which the places to look at are."""
    boundary = LIMIT // channels
    return slice(0, 2), slice(boundary - 2, boundary + 2), slice(count - 2, count)


CHANNELS = 4096
ROWS = LIMIT // CHANNELS + 5


def statistics(channels: int) -> tuple[torch.Tensor, ...]:
    """Weight, bias, mean and variance."""
    steps = torch.arange(channels, device="cuda") % 5
    return (
        (1 + steps / 4).half(),
        (steps - 2).half(),
        (steps / 2 - 1).half(),
        (0.5 + steps / 2).half(),
    )


def test_inference_on_a_matrix(batchnorm: ModuleType) -> None:
    kernel = batchnorm.KERNELS["batch_norm_forward_inference"]
    x = whole_numbers(ROWS, CHANNELS)
    y = torch.zeros_like(x)
    weight, bias, mean, var = statistics(CHANNELS)
    kernel.index64[(CHANNELS,)](x, y, weight, bias, mean, var, ROWS, CHANNELS, 1e-5, BLOCK_N=256)
    for place in rows(ROWS, CHANNELS):
        scale = weight.double() / (var.double() + 1e-5).sqrt()
        expected = (x[place].double() - mean.double()) * scale + bias.double()
        torch.testing.assert_close(y[place], expected.half())


def test_gradients_of_a_matrix(batchnorm: ModuleType) -> None:
    kernel = batchnorm.KERNELS["batch_norm_backward"]
    x = whole_numbers(ROWS, CHANNELS)
    dy = x.roll(1, dims=1)
    dx = torch.zeros_like(x)
    weight = statistics(CHANNELS)[0]
    mean, rstd = torch.zeros_like(weight), torch.ones_like(weight)
    dweight, dbias = torch.zeros_like(weight), torch.zeros_like(weight)
    kernel.index64[(CHANNELS,)](
        dy, x, dx, weight, mean, rstd, dweight, dbias, ROWS, CHANNELS, BLOCK_N=256
    )
    bias_sums = torch.zeros(CHANNELS, dtype=torch.float64, device="cuda")
    weight_sums = torch.zeros_like(bias_sums)
    for first in range(0, ROWS, 16384):
        dy_rows = dy[first : first + 16384].double()
        bias_sums += dy_rows.sum(0)
        weight_sums += (dy_rows * x[first : first + 16384].double()).sum(0)
    assert torch.equal(dbias, bias_sums.half())
    assert torch.equal(dweight, weight_sums.half())
    for place in rows(ROWS, CHANNELS):
        projection = bias_sums / ROWS + x[place].double() * (weight_sums / ROWS)
        expected = weight.double() * (dy[place].double() - projection)
        torch.testing.assert_close(dx[place], expected.half())


def test_inference_on_images(batchnorm: ModuleType) -> None:
    kernel = batchnorm.KERNELS["batch_norm_2d_nchw_forward_inference"]
    images, channels, pixels = 33, 64, 2**20 + 1
    x = whole_numbers(images, channels, pixels)
    y = torch.zeros_like(x)
    weight, bias, mean, var = statistics(channels)
    kernel.index64[(channels, images)](
        x, y, weight, bias, mean, var, channels, pixels, 1e-5, BLOCK_HW=1024
    )
    for place in places(x.numel()):
        channel = torch.arange(place.start, place.stop, device="cuda") // pixels % channels
        weights, biases, means, variances = (
            it.double()[channel] for it in (weight, bias, mean, var)
        )
        scale = weights / (variances + 1e-5).sqrt()
        expected = (x.flatten()[place].double() - means) * scale + biases
        torch.testing.assert_close(y.flatten()[place], expected.half())
