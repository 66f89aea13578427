"""The direction of imports, what importing costs, and the size of files."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "transpiler"
MODULES = sorted(PACKAGE.rglob("*.py"))
PYTHON = [
    path
    for folder in ("transpiler", "modules", "tests", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "__snapshots__" not in path.parts
]
NAMES = [str(path.relative_to(ROOT)) for path in MODULES]

_BASE = ("version", "frozen", "tuples", "resources", "cache", "source")
_IR = ("ir", "ops")
_MIDDLE = (*_BASE, "diagnostics", "syntax", *_IR, "analysis")
MAY_IMPORT = {
    "version": (),
    "frozen": (),
    "tuples": (),
    "resources": (),
    "cache": (),
    "source": ("frozen", "tuples"),
    "diagnostics": _BASE,
    "syntax": (*_BASE, "diagnostics"),
    "frontend": (*_BASE, "diagnostics", "syntax"),
    # Signatures of ops speak of dtypes, and IR calls name ops: the two know each other's types.
    "ir": (*_BASE, *_IR),
    "ops": (*_BASE, *_IR),
    "analysis": (*_BASE, *_IR),
    "passes": _MIDDLE,
    "lints": (*_BASE, *_IR, "diagnostics", "analysis"),
    "optimise": _MIDDLE,
    "target": (*_MIDDLE, "passes"),
    "host": (*_MIDDLE, "frontend", "passes", "target"),
    "emit": (*_MIDDLE, "passes", "optimise", "target", "host"),
    "pipeline": (*_MIDDLE, "frontend", "passes", "lints", "optimise", "target", "host", "emit"),
    "workspace": (*_MIDDLE, "frontend", "passes", "optimise", "target", "host", "emit", "pipeline"),
    "harness": _MIDDLE,
    "cli": (
        *(*_MIDDLE, "frontend", "passes", "optimise", "target"),
        *("emit", "pipeline", "workspace", "harness"),
    ),
}
"""For each part of the package, the other parts it may import. The harness is for the command and the API alone."""


ENTRY = PACKAGE / "harness/__main__.py"
"""Starts the command, as a part of it that stands where users look for it."""


def part_of(path: Path) -> str:
    return "cli" if path == ENTRY else path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def is_deferred(node: ast.AST) -> bool:
    """Whether what stands in it is not executed by an import: a function, or a branch for type checkers."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=[]):
            return True
        case _:
            return False


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules a file imports, and whether the import is deferred."""
    tree = tree_of(path)
    inside = {
        id(node) for outer in ast.walk(tree) if is_deferred(outer) for node in ast.walk(outer)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found = [alias.name for alias in names]
            case ast.ImportFrom(module=str() as name, level=0):
                # `from transpiler.ir import nodes` imports of `ir`, `from transpiler import ir` of the package.
                found = [f"{name}.{alias.name}" for alias in node.names]
            case ast.ImportFrom():
                found = ["a relative import"]
            case _:
                continue
        for name in found:
            yield name, id(node) in inside


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_imports_go_one_way(path: Path) -> None:
    part = part_of(path)
    for name, is_lazy in imports(path):
        assert name != "a relative import"
        owner, _, rest = name.partition(".")
        other = rest.partition(".")[0]
        if owner != "transpiler" or other == part or other.startswith("_"):
            continue
        if part == "__init__":
            assert is_lazy or other == "version"
        else:
            assert other in MAY_IMPORT[part], f"{part} imports {name}"


def test_every_part_has_its_arrows() -> None:
    assert {part_of(path) for path in MODULES} - {"__init__"} == set(MAY_IMPORT)


STEPS = (
    ("lift", "lift_guarded"),
    ("split_index", "split_program", "collapse", "stages"),
    ("layout",),
    ("alternatives", "materialise"),
    ("variants",),
    ("planning",),
    ("driver",),
)
"""The steps of the optimiser in their order; none knows of those that follow."""
CLASSICS = ("contract", "eviction", "hints", "hoist", "reciprocal", "reuse", "strength")


@cache
def known_to(module: str) -> frozenset[str]:
    """The modules of the optimiser that one of them imports, also through others."""
    files = {path.stem: path for path in (PACKAGE / "optimise").rglob("*.py")}
    found: set[str] = set()
    pending = [module]
    while pending:
        for name, _ in imports(files[pending.pop()]):
            parts = name.split(".")
            others = files.keys() & parts if parts[:2] == ["transpiler", "optimise"] else set()
            pending += others - found
            found |= others
    return frozenset(found) - {module}


@pytest.mark.parametrize("place", range(len(STEPS)))
def test_a_step_of_the_optimiser_knows_nothing_of_those_that_follow(place: int) -> None:
    following = set(chain.from_iterable(STEPS[place + 1 :]))
    for module in STEPS[place]:
        assert not known_to(module) & following


@pytest.mark.parametrize("module", CLASSICS)
def test_classic_transforms_know_nothing_of_loops_taken_apart(module: str) -> None:
    assert not known_to(module) & set(chain.from_iterable(STEPS))
    assert "work" not in known_to(module)


def test_widening_takes_no_nest_apart() -> None:
    assert not known_to("widen") & {"lift", "stages", "alternatives", "materialise"}


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_only_the_harness_knows_torch_and_triton(path: Path) -> None:
    for name, is_lazy in imports(path):
        if name.partition(".")[0] in {"torch", "triton", "numpy"}:
            assert part_of(path) == "harness"
            assert is_lazy, "torch and triton are imported inside functions"


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("import transpiler", ("lark", "jinja2", "click", "rich", "numpy", "torch", "triton")),
        ("import transpiler.cli.main", ("torch", "triton", "numpy")),
        (
            "import transpiler; assert transpiler.transpile('#[kernel] fn k<T: Triton>() {}').ok",
            ("click", "rich", "torch", "triton", "numpy"),
        ),
    ],
)
def test_importing_loads_nothing_it_does_not_need(
    statement: str, forbidden: tuple[str, ...]
) -> None:
    code = f"{statement}\nimport sys\nprint(*(set({forbidden!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_short(path: Path) -> None:
    """A list of declarations, which is read by looking things up, may be longer than a text that is read."""
    has_code = any(isinstance(node, ast.FunctionDef) for node in tree_of(path).body)
    assert len(path.read_text("utf-8").splitlines()) <= (500 if has_code else 850)


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_nothing_is_annotated_with_any(path: Path) -> None:
    annotations = (
        annotation
        for node in ast.walk(tree_of(path))
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if annotation is not None
    )
    names = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in chain.from_iterable(map(ast.walk, annotations))
        if isinstance(node, ast.Name | ast.Attribute)
    }
    assert "Any" not in names


@pytest.mark.parametrize("path", MODULES, ids=NAMES)
def test_every_module_and_public_name_is_documented(path: Path) -> None:
    tree = tree_of(path)
    assert ast.get_docstring(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


def test_no_catch_all_modules() -> None:
    assert not {path.stem for path in PYTHON} & {"utils", "util", "helpers", "common", "misc"}
