"""The operators of pairs on a GPU: torch's own checks, and its compiler."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional

from tests.host.loading import module_of
from tests.host.pair_files import PAIRS, ROWS

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def _on_a_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")


def swish(x: Any, operators: Any = None) -> Any:
    operators = operators or module_of(PAIRS)
    return operators.swish(x, block_size=128, n=x.numel(), grid=(-(-x.numel() // 128),))


def row_sums(x: Any, operators: Any = None) -> Any:
    operators = operators or module_of(ROWS)
    rows, width = x.shape
    return operators.row_sums(
        x,
        output_shape=(rows,),
        block=64,
        width=width,
        grid=(rows,),
        backward_grid=(rows, -(-width // 16)),
    )


@pytest.mark.parametrize("needs_grad", [False, True])
def test_opcheck(*, needs_grad: bool) -> None:
    module_of(PAIRS)
    module_of(ROWS)
    x = torch.randn(5, 60, device="cuda", requires_grad=needs_grad)
    torch.library.opcheck(torch.ops.teeny.swish.default, (x, 128, 300, [3]))
    torch.library.opcheck(torch.ops.teeny.logistic.default, (x, 128, 300, [3]))
    torch.library.opcheck(torch.ops.teeny.leaky.default, (x, 128, 300, 0.25, [3]))
    torch.library.opcheck(torch.ops.teeny.row_sums.default, (x, [5], 64, 60, [5], [5, 4]))


@pytest.mark.filterwarnings("ignore")  # Inductor, while it is imported and compiles, of itself.
@pytest.mark.parametrize(
    ("operator", "rust", "reference"),
    [(swish, PAIRS, functional.silu), (row_sums, ROWS, lambda x: x.sum(1))],
)
def test_the_compiler_breaks_no_graph_whatever_the_shapes(
    operator: Any, rust: str, reference: Any
) -> None:
    operators = module_of(rust)  # not within what is compiled
    compiled = torch.compile(lambda x: operator(x, operators), fullgraph=True)
    for shape in ((5, 60), (7, 40), (8, 33)):
        x = torch.randn(shape, device="cuda", requires_grad=True)
        for function in (operator, compiled):
            y, expected = function(x), reference(x)
            torch.testing.assert_close(y, expected)
            gradient = torch.randn_like(expected)
            torch.testing.assert_close(
                torch.autograd.grad(y, x, gradient), torch.autograd.grad(expected, x, gradient)
            )


def test_gradcheck() -> None:
    x = torch.randn(3, 20, device="cuda", dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(swish, x)
    assert torch.autograd.gradcheck(row_sums, x)
