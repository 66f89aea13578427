"""Generated modules, imported from their files."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


def import_file(path: Path, name: str) -> ModuleType:
    """The module at `path`, called `name`.

    Raises:
        FileNotFoundError: There is none.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look a module up by its name while it is being executed.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
