"""What operators keep of launch plans, and what torch's compiler traces, over a driver that notes launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.host.loading import load
from tests.host.noting_driver import noting
from tests.optimise.hand_made import plan, planned

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.host.noting_driver import Driver


@pytest.fixture
def module() -> Iterator[tuple[ModuleType, Driver]]:
    """A module that takes tensors on the CPU, and what it launches."""
    text = planned(plan()).text
    assert text is not None
    loaded = load(text)
    with noting(loaded) as noted:
        yield loaded, noted


def told(noted: Driver) -> list[tuple[Any, ...]]:
    """The launches since the last time: their grids, and their arguments, of tensors the numbers of elements."""
    found = [
        (it.grid, *(a.numel() if isinstance(a, torch.Tensor) else a for a in it.arguments))
        for it in noted.launched
    ]
    noted.launched.clear()
    return found


def in_stages(n: int, c: int, block: int) -> list[tuple[Any, ...]]:
    """The launches for a tall matrix."""
    splits, columns = -(-n // 64), -(-c // block)
    return [
        ((columns, splits, 1), n * c, splits * c, n, c, 64, block),
        ((-(-c // 16), 1, 1), splits * c, c, c, c, splits, 0.5, 16, True),
    ]


def test_kept_stages_are_launched_as_triton_launches_them(
    module: tuple[ModuleType, Driver],
) -> None:
    loaded, noted = module
    asked: list[str] = []
    for name in ("column_sums__partial", "column_sums__finish"):
        getattr(loaded, name).add_pre_run_hook(lambda *_, name=name, **__: asked.append(name))
    for _ in range(3):
        loaded.column_sums_op(
            torch.ones(300, 37), torch.ones(37), output_shape=(37,), block_n=8, scale=0.5
        )
        assert told(noted) == in_stages(300, 37, 64)
    assert asked == ["column_sums__partial", "column_sums__finish"]


def test_each_run_has_memory_of_its_own(module: tuple[ModuleType, Driver]) -> None:
    loaded, noted = module
    x, bias = torch.ones(300, 37), torch.ones(37)
    outputs = [
        loaded.column_sums_op(x, bias, output_shape=(37,), block_n=8, scale=0.5) for _ in range(3)
    ]
    # As long as the launches are noted, so is their memory.
    scratch = [it.arguments[1].data_ptr() for it in noted.launched[::2]]
    assert len({*scratch, *(it.data_ptr() for it in outputs)}) == 6


def test_stages_run_with_their_warps(module: tuple[ModuleType, Driver]) -> None:
    loaded, _ = module
    warps: dict[str, int] = {}
    for name in ("column_sums__partial", "column_sums__finish"):
        getattr(loaded, name).add_pre_run_hook(
            lambda *_, num_warps, name=name, **__: warps.setdefault(name, num_warps)
        )
    launcher = loaded.ColumnSums(8, has_bias=True)
    launcher.launch((37,), torch.ones(300, 37), torch.ones(37), torch.ones(37), 300, 37, 0.5)
    assert warps == {"column_sums__partial": 4, "column_sums__finish": 1}


@pytest.mark.filterwarnings("ignore")  # Dynamo, while it is imported, of itself.
@pytest.mark.parametrize("dynamic", [False, True, None])
def test_a_compiler_sees_the_stages(
    *, dynamic: bool | None, module: tuple[ModuleType, Driver]
) -> None:
    loaded, noted = module
    torch._dynamo.reset()

    def apply(x: torch.Tensor, bias: torch.Tensor) -> Any:
        return loaded.column_sums_op(x, bias, output_shape=(x.shape[1],), block_n=8, scale=0.5)

    compiled = torch.compile(apply, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for n, c, block in ((300, 37, 64), (700, 37, 64), (700, 5, 8), (300, 37, 64)):
        assert compiled(torch.ones(n, c), torch.ones(c)).shape == (c,)
        assert told(noted) == in_stages(n, c, block)
    compiled(torch.ones(5, 3), torch.ones(3))
    assert told(noted) == [((3, 1, 1), 15, 3, 3, 5, 3, 0.5, 8, True)]
