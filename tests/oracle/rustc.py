"""What rustc makes of programs."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.oracle.programs import ELEMENTS
from tests.oracle.values import FLOATS, bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracle.programs import Program

HOST = Path(__file__).with_name("host.rs")
FLAGS = ("-C", "opt-level=0", "-C", "overflow-checks=off", "-C", "debuginfo=0", "--edition", "2021")
"""Kernels have no checks of overflow, so the programs have none."""

PATIENCE = 5
"""Seconds that programs may run: one whose loop lost its end while it was made smaller never stops."""

PANIC = "panic"

Patterns = tuple[tuple[int, ...], ...]
"""The bits of every element of every output."""

_QUIET = "std::panic::set_hook(Box::new(|_| {}));\n"


class RustError(Exception):
    """rustc refused the programs; the text is its own."""


def numpy_name(dtype: str) -> str:
    """numpy's name of a dtype."""
    kinds = {"i": "int", "u": "uint", "f": "float"}
    return dtype if dtype == "bool" else f"{kinds[dtype[0]]}{dtype[1:]}"


def pattern(number: float, dtype: str) -> int:
    """The bits of a number."""
    return int(np.array([number], numpy_name(dtype)).view(f"uint{bits(dtype)}")[0])


def run(programs: Sequence[Program], folder: Path) -> list[Patterns | None]:
    """The outputs of each call of each program; None where it panics.

    Raises:
        RustError: rustc refuses the programs.
    """
    source, binary = folder / "programs.rs", folder / "programs"
    source.write_text(crate(programs))
    compiled = subprocess.run(
        ["rustc", *FLAGS, "-o", binary, source], capture_output=True, text=True, check=False
    )
    if compiled.returncode:
        raise RustError(compiled.stderr)
    try:
        done = subprocess.run(
            [binary], check=True, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired as error:
        raise RustError("the programs do not come to an end") from error
    return [
        None
        if line == PANIC
        else tuple(tuple(map(int, output.split())) for output in line.split(";"))
        for line in done.stdout.splitlines()
    ]


def crate(programs: Sequence[Program]) -> str:
    """The programs, and a function for each that calls it."""
    texts = (program.text.replace("#[kernel]\n", "") for program in programs)
    calls = (_calls(program) for program in programs)
    names = "".join(f"call_{program.name}();\n" for program in programs)
    return "".join((HOST.read_text(), *texts, *calls, f"fn main() {{\n{_QUIET}{names}}}\n"))


def _calls(program: Program) -> str:
    constants = "".join(
        f", {value if dtype != 'bool' else str(bool(value)).lower()}"
        for _, dtype, value in program.constants
    )
    lines = []
    for numbers in program.calls:
        buffers = "".join(
            f"let mut {output.name} = [{'false' if output.dtype == 'bool' else f'0 as {output.dtype}'}; {ELEMENTS}];\n"
            for output in program.outputs
        )
        pointers = [f"Ptr({output.name}.as_mut_ptr())" for output in program.outputs]
        given = [
            _argument(number, dtype)
            for number, dtype in zip(numbers, program.parameters, strict=True)
        ]
        shown = ", ".join(f"show(&{output.name})" for output in program.outputs)
        call = f"{program.name}::<Host{constants}>({', '.join(pointers + given)})"
        guarded = f"std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {call}))"
        lines.append(
            f'{{\n{buffers}let is_fine = {guarded}.is_ok();\nprintln!("{{}}", '
            f'if is_fine {{ [{shown}].join(";") }} else {{ "{PANIC}".into() }});\n}}\n'
        )
    return f"fn call_{program.name}() {{\n{''.join(lines)}}}\n"


def _argument(number: float, dtype: str) -> str:
    if dtype == "bool":
        return str(bool(number)).lower()
    if dtype in FLOATS:
        return f"{dtype}::from_bits({pattern(number, dtype)})"
    return f"{number}_i128 as {dtype}"
