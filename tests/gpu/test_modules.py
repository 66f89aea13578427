"""The batch norm modules on a GPU: beside torch's, compiled, captured, and their operators checked by torch."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from modules.batchnorm import convert
from tests.gpu.operator_calls import operator_calls
from tests.modules.curves import Training, curve_faults
from tests.modules.parity import Setting, faults, ours_like
from tests.modules.subjects import modules_of
from tests.numerics.modules import OWN_MODULE, chosen_subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from torch import Tensor
    from torch._ops import OpOverload

    from modules.batchnorm import Modules
    from tests.modules.parity import BatchNorm
    from tests.numerics.modules import Subject

pytestmark = pytest.mark.gpu

IMAGES = Setting(shape=(16, 33, 14, 15))
SETTINGS = {
    "rows": Setting(shape=(1000, 33)),
    "sequences": Setting(shape=(16, 33, 129)),
    "images": IMAGES,
    "many-images": Setting(shape=(70000, 2, 1, 2)),
    "channels-last": replace(IMAGES, is_channels_last=True),
    "cumulative": replace(IMAGES, momentum=None),
    "no-affine": replace(IMAGES, affine=False),
    "no-running": replace(IMAGES, track_running_stats=False),
    "f64": replace(IMAGES, dtype=torch.float64),
    "f16": replace(IMAGES, dtype=torch.float16),
    "bf16": replace(IMAGES, dtype=torch.bfloat16),
    "f16-in-f32": replace(IMAGES, dtype=torch.float16, parameters=torch.float32),
    "bf16-in-f32": replace(
        IMAGES, dtype=torch.bfloat16, parameters=torch.float32, is_channels_last=True
    ),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = chosen_subjects(metafunc.config, OWN_MODULE)
    metafunc.parametrize("subject", [pytest.param(each, id=each.name) for each in chosen])


@pytest.fixture
def modules(subject: Subject) -> Modules:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    return modules_of(subject)


@pytest.fixture
def in_full_f32() -> Iterator[None]:
    """Convolutions without TF32, which would round inputs to 10 bits and drown everything else."""
    with torch.backends.cudnn.flags(enabled=True, deterministic=True, allow_tf32=False):
        yield


@pytest.mark.parametrize("name", SETTINGS)
def test_results_are_torchs(name: str, modules: Modules, subject: Subject) -> None:
    found = faults(SETTINGS[name], modules, subject.algorithm, device="cuda")
    assert not found, "\n".join(found)


@pytest.mark.usefixtures("in_full_f32")
def test_loss_curve_is_torchs(modules: Modules) -> None:
    training = Training(images=64, size=32, width=32, device="cuda")
    found = curve_faults(training, modules)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("shape", [(6, 3), (3, 3, 5), (2, 3, 3, 5)], ids=str)
@pytest.mark.parametrize("is_training", [True, False])
def test_gradients_are_derivatives(
    shape: tuple[int, ...], *, is_training: bool, modules: Modules
) -> None:
    torch.manual_seed(0)
    make = modules.BatchNorm2d if len(shape) == 4 else modules.BatchNorm1d
    norm = make(3, dtype=torch.float64, device="cuda").train(is_training)

    def apply(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        given = {"weight": weight, "bias": bias}
        result: Tensor = torch.func.functional_call(norm, given, (x,))
        return result

    inputs = [
        torch.randn(size, dtype=torch.float64, device="cuda", requires_grad=True)
        for size in (shape, (3,), (3,))
    ]
    assert torch.autograd.gradcheck(apply, inputs)


def test_autocast(modules: Modules) -> None:
    torch.manual_seed(0)
    theirs = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)).cuda()
    ours = convert(copy.deepcopy(theirs), modules)
    x = torch.randn(4, 3, 9, 9, device="cuda")
    for is_training in (True, False):
        with torch.autocast("cuda", dtype=torch.float16):
            y, expected = ours.train(is_training)(x), theirs.train(is_training)(x)
        assert y.dtype == expected.dtype == torch.float16
        torch.testing.assert_close(y, expected)


@pytest.mark.filterwarnings("ignore")  # Inductor, while it is imported and compiles, of itself.
@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("name", ["rows", "images", "channels-last", "cumulative", "f16-in-f32"])
def test_compiled_without_a_break(name: str, *, is_training: bool, modules: Modules) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    setting = SETTINGS[name]
    eager = ours_like(setting.torchs().cuda(), modules).train(is_training)
    compiled = copy.deepcopy(eager)
    fast = torch.compile(compiled, fullgraph=True)
    for _ in range(2):
        x = setting.input().cuda()
        dy = torch.randn_like(x)
        results = []
        for run, norm in ((eager, eager), (fast, compiled)):
            _spoil_free_memory()
            results.append(_results(run, norm, x, dy))
        for key, value in results[0].items():
            torch.testing.assert_close(results[1][key], value)


@pytest.mark.filterwarnings("ignore")  # As above.
def test_compiled_for_any_batch_size(modules: Modules) -> None:
    torch._dynamo.reset()
    norm = modules.BatchNorm2d(3, device="cuda")
    peer = nn.BatchNorm2d(3, device="cuda")
    fast = torch.compile(norm, fullgraph=True, dynamic=True)
    for batch in (2, 5, 9):
        x = torch.randn(batch, 3, 4, 5, device="cuda")
        torch.testing.assert_close(fast(x), peer(x))


@pytest.mark.parametrize("momentum", [0.1, None])
def test_training_step_in_a_cuda_graph(momentum: float | None, modules: Modules) -> None:
    torch.manual_seed(0)
    setting = replace(IMAGES, momentum=momentum)
    theirs = setting.torchs().cuda()
    ours = ours_like(theirs, modules)
    x = setting.input().cuda().requires_grad_()
    dy = torch.randn_like(x)

    aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            _results(ours, ours, x, dy)
    torch.cuda.current_stream().wait_stream(aside)
    ours.load_state_dict(theirs.state_dict())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = ours(x)
        dx = torch.autograd.grad(y, x, dy)[0]

    for _ in range(3):
        batch = setting.input().cuda()
        with torch.no_grad():
            x.copy_(batch)
        graph.replay()
        expected = _results(theirs, theirs, batch, dy)
        torch.testing.assert_close(dx, expected["dx"])
        torch.testing.assert_close(y, expected["y"])
        for key, value in theirs.state_dict().items():
            torch.testing.assert_close(ours.state_dict()[key], value)


def _spoil_free_memory() -> None:
    """Fill with NaN what tensors are made in next: what nothing was written to shows."""
    sizes = [2**exponent for exponent in range(7, 22)]
    spoilt = [torch.full((size,), torch.nan, device="cuda") for size in sizes for _ in range(8)]
    torch.cuda.synchronize()
    del spoilt


def _results(
    run: Callable[[Tensor], Tensor], norm: BatchNorm, x: Tensor, dy: Tensor
) -> dict[str, Tensor]:
    """One step: the output, the gradients, and the state afterwards."""
    norm.zero_grad(set_to_none=True)
    x = x.detach().clone().requires_grad_()
    y = run(x)
    y.backward(dy)  # type: ignore[no-untyped-call]
    assert x.grad is not None
    gradients = {
        f"d{name}": parameter.grad
        for name, parameter in norm.named_parameters()
        if parameter.grad is not None
    }
    state = {name: buffer.clone() for name, buffer in norm.named_buffers()}
    return {"y": y.detach(), "dx": x.grad, **gradients, **state}


def _apart(value: object) -> object:
    """An argument of an operator, copied and apart from autograd."""
    match value:
        case torch.Tensor():
            return value.detach().clone()
        case list():
            return [_apart(each) for each in value]
        case _:
            return value


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the calls of operators in the namespace `teeny`."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[tuple[OpOverload, tuple[object, ...]]] = []

    def __torch_dispatch__(
        self,
        func: OpOverload,
        types: Sequence[type],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        if func.namespace == "teeny":
            assert not kwargs
            self.calls.append((func, tuple(map(_apart, args))))
        return func(*args, **(kwargs or {}))


@pytest.mark.filterwarnings("ignore")  # As above: torch's check compiles, too.
def test_operators_pass_torchs_own_check(modules: Modules) -> None:
    recorder = Recorder()
    for call in operator_calls(modules.BatchNorm2d.operators, "cuda"):
        with recorder:
            y = call.run()
            if call.is_differentiable:
                y.sum().backward()  # type: ignore[no-untyped-call]
    names = {func._schema.name for func, _ in recorder.calls}
    assert len(names) >= 5, names
    for func, args in recorder.calls:
        torch.library.opcheck(func, args)
        if f"{func._schema.name}_backward" in names:
            needing = tuple(
                a.requires_grad_() if isinstance(a, torch.Tensor) and a.dim() > 1 else a
                for a in args
            )
            torch.library.opcheck(func, needing)
