"""The user's cache folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler import cache

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_is_stored_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path / "cache")
    assert cache.load("a") is None
    cache.store("a", b"1")
    cache.store("a", b"2")
    assert cache.load("a") == b"2"
    assert [it.name for it in (tmp_path / "cache").iterdir()] == ["a"]


def test_a_folder_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a file where the folder should be"
    file.touch()
    monkeypatch.setattr(cache, "folder", lambda: file)
    cache.store("a", b"1")
    assert cache.load("a") is None


def test_a_user_without_a_home_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.setattr(cache, "folder", no_home)
    cache.store("a", b"1")
    assert cache.load("a") is None


def test_the_folder_follows_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache.folder().as_posix() == "/somewhere/teeny-transpile"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.folder().parts[-2:] == (".cache", "teeny-transpile")
