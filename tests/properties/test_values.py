"""Every value of a generated kernel is, in Triton's interpreter, what the Rust means, as numpy computes it.

NaN, infinities, both zeros and the extreme integers are among what the kernels load.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.conformance.runner import _TORCH as TORCH
from tests.properties.generator import READABLE, kernels
from tests.properties.growing import CONSTANTS, Generated
from tests.properties.interpreted import Array, Interpreter, Launch
from tests.properties.meaning import Evaluator
from tests.properties.triton_types import Instance, memory_dtype, named_types
from transpiler.diagnostics.sink import Sink
from transpiler.frontend.parser import parse_file
from transpiler.ir.types import DType, Pointer
from transpiler.passes.cfg import Features
from transpiler.passes.elaborate import elaborate
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from transpiler.ir import nodes as ir

EXAMPLES = int(os.environ.get("VALUE_EXAMPLES", "40"))
_CLOSE = {np.dtype("float32"): 4e-6, np.dtype("float64"): 1e-13}
"""Some units in the last place: sums in another order, and functions of another library."""
_AWKWARD = (
    0.0,
    -0.0,
    float("nan"),
    float("inf"),
    float("-inf"),
    1.0,
    -1.0,
    0.1,
    1e30,
    -1e-30,
    3.5,
    64.0,
)


@pytest.fixture(scope="module")
def interpreter() -> Iterator[Interpreter]:
    child = Interpreter()
    yield child
    child.close()


def elements(dtype: DType) -> torch.Tensor:
    """What a pointer leads to."""
    if dtype is DType.BOOL:
        return torch.arange(READABLE) % 3 == 0
    if dtype.is_float:
        return torch.tensor(_AWKWARD * 6, dtype=torch.float64)[:READABLE].to(TORCH[dtype])
    least = -(1 << (dtype.bits - 1)) if dtype.is_signed else 0
    most = least + (1 << dtype.bits) - 1
    numbers = [0, 1, 2, 3, 5, 63, least, most, least + 1, most - 1, most // 3, 7]
    name = f"{'int' if dtype.is_signed else 'uint'}{dtype.bits}"
    return torch.from_numpy(np.array((numbers * 6)[:READABLE], dtype=name))


def number(name: str, dtype: DType) -> int | float:
    """A scalar argument."""
    chosen = {"n": 7, "m": 1, "a": 1.5, "c": 3}[name]
    return bool(chosen) if dtype is DType.BOOL else chosen


def typed(rust: str) -> ir.Kernel:
    """The kernel as it was written, before any pass."""
    source, sink = SourceFile("k.rs", rust), Sink()
    features = Features(frozenset(), default_features=True)
    module = elaborate(parse_file(source, sink), source, features, sink, frozenset())
    return module.kernels[0]


def differences(found: Array, meant: Array) -> str | None:
    """How a value differs from what it should be."""
    if found.shape != meant.shape:
        return f"{found.shape} is not {meant.shape}"
    with np.errstate(all="ignore"):
        if meant.dtype.kind != "f":
            is_same = found == meant
        else:
            near = np.abs(found - meant) <= _CLOSE[meant.dtype] * np.maximum(np.abs(meant), 1)
            is_zero = (found == 0) & (meant == 0)
            same_sign = np.signbit(found) == np.signbit(meant)
            is_same = (
                (np.isnan(found) & np.isnan(meant))
                | (found == meant) & (~is_zero | same_sign)
                | near & np.isfinite(found) & ~is_zero
            )
    if np.all(is_same):
        return None
    first = np.argwhere(~np.atleast_1d(is_same))[0]
    place = tuple(first) if found.ndim else ()
    return f"{found[place]!r} is not {meant[place]!r}, at {list(map(int, first))}"


@given(kernels(is_defined=True), st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
def test_values_are_what_the_rust_means(
    interpreter: Interpreter,
    tmp_path_factory: pytest.TempPathFactory,
    generated: Generated,
    data: st.DataObject,
) -> None:
    instance = Instance(
        dtypes={
            name: data.draw(st.sampled_from(bound.dtypes))
            for name, bound in generated.bounds.items()
        },
        constants=CONSTANTS,
    )
    faults = check(interpreter, tmp_path_factory.mktemp("values"), generated, instance)
    assert not faults, f"{faults}\n{instance}\n{generated.rust}"


def check(
    interpreter: Interpreter, folder: Path, generated: Generated, instance: Instance
) -> dict[str, str]:
    """What is wrong with the values and the types of a kernel, by variable."""
    path = folder / "generated.py"
    path.write_text(generated.text, "utf-8")
    arguments: list[torch.Tensor | int | float] = []
    memory: dict[str, Array] = {}
    for parameter in generated.kernel.parameters:
        dtype = memory_dtype(parameter.type.dtype, instance)  # type: ignore[union-attr]
        if isinstance(parameter.type, Pointer):
            tensor = elements(dtype)
            arguments.append(tensor)
            wide = tensor.float() if dtype in {DType.F16, DType.BF16} else tensor
            # A copy: what is sent to the child moves.
            memory[parameter.name] = wide.numpy().copy()
        else:
            arguments.append(number(parameter.name, dtype))
    held = interpreter.run(
        Launch(path=path, arguments=tuple(arguments), constants=instance.constants)
    )
    faults = {}
    types = named_types(generated.kernel, instance)
    for name, variable in held.items():
        if name in types and variable.type != types[name]:
            faults[name] = f"{variable.type} is not {types[name]}"
    values = {name: variable.elements for name, variable in held.items()}
    with np.errstate(all="ignore"):
        meant = Evaluator(instance, values, memory).variables(typed(generated.rust).body)
    for name, value in meant.items():
        if name in values:
            what = differences(np.asarray(values[name], value.dtype), np.asarray(value))
            if what is not None:
                faults[name] = what
    return faults
