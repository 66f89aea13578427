"""Small programs in plain Rust, each the body of a kernel at once.

A file in `programs/` holds functions of scalars. The comments above one are its examples, `// (3, true) = 4`: what it
is called with and what comes out, as `python -m tests.language.record` takes it down from rustc. A function ends in
`q`, whose value it is; items it needs stand in its body.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER: Final = Path(__file__).parent / "programs"
FLOATS: Final = ("f32", "f64")

_PROGRAM = re.compile(
    r"^(?P<examples>(?:// \(.*\n)*)pub fn (?P<name>\w+)\((?P<parameters>.*)\) -> (?P<result>\w+) \{\n"
    r"(?P<body>(?:.*\n)*?)    q\n\}$",
    re.MULTILINE,
)
_EXAMPLE = re.compile(r"^// \((?P<arguments>.*)\)(?: = (?P<result>.*))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Arguments as Rust writes them, and the result; None where it was not taken down yet."""

    arguments: tuple[str, ...]
    result: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One function: its parameters with their dtypes, the statements before `q`, and its examples."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    result: str
    body: str
    examples: tuple[Example, ...]

    @property
    def kernel(self) -> str:
        """The kernel that stores what the function gives."""
        head = "".join(f", {name}: {dtype}" for name, dtype in self.parameters)
        return (
            f"#[kernel]\npub fn {self.name}<T: Triton>(out: T::Pointer<{self.result}>{head}) {{\n"
            f"{self.body}    T::store(out.add_offsets(T::arange(0, 1)), "
            f"T::full::<{self.result}>(&[1], q), None, &[], None, None);\n}}\n"
        )


def numpy_name(dtype: str) -> str:
    """What numpy calls a dtype."""
    if dtype == "bool":
        return "bool"
    return {"i": "int", "u": "uint", "f": "float"}[dtype[0]] + dtype[1:]


def value(text: str, dtype: str) -> bool | int | float:
    """What Rust's text of a number or a bool is."""
    if dtype == "bool":
        return text == "true"
    return float(text) if dtype in FLOATS else int(text)


def pattern(text: str, dtype: str) -> bytes:
    """The bits of a value; those of one NaN for all."""
    found = np.array([value(text, dtype)], numpy_name(dtype))
    return b"NaN" if found[0] != found[0] else found.tobytes()


def files() -> tuple[Path, ...]:
    """All files of programs."""
    return tuple(sorted(FOLDER.glob("*.rs")))


def programs(text: str) -> tuple[Program, ...]:
    """The programs of a file."""
    return tuple(_program(found) for found in _PROGRAM.finditer(text))


def _program(found: re.Match[str]) -> Program:
    parameters = [part.strip().removeprefix("mut ") for part in found["parameters"].split(",")]
    return Program(
        name=found["name"],
        parameters=tuple(
            (name, dtype)
            for name, _, dtype in (part.partition(": ") for part in parameters if part)
        ),
        result=found["result"],
        body=found["body"],
        examples=tuple(
            Example(
                arguments=tuple(part.strip() for part in each["arguments"].split(",") if part),
                result=each["result"],
            )
            for each in _EXAMPLE.finditer(found["examples"])
        ),
    )


def from_rustc(path: Path, several: Iterable[Program], folder: Path) -> dict[str, tuple[str, ...]]:
    """What each program of a file gives for its examples, from rustc, without overflow checks, which kernels have not.

    Raises:
        subprocess.CalledProcessError: rustc refuses the file.
    """
    lines = [
        f'println!("{program.name} {{:?}}", programs::{program.name}({_call(program, example)}));'
        for program in several
        for example in program.examples
    ]
    main = folder / "main.rs"
    main.write_text(
        f'#![allow(warnings)]\n#[path = "{path}"]\nmod programs;\nfn main() {{\n'
        + "\n".join(lines)
        + "\n}\n"
    )
    binary = folder / "main"
    flags = ["--edition", "2021", "-C", "overflow-checks=off"]
    subprocess.run(["rustc", *flags, "-o", binary, main], check=True, capture_output=True)
    done = subprocess.run([binary], check=True, capture_output=True, text=True)
    found: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        name, _, result = line.partition(" ")
        found.setdefault(name, []).append(result)
    return {name: tuple(results) for name, results in found.items()}


def _call(program: Program, example: Example) -> str:
    return ", ".join(
        f"{dtype}::{ {'NaN': 'NAN', 'inf': 'INFINITY', '-inf': 'NEG_INFINITY'}[text] }"
        if text in {"NaN", "inf", "-inf"}
        else text
        for text, (_, dtype) in zip(example.arguments, program.parameters, strict=True)
    )
