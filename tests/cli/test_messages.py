"""How diagnostics and everything else are shown, and on which stream."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys

import pytest

from tests.cli.conftest import ROOT, Files, Invoke, Run, environment
from tests.cli.sources import DOUBLE, TWO_KERNELS, UNKNOWN_OPERATION
from transpiler.cli.main import command
from transpiler.diagnostics.codes import CODES
from transpiler.version import __version__

_ESCAPE = "\x1b["


def test_full_diagnostics_go_to_stderr_and_end_with_a_count(files: Files, run: Run) -> None:
    files({"a.rs": UNKNOWN_OPERATION, "b.rs": UNKNOWN_OPERATION})
    done = run("a.rs", "b.rs")
    lines = done.stderr.decode().splitlines()

    assert done.returncode == 1
    assert done.stdout == b""
    assert re.fullmatch(r"error\[E\d{4}\]: .*\blod\b.*", lines[0])
    assert re.fullmatch(r" *--> a\.rs:\d+:\d+", lines[1])
    assert any(set(line.partition("|")[2].split(" ")[-1]) and "^" in line for line in lines)
    assert lines[-1] == "2 errors in 2 files"


def test_concise_diagnostics(files: Files, invoke: Invoke) -> None:
    files({"a.rs": UNKNOWN_OPERATION})
    done = invoke("a.rs", "--message-format", "concise")

    assert re.fullmatch(r"a\.rs:\d+:\d+: error\[E\d{4}\] .*\blod\b.*\n", done.stderr)


def test_json_diagnostics_are_data(files: Files, invoke: Invoke) -> None:
    files({"a.rs": UNKNOWN_OPERATION, "b.rs": DOUBLE})
    done = invoke("a.rs", "b.rs", "missing.rs", "--message-format", "json")
    found = [json.loads(line) for line in done.stdout.splitlines()]

    assert {each["file"] for each in found} == {"a.rs", "missing.rs"}
    assert "b.rs -> generated/b.py (written)" in done.stderr
    assert "error" not in done.stderr


def test_sarif_diagnostics_are_data_even_where_there_are_none(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE})
    log = json.loads(invoke("a.rs", "--message-format", "sarif").stdout)

    assert log["version"] == "2.1.0"
    assert log["runs"][0]["results"] == []


def test_diagnostics_give_way_to_a_module_on_stdout(files: Files, invoke: Invoke) -> None:
    files({"a.rs": UNKNOWN_OPERATION})
    done = invoke("a.rs", "-o", "-", "--message-format", "json")

    assert done.stdout == ""
    assert json.loads(done.stderr)["file"] == "a.rs"


@pytest.mark.parametrize(
    ("flag", "variables", "is_colored"),
    [
        ("auto", {}, False),
        ("always", {}, True),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {}, False),
    ],
)
def test_colour_without_a_terminal(
    files: Files, run: Run, flag: str, variables: dict[str, str], is_colored: bool
) -> None:
    files({"a.rs": UNKNOWN_OPERATION, "b.rs": DOUBLE})
    done = run("a.rs", "b.rs", "--color", flag, **variables)

    assert (_ESCAPE in done.stderr.decode()) is is_colored


@pytest.mark.parametrize(
    ("flag", "variables", "is_colored"),
    [
        ("auto", {"TERM": "xterm"}, True),
        ("auto", {"TERM": "xterm", "NO_COLOR": "1"}, False),
        ("auto", {"TERM": "xterm", "NO_COLOR": ""}, True),
        ("auto", {"TERM": "dumb"}, False),
        ("always", {"TERM": "dumb"}, True),
        ("never", {"TERM": "xterm"}, False),
    ],
)
def test_colour_on_a_terminal(
    files: Files, flag: str, variables: dict[str, str], is_colored: bool
) -> None:
    folder = files({"a.rs": UNKNOWN_OPERATION, "b.rs": DOUBLE})
    terminal, end = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "transpiler.cli", "a.rs", "b.rs", "--color", flag],
        stdout=end,
        stderr=end,
        cwd=folder,
        env=environment(**variables),
    )
    os.close(end)
    shown = b""
    while True:
        try:
            shown += (part := os.read(terminal, 4096))
        except OSError:
            break
        if not part:
            break
    os.close(terminal)

    assert done.wait(60) == 1
    assert "b.rs -> " in shown.decode()
    assert (_ESCAPE in shown.decode()) is is_colored


def test_colour_changes_nothing_but_colours(files: Files, run: Run) -> None:
    files({"a.rs": UNKNOWN_OPERATION, "b.rs": TWO_KERNELS})
    plain = run("a.rs", "b.rs", "--color", "never").stderr.decode()
    (files({}) / "generated/b.py").unlink()
    colored = run("a.rs", "b.rs", "--color", "always").stderr.decode()

    def words(text: str) -> list[str]:
        return re.sub(r"\x1b\[[0-9;]*m", "", text).split()

    assert words(colored) == words(plain)


def test_quiet_leaves_the_diagnostics(files: Files, invoke: Invoke) -> None:
    files({"a.rs": UNKNOWN_OPERATION, "b.rs": DOUBLE})
    done = invoke("a.rs", "b.rs", "-q")

    assert "->" not in done.stderr.replace("-->", "")
    assert "T::lod" in done.stderr
    assert invoke("b.rs", "--quiet").stderr == ""


def test_verbose_tells_the_times(files: Files, invoke: Invoke) -> None:
    files({"b.rs": DOUBLE})

    assert re.search(r"b\.rs: transpiled in [\d.]+ ms", invoke("b.rs", "-v").stderr)
    assert " ms" not in invoke("b.rs").stderr
    assert invoke("b.rs", "-vv").exit_code == 0


@pytest.mark.parametrize("code", CODES)
def test_explain_tells_what_the_table_holds(invoke: Invoke, code: str) -> None:
    done = invoke("--explain", code)
    entry = CODES[code]

    assert done.exit_code == 0
    assert done.stdout.startswith(f"{entry.severity.label}[{code}]: {entry.title}\n")
    for part in (entry.explanation, entry.wrong, entry.right):
        assert " ".join(part.split()) in " ".join(done.stdout.split())


def test_explain_takes_lower_case_and_is_coloured_on_request(invoke: Invoke) -> None:
    assert "E0801" in invoke("--explain", "e0801").stdout
    assert _ESCAPE in invoke("--explain", "E0801", "--color", "always").stdout


def test_explain_of_an_unknown_code(invoke: Invoke) -> None:
    done = invoke("--explain", "E0899")

    assert done.exit_code == 2
    assert done.stdout == ""
    assert "there is no code 'E0899'; near it are E08" in done.stderr


def test_version(run: Run) -> None:
    done = run("--version")

    assert (done.returncode, done.stdout.decode()) == (0, f"teeny-transpile {__version__}\n")


def test_help_names_every_option(invoke: Invoke) -> None:
    shown = invoke("--help").stdout

    for option in (
        *("--output", "--stdin-filename", "--kernel", "--features", "--no-default-features"),
        *("--block", "--dtype", "--emit", "--target", "--check", "--diff", "--message-format"),
        *("--color", "--quiet", "--verbose", "--explain", "--version"),
    ):
        assert option in shown
    assert "Exit codes: 0 fine; 1" in shown


def test_shells_can_complete_options(run: Run) -> None:
    done = run(
        _TEENY_TRANSPILE_COMPLETE="bash_complete",
        COMP_WORDS="teeny-transpile --emit t",
        COMP_CWORD="2",
    )

    assert done.stdout.decode().split() == ["plain,triton", "plain,ttir"]


def test_the_documentation_names_every_option() -> None:
    page = (ROOT / "docs/command_line.md").read_text()
    names = {name for option in command.params for name in option.opts if name.startswith("--")}

    assert {name for name in names if name not in page} == set()
