"""The command `verify`: its words, its exit codes, its files, and what it prints where."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from tests.harness.conftest import ROOT, verify_in, written
from tests.harness.sources import DOUBLE, DOUBLE_CASES, case, cases_file, kernel

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.conftest import Verify

GOOD = {"a.rs": DOUBLE, "a_cases.py": DOUBLE_CASES}

NUMBER = {"type": ["number", "null"]}
ERRORS = {"error": NUMBER, "torch_error": NUMBER, "allowed": NUMBER}
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
TEXTS = {"type": "array", "items": TEXT}


def record(**properties: object) -> dict[str, object]:
    """The schema of an object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


OUTPUT = record(
    name=TEXT, dtype=TEXT, shape={"type": "array", "items": {"type": "integer"}}, **ERRORS
)
VERDICT = {
    "enum": [
        "pass",
        "wrong result",
        "unwritten elements",
        "out-of-bounds write",
        "changed an input",
        "refused by Triton",
        "error",
        "crashed",
        "timed out",
        "different results",
        "not compared",
    ]
}
BLOCKS = {"type": "object", "additionalProperties": {"type": "integer"}}
CASE = record(
    id=TEXT,
    kernel=TEXT,
    name=TEXT,
    dtypes={"type": "object", "additionalProperties": TEXT},
    constants={"type": "object", "additionalProperties": {"type": ["integer", "boolean"]}},
    shape={"type": "object", "additionalProperties": {"type": ["number", "boolean"]}},
    verdict=VERDICT,
    message=TEXT,
    outputs={"type": "array", "items": OUTPUT},
    seconds={"type": "number", "minimum": 0},
    **ERRORS,
)
COMPARISON = record(
    id=TEXT,
    kernel=TEXT,
    operator=TEXT,
    dtypes={"type": "object", "additionalProperties": TEXT},
    blocks=BLOCKS,
    reference=BLOCKS,
    shapes=TEXTS,
    verdict=VERDICT,
    message=TEXT,
    difference=NUMBER,
    allowed=NUMBER,
    seconds={"type": "number", "minimum": 0},
)
SCHEMA = record(
    schema_version={"const": 1},
    generator=record(name={"const": "teeny-transpile"}, version=TEXT),
    device=record(kind={"enum": ["cuda", "interpreter"]}, name=TEXT, torch=TEXT, triton=TEXT),
    summary=record(
        passed=COUNT,
        failed=COUNT,
        faults=COUNT,
        without_cases=COUNT,
        agreeing=COUNT,
        disagreeing=COUNT,
    ),
    files={
        "type": "array",
        "items": record(
            file=TEXT,
            cases_file={"type": ["string", "null"]},
            faults=TEXTS,
            kernels_without_cases=TEXTS,
            kernels_not_compared={"type": "object", "additionalProperties": TEXT},
            cases={"type": "array", "items": CASE},
            comparisons={"type": "array", "items": COMPARISON},
        ),
    },
)
"""What docs/verify.md promises."""


def test_json_is_what_the_documentation_says(verify: Verify) -> None:
    files = {**GOOD, "b.rs": kernel("left") + kernel("taken", dtype="i32"), "c.rs": "// nothing"}
    files["b_cases.py"] = cases_file(
        case("left", reference="lambda x: x / 0"), case("missing"), "{},"
    ).replace("{},", "")
    done = verify(files, ".", "--json")
    assert done.code == 1
    jsonschema.validate(done.document, SCHEMA)
    ids = list(done.cases())
    assert ids[0] == "double[f32-BLOCK=16-n=1]"
    assert len(ids) == len(set(ids)) == 12


def test_a_pass_is_0_and_prints_to_stdout_alone(verify: Verify) -> None:
    done = verify(GOOD, "a.rs")
    assert done.code == 0
    assert done.err == ""
    assert done.out.endswith("\n8 passed on Triton's interpreter\n")
    assert "n=1 … n=100 (2)" in done.out
    assert "\x1b" not in done.out


def test_the_module_runs_too(verify: Verify) -> None:
    done = verify(GOOD, "a.rs", "--quiet", module="transpiler.harness")
    assert (done.code, done.out) == (0, "\n8 passed on Triton's interpreter\n")


def test_verbose_has_a_row_for_each_shape(verify: Verify) -> None:
    rows = [line for line in verify(GOOD, "a.rs", "-v").out.splitlines() if " pass" in line]
    assert len([row for row in rows if "n=" in row]) == 8


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (("--dtype", "f16"), 4),
        (("-k", "BLOCK=64"), 4),
        (("-k", "BLOCK=64", "-k", "f32"), 2),
        (("--kernel", "double"), 8),
    ],
)
def test_cases_are_selected(verify: Verify, arguments: tuple[str, ...], count: int) -> None:
    assert len(verify(GOOD, "a.rs", "--json", *arguments).cases()) == count


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give Rust files or folders"),
        (("a.rs", "--kernel", "dubble"), "no kernel is called 'dubble'; there are double"),
        (("a.rs", "-k", "f33"), "no case is selected by --dtype and -k"),
        (("a.rs", "--device", "tpu"), "'tpu' is not one of"),
        (("a.rs", "--emit", "ptx"), "No such option"),
        (("a.rs", "--timeout", "0"), "0.0 is not in the range x>0"),
    ],
)
def test_wrong_usage_is_2(verify: Verify, arguments: tuple[str, ...], said: str) -> None:
    done = verify(GOOD, *arguments)
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


def test_a_gpu_that_is_not_there_is_2(verify: Verify) -> None:
    done = verify(GOOD, "a.rs", "--device", "cuda", CUDA_VISIBLE_DEVICES="")
    assert done.code == 2
    assert done.err == "Error: torch finds no GPU\n"


def test_torch_that_is_not_there_is_2(tmp_path: Path) -> None:
    written(tmp_path, {**GOOD, "hidden/torch.py": "raise ImportError('not here')"})
    done = verify_in(tmp_path, "a.rs", PYTHONPATH=f"{tmp_path}/hidden:{ROOT}")
    assert done.code == 2
    assert "torch or triton is not ready (not here): pip install" in done.err


def test_rust_with_errors_is_1_and_does_not_stop_the_others(verify: Verify) -> None:
    done = verify({**GOOD, "b.rs": kernel("broken", value="T::lod(x)")}, "b.rs", "a.rs")
    assert done.code == 1
    assert "error[E0301]: `T` has no operation `lod`" in done.err
    assert "8 passed" in done.out


def test_a_missing_path_is_1(verify: Verify) -> None:
    done = verify({}, "a.rs")
    assert done.code == 1
    assert "no such file or folder: `a.rs`" in done.err


def test_kernels_without_cases_fail_when_cases_are_required(verify: Verify) -> None:
    files = {"a.rs": DOUBLE}
    done = verify(files, "a.rs")
    assert done.code == 0
    assert "no cases" in done.out
    assert "1 kernel without cases" in done.out
    assert verify(files, "a.rs", "--require-cases").code == 1


def test_kernels_that_nothing_can_be_compared_for_say_why(verify: Verify) -> None:
    pairs = (ROOT / "tests/host/cases/pairs.rs").read_text("utf-8")
    done = verify({"a.rs": DOUBLE, "pairs.rs": pairs}, ".")
    assert done.code == 0
    rows = {line.split()[0]: line.rstrip() for line in done.out.splitlines() if "no cases" in line}
    assert rows["double"].endswith("no cases: no operator launches it")
    # Not one that a `RuntimeOp` knows the grid of.
    assert rows["swish_forward"].endswith("no cases: `SwishOp` leaves `grid` to its caller")


def test_a_folder_may_hold_rust_without_kernels(verify: Verify) -> None:
    files = {f"verify/{name}": text for name, text in GOOD.items()}
    done = verify(
        {**files, "verify/host.rs": "pub fn host(n: i32) -> i32 {\n    n\n}\n"}, "./verify"
    )
    assert (done.code, done.err) == (0, "")
    assert "verify/a.rs\n" in done.out


def test_what_a_file_of_cases_prints_goes_to_stderr(verify: Verify) -> None:
    files = {**GOOD, "a_cases.py": DOUBLE_CASES + "\nprint('hello')\n"}
    done = verify(files, "a.rs", "--json")
    assert len(done.cases()) == 8
    assert done.err == "hello\n"


def test_nothing_is_left_beside_the_rust(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    verify_in(tmp_path, "a.rs")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.rs", "a_cases.py"]


def test_inputs_are_the_same_each_time(verify: Verify) -> None:
    first, second = (verify(GOOD, "a.rs", "--json").cases() for _ in range(2))
    for found in (*first.values(), *second.values()):
        del found["seconds"]
    assert first == second


def test_the_process_that_shows_does_not_import_torch(tmp_path: Path) -> None:
    """It would import it a second time, beside the process that launches."""
    program = """
import sys
from transpiler.cli.main import command
try:
    command(["verify", "a.rs", "--device", "cpu"])
finally:
    print("torch" in sys.modules, file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=written(tmp_path, GOOD),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "False\n"
