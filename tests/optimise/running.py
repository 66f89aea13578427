"""Launches in Triton's interpreter, and the very bits they leave behind."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from tests.corpus.model import KERNELS
from tests.corpus.runner import arguments_of, translated
from tests.interpreter.process import InterpreterLauncher
from tests.numerics.fences import Fenced
from tests.optimise.classics import transformed
from tests.unit.passes.kernels import kernel

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus.model import Run
    from tests.interpreter.process import InterpreterProcess
    from transpiler.optimise.flags import Transform

SIZE = 4096
BLOCK = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A kernel `k` of these statements, launched with the arguments that `tests.unit.passes.kernels` gives it.

    `n`, `m` and `a` are numbers, `x_ptr` and `y_ptr` lead to `SIZE` floats.
    """

    body: str
    n: int = 5
    m: int = 3
    grid: tuple[int, ...] = (1,)


class Comparison:
    """Kernels as written and after a transform, in one process."""

    def __init__(self, process: InterpreterProcess, folder: Path) -> None:
        self._process = process
        self._folder = folder

    def differing(self, run: Run, transform: Transform) -> list[str]:
        """The arguments whose bytes differ after a launch of both; the transform must have changed something.

        Raises:
            AssertionError: it changed nothing, so that equal bytes would show nothing.
        """
        rust = (KERNELS / f"{run.case.topic}.rs").read_text("utf-8")
        after = transformed(rust, transform)
        applied = {each.kernel for each in after.remarks.remarks if each.is_applied}
        assert run.case.kernel in applied, f"{transform.flag} leaves {run.case.kernel} as it is"
        plain = self._bytes(run, translated(run.case.topic).text, "plain")
        made = self._bytes(run, after.text, transform.flag)
        return [name for name, bytes_ in plain.items() if not torch.equal(bytes_, made[name])]

    def is_same(self, sample: Sample, transform: Transform) -> bool:
        """Whether a sample leaves the same bytes behind before and after a transform, which must change it.

        Raises:
            AssertionError: it changed nothing.
        """
        rust = kernel(sample.body)
        plain, after = transformed(rust), transformed(rust, transform)
        assert plain.is_same
        assert not after.is_same
        before = self._sampled(sample, plain.text)
        return torch.equal(before, self._sampled(sample, after.text))

    def _sampled(self, sample: Sample, text: str) -> torch.Tensor:
        path = self._folder / f"sample_{zlib.crc32(text.encode())}.py"
        path.write_text(text, "utf-8")
        values = torch.linspace(-3.0, 5.0, SIZE, dtype=torch.float32)
        x, y = (Fenced.around(it, guard=float("nan")) for it in (values, values.flip(0)))
        launcher = InterpreterLauncher(process=self._process, path=path)
        launcher.launch("k", (x, y, sample.n, sample.m, 1.25), {"BLOCK": BLOCK}, sample.grid)
        assert not y.breached()
        return y.buffer.view(torch.uint8)

    def _bytes(self, run: Run, text: str, word: str) -> dict[str, torch.Tensor]:
        path = self._folder / f"{run.case.topic}_{word.replace('-', '_')}.py"
        if not path.exists():
            path.write_text(text, "utf-8")
        launch = run.launch()
        launcher = InterpreterLauncher(process=self._process, path=path)
        arguments = arguments_of(run, launch, launcher.device)
        launcher.launch(run.case.kernel, tuple(arguments.values()), launch.constants, launch.grid)
        return {
            name: each.buffer.view(torch.uint8)
            for name, each in arguments.items()
            if isinstance(each, Fenced)
        }
