"""The cached parse table."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from transpiler.frontend import table
from transpiler.frontend.engine import Parser
from transpiler.frontend.lexer import Slice

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setattr(table, "cache_folder", lambda: folder)
    return folder


def test_the_table_is_made_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = table.load_table()
    (file,) = cache.iterdir()
    assert file.name.startswith("grammar-")
    monkeypatch.setattr(table, "make_table", lambda _: pytest.fail("made again"))
    second = table.load_table()
    assert second.rows == first.rows
    part = Slice("{ a + b }", 0, 9)
    assert Parser(second).parse("block", part) == Parser(first).parse("block", part)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x80\x04N.", b"\x80\x04}."])
def test_a_broken_cache_is_replaced(cache: Path, content: bytes) -> None:
    first = table.load_table()
    (file,) = cache.iterdir()
    file.write_bytes(content)
    table.load_table()
    assert len(pickle.loads(file.read_bytes())) == len(first)  # noqa: S301 - our own file


def test_a_folder_that_cannot_be_written_is_no_error(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert table.load_table().rows


def test_the_cache_follows_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert table.cache_folder().as_posix() == "/somewhere/teeny-transpile"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert table.cache_folder().parts[-2:] == (".cache", "teeny-transpile")
