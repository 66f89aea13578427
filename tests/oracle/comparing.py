"""Runs programs on both sides and says where they differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from select import select
from typing import TYPE_CHECKING

import transpiler
from tests.oracle import rustc
from tests.oracle.patterns import are_same
from tests.oracle.programs import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracle.launch import Call
    from tests.oracle.programs import Arguments, Program
    from tests.oracle.rustc import Patterns

LAUNCHER = Path(__file__).with_name("launch.py")


class Interpreter:
    """`launch.py` in a process of its own, under any Python that has torch and triton."""

    def __init__(self, python: str = sys.executable, *, patience: float = 120) -> None:
        self._python = python
        self._patience = patience
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self._python, "-W", "ignore", LAUNCHER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TRITON_INTERPRET": "1"},
        )

    def run(self, path: Path, calls: list[Call]) -> list[list[list[int]] | str]:
        """The outputs of each call; a text where Triton refuses it, or does not come to an end."""
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        questions.write(json.dumps({"path": str(path), "calls": calls}) + "\n")
        questions.flush()
        if not select([answers], [], [], self._patience)[0]:
            self._process.kill()
            self._process.communicate()
            self._process = self._started()
            return ["no end"] * len(calls)
        answer: list[list[list[int]] | str] | str = json.loads(answers.readline())
        return [answer] * len(calls) if isinstance(answer, str) else answer

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate(timeout=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A program, the arguments it was called with, and what came out: values, or a text where something refused it."""

    program: Program
    arguments: Arguments | None
    expected: Patterns | None
    found: list[list[int]] | str
    kind: str

    def report(self) -> str:
        """The difference for people: the Rust, the Python, what went in and what came out."""
        lines = [f"--- Rust\n{self.program.text}"]
        text = None if self.kind == "compiler" else transpiler.transpile(self.program.text).text
        if text is not None:
            kernel = text[text.index("@triton.jit") : text.rindex("KERNELS: ")]
            lines.append(f"--- Python\n{kernel}")
        constants = {name: value for name, _, value in self.program.constants}
        lines.append(f"--- called with {self.arguments} {constants}\n")
        lines.append(f"--- Triton: {self.found}\n--- rustc:  {self.expected}\n")
        return "".join(lines)


def calls_of(program: Program) -> list[Call]:
    """The calls of a program, for `launch.py`."""
    return [
        {
            "function": program.name,
            "constants": {
                name: bool(value) if dtype == "bool" else value
                for name, dtype, value in program.constants
            },
            "outputs": [output.dtype for output in program.outputs],
            "elements": ELEMENTS,
            "arguments": list(arguments),
        }
        for arguments in program.calls
    ]


def differences(
    programs: Sequence[Program], interpreter: Interpreter, folder: Path
) -> list[Difference]:
    """The first difference of each program that has one.

    Raises:
        RustError: rustc refuses a program.
    """
    text = _transpiled(programs)
    refused: list[Difference] = []
    if text is None:
        reasons = [(program, refusal(program)) for program in programs]
        refused = [
            Difference(
                program=program, arguments=None, expected=None, found=reason, kind="compiler"
            )
            for program, reason in reasons
            if reason is not None
        ]
        programs = [program for program, reason in reasons if reason is None]
        text = _transpiled(programs)
        if text is None or not programs:
            return refused
    expected = rustc.run(programs, folder)
    path = folder / "programs.py"
    path.write_text(text, encoding="utf-8")
    found = interpreter.run(path, [call for program in programs for call in calls_of(program)])
    return refused + _different(programs, found, expected)


def _transpiled(programs: Sequence[Program]) -> str | None:
    try:
        return transpiler.transpile("".join(program.text for program in programs)).text
    except Exception:  # noqa: BLE001 - `refusal` says of which program
        return None


def refusal(program: Program) -> str | None:
    """Why the compiler does not take a program; None where it does."""
    try:
        result = transpiler.transpile(program.text)
    except Exception as error:  # noqa: BLE001 - a fault of the compiler is a finding
        return f"{type(error).__name__}: {error}"
    if result.text is not None:
        return None
    return "\n".join(f"[{found.code}] {found.message}" for found in result.diagnostics)


def _different(
    programs: Sequence[Program],
    found: list[list[list[int]] | str],
    expected: list[Patterns | None],
) -> list[Difference]:
    result: list[Difference] = []
    answers = iter(zip(found, expected, strict=True))
    for program in programs:
        own: list[Difference] = []
        for arguments in program.calls:
            got, wanted = next(answers)
            # Where Rust panics, nothing is asked of the kernel.
            if wanted is not None and not is_same(program, got, wanted):
                own.append(
                    Difference(
                        program=replace(program, calls=(arguments,)),
                        arguments=arguments,
                        expected=wanted,
                        found=got,
                        kind="Triton" if isinstance(got, str) else "value",
                    )
                )
        result += own[:1]
    return result


def is_same(program: Program, found: list[list[int]] | str, expected: Patterns) -> bool:
    """Whether the outputs of a call are what rustc made of them."""
    dtypes = [output.dtype for output in program.outputs]
    return not isinstance(found, str) and are_same(dtypes, found, expected)
