"""The cached parse table."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from transpiler import cache
from transpiler.frontend import table
from transpiler.frontend.engine import Parser
from transpiler.frontend.lexer import Slice

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "cache"
    monkeypatch.setattr(cache, "folder", lambda: made)
    return made


def test_the_table_is_made_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = table.load_table()
    (file,) = folder.iterdir()
    assert file.name.startswith("grammar-")
    monkeypatch.setattr(table, "make_table", lambda _: pytest.fail("made again"))
    second = table.load_table()
    assert second.rows == first.rows
    part = Slice("{ a + b }", 0, 9)
    assert Parser(second).parse("block", part) == Parser(first).parse("block", part)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x80\x04N.", b"\x80\x04}."])
def test_a_broken_cache_is_replaced(folder: Path, content: bytes) -> None:
    first = table.load_table()
    (file,) = folder.iterdir()
    file.write_bytes(content)
    table.load_table()
    assert len(pickle.loads(file.read_bytes())) == len(first)  # noqa: S301 - our own file
