"""The generated pages are those the tables make."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from transpiler.diagnostics.codes import CODES
from transpiler.ops.table import OPS

ROOT = Path(__file__).resolve().parent.parent.parent


def generate(*options: str) -> subprocess.CompletedProcess[str]:
    """The generator, run as its docstring says."""
    return subprocess.run(
        [sys.executable, "docs/generate.py", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_pages_are_up_to_date() -> None:
    checked = generate("--check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_what_is_stale_is_shown_and_made_anew(tmp_path: Path) -> None:
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs/diagnostics.md", tmp_path / "docs")
    transforms = (ROOT / "docs/optimising.md").read_text("utf-8")
    stale = transforms.replace("| `hoist` |", "| `lower` |")
    assert stale != transforms
    (tmp_path / "docs/optimising.md").write_text(stale, "utf-8")
    page = (ROOT / "docs/ops.md").read_text("utf-8")
    (tmp_path / "docs/ops.md").write_text(page.replace("### load\n", "### lode\n"), "utf-8")

    checked = generate("--check", "--root", str(tmp_path))
    assert checked.returncode == 1
    assert "--- docs/ops.md (committed)\n" in checked.stdout
    assert "-### lode\n+### load\n" in checked.stdout
    assert "-| `lower` |" in checked.stdout
    assert "diagnostics.md" not in checked.stdout
    assert "### lode\n" in (tmp_path / "docs/ops.md").read_text("utf-8")

    assert generate("--root", str(tmp_path)).returncode == 0
    assert (tmp_path / "docs/ops.md").read_text("utf-8") == page
    assert (tmp_path / "docs/optimising.md").read_text("utf-8") == transforms


def test_every_operation_and_every_code_has_its_entry() -> None:
    operations = (ROOT / "docs/ops.md").read_text("utf-8")
    diagnostics = (ROOT / "docs/diagnostics.md").read_text("utf-8")
    assert [name for name in OPS if f"\n### {name}\n" not in operations] == []
    assert [code for code in CODES if f"\n### {code}: " not in diagnostics] == []
