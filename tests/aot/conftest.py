"""Modules made from Rust on the fly, executed with Triton's compiler, and a cache of its own."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import transpiler
from tests.numerics.modules import OWN_RUST, REFERENCE_RUST
from transpiler.harness import aot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import ModuleType


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilable:
    """A generated module and its specialisations."""

    module: ModuleType
    entries: tuple[aot.Entry, ...]

    def of(self, kernel: str) -> tuple[aot.Entry, ...]:
        """The specialisations of one kernel."""
        return tuple(entry for entry in self.entries if entry.name.startswith(f"{kernel}__"))

    def named(self, name: str) -> aot.Entry:
        """One specialisation."""
        (entry,) = (entry for entry in self.entries if entry.name == name)
        return entry


@pytest.fixture(scope="session", autouse=True)
def _fresh_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing compiled by an earlier run is taken for compiled now."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.mktemp("triton")))
        yield


@pytest.fixture(scope="session")
def load() -> Iterator[Callable[[Path], Compilable]]:
    """Transpiles and executes a Rust file, once however often it is asked for."""
    loaded: dict[Path, Compilable] = {}
    with ExitStack() as modules:

        def load_once(path: Path) -> Compilable:
            if path not in loaded:
                result = transpiler.transpile(path)
                assert result.text is not None, f"{path.name} does not transpile"
                name = f"aot_{len(loaded)}"
                module = modules.enter_context(aot.loaded(result.text, name))
                loaded[path] = Compilable(module=module, entries=aot.entries(result.plans))
            return loaded[path]

        yield load_once


@pytest.fixture(params=[OWN_RUST, REFERENCE_RUST], ids=lambda subject: subject.name)
def compilable(request: pytest.FixtureRequest, load: Callable[[Path], Compilable]) -> Compilable:
    """Each batch norm file."""
    path: Path = request.param.path
    if not path.exists():
        pytest.skip(f"{request.param.name} is not on this machine")
    return load(path)
