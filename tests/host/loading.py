"""Loads the Python that Rust becomes."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from itertools import count
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
    path = _folder() / f"host_{next(_NUMBERS)}.py"
    path.write_text(text, encoding="utf-8")
    return import_file(path, path.stem)


_NUMBERS = count()
"""Tells modules apart: the same text twice is two of them."""


@cache
def _folder() -> Path:
    """Where the modules of this process lie, for as long as it lives."""
    folder = Path(tempfile.mkdtemp(prefix="host_"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
