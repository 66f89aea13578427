"""What operators keep of a compiled kernel, over a driver that compiles for a GPU and notes what would be launched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.host.loading import load
from tests.host.noting_driver import noting
from tests.host.plans import module_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.host.noting_driver import Driver, Launched

FORWARD = "batch_norm_2d_nchw_forward_inference"
BACKWARD = "batch_norm_2d_nchw_backward"


@pytest.fixture(scope="module")
def module() -> Iterator[tuple[ModuleType, Driver]]:
    """A module that takes tensors on the CPU, and what it launches."""
    loaded = load(module_text("relaunched"))
    with noting(loaded) as noted:
        yield loaded, noted


def tensors(shape: tuple[int, ...]) -> list[torch.Tensor]:
    channels = shape[1]
    return [torch.randn(shape), *(torch.rand(channels) for _ in range(4))]


def asked(module: ModuleType, kernel: str) -> list[int]:
    """Grows when Triton looks up what it compiled of a kernel."""
    times: list[int] = []
    function = module.KERNELS[kernel].function
    function.pre_run_hooks.clear()
    function.add_pre_run_hook(lambda *_args, **_kwargs: times.append(1))
    return times


def told(launched: Launched) -> tuple[Any, ...]:
    """The launch, with its tensors by their addresses and shapes."""
    arguments = [
        (it.data_ptr(), it.shape) if isinstance(it, torch.Tensor) else it
        for it in launched.arguments
    ]
    return launched.function, launched.grid, arguments


def test_a_kept_kernel_is_launched_as_triton_launches_it(
    module: tuple[ModuleType, Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    operators, noted = module
    given, output = tensors((2, 4, 3, 3)), torch.empty(2, 4, 3, 3)
    monkeypatch.setattr(torch, "empty_like", lambda *_args, **_kwargs: output)
    times = asked(operators, FORWARD)
    noted.launched.clear()
    for _ in range(3):
        operators.image_norm(*given, eps=1e-5)
    first, *others = map(told, noted.launched)
    assert others == [first, first]
    assert len(times) == 1
    assert first[1:] == (
        (4, 2, 1),
        [*((it.data_ptr(), it.shape) for it in (given[0], output, *given[1:])), 4, 9, 1e-5, 256],
    )


def test_what_is_compiled_for_aligned_pointers_does_not_take_others(
    module: tuple[ModuleType, Driver],
) -> None:
    operators, noted = module
    given = tensors((2, 8, 3, 3))
    shifted = [*given[:4], torch.rand(9)[1:]]
    times = asked(operators, FORWARD)
    noted.launched.clear()
    for it in (shifted, given, given, shifted, given):
        operators.image_norm(*it, eps=1e-5)
    functions = [it.function for it in noted.launched]
    assert functions == [functions[n] for n in (0, 1, 1, 0, 1)]
    assert functions[0] != functions[1]
    assert len(times) == 3


def test_integers_of_other_shapes_are_compiled_for(module: tuple[ModuleType, Driver]) -> None:
    operators, noted = module
    noted.launched.clear()
    for _ in range(2):
        for shape in ((2, 4, 3, 3), (2, 4, 4, 4), (2, 1, 3, 3)):
            operators.image_norm(*tensors(shape), eps=1e-5)
    functions = [it.function for it in noted.launched]
    assert functions[:3] == functions[3:]
    assert len(set(functions)) == 3


def test_the_backward_kernel_is_kept_too(module: tuple[ModuleType, Driver]) -> None:
    operators, noted = module
    x, *rest = tensors((2, 4, 3, 3))
    times = asked(operators, BACKWARD)
    for _ in range(3):
        out = operators.image_norm(x.requires_grad_(), *rest, eps=1e-5)
        noted.launched.clear()
        torch.autograd.grad(out, x, torch.ones_like(out))
    assert len(noted.launched) == 1
    assert len(times) == 1
