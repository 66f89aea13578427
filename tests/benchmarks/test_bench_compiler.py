"""`bench_compiler.py`, at sizes that take no time: what it tells, never how fast that was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.compiler.growth import kernels_in, repeated
from benchmarks.sections import renew
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "kernels/batchnorm.rs"


def run(*arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "benchmarks/bench_compiler.py", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_all_is_told_three_times(tmp_path: Path) -> None:
    data, page = tmp_path / "compiler.json", tmp_path / "performance.md"
    page.write_text(
        "# Performance\n\n<!-- compiler -->\nwhat was there\n<!-- /compiler -->\n\nEnd.\n"
    )
    text = run("--runs", "1", "--sizes", "1,8", "--json", str(data), "--docs", str(page))
    assert "command over import lark, jinja2" in text
    assert "8 kernels" in text
    report = json.loads(data.read_text("utf-8"))
    assert [size["kernels"] for size in report["growth"][1:]] == [1, 8]
    assert all(size["seconds"] > 0 and size["peak"] > 1e6 for size in report["growth"])
    assert report["derived"].keys() == {"ratio", "import_ms", "kb_per_s", "spread"}
    assert report["stages"]["parse"] > 0
    assert report["stages"]["operators"] > 0
    section = page.read_text("utf-8")
    assert "what was there" not in section
    assert "| 8 kernels |" in section
    assert section.endswith("<!-- /compiler -->\n\nEnd.\n")


def test_a_profile_names_functions_and_imports() -> None:
    text = run("--profile")
    assert "engine.py" in text
    assert "transpiler." in text.partition("imports of the command")[2]


@pytest.mark.parametrize("kernels", [1, 7, 20])
def test_a_repeated_file_has_as_many_kernels(kernels: int) -> None:
    text = repeated(KERNELS.read_text("utf-8"), kernels)
    assert kernels_in(text) == kernels
    result = transpile_source(SourceFile("repeated.rs", text))
    assert len({plan.kernel.name for plan in result.kernels}) == kernels


def test_a_section_that_is_missing_is_put_at_the_end(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    renew(page, "one", ["first", ""])
    renew(page, "two", ["second", ""])
    renew(page, "one", ["third", ""])
    assert page.read_text("utf-8") == (
        "# Performance\n\n<!-- one -->\n\nthird\n\n<!-- /one -->\n\n<!-- two -->\n\nsecond\n\n<!-- /two -->\n"
    )
