"""`generated/` is what the compiler makes of `kernels/` today, on every Python and in every order."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.numerics.modules import ROOT
from transpiler import transpile

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = sorted((ROOT / "kernels").glob("*.rs"))


@pytest.mark.parametrize("rust", KERNELS, ids=lambda path: path.stem)
def test_the_committed_module_is_fresh(rust: Path) -> None:
    committed = ROOT / "generated" / f"{rust.stem}.py"
    before = committed.read_text("utf-8") if committed.exists() else ""
    text = transpile(rust).text
    assert text is not None, f"{rust.name} does not transpile"
    difference = difflib.unified_diff(
        before.splitlines(keepends=True),
        text.splitlines(keepends=True),
        f"generated/{rust.stem}.py",
        f"made from kernels/{rust.name}",
    )
    shown = "".join(difference)
    assert not shown, f"{shown}\nrun: teeny-transpile kernels/{rust.name}"


def test_every_generated_module_has_its_rust() -> None:
    assert {path.stem for path in (ROOT / "generated").glob("*.py")} == {
        path.stem for path in KERNELS
    }


@pytest.mark.parametrize("rust", KERNELS, ids=lambda path: path.stem)
def test_twice_gives_the_same_bytes(rust: Path) -> None:
    assert transpile(rust).text == transpile(rust).text


@pytest.mark.parametrize("rust", KERNELS, ids=lambda path: path.stem)
def test_the_order_of_sets_does_not_show(rust: Path) -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-m", "transpiler.cli", str(rust), "-o", "-", "-q"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert texts == {(ROOT / "generated" / f"{rust.stem}.py").read_bytes()}


@pytest.mark.parametrize("rust", KERNELS, ids=lambda path: path.stem)
def test_no_path_and_no_date_is_mentioned(rust: Path, tmp_path: Path) -> None:
    copy = tmp_path / rust.name
    copy.write_bytes(rust.read_bytes())
    text = transpile(copy).text
    assert text == transpile(rust).text
    assert text is not None
    assert str(tmp_path) not in text
    header = text.partition('"""')[0]
    assert "/" not in header.replace("change the Rust, not this file", "")
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b|\d\d:\d\d", text)
