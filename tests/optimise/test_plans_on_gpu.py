"""Launch plans on a GPU: numbers, torch's own checks, its compiler, CUDA graphs and streams."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import torch

from tests.host.loading import load
from tests.numerics.modules import OWN_RUST
from tests.optimise.hand_made import column_sums, copied

pytestmark = pytest.mark.gpu

SHAPES = [(1000, 129), (300, 37), (70, 37), (5, 3), (100_000, 7)]


@pytest.fixture(autouse=True)
def _on_a_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")


def tensors(shape: tuple[int, int], dtype: torch.dtype = torch.float32) -> list[Any]:
    """A matrix whose columns have sums that are exact in any order and dtype, and a bias."""
    torch.manual_seed(0)
    ones = torch.zeros(shape)
    ones[:20] = torch.randint(-1, 2, ones[:20].shape).float()
    x = ones[torch.randperm(shape[0])]
    return [x.to("cuda", dtype), torch.arange(shape[1]).to("cuda", dtype)]


def apply(x: Any, bias: Any, module: Any = None) -> Any:
    return (module or column_sums()).column_sums_op(
        x, bias, output_shape=(x.shape[1],), block_n=128, scale=0.5
    )


def expected(x: Any, bias: Any) -> Any:
    return (x.double().sum(0) * 0.5 + bias).to(x.dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_launchers_and_operators_compute_the_sums(
    shape: tuple[int, int], dtype: torch.dtype
) -> None:
    x, bias = tensors(shape, dtype)
    out = torch.empty_like(bias)
    launcher = column_sums().ColumnSums(128, has_bias=True)
    launcher.launch((shape[1],), x, bias, out, *shape, 0.5)
    for found in (out, *(apply(x, bias) for _ in range(3))):
        torch.testing.assert_close(found, expected(x, bias), rtol=0, atol=0)


def test_a_null_pointer_stays_one() -> None:
    x, bias = tensors((300, 37))
    out = torch.empty_like(bias)
    launcher = column_sums().ColumnSums(128, has_bias=False)
    launcher.launch((37,), x, None, out, *x.shape, 0.5)
    torch.testing.assert_close(out, expected(x, bias * 0), rtol=0, atol=0)


def test_launches_are_the_same_from_run_to_run() -> None:
    x = torch.randn(5000, 129, device="cuda")
    bias = torch.randn(129, device="cuda")
    first = apply(x, bias)
    assert all(torch.equal(apply(x, bias), first) for _ in range(20))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_opcheck(shape: tuple[int, int]) -> None:
    given = (*tensors(shape), [shape[1]], 128, 0.5)
    torch.library.opcheck(column_sums()._column_sums_op, given)


@pytest.mark.filterwarnings("ignore")  # Inductor, while it is imported and compiles, of itself.
@pytest.mark.parametrize("dynamic", [False, True, None])
def test_the_compiler_breaks_no_graph(*, dynamic: bool | None) -> None:
    # Making the module is not part of what is compiled.
    module = column_sums()
    torch._dynamo.reset()
    compiled = torch.compile(partial(apply, module=module), fullgraph=True, dynamic=dynamic)
    for shape in SHAPES:
        given = tensors(shape)
        torch.testing.assert_close(compiled(*given), expected(*given), rtol=0, atol=0)


def test_a_graph_replays_on_new_contents() -> None:
    given = tensors((1000, 129))
    apply(*given)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = apply(*given)
    for _ in range(3):
        given[0].copy_(given[0][torch.randperm(1000, device="cuda")] * 2)
        given[1].mul_(-1)
        graph.replay()
        torch.testing.assert_close(out, expected(*given), rtol=0, atol=0)


def test_streams_share_no_memory_of_a_plan() -> None:
    cuda: Any = torch.cuda
    pairs = [(cuda.Stream(), tensors((3000 + 64 * n, 129))) for n in range(4)]
    cuda.synchronize()
    for _ in range(20):
        found = []
        for stream, given in pairs:
            with torch.cuda.stream(stream):
                found.append(apply(*given))
        cuda.synchronize()
        for (_, given), out in zip(pairs, found, strict=True):
            torch.testing.assert_close(out, expected(*given), rtol=0, atol=0)


@pytest.mark.parametrize("is_operator", [False, True])
def test_tuning_changes_no_result(*, is_operator: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    module = column_sums()
    monkeypatch.setattr(module.Launcher, "tuned", True)
    for shape in SHAPES[:3]:
        x, bias = tensors(shape)
        for _ in range(3):
            out = torch.empty_like(bias)
            if is_operator:
                out = apply(x, bias)
            else:
                launcher = module.ColumnSums(128, has_bias=True)
                launcher.launch((shape[1],), x, bias, out, *shape, 0.5)
            torch.testing.assert_close(out, expected(x, bias), rtol=0, atol=0)
    assert module.tuned_choices()


def test_trials_update_nothing() -> None:
    module = load(copied(OWN_RUST.path))
    launcher = module.BatchNormStatsForward(128)
    x = torch.randn(3000, 65, device="cuda")
    means, rstds = torch.empty(65, device="cuda"), torch.empty(65, device="cuda")
    running = [torch.zeros(65, device="cuda"), torch.ones(65, device="cuda")]
    for is_tuned in (False, True):
        launcher.tuned = is_tuned
        mean, var = (it.clone() for it in running)
        launcher.launch((65,), x, means, rstds, mean, var, 3000, 65, 1e-5, 0.1)
        torch.testing.assert_close(mean, 0.1 * x.mean(0))
        # The kernel moves the running variance towards the biased one.
        torch.testing.assert_close(var, 0.9 + 0.1 * x.var(0, correction=0))
    assert module.tuned_choices()["batch_norm_stats_forward__copy"]
