"""What `--emit` makes besides modules."""

from __future__ import annotations

import importlib.abc
import json
import sys
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from tests.cli.sources import DOUBLE, HOST_CODE, TRAINING, TWO_KERNELS, kernel
from transpiler.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.cli.conftest import Files, Invoke

_ONE = ("--kernel", "double", "--dtype", "f32", "--block", "BLOCK=128")

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_NAMED = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"name": _TEXT, "type": _TEXT},
        "required": ["name", "type"],
        "additionalProperties": False,
    },
}
_POINT = {
    "type": "object",
    "properties": {name: {"type": "integer"} for name in ("offset", "line", "column")},
    "required": ["offset", "line", "column"],
    "additionalProperties": False,
}
_KERNEL = {
    "name": _TEXT,
    "span": {
        "type": "object",
        "properties": {"file": _TEXT, "start": _POINT, "end": _POINT},
        "required": ["file", "start", "end"],
        "additionalProperties": False,
    },
    "docs": _TEXTS,
    "dtype_parameters": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": _TEXT, "bound": _TEXT, "admits": _TEXTS},
            "required": ["name", "bound", "admits"],
            "additionalProperties": False,
        },
    },
    "dtypes": _TEXTS,
    "const_generics": _NAMED,
    "parameters": _NAMED,
    "grid_axes": {"type": "array", "items": {"enum": [0, 1, 2]}},
    "reads": _TEXTS,
    "writes": _TEXTS,
    "atomics": _TEXTS,
    "feature_gate": {"type": ["string", "null"]},
    "backward": {"type": ["string", "null"]},
    "specialisations": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "name": _TEXT,
                "dtypes": {"type": "object", "additionalProperties": _TEXT},
                "constants": {
                    "type": "object",
                    "additionalProperties": {"type": ["integer", "boolean"]},
                },
            },
            "required": ["name", "dtypes", "constants"],
            "additionalProperties": False,
        },
    },
    "optimised": {
        "type": ["object", "null"],
        "properties": {"transforms": _TEXTS, "stages": _TEXTS},
        "required": ["transforms", "stages"],
        "additionalProperties": False,
    },
}
_OPERATOR = {
    "name": {"type": "string", "pattern": r"^\w+::\w+$"},
    "class": _TEXT,
    "kernel": _TEXT,
    "backward": {"type": ["string", "null"]},
}
_DOCUMENT = {
    "type": "object",
    "properties": {
        "schema_version": {"const": 1},
        "generator": {
            "type": "object",
            "properties": {"name": _TEXT, "version": _TEXT},
            "required": ["name", "version"],
            "additionalProperties": False,
        },
        "files": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "file": _TEXT,
                    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                    "kernels": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": _KERNEL,
                            "required": list(_KERNEL),
                            "additionalProperties": False,
                        },
                    },
                    "operators": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": _OPERATOR,
                            "required": list(_OPERATOR),
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["file", "sha256", "kernels", "operators"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["schema_version", "generator", "files"],
    "additionalProperties": False,
}


# --- Descriptions ------------------------------------------------------------------------------


def test_json_describes_the_kernels_of_all_inputs(files: Files, invoke: Invoke) -> None:
    folder = files({"a.rs": TWO_KERNELS, "b.rs": kernel("triple", value="x + x + x")})
    done = invoke("a.rs", "b.rs", "--emit", "json", "--dtype", "f32", "--block", "BLOCK=128")
    document = json.loads(done.stdout)

    jsonschema.validate(document, _DOCUMENT)
    assert document["generator"] == {"name": "teeny-transpile", "version": __version__}
    assert [file["file"] for file in document["files"]] == ["a.rs", "b.rs"]
    assert done.stderr == ""
    assert not (folder / "generated").exists()


def test_json_says_of_a_kernel_what_a_launcher_needs(files: Files, invoke: Invoke) -> None:
    files({"a.rs": kernel("double", attributes=TRAINING)})
    done = invoke("a.rs", "--emit", "json", "--dtype", "f32", "--block", "BLOCK=128")
    ((found,),) = (file["kernels"] for file in json.loads(done.stdout)["files"])

    assert found["name"] == "double"
    assert found["docs"] == ["Writes a value for each element."]
    assert found["dtype_parameters"][0]["name"] == "D"
    assert found["dtype_parameters"][0]["bound"] == "Float"
    assert found["const_generics"] == [{"name": "BLOCK", "type": "i32"}]
    assert {"name": "x_ptr", "type": "*D"} in found["parameters"]
    assert {"name": "n", "type": "i32"} in found["parameters"]
    assert found["grid_axes"] == [0]
    assert found["reads"] == ["x_ptr"]
    assert "training" in found["feature_gate"]
    assert found["specialisations"] == [
        {"name": "double__f32__128", "dtypes": {"D": "f32"}, "constants": {"BLOCK": 128}}
    ]


@pytest.mark.parametrize("emit", ["ast", "ir"])
def test_dumps_go_to_stdout(files: Files, invoke: Invoke, emit: str) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke("a.rs", "--emit", emit)

    assert done.exit_code == 0, done.stderr
    assert "double" in done.stdout
    assert done.stderr == ""
    assert [each.name for each in folder.iterdir()] == ["a.rs"]


def test_dumps_of_several_files_are_told_apart(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE, "b.rs": DOUBLE})
    lines = invoke("a.rs", "b.rs", "--emit", "ast").stdout.splitlines()

    assert [line for line in lines if line.startswith("==>")] == ["==> a.rs <==", "==> b.rs <=="]


def test_syntax_is_dumped_without_kernels_too(files: Files, invoke: Invoke) -> None:
    files({"a.rs": HOST_CODE})

    assert "host" in invoke("a.rs", "--emit", "ast").stdout


@pytest.mark.parametrize("emit", ["ast", "ir", "json"])
def test_dumps_land_in_a_folder_under_their_stems(files: Files, invoke: Invoke, emit: str) -> None:
    folder = files({"a.rs": DOUBLE, "b.rs": DOUBLE})
    done = invoke("a.rs", "b.rs", "--emit", emit, "-o", "out/")

    assert done.exit_code == 0, done.stderr
    names = [each.name for each in sorted((folder / "out").iterdir())]
    assert names == [f"a.{emit}", f"b.{emit}"]


# --- Machine code ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("emit", "target", "words"),
    [
        ("ttir", "sm_90", "tt.func public @double__f32__128"),
        ("ptx", "sm_80", ".target sm_80"),
        ("ptx", "sm_90", ".target sm_90"),
        ("ptx", "sm_100", ".target sm_100"),
        ("ptx", "gfx942", "gfx942"),
    ],
)
def test_one_text_goes_to_stdout(
    files: Files, invoke: Invoke, emit: str, target: str, words: str
) -> None:
    folder = files({"a.rs": TWO_KERNELS})
    done = invoke("a.rs", *_ONE, "--emit", emit, "--target", target)

    assert done.exit_code == 0, done.stderr
    assert words in done.stdout
    assert [each.name for each in folder.iterdir()] == ["a.rs"]


@pytest.mark.parametrize(
    ("emit", "target", "suffix", "magic"),
    [
        ("cubin", "sm_90", "cubin", b"\x7fELF"),
        ("cubin", "gfx942", "hsaco", b"\x7fELF"),
        ("ptx", "gfx942", "amdgcn", b""),
        ("ttir", "gfx942", "ttir", b""),
    ],
)
def test_each_specialisation_lands_in_a_file_of_its_own(
    files: Files, invoke: Invoke, emit: str, target: str, suffix: str, magic: bytes
) -> None:
    folder = files({"a.rs": TWO_KERNELS})
    arguments = ("a.rs", "--dtype", "f32", "--block", "BLOCK=128", "--target", target)
    done = invoke(*arguments, "--emit", emit, "-o", "out/")

    assert done.exit_code == 0, done.stderr
    made = sorted((folder / "out").iterdir())
    assert [each.name for each in made] == [
        f"double__f32__128.{suffix}",
        f"square__f32__128.{suffix}",
    ]
    assert all(each.read_bytes().startswith(magic) for each in made)
    assert f"out/square__f32__128.{suffix} (written)" in done.stderr


def test_without_an_output_machine_code_has_a_folder_for_its_target(
    files: Files, invoke: Invoke
) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke("a.rs", *_ONE, "--emit", "cubin")

    assert done.exit_code == 0, done.stderr
    assert (folder / "generated/a.sm_90/double__f32__128.cubin").exists()


def test_one_specialisation_can_have_one_file(files: Files, invoke: Invoke) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke("a.rs", *_ONE, "--emit", "cubin", "-o", "kernel.cubin")

    assert done.exit_code == 0, done.stderr
    assert (folder / "kernel.cubin").read_bytes().startswith(b"\x7fELF")


@pytest.mark.parametrize("output", ["-", "out.ptx"])
def test_several_specialisations_need_a_folder(files: Files, invoke: Invoke, output: str) -> None:
    folder = files({"a.rs": DOUBLE})
    arguments = ("a.rs", "--dtype", "f32", "--block", "BLOCK=64,128")
    done = invoke(*arguments, "--emit", "ptx", "-o", output)

    assert done.exit_code == 2
    assert "2 specialisations need a folder" in done.stderr
    assert [each.name for each in folder.iterdir()] == ["a.rs"]


def test_two_inputs_with_a_kernel_of_one_name_collide(files: Files, invoke: Invoke) -> None:
    folder = files({"a.rs": DOUBLE, "b.rs": DOUBLE})
    done = invoke("a.rs", "b.rs", *_ONE, "--emit", "ttir", "-o", "out/")

    assert done.exit_code == 1
    assert "error[E0805]" in done.stderr
    assert "`a.rs` and `b.rs`" in done.stderr
    assert not (folder / "out").exists()


def test_what_triton_refuses_is_a_diagnostic(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE})
    done = invoke("a.rs", *_ONE, "--emit", "cubin", "--target", "sm_11")

    assert done.exit_code == 1
    assert "error[E0810]: Triton refused `double__f32__128` for sm_11" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_interpreter_of_triton_is_no_obstacle(
    files: Files, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    files({"a.rs": DOUBLE})
    monkeypatch.setenv("TRITON_INTERPRET", "1")

    assert "tt.func" in invoke("a.rs", *_ONE, "--emit", "ttir").stdout


class _Absent(importlib.abc.MetaPathFinder):
    """Makes a package look as if it were not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: object = None) -> None:
        del path, target
        if name.partition(".")[0] == "triton":
            raise ModuleNotFoundError("No module named 'triton'", name=name)


def test_without_triton_there_is_advice(
    files: Files, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    files({"a.rs": DOUBLE})
    for name in [each for each in sys.modules if each.partition(".")[0] == "triton"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Absent(), *sys.meta_path])
    done = invoke("a.rs", "--emit", "ptx")

    assert done.exit_code == 2
    assert "No module named 'triton'" in done.stderr
    assert "pip install 'teeny-transpile[run]'" in done.stderr
