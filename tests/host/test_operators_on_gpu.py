"""Operators on a GPU: what torch's own checks, its compiler and CUDA graphs make of them."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.nn.functional import batch_norm

from tests.host.plans import norms

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def _on_a_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")


def tensors(
    shape: tuple[int, ...] = (2, 4, 3, 3),
    dtype: torch.dtype = torch.float32,
    *,
    needs_grad: bool = False,
) -> list[Any]:
    torch.manual_seed(0)
    channels = shape[1]
    given = [torch.randn(shape), *(torch.randn(channels) for _ in range(3))]
    on_device = [it.to("cuda", dtype) for it in (*given, torch.rand(channels) + 1)]
    if needs_grad:
        for it in on_device[:3]:
            it.requires_grad_()
    return on_device


def apply(*given: Any) -> Any:
    return norms().image_norm(*given, eps=1e-5)


def expected(x: Any, weight: Any, bias: Any, mean: Any, var: Any) -> Any:
    return batch_norm(x, mean, var, weight, bias, eps=1e-5)


def gradients(function: Callable[..., Any], given: list[Any]) -> tuple[Any, ...]:
    out = function(*given)
    return (out, *torch.autograd.grad(out.square().sum(), given[:3]))


@pytest.mark.parametrize("needs_grad", [False, True])
def test_opcheck_of_a_differentiable_operator(*, needs_grad: bool) -> None:
    norms()
    given = (*tensors(needs_grad=needs_grad), 256, 1e-5)
    torch.library.opcheck(torch.ops.teeny.image_norm.default, given)


def test_opcheck_of_an_operator_that_updates_its_arguments() -> None:
    norms()
    x = torch.randn(6, 3, device="cuda")
    given = (x, torch.zeros(3, device="cuda"), torch.ones(3, device="cuda"), [6], 128)
    torch.library.opcheck(torch.ops.teeny.stats.default, given)


def test_gradcheck() -> None:
    *given, mean, var = tensors(dtype=torch.float64, needs_grad=True)
    assert torch.autograd.gradcheck(lambda *it: apply(*it, mean, var), given)


@pytest.mark.filterwarnings("ignore")  # Inductor, while it is imported and compiles, of itself.
def test_the_compiler_breaks_no_graph_whatever_the_shapes() -> None:
    operator = norms().image_norm
    compiled = torch.compile(lambda *given: operator(*given, eps=1e-5), fullgraph=True)
    for shape in ((2, 4, 3, 3), (5, 4, 7, 7), (6, 4, 9, 7)):
        given = tensors(shape, needs_grad=True)
        torch.testing.assert_close(gradients(compiled, given), gradients(expected, given))


@pytest.mark.filterwarnings("ignore")  # Inductor, while it is imported and compiles, of itself.
def test_the_compiler_keeps_updates() -> None:
    operator = norms().stats
    compiled = torch.compile(
        lambda x, mean, var: operator(x, mean, var, output_shape=(6,)), fullgraph=True
    )
    x = torch.randn(6, 3, device="cuda")
    mean, var = torch.zeros(3, device="cuda"), torch.ones(3, device="cuda")
    out = compiled(x, mean, var)
    torch.testing.assert_close(out[:3], x.mean(0))
    torch.testing.assert_close(mean, 0.1 * x.mean(0))


def test_a_graph_replays_on_new_contents() -> None:
    given = tensors()
    apply(*given)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = apply(*given)
    given[0].copy_(torch.randn_like(given[0]))
    graph.replay()
    torch.testing.assert_close(out, expected(*given))


def test_a_launch_is_on_the_current_stream() -> None:
    given = tensors((64, 64, 64, 64))
    apply(*given)
    cuda: Any = torch.cuda
    stream = cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        cuda._sleep(100_000_000)
        out = apply(*given)
        done = stream.record_event()
    assert not done.query()
    stream.synchronize()
    torch.testing.assert_close(out, expected(*given))


def test_what_a_call_costs(capsys: pytest.CaptureFixture[str]) -> None:
    given = tensors()
    with torch.no_grad(), capsys.disabled():
        print(f"\nimage_norm {_cost(apply, given):.1f} µs, torch {_cost(expected, given):.1f} µs")  # noqa: T201 - told, not judged


def _cost(function: Callable[..., Any], given: list[Any], calls: int = 2000) -> float:
    """The least time of a call in microseconds, without what runs on the device."""
    best = float("inf")
    for _ in range(6):
        torch.cuda.synchronize()
        start = perf_counter()
        for _ in range(calls):
            function(*given)
        best = min(best, (perf_counter() - start) / calls * 1e6)
    return best
