"""Random scalar programs compute in Triton's interpreter what rustc makes of them, bit for bit.

`SCALAR_PROGRAMS=20000` in the environment runs that many instead of 2,000. rustc compiles without overflow checks,
since kernels have none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import transpiler
from tests.interpreter.process import InterpreterProcess, Request, Slice
from tests.oracle.programs import DTYPES, FLOATS, Generator, Program, bits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COUNT = int(os.environ.get("SCALAR_PROGRAMS", "2000"))
CHUNK = 125
ARGUMENT_SETS = 2
_NUMPY = {dtype: {"i": "int", "u": "uint", "f": "float"}[dtype[0]] + dtype[1:] for dtype in DTYPES}

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")


@pytest.fixture(scope="module")
def interpreter() -> Iterator[InterpreterProcess]:
    process = InterpreterProcess()
    yield process
    process.close()


def pattern(number: float, dtype: str) -> int:
    """The bits of a number."""
    return int(np.array([number], _NUMPY[dtype]).view(f"uint{bits(dtype)}")[0])


def head(program: Program) -> str:
    return ", ".join(f"x{i}: {dtype}" for i, dtype in enumerate(program.parameters))


def rust_values(programs: list[Program], folder: Path) -> list[int]:
    """The bits of every program's result for each of its argument sets, from rustc."""
    functions, lines = [], []
    for index, program in enumerate(programs):
        functions.append(
            f"#[inline(never)]\nfn k{index}({head(program)}) -> {program.result} {{\n{program.body}\nq\n}}"
        )
        for numbers in program.arguments:
            arguments = ", ".join(
                f"{dtype}::from_bits({pattern(number, dtype)})"
                if dtype in FLOATS
                else f"{number}_i128 as {dtype}"
                for number, dtype in zip(numbers, program.parameters, strict=True)
            )
            shown = ".to_bits()" if program.result in FLOATS else f" as u{bits(program.result)}"
            lines.append(f'println!("{{}}", k{index}({arguments}){shown});')
    source = folder / "programs.rs"
    main = "\n".join(lines)
    source.write_text("\n".join(("#![allow(warnings)]", *functions, f"fn main() {{\n{main}\n}}")))
    binary = folder / "programs"
    flags = ["-C", "opt-level=1", "-C", "overflow-checks=off"]
    subprocess.run(["rustc", *flags, "-o", binary, source], check=True, capture_output=True)
    done = subprocess.run([binary], check=True, capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def kernels(programs: list[Program]) -> str:
    """The programs as kernels that store their results."""
    return "".join(kernel(index, program, program.body) for index, program in enumerate(programs))


def kernel(index: int, program: Program, body: str) -> str:
    """A kernel that stores what `body` calls `q`."""
    return (
        f"#[kernel]\npub fn k{index}<T: Triton>(o: T::Pointer<{program.result}>, {head(program)}) {{\n"
        f"{body}\nT::store(o.add_offsets(T::arange(0, 1)), "
        f"T::full::<{program.result}>(&[1], q), None, &[], None, None);\n}}\n"
    )


def callers(programs: list[Program]) -> str:
    """The programs as functions, and kernels that store what they return."""
    parts = []
    for index, program in enumerate(programs):
        parts.append(
            f"fn f{index}({head(program)}) -> {program.result} {{\n{program.body}\nq\n}}\n"
        )
        names = ", ".join(f"x{i}" for i in range(len(program.parameters)))
        parts.append(kernel(index, program, f"let q = f{index}({names});"))
    return "".join(parts)


def is_same(found: int, expected: int, dtype: str) -> bool:
    """Whether two patterns are one value; any NaN is any other."""
    if found == expected or dtype not in FLOATS:
        return found == expected
    both = np.array([found, expected], f"uint{bits(dtype)}").view(_NUMPY[dtype])
    return bool(np.isnan(both).all())


@pytest.mark.parametrize("seed", range(-(-COUNT // CHUNK)))
def test_programs_agree_with_rustc(
    seed: int, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    agree(Generator(seed=seed), kernels, interpreter, tmp_path)


@pytest.mark.parametrize("seed", range(-(-COUNT // (8 * CHUNK))))
def test_programs_in_functions_agree_with_rustc(
    seed: int, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    agree(Generator(seed=-1 - seed), callers, interpreter, tmp_path)


def agree(
    generator: Generator,
    translated: Callable[[list[Program]], str],
    interpreter: InterpreterProcess,
    tmp_path: Path,
) -> None:
    """Compare the next programs of a generator with what rustc makes of them."""
    programs = [generator.program(ARGUMENT_SETS) for _ in range(CHUNK)]
    text = transpiler.transpile(translated(programs)).text
    assert text is not None
    path = tmp_path / "programs.py"
    path.write_text(text)
    expected = iter(rust_values(programs, tmp_path))
    for index, program in enumerate(programs):
        for numbers in program.arguments:
            out = torch.from_numpy(np.zeros(1, _NUMPY[program.result]))
            request = Request(
                path=path,
                function=f"k{index}",
                arguments=(Slice(buffer=out, start=0, shape=(1,)), *numbers),
                constants={},
                grid=(1,),
            )
            (after,) = interpreter.run(request)
            found, wanted = pattern(after.numpy()[0], program.result), next(expected)
            assert is_same(found, wanted, program.result), (program, numbers, found, wanted)
