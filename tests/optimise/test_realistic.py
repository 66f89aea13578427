"""Kernels of the kinds that people write: what the optimiser makes of each, and that it computes what torch does."""

from __future__ import annotations

import ast
import math
from functools import cache
from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.corpus.runner import EXPECTED, faults
from tests.host.interpreted import interpreted
from tests.host.loading import load
from tests.interpreter.process import InterpreterLauncher
from tests.optimise.realistic.catalogue import CASES, RUNS
from tests.optimise.realistic.describing import KERNELS
from tests.properties.nest_runs import Tiling, optimised

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

    from tests.corpus.model import Case, Run
    from tests.interpreter.process import InterpreterProcess
    from transpiler.pipeline import Result

SMALL = Tiling(columns=4, lanes=16, programs=16, flat_below=8, alone=2)
"""Tiles so small that short axes have several, and variants of plans for few columns and for many."""

OPTIMISED = ("optimised", "small")


@cache
def results(topic: str) -> dict[str, Result]:
    """The modules of a file: as written, optimised, and optimised with small tiles."""
    rust = (KERNELS / f"{topic}.rs").read_text("utf-8")
    made = {
        "plain": transpiler.transpile(rust),
        "optimised": optimised(rust),
        "small": optimised(rust, tiling=SMALL),
    }
    assert {it.code for result in made.values() for it in result.diagnostics} <= EXPECTED
    return made


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the modules lie."""
    folder = tmp_path_factory.mktemp("realistic")
    for path in KERNELS.glob("*.rs"):
        for name, result in results(path.stem).items():
            assert result.text is not None
            (folder / f"{path.stem}_{name}.py").write_text(result.text, "utf-8")
        # As if all tensors had 2^31 elements and more.
        text = f"{results(path.stem)['small'].text}\n_is_large = lambda _: True\n"
        (folder / f"{path.stem}_large.py").write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_it_computes_what_torch_does(
    run: Run, spoiling_interpreter: InterpreterProcess, modules: Path
) -> None:
    # What kernels as written do in every dtype and at every shape, the tests of the passes and of the corpus ask; and
    # offsets in 64 bits are the same in all dtypes.
    names = [*OPTIMISED]
    if run.dtype is run.case.dtypes[0]:
        names += ["large"]
        if run.shape is run.case.shapes[0]:
            names += ["plain"]
    found = {
        name: faults(run, InterpreterLauncher(process=spoiling_interpreter, path=path))
        for name in names
        for path in [modules / f"{run.case.topic}_{name}.py"]
    }
    assert found == {name: [] for name in found}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.topic}-{case.kernel}")
def test_what_is_made_of_it(case: Case, snapshot: SnapshotAssertion) -> None:
    # Where only the GPU's tests run, syrupy is missing.
    from tests.optimise.realistic.listing import Listing  # noqa: PLC0415

    result = results(case.topic)["optimised"]
    assert listing(result, case.kernel) == snapshot(extension_class=Listing)


_OF_NESTS = ("split-", "spread-", "vectorise-", "block-", "collapse-")


def listing(result: Result, kernel: str) -> str:
    """What the transforms of nests say of a kernel; its stages, and the function that plans their launches."""
    assert result.text is not None
    (plan,) = (it.optimised for it in result.plans if it.kernel.name == kernel)
    told = [
        f"# {it.transform.flag}: {it.message}"
        for it in result.remarks
        if it.kernel == kernel
        and it.transform.flag.startswith(_OF_NESTS)
        and it.is_applied == (plan is not None)
    ]
    if plan is None:
        # Where there is no nest, all say why.
        told = sorted({f"# Stays as it is: {it.partition(': ')[2]}" for it in told})
        return "\n".join([*told, ""])
    stages = [stage.kernel.name for variant in plan.variants for stage in variant.stages]
    lines = result.text.splitlines()
    functions = {
        it.name: "\n".join(
            lines[min(it.lineno, *(each.lineno for each in it.decorator_list)) - 1 : it.end_lineno]
            if it.decorator_list
            else lines[it.lineno - 1 : it.end_lineno]
        )
        for it in ast.parse(result.text).body
        if isinstance(it, ast.FunctionDef)
    }
    shown = [functions[name] for name in (*stages, f"_plan_{kernel}")]
    return "\n\n\n".join(["\n".join(dict.fromkeys(told)), *shown, ""])


@interpreted
@pytest.mark.parametrize(
    ("topic", "operator", "shape", "output"),
    [
        ("columns", "ColumnMeanRuntimeOp", (21, 5), (5,)),
        ("images", "GlobalAveragePoolRuntimeOp", (2, 3, 5, 7), (2, 3)),
    ],
)
def test_operators_launch_the_stages(
    topic: str, operator: str, shape: tuple[int, ...], output: tuple[int, ...]
) -> None:
    text = results(topic)["optimised"].text
    assert text is not None
    module = load(text)
    apply = getattr(module, operator)(*([8] if topic == "images" else []))
    kernel = getattr(module, apply.kernel.name)
    x = torch.arange(math.prod(shape), dtype=torch.float32).view(shape)
    expected = x.mean(0) if topic == "columns" else x.mean((2, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "run", None)
        torch.testing.assert_close(apply(x, output_shape=output), expected)


def test_every_kernel_is_run() -> None:
    topics = [path.stem for path in KERNELS.glob("*.rs")]
    kernels = {(it, plan.kernel.name) for it in topics for plan in results(it)["optimised"].plans}
    assert {(it.topic, it.kernel) for it in CASES} == kernels
