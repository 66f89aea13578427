"""The command as a process, in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Verify: TypeAlias = Callable[..., "Verified"]

ROOT = Path(__file__).resolve().parents[2]


class Verified:
    """A run of the command that is over."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    @property
    def document(self) -> dict[str, object]:
        """What it said with `--json`."""
        found: dict[str, object] = json.loads(self.out)
        return found

    def cases(self) -> dict[str, dict[str, object]]:
        """The cases of all files by their ids."""
        files = self.document["files"]
        assert isinstance(files, list)
        return {case["id"]: case for file in files for case in file["cases"]}


def verify_in(
    folder: Path, *arguments: str, module: str = "transpiler.cli", **changes: str
) -> Verified:
    """`teeny-transpile verify` in a folder; on the interpreter unless the arguments say otherwise."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **changes}
    environment.pop("TRITON_INTERPRET", None)
    words = ["verify"] if module == "transpiler.cli" else []
    device = [] if "--device" in arguments else ["--device", "cpu"]
    done = subprocess.run(
        [sys.executable, "-m", module, *words, *arguments, *device],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return Verified(done)


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The folder, with files in it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


@pytest.fixture
def verify(tmp_path: Path) -> Verify:
    """Write files, then run the command beside them."""

    def call(files: Mapping[str, str], *arguments: str, **options: str) -> Verified:
        return verify_in(written(tmp_path, files), *arguments, **options)

    return call
