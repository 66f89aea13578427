"""Small kernels for the tests of the passes: Rust statements in, the statements of the Triton kernel out."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import transpiler
from transpiler.diagnostics.model import Severity
from transpiler.ir.dump import dump_module

if TYPE_CHECKING:
    from transpiler.diagnostics.model import Diagnostic

GENERICS = "T: Triton, D: Float, const BLOCK: i32"
PARAMETERS = "x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32, m: i32, a: f32"

OFFSETS = "let offsets = T::arange(0, BLOCK);\n"
_DTYPE_READ = re.compile(r"^D: tl\.constexpr = (?:\((?:\n .*)+\n\)|.*)\n*", re.MULTILINE)

LOAD = OFFSETS + (
    "let x = T::load(x_ptr.add_offsets(offsets), Some(offsets.lt(n)), None, &[], "
    "None, None, None, false);\n"
)
"""Gives `offsets: [BLOCK]` of i32 and `x: [BLOCK]` of D."""


def store(value: str) -> str:
    """Stores a tile of `[BLOCK]` where `LOAD` has read."""
    return f"T::store(y_ptr.add_offsets(offsets), {value}, Some(offsets.lt(n)), &[], None, None);\n"


def kernel(
    body: str,
    *,
    name: str = "k",
    generics: str = GENERICS,
    parameters: str = PARAMETERS,
    attributes: str = "#[kernel]",
) -> str:
    """A file of one kernel."""
    inner = textwrap.indent(body.strip("\n"), "    ")
    return f"{attributes}\npub fn {name}<{generics}>({parameters}) {{\n{inner}\n}}\n"


def module(rust: str) -> str:
    """The whole generated module.

    Raises:
        AssertionError: something is wrong with the Rust; that is the message.
    """
    result = transpiler.transpile(rust)
    messages = [f"{found.code}: {found.message}" for found in _told(result.diagnostics)]
    assert result.text is not None, messages
    assert messages == []
    return result.text


def translated(body: str, **rest: str) -> str:
    """The statements of the generated kernel `k`, without indentation and without the line that reads `D`."""
    text = function(module(kernel(body, **rest)), rest.get("name", "k"))
    return _DTYPE_READ.sub("", text, count=1).strip("\n")


def function(text: str, name: str) -> str:
    """The statements of a function of a module, comments kept, without indentation."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"def {name}("))
    start = next(i for i in range(start, len(lines)) if lines[i].endswith("):")) + 1
    end = next(
        (i for i in range(start, len(lines)) if lines[i] and not lines[i].startswith(" ")),
        len(lines),
    )
    return textwrap.dedent("\n".join(lines[start:end])).strip("\n")


def signature(text: str, name: str = "k") -> list[str]:
    """The parameters of a function of a module as they are written."""
    head = text[text.index(f"def {name}(") :]
    inner = head[head.index("(") + 1 : head.index("):")]
    return [part.strip() for part in inner.split(",") if part.strip()]


def dumped(body: str, **rest: str) -> str:
    """The IR after the passes, as text.

    Raises:
        AssertionError: the Rust has errors.
    """
    result = transpiler.transpile(kernel(body, **rest))
    assert result.text is not None, [found.message for found in result.diagnostics]
    assert result.module is not None
    return dump_module(result.module)


def codes(body: str, **rest: str) -> list[str]:
    """The codes of the diagnostics, in the order of the text."""
    return [found.code for found in _told(transpiler.check(kernel(body, **rest)))]


def _told(diagnostics: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    """The errors: the kernels here share their parameters, load without a fill, and compute for show."""
    return [found for found in diagnostics if found.severity is Severity.ERROR]
