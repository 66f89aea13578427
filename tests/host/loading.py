"""Loads the Python that Rust becomes."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.importing import import_file
from tests.optimising import options
from transpiler.host.struct_names import snake_case
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


@cache
def module_of(rust: str) -> ModuleType:
    """The module that `rust` becomes."""
    result = transpile_source(SourceFile("host.rs", rust), options())
    assert result.text is not None, [found.message for found in result.diagnostics]
    return load(result.text)


def function_of(module: ModuleType, struct: str) -> Callable[..., Any]:
    """The function of the operator of a struct: a kernel, or Python, may have the plain name."""
    name = snake_case(struct.removesuffix("RuntimeOp"))
    names = (f"{name}_op", name, f"{name}_")
    found: Callable[..., Any] = getattr(module, next(it for it in names if hasattr(module, it)))
    return found


def load(text: str) -> ModuleType:
    """Imports a module; it is in a file, where Triton and torch look for its text."""
    folder = Path(tempfile.mkdtemp(prefix="host_"))
    path = folder / f"{folder.name}.py"
    path.write_text(text, encoding="utf-8")
    return import_file(path, folder.name)
