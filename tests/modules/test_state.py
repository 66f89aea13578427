"""Constructors, state, modes and errors are torch's."""

from __future__ import annotations

import copy
import io
import re
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

from modules.batchnorm import BatchNorm1d, BatchNorm2d, convert
from tests.modules.parity import ours_like
from tests.modules.subjects import modules_of
from tests.numerics.modules import Subject  # noqa: TC001 - pytest reads it

if TYPE_CHECKING:
    from collections.abc import Callable

    from modules.batchnorm import Modules

KEYS = ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]


@pytest.mark.parametrize("name", ["BatchNorm1d", "BatchNorm2d"])
def test_constructor_and_state_dict(name: str) -> None:
    ours = {"BatchNorm1d": BatchNorm1d, "BatchNorm2d": BatchNorm2d}[name]
    theirs: type[nn.BatchNorm1d | nn.BatchNorm2d] = getattr(nn, name)
    for arguments in (
        (3,),
        (3, 1e-3, None),
        (3, 1e-3, 0.2, False),
        (3, 1e-3, 0.2, True, False),
        (3, 1e-3, 0.2, False, False, "cpu", torch.float64),
    ):
        mine, torchs = ours(*arguments), theirs(*arguments)
        assert repr(mine) == repr(torchs)
        assert [*mine.state_dict()] == [*torchs.state_dict()]
        for key, value in torchs.state_dict().items():
            assert torch.equal(mine.state_dict()[key], value)
            assert mine.state_dict()[key].dtype == value.dtype
    assert [*ours(3).state_dict()] == KEYS


def test_state_goes_both_ways_and_resets(made: Subject) -> None:
    ours, theirs = modules_of(made).BatchNorm2d(3), nn.BatchNorm2d(3)
    ours(torch.randn(4, 3, 2, 2))
    theirs.load_state_dict(ours.state_dict())
    assert state_of(theirs) == state_of(ours)
    assert state_of(theirs)["num_batches_tracked"] == 1
    theirs(torch.randn(4, 3, 2, 2))
    assert state_of(theirs) != state_of(ours)
    ours.load_state_dict(theirs.state_dict())
    assert state_of(theirs) == state_of(ours)

    fresh = state_of(BatchNorm2d(3))
    ours.reset_running_stats()
    assert state_of(ours) == fresh
    nn.init.zeros_(ours.weight)
    ours.reset_parameters()
    assert state_of(ours) == fresh


def state_of(norm: nn.Module) -> dict[str, object]:
    return {key: value.tolist() for key, value in norm.state_dict().items()}


def test_state_without_a_count_of_batches_loads() -> None:
    old = dict(nn.BatchNorm1d(3).state_dict())  # A plain dict has no version either.
    del old["num_batches_tracked"]
    ours = BatchNorm1d(3)
    ours.load_state_dict(old)
    assert state_of(ours)["num_batches_tracked"] == 0


def test_modules_are_copied_and_saved() -> None:
    ours = BatchNorm2d(3)
    assert type(copy.deepcopy(ours)) is BatchNorm2d
    buffer = io.BytesIO()
    torch.save(ours, buffer)
    buffer.seek(0)
    assert type(torch.load(buffer, weights_only=False)) is BatchNorm2d


ONE_VALUE = "Expected more than 1 value per channel when training, got input size torch.Size"
REFUSED: dict[str, Callable[[Modules], tuple[nn.BatchNorm1d | nn.BatchNorm2d, torch.Tensor]]] = {
    "2d of 3": lambda m: (m.BatchNorm2d(3), torch.zeros(2, 3, 4)),
    "2d of 2": lambda m: (m.BatchNorm2d(3), torch.zeros(2, 3)),
    "1d of 4": lambda m: (m.BatchNorm1d(3), torch.zeros(2, 3, 4, 5)),
    "1d of 1": lambda m: (m.BatchNorm1d(3), torch.zeros(3)),
    "one value": lambda m: (m.BatchNorm1d(3), torch.zeros(1, 3)),
    "one value a plane": lambda m: (m.BatchNorm2d(3), torch.zeros(1, 3, 1, 1)),
    "one value untracked": lambda m: (
        m.BatchNorm2d(3, track_running_stats=False).eval(),
        torch.zeros(1, 3, 1, 1),
    ),
    "channels": lambda m: (m.BatchNorm1d(3), torch.zeros(2, 4)),
    "channels, evaluating": lambda m: (m.BatchNorm2d(3).eval(), torch.zeros(2, 4, 2, 2)),
    "channels, no statistics": lambda m: (
        m.BatchNorm1d(3, track_running_stats=False),
        torch.zeros(2, 4),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_errors_are_torchs(case: str, made: Subject) -> None:
    theirs, x = REFUSED[case](nn)  # type: ignore[arg-type] # the same two names
    with pytest.raises((ValueError, RuntimeError)) as refused:
        theirs(x)
    ours, x = REFUSED[case](modules_of(made))
    with pytest.raises(type(refused.value), match=f"^{re.escape(str(refused.value))}$"):
        ours(x)
    assert state_of(ours).get("num_batches_tracked", 0) == 0


def test_dtypes_that_torch_does_not_mix_are_refused(made: Subject) -> None:
    ours = modules_of(made).BatchNorm1d(3, dtype=torch.float16)
    with pytest.raises(RuntimeError, match=r"Expected running_mean to have dtype torch\.float32"):
        ours(torch.zeros(2, 3))
    ours = modules_of(made).BatchNorm1d(3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r"dtype torch\.float32 for an input of dtype"):
        ours(torch.zeros(2, 3, dtype=torch.bfloat16))


@pytest.mark.parametrize("shape", [(0, 3), (2, 3, 0), (0, 3, 2, 2)])
@pytest.mark.parametrize("is_training", [True, False])
def test_empty_batches(shape: tuple[int, ...], *, is_training: bool, made: Subject) -> None:
    make = nn.BatchNorm2d if len(shape) == 4 else nn.BatchNorm1d
    theirs = make(3).train(is_training)
    ours = ours_like(theirs, modules_of(made)).train(is_training)
    for norm in (ours, theirs):
        x = torch.zeros(shape, requires_grad=True)
        y = norm(x)
        y.sum().backward()
        assert y.shape == shape
        assert x.grad is not None
        assert x.grad.shape == shape
        gradients = [parameter.grad for parameter in norm.parameters()]
        assert all(grad is not None and grad.tolist() == [0.0] * 3 for grad in gradients)
    assert state_of(ours) == state_of(theirs)


def test_infinite_running_statistics_stay_infinite(made: Subject) -> None:
    ours = modules_of(made).BatchNorm1d(1)
    ours.load_state_dict({**ours.state_dict(), "running_mean": torch.tensor([torch.inf])})
    ours(torch.randn(4, 1))
    assert state_of(ours)["running_mean"] == [torch.inf]


def test_convert_shares_everything(made: Subject) -> None:
    modules = modules_of(made)
    shared = nn.BatchNorm1d(2)
    inner = nn.Sequential(shared, nn.ReLU(), shared)
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), inner).eval()
    calls = []
    model[1].register_forward_hook(lambda *_: calls.append(1))
    before = {name: id(value) for name, value in model.named_parameters()}
    members = [id(module) for module in model.modules()]

    assert convert(model, modules) is model
    assert type(model[1]) is modules.BatchNorm2d
    assert type(inner[0]) is type(inner[2]) is modules.BatchNorm1d
    assert {name: id(value) for name, value in model.named_parameters()} == before
    assert [id(module) for module in model.modules()] == members
    assert not model[1].training
    model[1](torch.zeros(1, 2, 3, 3))
    assert calls == [1]
    assert type(convert(nn.BatchNorm1d(2))) is BatchNorm1d


def test_convert_leaves_other_classes_alone() -> None:
    class Special(nn.BatchNorm2d):
        pass

    model = nn.Sequential(Special(2), nn.BatchNorm3d(2), nn.GroupNorm(1, 2), nn.LazyBatchNorm2d())
    kinds = [type(module) for module in model]
    convert(model)
    assert [type(module) for module in model] == kinds
