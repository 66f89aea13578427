"""Tuned forms: what is launched where tuning is asked for, over a driver that notes launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.host.interpreted import interpreted
from tests.host.loading import load
from tests.host.noting_driver import noting
from tests.numerics.modules import OWN_RUST
from tests.optimise.hand_made import column_sums, copied, plan, planned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

    from tests.host.noting_driver import Driver

KERNELS = ("column_sums__partial", "column_sums__finish")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, Driver]]:
    """A module that takes tensors on the CPU, and what it launches; nothing is known of earlier trials."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    text = planned(plan()).text
    assert text is not None
    loaded = load(text)
    with noting(loaded) as noted:
        # Which driver launches is known; the module asks for its interpreter no more.
        monkeypatch.setattr(loaded, "_RUNS_ON_CPU", False)
        monkeypatch.setattr(loaded, "_check_tensor", lambda _, __, tensor, ___: tensor)
        monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)
        yield loaded, noted


def given(n: int, c: int) -> list[Any]:
    return [torch.ones(n, c), torch.ones(c), torch.ones(c), n, c, 0.5]


def blocks(noted: Driver) -> list[tuple[tuple[int, ...], int]]:
    """The grids of the launches since the last time, and their tiles."""
    found = [
        (it.grid, it.arguments[5 if it.arguments[-1] is not True else 6]) for it in noted.launched
    ]
    noted.launched.clear()
    return found


def test_launchers_try_what_fits_and_launch_the_fastest(module: tuple[ModuleType, Driver]) -> None:
    loaded, noted = module
    launcher = loaded.ColumnSums(8, has_bias=True)
    launcher.tuned = True
    launcher.launch((37,), *given(300, 37))
    # The tiles in 1, 2, 4 and 8 warps, then the fastest; and the same for the second stage.
    one = [((3, 5, 1), 16)] * 4 + [((2, 5, 1), 32)] * 4 + [((1, 5, 1), 64)] * 4
    other = [((3, 1, 1), 16)] * 3 + [((2, 1, 1), 32)] * 3 + [((1, 1, 1), 64)] * 3
    assert blocks(noted) == [*one, one[0], *other, other[0]]
    launcher.launch((37,), *given(300, 37))
    assert blocks(noted) == [one[0], other[0]]
    # No tile is larger than what it covers, but for the least.
    launcher.launch((5,), *given(300, 5))
    assert blocks(noted) == [((1, 5, 1), 16)] * 5 + [((1, 1, 1), 16)] * 4


def test_nothing_is_tried_where_it_is_not_asked_for(module: tuple[ModuleType, Driver]) -> None:
    loaded, noted = module
    loaded.ColumnSums(8, has_bias=True).launch((37,), *given(300, 37))
    assert blocks(noted) == [((1, 5, 1), 64), ((3, 1, 1), 16)]


def test_nothing_is_tried_while_a_graph_is_captured(
    module: tuple[ModuleType, Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, noted = module
    launcher = loaded.ColumnSums(8, has_bias=True)
    launcher.tuned = True
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    launcher.launch((37,), *given(300, 37))
    assert blocks(noted) == [((1, 5, 1), 64), ((3, 1, 1), 16)]


def test_operators_try_once_a_graph_is_captured_no_more(
    module: tuple[ModuleType, Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, noted = module
    monkeypatch.setattr(loaded.Launcher, "tuned", True)
    operator = loaded.ColumnSumsRuntimeOp(8, 0.5)
    x, bias, *_ = given(300, 37)
    with monkeypatch.context() as patched:
        patched.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
        operator(x, bias, output_shape=(37,))
        assert blocks(noted) == [((1, 5, 1), 64), ((3, 1, 1), 16)]
    operator(x, bias, output_shape=(37,))
    assert len(blocks(noted)) == 13 + 10


def test_nothing_is_tried_that_a_device_does_not_take(module: tuple[ModuleType, Driver]) -> None:
    loaded, noted = module
    launcher = loaded.ColumnSums(8, has_bias=True)
    launcher.tuned = True
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(loaded._MOST_PROGRAMS, "x", 2)
        launcher.launch((1,), *given(70, 37))
    first, *others = blocks(noted)
    # Of 16 columns there are 3 programs; the second stage is for the one column of the grid.
    assert first == ((1, 1, 1), 64)
    assert others == [((1, 1, 1), it) for it in (16, 16, 16, 32, 32, 32, 64, 64, 64, 16)]


def test_operators_keep_what_was_fastest(
    module: tuple[ModuleType, Driver], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, noted = module
    monkeypatch.setattr(loaded.Launcher, "tuned", True)
    operator = loaded.ColumnSumsRuntimeOp(8, 0.5)
    x, bias, *_ = given(300, 37)
    operator(x, bias, output_shape=(37,))
    assert len(blocks(noted)) == 13 + 10
    for _ in range(2):
        operator(x, bias, output_shape=(37,))
        assert blocks(noted) == [((3, 5, 1), 16), ((3, 1, 1), 16)]


def test_trials_are_remembered_by_later_processes(module: tuple[ModuleType, Driver]) -> None:
    loaded, noted = module
    launcher = loaded.ColumnSums(8, has_bias=True)
    launcher.tuned = True
    launcher.launch((37,), *given(300, 37))
    blocks(noted)
    for name in KERNELS:
        getattr(loaded, f"{name}_tuned").cache.clear()
    launcher.launch((37,), *given(300, 37))
    assert blocks(noted) == [((3, 5, 1), 16), ((3, 1, 1), 16)]


def test_what_was_found_can_be_written_down(module: tuple[ModuleType, Driver]) -> None:
    loaded, _ = module
    assert loaded.tuned_choices() == {}
    launcher = loaded.ColumnSums(8, has_bias=True)
    launcher.tuned = True
    for shape in ((300, 37), (300, 5), (400, 37)):
        launcher.launch((shape[1],), *given(*shape))
    assert loaded.tuned_choices() == {name: {"BLOCK_C": 16, "num_warps": 1} for name in KERNELS}


@interpreted
def test_the_interpreter_tries_nothing() -> None:
    loaded = column_sums()
    launcher = loaded.ColumnSums(8, has_bias=True)
    launcher.tuned = True
    arguments = given(300, 37)
    launcher.launch((37,), *arguments)
    assert torch.equal(arguments[2], torch.full((37,), 151.0))
    assert loaded.tuned_choices() == {}


def test_what_is_read_and_written_gets_its_value_back() -> None:
    tuned = {
        part.partition("_tuned")[0]: part
        for part in copied(OWN_RUST.path).partition("\n# Launch plans")[2].split("\n\n\n")
        if "triton.autotune" in part
    }
    stats = tuned.pop("batch_norm_stats_forward__copy")
    assert '    restore_value=["running_mean_ptr", "running_var_ptr"],\n' in stats
    assert tuned
    assert not any("restore_value" in part for part in tuned.values())
