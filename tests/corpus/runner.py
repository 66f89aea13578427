"""Runs of the corpus: generated modules, arguments in their dtypes, and what comes out against the reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import torch

import transpiler
from tests.conformance.tolerances import fault
from tests.corpus.model import KERNELS
from tests.numerics.fences import Fenced
from tests.optimising import only_planned, options
from transpiler.ir.types import DType, DtypeParameter, Pointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.corpus.model import Launch, Run
    from tests.numerics.launchers import Launcher
    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Kernel, Symbol

EXPECTED = frozenset({"W0605", "W0704"})
"""The warnings there are: a variance that is a difference, and parameters called `lambda`, which Python forbids."""

TORCH_DTYPES = {
    DType.I32: torch.int32,
    DType.I64: torch.int64,
    DType.F16: torch.float16,
    DType.BF16: torch.bfloat16,
    DType.F32: torch.float32,
    DType.F64: torch.float64,
}
"""The dtypes of tensors."""

_TRITON = {DType.F16: "fp16", DType.BF16: "bf16", DType.F32: "fp32", DType.F64: "fp64"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """The module of a topic, and its kernels by name."""

    text: str
    kernels: Mapping[str, Kernel]
    plans: tuple[KernelPlan, ...]


def translated_text(rust: str, name: str) -> Translated:
    """The module of a Rust text.

    Raises:
        AssertionError: the compiler refuses it.
    """
    result = transpiler.transpile(rust, options())
    messages = [
        f"{name}: {found.code}: {found.message}"
        for found in result.diagnostics
        if found.code not in EXPECTED
    ]
    assert result.text is not None, messages
    assert result.module is not None
    kernels = {kernel.name: kernel for kernel in result.module.kernels}
    return Translated(text=result.text, kernels=kernels, plans=result.plans)


@cache
def translated(topic: str, folder: Path = KERNELS) -> Translated:
    """The module of a topic.

    Raises:
        AssertionError: the compiler reports something.
    """
    return translated_text((folder / f"{topic}.rs").read_text("utf-8"), topic)


def kernel_of(run: Run) -> Kernel:
    """The kernel that a run launches."""
    return translated(run.case.topic, run.case.folder).kernels[run.case.kernel]


def dtype_of(parameter: Symbol, run: Run) -> DType:
    """The dtype of a parameter, or of what it points to, in this run.

    Raises:
        TypeError: the case does not say.
    """
    match parameter.type:
        case (Pointer() | Scalar()) as type_:
            element = run.dtype if isinstance(type_.dtype, DtypeParameter) else type_.dtype
            if isinstance(element, DType):
                return element
    raise TypeError(f"{run.name}: the dtype of {parameter.name} is not known")


def faults(run: Run, launcher: Launcher) -> list[str]:
    """Launches a run once; what is wrong afterwards: nothing, if all is well."""
    only_planned(translated(run.case.topic, run.case.folder).plans, run.case.kernel)
    launch = run.launch()
    arguments = arguments_of(run, launch, launcher.device)
    fenced = {name: each for name, each in arguments.items() if isinstance(each, Fenced)}
    expected = launch.expected({name: _seen(each.tensor) for name, each in fenced.items()})
    launcher.launch(run.case.kernel, tuple(arguments.values()), launch.constants, launch.grid)
    found = [f"{name}: written beyond its ends" for name, each in fenced.items() if each.breached()]
    for parameter in kernel_of(run).parameters:
        name = parameter.name
        if name not in fenced:
            continue
        if name not in expected:
            found += [f"{name}: an input changed"] if fenced[name].changed().any() else []
            continue
        what = fault(
            run.case.tolerance,
            dtype_of(parameter, run),
            np.asarray(_seen(fenced[name].tensor)),
            np.asarray(expected[name].reshape(fenced[name].shape)),
        )
        found += [] if what is None else [f"{name}: {what}"]
    return found


def arguments_of(run: Run, launch: Launch, device: torch.device) -> dict[str, Fenced | int | float]:
    """The arguments by name, in the order and the dtypes of the parameters."""
    made: dict[str, Fenced | int | float] = {}
    for parameter in kernel_of(run).parameters:
        dtype = dtype_of(parameter, run)
        if not isinstance(parameter.type, Pointer):
            number = launch.numbers[parameter.name]
            assert float(np.float32(number)) == number
            made[parameter.name] = float(number) if dtype.is_float else int(number)
            continue
        values = launch.tensors[parameter.name].to(device, TORCH_DTYPES[dtype])
        # Beyond an input lies what spoils a result; an index that is spoilt would end the process.
        guard = float("nan") if dtype.is_float else 0
        made[parameter.name] = Fenced.around(values, guard=guard)
    return made


def _seen(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor as the reference gets it: floats widened to f64, integers to i64."""
    return (tensor.double() if tensor.is_floating_point() else tensor.long()).clone().cpu()


def signature(run: Run) -> dict[str, str]:
    """The Triton types of the run-time parameters by their names, in order."""
    return {
        parameter.name: ("*" if isinstance(parameter.type, Pointer) else "")
        + _TRITON.get(dtype_of(parameter, run), dtype_of(parameter, run).value)
        for parameter in kernel_of(run).parameters
    }
