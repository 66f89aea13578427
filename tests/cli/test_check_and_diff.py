"""`--check` and `--diff`: nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.sources import DOUBLE, TWO_KERNELS, UNKNOWN_OPERATION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Files, Invoke


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """All files below a folder, with their times."""
    return {
        str(each.relative_to(folder)): (each.read_bytes(), each.stat().st_mtime_ns)
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }


@pytest.fixture
def mixed(files: Files, invoke: Invoke) -> Path:
    """A folder with a module that is up to date, one that is stale, and one that is missing."""
    folder = files({"k/a.rs": DOUBLE, "k/b.rs": DOUBLE})
    invoke("k")
    files({"k/b.rs": TWO_KERNELS, "k/c.rs": DOUBLE})
    return folder


def test_check_says_what_is_stale_and_what_is_missing(mixed: Path, invoke: Invoke) -> None:
    before = snapshot(mixed)
    done = invoke("k", "--check")

    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr == ("generated/b.py is stale (k/b.rs)\ngenerated/c.py is missing (k/c.rs)\n")
    assert snapshot(mixed) == before


def test_check_names_them_under_quiet_too(mixed: Path, invoke: Invoke) -> None:
    assert mixed.exists()
    assert "generated/b.py is stale" in invoke("k", "--check", "-q").stderr


def test_check_is_content_when_all_is_up_to_date(mixed: Path, invoke: Invoke) -> None:
    invoke("k")
    before = snapshot(mixed)
    done = invoke("k", "--check")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "3 files are up to date\n")
    assert invoke("k", "--check", "-q").stderr == ""
    assert snapshot(mixed) == before


def test_check_notices_other_options(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE})
    invoke("a.rs", "--dtype", "f32")

    assert invoke("a.rs", "--check", "--dtype", "f32").exit_code == 0
    assert invoke("a.rs", "--check", "--dtype", "f64").exit_code == 1


def test_diff_shows_what_writing_would_change(mixed: Path, invoke: Invoke) -> None:
    before = snapshot(mixed)
    done = invoke("k", "--diff")
    lines = done.stdout.splitlines()

    assert done.exit_code == 0
    assert "generated/a.py" not in done.stdout
    assert lines[:2] == ["--- generated/b.py", "+++ generated/b.py"]
    assert any(line.startswith("+def square") for line in lines)
    assert "--- /dev/null" in lines
    assert "\x1b" not in done.stdout
    assert snapshot(mixed) == before


def test_diff_with_check_tells_by_its_exit_code(mixed: Path, invoke: Invoke) -> None:
    assert mixed.exists()
    done = invoke("k", "--diff", "--check")
    assert done.exit_code == 1
    assert "+def square" in done.stdout
    invoke("k")
    assert invoke("k", "--diff", "--check").exit_code == 0


def test_diff_is_coloured_on_request(mixed: Path, invoke: Invoke) -> None:
    assert mixed.exists()
    assert "\x1b[32m+def square" in invoke("k", "--diff", "--color", "always").stdout


def test_diff_shows_a_missing_end_of_line(files: Files, invoke: Invoke) -> None:
    module = files({"a.rs": DOUBLE}) / "generated/a.py"
    invoke("a.rs")
    module.write_text(module.read_text().rstrip("\n"))

    assert "\\ No newline at end of file\n" in invoke("a.rs", "--diff").stdout


@pytest.mark.parametrize("flag", ["--check", "--diff"])
def test_errors_in_the_rust_are_errors(files: Files, invoke: Invoke, flag: str) -> None:
    folder = files({"a.rs": UNKNOWN_OPERATION})
    done = invoke("a.rs", flag)

    assert done.exit_code == 1
    assert "T::lod" in done.stderr
    assert not (folder / "generated").exists()


@pytest.mark.parametrize("flag", ["--check", "--diff"])
@pytest.mark.parametrize(
    "arguments",
    [("a.rs", "-o", "-"), ("-",), ("a.rs", "--emit", "json"), ("a.rs", "--emit", "ptx")],
)
def test_there_must_be_a_text_file_to_compare_with(
    files: Files, invoke: Invoke, flag: str, arguments: tuple[str, ...]
) -> None:
    files({"a.rs": DOUBLE})
    done = invoke(*arguments, flag, stdin=DOUBLE)

    assert done.exit_code == 2
    assert flag in done.stderr


def test_dumps_can_be_checked_where_they_are_kept(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE})
    arguments = ("a.rs", "--emit", "json", "-o", "a.json")

    assert invoke(*arguments, "--check").exit_code == 1
    assert invoke(*arguments).exit_code == 0
    assert invoke(*arguments, "--check").exit_code == 0
