"""Templates, and what is kept of them between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from jinja2 import DictLoader, Environment

from transpiler import cache
from transpiler.emit.bytecode import StoredBytecode

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    return tmp_path


def filled(text: str) -> str:
    """What an environment of its own makes of a template, as another run does."""
    environment = Environment(  # noqa: S701 - no HTML
        loader=DictLoader({"it": text}), bytecode_cache=StoredBytecode()
    )
    return environment.get_template("it").render(x=1)


def test_a_template_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert filled("{{ x }}") == "1"
    (file,) = folder.iterdir()
    assert file.name.startswith("template-")
    with monkeypatch.context() as patched:
        patched.setattr(Environment, "compile", lambda *_: pytest.fail("compiled again"))
        assert filled("{{ x }}") == "1"
    assert filled("{{ x }}{{ x }}") == "11"


@pytest.mark.parametrize("kept", [0, 1, 20, 40])
def test_half_a_cache_is_replaced(folder: Path, kept: int) -> None:
    filled("{{ x }}")
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:kept])
    assert filled("{{ x }}") == "1"
    assert file.read_bytes() == whole
