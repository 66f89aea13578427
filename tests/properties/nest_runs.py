"""Launches of nests of loops as written and as the optimiser makes them, and where they differ."""

from __future__ import annotations

import os
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import torch

import transpiler
from tests.interpreter.process import InterpreterLauncher, InterpreterProcess, serve
from tests.numerics.fences import Fenced
from transpiler.optimise import shapes
from transpiler.optimise.flags import OptimiseOptions
from transpiler.pipeline import Options, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from tests.properties.nest_launches import NestKernel, NestLaunch

_SPOILT = 1_000_003
"""What lies where no kernel may read integers; NaN lies there among floats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiling:
    """How small tiles and shares of loops are made, so that short axes have several.

    Inner axes shorter than `flat_below` share lanes; reductions with up to `alone` indices for each program need no
    second launch. An access of a thread has at most `widest` bytes, so that many rows are whole numbers of them.
    """

    columns: int
    lanes: int
    programs: int
    flat_below: int
    alone: int | None = None
    widest: int = 8


@contextmanager
def tiled(tiling: Tiling | None) -> Iterator[None]:
    """What is translated in here has such tiles; without a tiling, those that users get."""
    if tiling is None:
        yield
        return
    numbers: dict[str, object] = {
        name: shape._replace(
            columns=tiling.columns,
            lanes=tiling.lanes,
            programs=tiling.programs if shape.programs else 0,
            least=1,
            rows=None,
        )
        for name, shape in vars(shapes).items()
        if isinstance(shape, shapes.Shape)
    }
    for table in ("WIDENED", "WIDENED_LOOPS"):
        numbers[table] = {
            order: shape._replace(programs=tiling.columns, lanes=1 << 20, least=1, enough=1)
            for order, shape in vars(shapes)[table].items()
        }
    numbers["WIDENED_PROGRAMS"] = 1
    numbers["FLAT_BELOW"] = tiling.flat_below
    numbers["SPLIT_TILES"] = 1
    numbers["WIDEST_ACCESS"] = tiling.widest
    numbers["RUN_TILES"] = numbers["REREAD_FROM"] = 1
    if tiling.alone is not None:
        alone = shapes.Alone(few=1, each=tiling.alone)
        numbers["COLUMNS_ALONE"] = numbers["ROWS_ALONE"] = alone
    with patch.dict(vars(shapes), numbers):
        yield


def optimised(rust: str, off: Iterable[str] = (), tiling: Tiling | None = None) -> Result:
    """The module with what the optimiser makes of its kernels."""
    options = Options(optimise=OptimiseOptions(is_on=True, off=frozenset(off)))
    with tiled(tiling):
        return transpiler.transpile(rust, options)


class Nests:
    """Kernels and their launches in one interpreter."""

    def __init__(self, process: InterpreterProcess, folder: Path) -> None:
        self._process = process
        self._folder = folder

    def results(
        self, text: str, launch: NestLaunch, constants: Mapping[str, int]
    ) -> list[torch.Tensor]:
        """What is in memory after a launch of `k`, around the tensors too."""
        path = self._folder / f"nest_{zlib.crc32(text.encode())}.py"
        if not path.exists():
            path.write_text(text, "utf-8")
        fenced = [Fenced.around(it, guard=_guard(it.dtype)) for it in launch.tensors]
        launcher = InterpreterLauncher(process=self._process, path=path)
        launcher.launch("k", (*fenced, *launch.numbers), constants, launch.grid)
        return [it.buffer for it in fenced]

    def differing(
        self, kernel: NestKernel, modules: Mapping[str, str], launch: NestLaunch
    ) -> list[str]:
        """What differs between a launch of the kernel as written, the module `plain`, and of each other module."""
        plain = self.results(modules["plain"], launch, kernel.blocks)
        found: list[str] = []
        for name, text in modules.items():
            if name == "plain":
                continue
            made = self.results(text, launch, kernel.blocks)
            found += [
                f"{memory.name} {name}"
                for memory, before, after in zip(kernel.memory, plain, made, strict=True)
                if not _is_same(before, after)
            ]
        return found


def _guard(dtype: torch.dtype) -> float:
    return float("nan") if dtype.is_floating_point else _SPOILT


def _is_same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether all elements are the same numbers: which zero the larger of two is, depends on their order."""
    return bool(((a == b) | (torch.isnan(a) & torch.isnan(b))).all())


def shown(kernel: NestKernel, launch: NestLaunch, what: Sequence[str]) -> str:
    """A failure, for people."""
    sizes = dict(zip(kernel.numbers, launch.numbers, strict=True))
    return f"{', '.join(what)}\n{sizes} {kernel.blocks} grid {launch.grid}\n{kernel.rust}"


def started_spoiling() -> InterpreterProcess:
    """An interpreter in which the lanes a load leaves undefined hold what spoils a result."""
    return InterpreterProcess(_serve_spoiling)


def _serve_spoiling(connection: Connection) -> None:
    os.environ["TRITON_INTERPRET"] = "1"
    from triton.runtime import interpreter  # noqa: PLC0415 - the variable above has to be there before

    original = interpreter.InterpreterBuilder.create_masked_load

    def create_masked_load(self: Any, pointers: Any, mask: Any, other: Any, *rest: Any) -> Any:
        # Triton's interpreter takes a fill of 0 in one lane for none.
        if other is None and pointers.data.size > 1:
            dtype = pointers.get_element_ty()
            numpy_dtype = interpreter._get_np_dtype(dtype)
            spoilt = np.nan if np.issubdtype(numpy_dtype, np.floating) else _SPOILT
            if dtype.is_bf16():
                spoilt = 0x7FC0
            values = np.full(pointers.data.shape, spoilt, dtype=numpy_dtype)
            other = interpreter.TensorHandle(values, dtype)
        return original(self, pointers, mask, other, *rest)

    interpreter.InterpreterBuilder.create_masked_load = create_masked_load
    serve(connection)
