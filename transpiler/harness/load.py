"""Imports generated text as a module.

Triton reads the source of a kernel from its file, so the text must stand in one for as long as the process lives.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="teeny-transpile-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def import_module(text: str, *, name: str) -> ModuleType:
    """The live module of `text`; the same text under the same name gives the same module.

    Raises:
        ImportError: torch or triton is not installed.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    qualified = f"_teeny_transpile_{digest}_{name if name.isidentifier() else 'module'}"
    if qualified in sys.modules:
        return sys.modules[qualified]
    path = _folder() / f"{qualified}.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(qualified, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot import {path}")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses and pickling look a module up by its name while it is being executed.
    sys.modules[qualified] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[qualified]
        raise
    return module
