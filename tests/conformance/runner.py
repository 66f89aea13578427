"""Runs of conformance cases: the generated module, its arguments, and what comes out against the reference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import torch

import transpiler
from tests.conformance.tolerances import fault
from tests.optimising import only_planned, options
from transpiler.ir.types import DType, DtypeParameter, Pointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.conformance.model import Run, Value
    from transpiler.ir.description import KernelPlan
    from transpiler.ir.nodes import Kernel, Symbol

_TORCH = {
    DType.BOOL: torch.bool,
    DType.I8: torch.int8,
    DType.I16: torch.int16,
    DType.I32: torch.int32,
    DType.I64: torch.int64,
    DType.U8: torch.uint8,
    DType.U16: torch.uint16,
    DType.U32: torch.uint32,
    DType.U64: torch.uint64,
    DType.F16: torch.float16,
    DType.BF16: torch.bfloat16,
    DType.F32: torch.float32,
    DType.F64: torch.float64,
}

_TRITON = {
    DType.BOOL: "i1",
    DType.F16: "fp16",
    DType.BF16: "bf16",
    DType.F32: "fp32",
    DType.F64: "fp64",
}


@dataclass(frozen=True, slots=True)
class Translated:
    """A case's module and its kernel."""

    text: str
    kernel: Kernel
    plans: tuple[KernelPlan, ...]


@cache
def translated(rust: str) -> Translated:
    """The module of a case.

    Raises:
        AssertionError: the compiler refuses it.
    """
    result = transpiler.transpile(rust, options())
    assert result.text is not None, [f"{each.code}: {each.message}" for each in result.diagnostics]
    assert result.module is not None
    (kernel,) = [kernel for kernel in result.module.kernels if kernel.name == "k"]
    return Translated(result.text, kernel, result.plans)


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


def arguments(run: Run) -> dict[str, torch.Tensor | int | float]:
    """The arguments by name, in the order and the dtypes of the kernel's parameters, on the CPU."""
    given = run.case.arguments(run.dtype)
    return {
        parameter.name: _argument(given[parameter.name], dtype_of(parameter, run))
        for parameter in translated(run.case.rust).kernel.parameters
    }


def _argument(value: Value, dtype: DType) -> torch.Tensor | int | float:
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value).to(_TORCH[dtype])
    return float(np.float32(value)) if dtype is DType.F32 else value


def seen(argument: torch.Tensor | float) -> Value:
    """An argument as the reference gets it: floats widened to f64."""
    if not isinstance(argument, torch.Tensor):
        return argument
    wide = argument.double() if argument.is_floating_point() else argument
    return np.array(wide.cpu().numpy())


def faults(
    run: Run, launch: Callable[[Mapping[str, torch.Tensor | int | float]], None]
) -> list[str]:
    """What is wrong after `launch` has run the kernel on the arguments it is given: nothing, if all is well."""
    only_planned(translated(run.case.rust).plans, "k")
    given = arguments(run)
    before = {name: seen(argument) for name, argument in given.items()}
    expected = run.case.reference(before)
    launch(given)
    found: list[str] = []
    for parameter in translated(run.case.rust).kernel.parameters:
        name, dtype = parameter.name, dtype_of(parameter, run)
        if not isinstance(given[name], torch.Tensor):
            continue
        is_output = name in run.case.outputs
        what = fault(
            run.case.tolerance if is_output else "exact",
            dtype,
            np.asarray(seen(given[name])),
            np.asarray(expected[name] if is_output else before[name]),
        )
        if what is not None:
            found.append(f"{name}: {what}")
    return found


def signature(run: Run) -> dict[str, str]:
    """The Triton types of the runtime parameters by their Rust names, in order."""
    return {
        parameter.name: ("*" if isinstance(parameter.type, Pointer) else "")
        + _TRITON.get(dtype_of(parameter, run), dtype_of(parameter, run).value)
        for parameter in translated(run.case.rust).kernel.parameters
    }
