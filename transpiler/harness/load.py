"""Imports generated text as a module.

Triton reads the source of a kernel from its file, so the text must stand in one for as long as the process lives.
It compiles a kernel at the first launch: what it refuses then is told of the Rust.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import shutil
import sys
import tempfile
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from transpiler.harness.refusals import Refusal


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="teeny-transpile-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def import_module(
    text: str, *, name: str, explain: Callable[[str, Refusal], str] | None = None
) -> ModuleType:
    """The live module of `text`; the same text under the same name gives the same module.

    Args:
        text: the generated module.
        name: what to call it.
        explain: what to note on an error of Triton's, from the function's name and the refusal.

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
    if explain is not None:
        _explain_refusals(module, text, explain)
    return module


def _explain_refusals(
    module: ModuleType, text: str, explain: Callable[[str, Refusal], str]
) -> None:
    """Have every error that a launch finds in the code carry a note about the Rust."""
    from triton.runtime.jit import KernelInterface  # noqa: PLC0415 - the module has imported it

    for name, function in list(vars(module).items()):
        if isinstance(function, KernelInterface):
            # All launches go through `run`, those of a tuned kernel too.
            function.run = _explained(function.run, name, text, module.__file__ or "", explain)


def _explained(
    run: Callable[..., object],
    name: str,
    text: str,
    file: str,
    explain: Callable[[str, Refusal], str],
) -> Callable[..., object]:
    @wraps(run)
    def launch(*arguments: object, **options: object) -> object:
        try:
            return run(*arguments, **options)
        except Exception as error:
            from transpiler.harness.refusals import refusal_of  # noqa: PLC0415 - after an error only

            refusal = refusal_of(error, text, name, file)
            if refusal.is_about_code:
                error.add_note(explain(name, refusal))
            raise

    return launch
