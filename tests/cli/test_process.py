"""The command among other processes: pipes that close, interrupts, what it imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.cli.conftest import Files, Run, environment
from tests.cli.sources import DOUBLE, UNKNOWN_OPERATION, kernel


def test_a_reader_that_goes_away_is_no_error(files: Files) -> None:
    # More than a pipe holds.
    folder = files({"a.rs": "".join(kernel(f"kernel_{number}") for number in range(60))})
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "transpiler.cli", "a.rs", "--emit", "json"],
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(),
        check=False,
        timeout=120,
    )
    os.close(writing)

    assert done.stderr == b""
    assert done.returncode == 0


def test_writing_goes_on_when_the_reader_of_diagnostics_goes_away(files: Files) -> None:
    folder = files({"a.rs": UNKNOWN_OPERATION, "b.rs": DOUBLE})
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "transpiler.cli", "a.rs", "b.rs", "--message-format", "json"],
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(),
        check=False,
        timeout=120,
    )
    os.close(writing)

    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert (folder / "generated/b.py").exists()


def test_an_interrupt_ends_it_quietly(files: Files) -> None:
    folder = files({})
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "transpiler.cli", "-", "-o", "out.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(),
    )
    assert process.stdin is not None
    assert process.stderr is not None
    # The last import of a run is over: it now waits for its input.
    for line in process.stderr:
        if line.rstrip().endswith(b"transpiler.cli.execute"):
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)

    assert process.returncode in {130, -signal.SIGINT}
    assert b"Traceback" not in errors or process.returncode == -signal.SIGINT
    assert list(folder.iterdir()) == []


def imported(run: Run, *arguments: str) -> set[str]:
    """The top-level modules that a run imports."""
    done = run(*arguments, python=("-X", "importtime"))
    names = (
        line.rpartition("|")[2].strip()
        for line in done.stderr.decode().splitlines()
        if line.startswith("import time:")
    )
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("arguments", [("a.rs",), ("bad.rs",), ("--explain", "E0801")])
def test_plain_output_imports_no_rich_and_never_torch_or_triton(
    files: Files, run: Run, arguments: tuple[str, ...]
) -> None:
    files({"a.rs": DOUBLE, "bad.rs": UNKNOWN_OPERATION})

    assert imported(run, *arguments) & {"rich", "torch", "triton", "numpy", "asyncio"} == set()


def test_colour_imports_rich(files: Files, run: Run) -> None:
    files({"a.rs": DOUBLE})

    assert "rich" in imported(run, "a.rs", "--color", "always")


@pytest.mark.parametrize("words", [("--help-optimise",), ("--explain", "E0101"), ("--version",)])
def test_what_only_tells_something_ends_well(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout != b""
