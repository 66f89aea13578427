"""Files in, files out."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from transpiler import workspace
from transpiler.workspace import (
    FileError,
    State,
    decode,
    discover,
    parallel_map,
    read,
    state,
    write,
)


def code_of(error: pytest.ExceptionInfo[FileError]) -> str:
    return error.value.diagnostic.code


# --- Finding inputs ----------------------------------------------------------------------------


def test_a_file_stands_for_itself_whatever_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "kernel.txt"
    path.touch()

    (found,) = discover(str(path))
    assert (found.name, found.stem, found.is_named) == (str(path), "kernel", True)


def test_a_folder_stands_for_its_rust_files_in_sorted_order(tmp_path: Path) -> None:
    for name in ("b.rs", "a/z.rs", "a.rs", "a/deep/er/x.rs", "a/notes.md", ".hidden/h.rs"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = discover(str(tmp_path))

    names = [each.path.relative_to(tmp_path).as_posix() for each in found]
    assert names == ["a/deep/er/x.rs", "a/z.rs", "a.rs", "b.rs"]
    assert not any(each.is_named for each in found)


def test_names_are_what_the_user_would_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/a.rs").touch()
    monkeypatch.chdir(tmp_path)

    assert [each.name for each in discover("kernels")] == ["kernels/a.rs"]
    assert [each.name for each in discover(".")] == ["kernels/a.rs"]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "a.rs").touch()
    (tmp_path / "loop").symlink_to(tmp_path)

    assert len(discover(str(tmp_path))) == 1


def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError) as error:
        discover(str(tmp_path / "nothing.rs"))
    assert code_of(error) == "E0801"


def test_a_folder_without_rust_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    with pytest.raises(FileError) as error:
        discover(str(tmp_path))
    assert code_of(error) == "E0802"


# --- Reading -----------------------------------------------------------------------------------


def test_text_is_kept_but_for_the_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.rs"
    path.write_bytes(b"\xef\xbb\xbffn f() {}\r\n\t// \xe5\xa4\x89\r")

    source = read(path, "shown.rs")
    assert (source.name, source.text) == ("shown.rs", "fn f() {}\r\n\t// 変\r")


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        pytest.param(b"fn f() {}\n// \xe9\n", "E0803", "0xe9 at offset 13, line 2", id="latin-1"),
        pytest.param(b"\xef\xbb\xbf\xff", "E0803", "0xff at offset 3", id="after a mark"),
        pytest.param(b"// \xe5\xa4", "E0803", "0xe5 at offset 3", id="cut short"),
        pytest.param(b"// \xed\xa0\x80", "E0803", "0xed at offset 3", id="surrogate"),
        pytest.param(b"\x7fELF\x00\x01\xff", "E0804", "zero byte at offset 4", id="binary"),
        pytest.param("fn".encode("utf-16"), "E0804", "UTF-16", id="utf-16"),
    ],
)
def test_what_is_no_utf8_text_is_refused(data: bytes, code: str, words: str) -> None:
    with pytest.raises(FileError) as error:
        decode(data, "a.rs")
    assert code_of(error) == code
    assert words in error.value.diagnostic.message
    assert "`a.rs`" in error.value.diagnostic.message


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError) as error:
        read(tmp_path, "folder")
    assert code_of(error) == "E0806"


def test_a_name_too_long_for_the_system_is_an_error() -> None:
    (found,) = discover("a" * 5000 + ".rs")
    with pytest.raises(FileError) as error:
        read(found.path, "long.rs")
    assert code_of(error) == "E0806"
    assert "too long" in error.value.diagnostic.message


# --- Writing -----------------------------------------------------------------------------------


def test_missing_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a/b/c.py"

    assert write(path, b"x")
    assert path.read_bytes() == b"x"
    assert list(path.parent.iterdir()) == [path]


def test_equal_content_keeps_its_time_stamp(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    write(path, b"x")
    os.utime(path, (1, 1))

    assert not write(path, b"x")
    assert path.stat().st_mtime == 1
    assert write(path, b"y")
    assert path.stat().st_mtime > 1


def test_permissions_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.touch()
    path.chmod(0o640)
    write(path, b"x")

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write(tmp_path / "a.py", b"x")

    assert (tmp_path / "a.py").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to("real.py")
    write(link, b"new")

    assert link.is_symlink()
    assert (tmp_path / "real.py").read_bytes() == b"new"


def test_devices_are_written_to_as_they_are() -> None:
    assert write(Path(os.devnull), b"x")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")

    def stop(_self: Path, _target: Path) -> None:
        raise fault

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises((KeyboardInterrupt, FileError)):
        write(path, b"new")

    assert [each.name for each in tmp_path.iterdir()] == ["a.py"]
    assert path.read_bytes() == b"old"


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError) as error:
        write(tmp_path / "file/a.py", b"x")
    assert code_of(error) == "E0807"


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.py").mkdir()
    with pytest.raises(FileError) as error:
        write(tmp_path / "a.py", b"x")
    assert code_of(error) == "E0807"


def test_states(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    assert state(path, b"x") is State.MISSING
    assert state(path / "below", b"x") is State.MISSING
    path.write_bytes(b"x")
    assert state(path, b"x") is State.CURRENT
    assert state(path, b"y") is State.STALE
    assert state(path / "below", b"x") is State.MISSING


# --- Many files --------------------------------------------------------------------------------


def process_of(number: int) -> tuple[int, int]:
    time.sleep(0.01)
    return number, os.getpid()


def test_little_work_stays_in_this_process() -> None:
    assert parallel_map(process_of, range(3), [10, 10, 10]) == [(n, os.getpid()) for n in range(3)]


def test_much_work_is_spread_and_keeps_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "_processors", lambda: 2)
    done = parallel_map(process_of, range(20), [100_000] * 20)

    assert [number for number, _ in done] == list(range(20))
    assert os.getpid() not in {process for _, process in done}
