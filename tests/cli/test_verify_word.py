"""The word `verify` as a command, beside paths of that name; the rest of the command stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete

from tests.cli.sources import DOUBLE
from tests.cli.test_process import imported
from transpiler.cli.main import command

if TYPE_CHECKING:
    from tests.cli.conftest import Files, Invoke, Run


def completed(*words: str) -> list[tuple[str, str]]:
    """What a shell is offered for the last word."""
    *before, last = words
    shell = ShellComplete(command, {}, "teeny-transpile", "_TEENY_TRANSPILE_COMPLETE")
    return [(item.type, item.value) for item in shell.get_completions(list(before), last)]


def test_the_first_word_is_the_command(invoke: Invoke) -> None:
    result = invoke("verify", "--help")
    assert result.exit_code == 0
    assert "verify [OPTIONS] PATH..." in result.stdout
    assert "--require-cases" in result.stdout
    assert "teeny-transpile verify" in invoke("--help").stdout


def test_options_of_one_command_are_not_those_of_the_other(invoke: Invoke) -> None:
    assert invoke("verify", "a.rs", "--emit", "ptx").exit_code == 2
    assert invoke("a.rs", "--require-cases").exit_code == 2


@pytest.mark.parametrize("words", [("./verify",), ("--", "verify"), ("-q", "verify")])
def test_a_folder_of_that_name_is_a_path_elsewhere(
    files: Files, invoke: Invoke, words: tuple[str, ...]
) -> None:
    folder = files({"verify/a.rs": DOUBLE})
    assert invoke(*words).exit_code == 0
    assert (folder / "generated/a.py").exists()


def test_completion_knows_both_commands() -> None:
    assert ("plain", "--require-cases") in completed("verify", "--r")
    assert ("plain", "--require-cases") not in completed("--r")
    assert ("plain", "--emit") in completed("--e")
    assert completed("ver") == [("file", "ver"), ("plain", "verify")]
    assert completed("kernels", "ver") == [("file", "ver")]
    assert completed("x") == [("file", "x")]
    assert completed("verify", "--device", "c") == [("plain", "cuda"), ("plain", "cpu")]


@pytest.mark.parametrize("arguments", [("verify", "--help"), ("verify",)])
def test_help_and_wrong_usage_import_nothing_heavy(
    files: Files, run: Run, arguments: tuple[str, ...]
) -> None:
    files({})
    assert imported(run, *arguments) & {"torch", "triton", "numpy"} == set()


def test_translating_does_not_import_what_verifies(files: Files, run: Run) -> None:
    files({"a.rs": DOUBLE})
    done = run("a.rs", python=("-X", "importtime"))
    names = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "transpiler.cli.execute" in names
    assert not {
        name for name in names if name.startswith(("transpiler.harness", "transpiler.cli.verify"))
    }
