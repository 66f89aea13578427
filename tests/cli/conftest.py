"""Two ways to call the command: in this process, which is fast, and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from transpiler.cli.main import command

ROOT = Path(__file__).resolve().parents[2]

Invoke = Callable[..., Result]
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
Files = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and an environment that says nothing about colours."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "TRITON_INTERPRET"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def files(folder: Path) -> Files:
    """Write files, by name, into the current folder."""

    def write(contents: Mapping[str, str | bytes]) -> Path:
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return write


@pytest.fixture
def invoke(folder: Path) -> Invoke:
    """Call the command in this process; what it lets escape is the test's failure."""
    assert folder.is_dir()

    def call(*arguments: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(command, arguments, input=stdin, catch_exceptions=False)

    return call


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that finds this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


@pytest.fixture
def run(folder: Path) -> Run:
    """Call the command as a user's shell would; `python` goes before `-m` to the interpreter."""

    def call(
        *arguments: str, stdin: bytes = b"", python: tuple[str, ...] = (), **changes: str
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, *python, "-m", "transpiler.cli", *arguments],
            input=stdin,
            capture_output=True,
            env=environment(**changes),
            cwd=folder,
            check=False,
            timeout=120,
        )

    return call
