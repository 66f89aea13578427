"""Every program gives in Triton's interpreter what rustc made of it, and compiles for a GPU."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import transpiler
from tests.interpreter.process import InterpreterProcess, Request, Slice
from tests.language.programs import (
    Program,
    files,
    from_rustc,
    numpy_name,
    pattern,
    programs,
    value,
)
from transpiler.harness import aot

if TYPE_CHECKING:
    from pathlib import Path

FILES = {path.stem: path for path in files()}
PROGRAMS = {name: programs(path.read_text(encoding="utf-8")) for name, path in FILES.items()}
ALL = [
    pytest.param(name, program, id=f"{name}-{program.name}")
    for name, several in PROGRAMS.items()
    for program in several
]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The module of each file."""
    folder = tmp_path_factory.mktemp("generated")
    return {name: module(name, folder) for name in FILES}


def module(name: str, folder: Path) -> Path:
    result = transpiler.transpile("".join(program.kernel for program in PROGRAMS[name]))
    assert result.text is not None, [found.message for found in result.diagnostics]
    path = folder / f"{name}.py"
    path.write_text(result.text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", FILES)
def test_no_function_of_a_file_is_passed_over(name: str) -> None:
    text = FILES[name].read_text(encoding="utf-8")
    assert len(re.findall("^pub fn ", text, re.MULTILINE)) == len(PROGRAMS[name])
    for program in PROGRAMS[name]:
        assert program.examples, program.name
        assert all(example.result is not None for example in program.examples), program.name


@pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
@pytest.mark.parametrize("name", FILES)
def test_what_is_written_down_is_what_rustc_makes_of_it(name: str, tmp_path: Path) -> None:
    expected = {
        program.name: tuple(example.result for example in program.examples)
        for program in PROGRAMS[name]
    }
    assert from_rustc(FILES[name], PROGRAMS[name], tmp_path) == expected


@pytest.mark.parametrize(("name", "program"), ALL)
def test_the_interpreter_computes_it(
    name: str, program: Program, generated: dict[str, Path], interpreter: InterpreterProcess
) -> None:
    for example in program.examples:
        out = torch.from_numpy(np.zeros(1, numpy_name(program.result)))
        arguments = (
            value(text, dtype)
            for text, (_, dtype) in zip(example.arguments, program.parameters, strict=True)
        )
        request = Request(
            path=generated[name],
            function=program.name,
            arguments=(Slice(buffer=out, start=0, shape=(1,)), *arguments),
            constants={},
            grid=(1,),
        )
        (after,) = interpreter.run(request)
        found = after.numpy()[0].item()
        assert example.result is not None
        shown = str(found).lower() if program.result == "bool" else repr(found)
        assert pattern(shown, program.result) == pattern(example.result, program.result), (
            example,
            found,
        )


@pytest.mark.parametrize("is_one", [False, True], ids=["any", "ones"])
@pytest.mark.parametrize("name", FILES)
def test_it_compiles(
    name: str,
    is_one: bool,
    generated: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """With the types of its arguments, and as Triton compiles it where every integer is 1."""
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415 - slow, and only where it is there
    from triton.compiler import ASTSource  # noqa: PLC0415

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    with aot.loaded(generated[name].read_text(encoding="utf-8"), name) as module:
        for program in PROGRAMS[name]:
            function = getattr(module, program.name)
            types = ["*" + triton_name(program.result)]
            ones = {}
            for (_, dtype), argument in zip(
                program.parameters, function.arg_names[1:], strict=True
            ):
                is_constant = is_one and dtype[0] in "iu"
                types.append("constexpr" if is_constant else triton_name(dtype))
                if is_constant:
                    ones[argument] = 1
            source = ASTSource(
                fn=function,
                signature=dict(zip(function.arg_names, types, strict=True)),
                constexprs=ones,
            )
            options = {"enable_fp_fusion": True}
            compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
            assert "tt.store" in compiled.asm["ttir"], program.name


def triton_name(dtype: str) -> str:
    return {"bool": "i1", "f32": "fp32", "f64": "fp64"}.get(dtype, dtype)
