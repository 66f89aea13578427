"""README and the pages under docs/ hold what they say: their code runs, their tables are complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from transpiler.cli.main import command
from transpiler.cli.values import Emit, MessageFormat
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text("utf-8")
FENCE = re.compile(r"^(<!-- generated -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (`.*?) \|", re.MULTILINE)


class Fenced(NamedTuple):
    """A block of code in a page."""

    language: str
    text: str
    is_generated: bool


def blocks(page: str) -> list[Fenced]:
    """The blocks of code of `page`, in order."""
    text = (ROOT / page).read_text("utf-8")
    return [Fenced(found[2], found[3], bool(found[1])) for found in FENCE.finditer(text)]


def block(language: str) -> str:
    """The first block of README in `language` that is not generated."""
    return next(
        it.text for it in blocks("README.md") if it.language == language and not it.is_generated
    )


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Python, in a folder that is not the checkout."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TRITON_INTERPRET": "1", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader stands who did what README says: the first command, and `axpy.rs` saved and translated."""
    where = tmp_path_factory.mktemp("reader")
    (where / "axpy.rs").write_text(block("rust"), "utf-8")
    (where / "batchnorm.rs").write_bytes((ROOT / "kernels/batchnorm.rs").read_bytes())
    done = run("-m", "transpiler.cli", "axpy.rs", "batchnorm.rs", cwd=where)
    assert done.returncode == 0, done.stderr
    return where


def test_the_two_commands_are_the_projects() -> None:
    commands = blocks("README.md")[0].text.splitlines()
    assert [line.partition("#")[0].rstrip() for line in commands] == [
        "pip install -c constraints.txt -e . && teeny-transpile kernels/batchnorm.rs",
        "pip install -c constraints.txt -e '.[test]' && pytest -n auto",
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"] == {"teeny-transpile": "transpiler.cli.start:run"}
    assert "test" in project["optional-dependencies"]
    assert (ROOT / "kernels/batchnorm.rs").is_file()


def test_the_summary_is_what_the_first_command_says(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/batchnorm.rs").write_bytes((ROOT / "kernels/batchnorm.rs").read_bytes())
    said = run("-m", "transpiler.cli", "kernels/batchnorm.rs", cwd=tmp_path)
    shown, ellipsis = block("text").rstrip().rsplit("\n", 1)
    assert ellipsis.strip() == "…"
    assert (said.stdout + said.stderr).startswith(shown)


def test_the_generated_python_is_what_comes_out(folder: Path) -> None:
    shown = [it.text for it in blocks("README.md") if it.is_generated]
    assert len(shown) == 1
    assert f"\n{shown[0]}\n" in (folder / "generated/axpy.py").read_text("utf-8")


@pytest.mark.parametrize(
    ("page", "number"),
    [
        pytest.param(page, number, id=f"{page}-{number}")
        for page in ("README.md", "docs/api.md")
        for number, it in enumerate(blocks(page))
        if it.language == "python" and not it.is_generated
    ],
)
def test_python_runs(page: str, number: int, folder: Path) -> None:
    script = folder / f"{Path(page).stem}_{number}.py"
    script.write_text(blocks(page)[number].text, "utf-8")
    done = run("-W", "error", script.name, cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", ["README.md", "docs/language.md"])
def test_rust_is_translated_without_a_finding(page: str) -> None:
    sources = [it.text for it in blocks(page) if it.language == "rust"]
    assert sources
    for source in sources:
        result = transpile_source(SourceFile("example.rs", source))
        assert result.diagnostics == ()
        assert len(result.kernels) == 1


def test_the_error_is_what_the_command_says(folder: Path) -> None:
    shown = next(it.text for it in blocks("README.md") if it.text.startswith("error["))
    good = (folder / "axpy.rs").read_text("utf-8")
    (folder / "wrong").mkdir()
    (folder / "wrong/axpy.rs").write_text(good.replace("T::load(x_ptr", "T::lod(x_ptr"), "utf-8")
    said = run("-m", "transpiler.cli", "axpy.rs", cwd=folder / "wrong")
    assert said.returncode == 1
    assert said.stderr.startswith(shown)


def test_every_option_is_in_the_table() -> None:
    table = README.partition("| option |")[2].partition("\n\n")[0]
    listed = [sorted(re.findall(r"`(-{1,2}[a-zA-Z0-9-]*)", row)) for row in ROW.findall(table)]
    context = click.Context(command, **command.context_settings)
    offered = [
        sorted(it.opts + it.secondary_opts)
        for it in command.get_params(context)
        if isinstance(it, click.Option) and not it.hidden
    ]
    assert sorted(listed) == sorted(offered)


def test_every_value_of_an_option_is_listed() -> None:
    forms = README.partition("| `--emit` |")[2].partition("\n\n")[0]
    assert ROW.findall(forms) == [f"`{each.value}`" for each in Emit]
    formats = re.findall(r"How diagnostics look: (.*)\. \|", README)[0]
    assert re.findall(r"`(\w+)`", formats) == [each.value for each in MessageFormat]


def test_pinned_versions_are_those_of_the_constraints() -> None:
    constraints = (ROOT / "constraints.txt").read_text("utf-8")
    table = README.partition("## Versions")[2].partition("\n\ntorch")[0]
    for name in ("triton", "torch"):
        pinned = re.findall(rf"^{name}==([\d.]+)", constraints, re.MULTILINE)
        (listed,) = re.findall(rf"^\| {name} \| .* \| (.+) \|$", table, re.MULTILINE)
        assert re.findall(r"\d+\.\d+\.\d+", listed) == pinned


def test_the_gpu_command_names_what_is_there() -> None:
    words = block("sh").split()
    assert words[0] == "pytest"
    assert (ROOT / words[1]).is_dir()
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
    markers = options["ini_options"]["markers"]
    assert any(marker.startswith(f"{words[3]}:") for marker in markers)


def test_links_lead_somewhere() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#]+)", FENCE.sub("", page.read_text("utf-8")))
    ]
    assert len(links) > 5
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []
