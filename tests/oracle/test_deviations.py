"""Each deviation that programs are kept from, shown by a kernel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.oracle.comparing import Interpreter
from tests.oracle.deviations import EXCLUSIONS
from tests.oracle.launch import load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.oracle.launch import Call

_KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def counter(out, n):
    for i in range(n):
        tl.store(out, tl.cast(i + 2147483647, tl.int64))


@triton.jit
def bound_counter(out, n):
    for i in range(n):
        j = i
        tl.store(out, tl.cast(j + 2147483647, tl.int64))


@triton.jit
def divided(out, x, y):
    tl.store(out, tl.cast(x, tl.float32) / tl.cast(y, tl.float32))


@triton.jit
def remainder(out, x, y):
    tl.store(out, tl.cast(x, tl.float64) % tl.cast(y, tl.float64))
"""


@pytest.fixture(scope="module")
def interpreter() -> Iterator[Interpreter]:
    process = Interpreter()
    yield process
    process.close()


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "deviations.py"
    path.write_text(_KERNELS, encoding="utf-8")
    return path


def call(function: str, output: str, *arguments: float) -> Call:
    return {
        "function": function,
        "constants": {},
        "outputs": [output],
        "elements": 1,
        "arguments": list(arguments),
    }


def assembly(path: Path, function: str, signature: dict[str, str], stage: str) -> str:
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415 - slow, and only where it is there
    from triton.compiler import ASTSource  # noqa: PLC0415

    source = ASTSource(fn=getattr(load(path), function), signature=signature)
    options = {"enable_fp_fusion": False}
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    text: str = compiled.asm[stage]
    return text


def test_counters_are_numbers_of_python_in_the_interpreter(
    interpreter: Interpreter, module: Path
) -> None:
    unbound, bound = interpreter.run(
        module, [call("counter", "i64", 3), call("bound_counter", "i64", 3)]
    )
    wrapped = 2**64 - 2**31 + 1
    assert unbound == [[2**31 + 1]]
    assert bound == [[wrapped]]
    # The compiled kernel adds in 32 bits either way.
    ttir = assembly(module, "counter", {"out": "*i64", "n": "i32"}, "ttir")
    assert "arith.addi %i, " in ttir or ": i32" in ttir.split("arith.addi")[1].splitlines()[0]


def test_f32_is_divided_approximately_on_a_gpu(module: Path) -> None:
    signature = {"out": "*fp32", "x": "fp32", "y": "fp32"}
    assert "div.full.f32" in assembly(module, "divided", signature, "ptx")


def test_the_remainder_of_floats_has_a_rounded_quotient_on_a_gpu(module: Path) -> None:
    signature = {"out": "*fp64", "x": "fp64", "y": "fp64"}
    ptx = assembly(module, "remainder", signature, "ptx")
    steps = ["div.rn.f64", "cvt.rzi.f64.f64", "fma.rn.f64"]
    assert re.findall("|".join(map(re.escape, steps)), ptx) == steps


def test_every_exclusion_says_what_and_why() -> None:
    assert len({each.what for each in EXCLUSIONS}) == len(EXCLUSIONS) > 0
    assert all(each.why for each in EXCLUSIONS)
