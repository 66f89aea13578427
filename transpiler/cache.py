"""What takes long to make and is the same in every run, kept in the user's cache folder.

What cannot be read or written is done without, silently: it saves time and is worth no failure.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def folder() -> Path:
    """Where this platform keeps a user's caches.

    Raises:
        RuntimeError: the user has no home folder.
    """
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "teeny-transpile"


def load(name: str) -> bytes | None:
    """What was stored under that name, None if nothing was."""
    try:
        return (folder() / name).read_bytes()
    except (OSError, RuntimeError):
        return None


def store(name: str, data: bytes) -> None:
    """Keep the data under a name, in one step, so that nobody ever reads half of it."""
    import tempfile  # noqa: PLC0415 - needed once in the life of a cache

    try:
        path = folder() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{name}-")
    except (OSError, RuntimeError):
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(part).replace(path)
    except OSError:
        Path(part).unlink(missing_ok=True)
