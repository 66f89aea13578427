"""Runs of the tests with `--optimised`: kernels are launched by what the optimiser makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import ModuleType

    from transpiler.ir.description import KernelPlan
    from transpiler.pipeline import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asks for: whether to optimise, and without which transforms."""

    is_on: bool = False
    off: frozenset[str] = frozenset()


_asked = [Asked()]


def ask(asked: Asked) -> None:
    """Do from now on what is asked for."""
    _asked[:] = [asked]


def asked() -> Asked:
    """What is asked for."""
    return _asked[0]


def options() -> Options:
    """With what modules are made.

    Raises:
        pytest.UsageError: there is no transform of that name.
    """
    # The GPU's tests of other files run where the compiler's dependencies are missing.
    from transpiler.optimise.flags import TRANSFORMS, OptimiseOptions  # noqa: PLC0415
    from transpiler.pipeline import Options  # noqa: PLC0415

    if unknown := asked().off - {each.flag for each in TRANSFORMS}:
        raise pytest.UsageError(f"no transform is called {', '.join(sorted(unknown))}")
    return Options(optimise=OptimiseOptions(is_on=asked().is_on, off=asked().off))


def only_planned(plans: Iterable[KernelPlan], kernel: str) -> None:
    """Skip what `--optimised` changes nothing of."""
    if asked().is_on and all(it.optimised is None for it in plans if it.kernel.name == kernel):
        pytest.skip("the optimiser leaves the kernel as it is")


def launch(
    module: ModuleType,
    function: str,
    grid: tuple[int, ...],
    arguments: Sequence[Any],
    constants: Mapping[str, int],
) -> None:
    """Launch a function of a module; a kernel that the optimiser made something of, as its launcher does."""
    found = getattr(module, function)
    for kernel in module.KERNELS.values():
        if kernel.function is found and getattr(kernel, "optimised", None) is not None:
            module.Launcher(kernel, **constants).launch(grid, *arguments)
            return
    found[grid](*arguments, **constants)
