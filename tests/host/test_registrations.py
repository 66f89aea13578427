"""What torch knows of several modules whose operators have the same names, and what it costs to tell it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest
import torch
from torch._subclasses import FakeTensorMode

from tests.host.loading import module_of
from tests.host.test_ranks import PACK, scaling

if TYPE_CHECKING:
    from types import ModuleType

ANY_RANK = """
    let c = output_shape[1] as i32;
    let hw = output_shape[2..].iter().product::<usize>() as i32;
"""


def scale(module: ModuleType, *shape: int) -> tuple[int, ...]:
    """The shape of what the torch operator of a module returns: fake tensors are for operators alone."""
    with FakeTensorMode():
        x, w = torch.empty(shape, device="cuda"), torch.empty(shape[1], device="cuda")
        return tuple(module.scale_images(x, w, channels=1, factor=1.0).shape)


def import_again(module: ModuleType) -> None:
    """Run its text anew in the module itself, as `importlib.reload` does with one that it finds."""
    assert module.__spec__ is not None
    assert module.__spec__.loader is not None
    module.__spec__.loader.exec_module(module)


def test_modules_with_operators_of_the_same_names_leave_each_other_alone() -> None:
    images = module_of(scaling("// Of images.\n" + PACK))
    signals = module_of(scaling("// Of any.\n" + ANY_RANK))
    for _ in range(2):
        assert scale(images, 2, 3, 4, 5) == (2, 3, 4, 5)
        assert scale(signals, 2, 3, 4) == (2, 3, 4)
        with pytest.raises(RuntimeError, match="expected x to have 4 dimensions"):
            scale(images, 2, 3, 4)
        import_again(images)


def test_a_module_that_is_imported_again_keeps_the_names_of_its_operators() -> None:
    module = module_of(scaling("// Imported again.\n" + ANY_RANK))
    names = dict(module._NAMES)
    assert names.keys() == {"teeny::scale_images"}
    import_again(module)
    assert names == module._NAMES
    assert scale(module, 2, 3, 4) == (2, 3, 4)


def test_torch_follows_no_functions_but_those_of_the_operators(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It looks for kernels in all that an operator calls by name, its own decorators too, which takes longest."""
    module = module_of(scaling("// Looked at.\n" + ANY_RANK))
    followed: list[object] = []
    getsource = inspect.getsource

    def get(subject: object) -> str:
        followed.append(getattr(subject, "__module__", None))
        return getsource(subject)  # type: ignore[arg-type] # it is given on

    monkeypatch.setattr(inspect, "getsource", get)
    import_again(module)
    assert not [it for it in followed if it is not None and str(it).startswith("torch")]
