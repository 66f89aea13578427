"""Files that are no Rust kernels: one clear diagnostic and exit code 1."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.sources import DOUBLE, HOST_CODE
from transpiler.pipeline import Options, Result, transpile_source

if TYPE_CHECKING:
    from tests.cli.conftest import Files, Invoke
    from transpiler.pipeline import Observer
    from transpiler.source import SourceFile


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        pytest.param(b"", None, "k.rs", id="empty"),
        pytest.param(b"\n\t\r\n", None, "k.rs", id="blank"),
        pytest.param(b"\x7fELF\x02\x01\x01\x00", "E0804", "binary", id="binary"),
        pytest.param(b"// caf\xe9\n", "E0803", "offset 6", id="not UTF-8"),
        pytest.param(DOUBLE.encode("utf-16"), "E0804", "UTF-16", id="UTF-16"),
        pytest.param(b"def f():\n    return 1\n", None, "k.rs", id="Python"),
        pytest.param(HOST_CODE.encode(), None, "k.rs", id="no kernel"),
    ],
)
def test_one_diagnostic_and_exit_code_1(
    files: Files, invoke: Invoke, content: bytes, code: str | None, words: str
) -> None:
    folder = files({"k.rs": content})
    done = invoke("k.rs", "--message-format", "json")

    assert done.exit_code == 1
    (found,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert found["severity"] == "error"
    assert found["file"] == "k.rs"
    assert code in {None, found["code"]}
    assert words in found["message"] + found["file"]
    assert not (folder / "generated").exists()


def test_a_missing_file(invoke: Invoke) -> None:
    done = invoke("nothing.rs")

    assert done.exit_code == 1
    assert done.stderr == (
        "error[E0801]: no such file or folder: `nothing.rs`\n --> nothing.rs\n\n1 error in 1 file\n"
    )


def test_a_folder_without_rust(files: Files, invoke: Invoke) -> None:
    files({"docs/a.md": ""})
    done = invoke("docs")

    assert done.exit_code == 1
    assert "error[E0802]" in done.stderr


def test_binary_standard_input(invoke: Invoke) -> None:
    done = invoke("-", stdin=b"\x00\x01")

    assert done.exit_code == 1
    assert "`<stdin>` is a binary file" in done.stderr
    assert done.stdout == ""


def test_byte_order_mark_and_line_ends_of_windows_are_fine(files: Files, invoke: Invoke) -> None:
    files({"k.rs": b"\xef\xbb\xbf" + DOUBLE.replace("\n", "\r\n").encode()})
    done = invoke("k.rs", "-o", "-")

    assert done.exit_code == 0, done.stderr
    assert "def double" in done.stdout
    assert "\r" not in done.stdout


def test_a_fault_of_the_compiler_is_a_diagnostic_and_other_files_go_on(
    files: Files, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: SourceFile, options: Options, observe: Observer | None = None) -> Result:
        if source.name == "b.rs":
            raise RecursionError("too deep")
        return transpile_source(source, options, observe)

    monkeypatch.setattr("transpiler.cli.translate.transpile_source", fail)
    folder = files({"a.rs": DOUBLE, "b.rs": DOUBLE})
    done = invoke("a.rs", "b.rs")

    assert done.exit_code == 1
    assert "error[E0812]" in done.stderr
    assert "RecursionError: too deep" in done.stderr
    assert [each.name for each in (folder / "generated").iterdir()] == ["a.py"]
