"""Calls functions of host code in rustc, and the Python that they become."""

from __future__ import annotations

import copy
import json
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from tests.oracle.host_functions import Arguments, HostFunction

Result: TypeAlias = object
PRELUDE = Path(__file__).with_name("host_functions.rs")
FLAGS = ("-C", "opt-level=0", "-C", "overflow-checks=on", "-C", "debuginfo=0", "--edition", "2021")
"""As a debug build has it: sums and products that do not fit panic."""

UNBOUNDED = ("add with overflow", "multiply with overflow", "shift left", "negate", "does not fit")
"""What panics of numbers that are too large say: in Python they stay what they are, and launches refuse them."""

CLIPPED = ("out of range for slice", "mid > len", "window size must be", "slice index starts at")
"""What panics of parts of lists say: Python's end where the list ends. Operators check how many axes tensors have."""

_ZEROS = ("f32 0", f"f32 {1 << 31}")
PATIENCE = 60
_CALLS = "&[usize], usize, usize, u32, i32, i32, u8, f32, Option<usize>"


def results_of_rust(
    functions: Sequence[HostFunction], calls: Sequence[Arguments], folder: Path
) -> list[list[Result]]:
    """What each function gives for each call; a text that begins with `panic` where it panics."""
    given = ",\n".join(
        f"({', '.join(map(_written, call[:-1]))}, {_option(call[-1])})" for call in calls
    )
    names = ", ".join(f"a.{place}" for place in range(9))
    loops = "".join(f"for a in CALLS {{ tell(|| {it.name}({names})) }}\n" for it in functions)
    text = (
        f"{PRELUDE.read_text('utf-8')}{''.join(it.text for it in functions)}"
        f"const CALLS: &[({_CALLS})] = &[\n{given}\n];\n"
        f"fn main() {{\nstd::panic::set_hook(Box::new(|_| {{}}));\n{loops}}}\n"
    )
    source, binary = folder / "host_functions.rs", folder / "host_functions"
    source.write_text(text, encoding="utf-8")
    subprocess.run(["rustc", *FLAGS, "-o", binary, source], check=True)
    done = subprocess.run([binary], check=True, capture_output=True, text=True, timeout=PATIENCE)
    lines = iter(done.stdout.splitlines())
    return [[json.loads(next(lines)) for _ in calls] for _ in functions]


def _written(value: object) -> str:
    return f"&{value}" if isinstance(value, list) else repr(value)


def _option(value: object) -> str:
    return "None" if value is None else f"Some({value})"


def result_of_python(
    module: ModuleType, function: HostFunction, call: Arguments
) -> Result | Exception:
    """What the function that it became gives or raises."""
    try:
        found = getattr(module, f"_{function.name}")(*copy.deepcopy(call))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is Rust's panic
        return error
    return _bits(found) if isinstance(found, float) else found


def _bits(number: float) -> str:
    try:
        packed = struct.pack("<f", number)
    except OverflowError:
        packed = struct.pack("<f", float("inf") if number > 0 else -float("inf"))
    return f"f32 {int.from_bytes(packed, 'little')}"


def are_same(expected: Result, found: Result | Exception) -> bool:
    """Whether Python does as Rust does, or may do otherwise."""
    if isinstance(expected, str) and expected.startswith("panic"):
        return isinstance(found, Exception) or any(it in expected for it in UNBOUNDED + CLIPPED)
    if isinstance(found, ZeroDivisionError | ValueError | OverflowError):
        # Python has no floats that are none: it raises where they would come to be.
        return "float" in str(found) or "math domain" in str(found) or "integer" in str(found)
    if expected in _ZEROS and found in _ZEROS:
        return True  # integers, which Python rounds floats to, have one zero
    return type(expected) is type(found) and expected == found
