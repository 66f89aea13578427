"""Random kernels leave the same behind with each transform of the optimiser as without any.

Bit for bit, but where a transform may reassociate a reduction: floats are then within the tolerance of sums. The
classic transforms are applied to the kernels themselves, all others by their flags to what launchers launch;
conformance cases and the corpus run through launchers with `--optimised`.

`OPTIMISE_PROGRAMS=1000` in the environment runs that many scalar programs for each transform instead of 50,
`OPTIMISE_NESTS=200` that many nests of loops instead of 6, and `OPTIMISE_SEED=7` others.
"""

from __future__ import annotations

import functools
import itertools
import os
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import transpiler
from tests.conformance.tolerances import fault
from tests.host.interpreted import interpreted
from tests.host.loading import load
from tests.optimise.classics import transformed
from tests.optimising import launch
from tests.oracle.comparing import Interpreter as Programs
from tests.oracle.comparing import calls_of
from tests.oracle.patterns import are_same
from tests.oracle.programs import ELEMENTS, Generator, Program
from tests.properties.generator import kernels
from tests.properties.growing import CONSTANTS, Generated
from tests.properties.interpreted import Interpreter, Launch
from tests.properties.nests import BLOCK, Nest, nest
from tests.properties.test_values import elements, number
from tests.properties.triton_types import Instance, memory_dtype
from transpiler.ir.types import DType, Pointer
from transpiler.optimise.classic.classics import CLASSICS
from transpiler.optimise.flags import (
    COLLAPSE_AXES,
    SPLIT_INDEX,
    SPLIT_REDUCTION,
    TRANSFORMS,
    VECTORISE_LOOP,
    OptimiseOptions,
)
from transpiler.pipeline import Options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from transpiler.optimise.flags import Transform

COUNT = int(os.environ.get("OPTIMISE_PROGRAMS", "50"))
SEED = int(os.environ.get("OPTIMISE_SEED", "0"))
NESTS = int(os.environ.get("OPTIMISE_NESTS", "6"))
EXAMPLES = int(os.environ.get("VALUE_EXAMPLES", "40"))
REASSOCIATING = frozenset({SPLIT_INDEX, SPLIT_REDUCTION, VECTORISE_LOOP, COLLAPSE_AXES})
FLAGS = tuple(transform.flag for transform in TRANSFORMS)
SHAPES = ((1, 1, 1), (5, 3, 4), (19, 2, 1))
"""Images, channels, and elements of a plane."""
Answers = list[list[list[int]] | str]
"""Of each call: the bits of its outputs, or what Triton said."""
ALL_CLASSICS = tuple(transform for transform, _ in CLASSICS)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stored]:
    process = Programs()
    yield Stored(process, tmp_path_factory.mktemp("programs"))
    process.close()


@pytest.fixture(scope="module")
def interpreter() -> Iterator[Interpreter]:
    child = Interpreter()
    yield child
    child.close()


@functools.cache
def accepted(seed: int, count: int) -> tuple[Program, ...]:
    """Random programs that the compiler takes."""
    generator = Generator(seed=SEED * 1_000_000 + seed)
    made = [generator.program() for _ in range(count)]
    return tuple(it for it in made if transpiler.transpile(it.text).text is not None)


class Stored:
    """What programs store, as written or after transforms."""

    def __init__(self, process: Programs, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._numbers = itertools.count()
        self._as_written: dict[int, Answers] = {}

    def as_written(self, seed: int) -> Answers:
        """The answers to all calls of the accepted programs; several transforms are compared with the same."""
        if seed not in self._as_written:
            self._as_written[seed] = self.after(seed)
        return self._as_written[seed]

    def after(self, seed: int, *transforms: Transform) -> Answers:
        """The answers to all calls of the accepted programs after these transforms."""
        chosen = accepted(seed, COUNT)
        rust = "".join(program.text for program in chosen)
        path = self._folder / f"stored_{next(self._numbers)}.py"
        path.write_text(transformed(rust, *transforms).text, "utf-8")
        return self._process.run(path, [call for it in chosen for call in calls_of(it)])


@pytest.mark.parametrize(
    "transforms",
    [*((each,) for each in ALL_CLASSICS), ALL_CLASSICS],
    ids=[*(each.flag for each in ALL_CLASSICS), "all"],
)
def test_scalar_programs_store_the_same_bits_after_classics(
    transforms: tuple[Transform, ...], stored: Stored
) -> None:
    seed = len(transforms[0].flag)
    pairs = iter(zip(stored.as_written(seed), stored.after(seed, *transforms), strict=True))
    for program in accepted(seed, COUNT):
        dtypes = [output.dtype for output in program.outputs]
        for arguments in program.calls:
            plain, after = next(pairs)
            # Where the kernel as written fails, nothing is asked of the other.
            if not isinstance(plain, str):
                assert not isinstance(after, str), (program.text, arguments, after)
                assert are_same(dtypes, after, plain), (program.text, arguments)


@given(kernels(is_defined=True), st.data())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
def test_variables_hold_the_same_bits_after_classics(
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
    folder = tmp_path_factory.mktemp("optimised")
    held = []
    for name, text in (
        ("plain", generated.text),
        ("after", transformed(generated.rust, *ALL_CLASSICS).text),
    ):
        path = folder / f"{name}.py"
        path.write_text(text, "utf-8")
        held.append(
            interpreter.run(
                Launch(
                    path=path,
                    arguments=_arguments(generated, instance),
                    constants=instance.constants,
                )
            )
        )
    plain, after = held
    assert plain.keys() <= after.keys()
    for name, variable in plain.items():
        assert after[name].type == variable.type, (name, generated.rust)
        same = np.array_equal(
            after[name].elements, variable.elements, equal_nan=variable.elements.dtype.kind == "f"
        )
        assert same, (name, instance, generated.rust)


def _arguments(generated: Generated, instance: Instance) -> tuple[torch.Tensor | int | float, ...]:
    return tuple(
        elements(dtype) if isinstance(parameter.type, Pointer) else number(parameter.name, dtype)
        for parameter in generated.kernel.parameters
        for dtype in [memory_dtype(parameter.type.dtype, instance)]  # type: ignore[union-attr] # all have one
    )


@pytest.mark.parametrize("flag", [*FLAGS, None])
@interpreted
def test_nests_leave_the_same_with_each_transform(flag: str | None) -> None:
    """None turns all of them on."""
    others = frozenset(FLAGS) - {flag} if flag is not None else frozenset()
    optimised = Options(optimise=OptimiseOptions(is_on=True, off=others))
    exact = flag is not None and all(each.flag != flag for each in REASSOCIATING)
    for seed in range(NESTS):
        made = nest(seed + SEED * 1_000)
        plain = transpiler.transpile(made.rust)
        planned = transpiler.transpile(made.rust, optimised)
        # What is the same kernel need not be launched twice.
        if any(plan.optimised is not None for plan in planned.plans):
            _compare(made, seed, (plain.text, planned.text), exact=exact)
        classic = transformed(made.rust, *(it for it in ALL_CLASSICS if flag in {it.flag, None}))
        if not classic.is_same:
            _compare(made, seed, (plain.text, classic.text), exact=True)


def _compare(made: Nest, seed: int, texts: tuple[str | None, str | None], *, exact: bool) -> None:
    """Launch two forms of a nest at some shapes."""
    modules = []
    for text in texts:
        assert text is not None, made.rust
        modules.append(load(text))
    constants = {"BLOCK": BLOCK, "TWICE": seed % 2 == 0}
    dtype = (DType.F32, DType.F64)[seed // 2 % 2]
    for shape in SHAPES:
        results = []
        for module in modules:
            arguments = made.arguments(seed, _torch(dtype.value), *shape)
            with np.errstate(all="ignore"):
                launch(module, "k", made.grid(shape[1]), arguments, constants)
            results.append([it for it in arguments if isinstance(it, torch.Tensor)])
        for before, after in zip(*results, strict=True):
            what = _difference(dtype, after, before, exact=exact)
            assert what is None, (made.rust, shape, what)


@pytest.mark.parametrize("flag", FLAGS)
@interpreted
def test_launchers_leave_the_same_with_each_transform(flag: str) -> None:
    """Only what the optimiser makes a plan of can differ; without one, a launcher launches the kernel as written."""
    others = frozenset(transform.flag for transform in TRANSFORMS) - {flag}
    alone = Options(optimise=OptimiseOptions(is_on=True, off=others))
    may_reassociate = any(each.flag == flag for each in REASSOCIATING)
    for program in accepted(1000 + len(flag), COUNT // 5):
        plain = _launched(program, Options())
        for arguments, before, after in zip(
            program.calls, plain, _launched(program, alone), strict=True
        ):
            if before is None:
                continue
            assert after is not None, (program.text, arguments)
            for output, first, second in zip(program.outputs, before, after, strict=True):
                what = _difference(DType(output.dtype), second, first, exact=not may_reassociate)
                assert what is None, (program.text, arguments, what)


def _launched(program: Program, options: Options) -> list[list[torch.Tensor] | None]:
    """The outputs of each call of a program; None where Triton refuses it."""
    result = transpiler.transpile(program.text, options)
    assert result.text is not None
    module = load(result.text)
    answers: list[list[torch.Tensor] | None] = []
    for call in calls_of(program):
        outputs = [torch.zeros(ELEMENTS, dtype=_torch(name)) for name in call["outputs"]]
        try:
            with np.errstate(all="ignore"):
                launch(
                    module, program.name, (1,), (*outputs, *call["arguments"]), call["constants"]
                )
        except Exception:  # noqa: BLE001 - whatever Triton raises, for a division by 0 for one
            answers.append(None)
        else:
            answers.append(outputs)
    return answers


def _torch(name: str) -> torch.dtype:
    names = {"f32": "float32", "f64": "float64", "bool": "bool"}
    long = names.get(name, name.replace("i", "int").replace("u", "uint"))
    found = getattr(torch, long)
    assert isinstance(found, torch.dtype)
    return found


def _difference(
    dtype: DType, found: torch.Tensor, expected: torch.Tensor, *, exact: bool
) -> str | None:
    """What is wrong with an output; any NaN is any other."""
    if not exact or not dtype.is_float:
        return fault("sum", dtype, found.numpy(), expected.numpy())
    return None if _bits(found) == _bits(expected) else f"{found} is not {expected}"


def _bits(values: torch.Tensor) -> Sequence[bytes]:
    return [struct.pack("<d", value) if value == value else b"NaN" for value in values.tolist()]  # noqa: PLR0124 - NaN
