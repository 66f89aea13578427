"""Every specialisation of both batch norm files compiles for every target, with no GPU."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.numerics.cases import SPECIALISED_BLOCKS, DType, Kernel
from tests.numerics.launchers import explained
from tests.numerics.modules import REFERENCE_RUST
from transpiler.harness import aot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.aot.conftest import Compilable

TARGETS = ("sm_80", "sm_90", "sm_100", "gfx942")
ELF = b"\x7fELF"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", Kernel)
def test_every_specialisation_becomes_machine_code(
    kernel: Kernel, target: str, compilable: Compilable
) -> None:
    entries = compilable.of(kernel)
    assert {entry.name for entry in entries} == {
        f"{kernel}__{dtype}__{block}" for dtype, block in product(DType, SPECIALISED_BLOCKS)
    }
    architecture = aot.parse_target(target)
    for entry in entries:
        binary = aot.compile_entry(compilable.module, entry, architecture, aot.Stage.BINARY)
        assert isinstance(binary, bytes)
        assert binary.startswith(ELF), entry.name


@pytest.mark.parametrize("dtype", DType)
@pytest.mark.parametrize("kernel", Kernel)
def test_integer_arguments_equal_to_one_compile(
    kernel: Kernel, dtype: DType, compilable: Compilable
) -> None:
    """At a launch Triton makes a constant of each such argument, which then is no tensor."""
    # The fixture has imported Triton with its interpreter off; at the top it would come too early.
    import triton  # noqa: PLC0415
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415
    from triton.compiler import ASTSource  # noqa: PLC0415

    entry = compilable.named(f"{kernel}__{dtype}__128")
    function = getattr(compilable.module, entry.name)
    types = dict(zip(function.arg_names, entry.signature, strict=True))
    integers = [name for name, type_ in types.items() if type_ == "i32"]
    for ones in ([name] for name in integers), [integers]:
        for names in ones:
            signature = {**types, **dict.fromkeys(names, "constexpr")}
            source = ASTSource(fn=function, signature=signature, constexprs=dict.fromkeys(names, 1))
            options = {"enable_fp_fusion": True}
            compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
            assert compiled.asm["cubin"].startswith(ELF), names


@pytest.mark.parametrize("kernel", Kernel)
def test_another_dtype_is_refused(kernel: Kernel, compilable: Compilable) -> None:
    signature = compilable.named(f"{kernel}__f64__128").signature
    entry = aot.Entry(name=f"{kernel}__f32__128", signature=signature)
    with pytest.raises(aot.CompilationError) as refusal:
        aot.compile_entry(compilable.module, entry, aot.parse_target("sm_90"), aot.Stage.TTIR)
    assert "the dtype this kernel is specialised for" in explained(refusal.value)


def ir(compilable: Compilable, name: str) -> str:
    target = aot.parse_target("sm_90")
    text = aot.compile_entry(compilable.module, compilable.named(name), target, aot.Stage.TTIR)
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("kernel", Kernel)
def test_counting_loops_are_for_loops(kernel: Kernel, compilable: Compilable) -> None:
    text = ir(compilable, f"{kernel}__f32__256")
    assert "scf.for" in text
    assert "scf.while" not in text


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("kernel", Kernel)
def test_half_precision_is_computed_in_f32(
    kernel: Kernel, dtype: str, compilable: Compilable
) -> None:
    text = ir(compilable, f"{kernel}__{dtype}__256")
    arithmetic = re.findall(r"(?:arith\.(?:add|sub|mul|div)f|math\.\w+) .*", text)
    assert arithmetic
    assert not [line for line in arithmetic if re.search(r"x?\bb?f16\b", line.rpartition(":")[2])]


@pytest.mark.parametrize("kernel", Kernel)
def test_f64_is_computed_in_f64(kernel: Kernel, compilable: Compilable) -> None:
    text = ir(compilable, f"{kernel}__f64__256")
    tiles = re.findall(r"arith\.(?:add|sub|mul|div)f .*: (tensor<\d+xf\d+>)", text)
    assert {element.partition("x")[2] for element in tiles} == {"f64>"}


def test_integer_division_truncates(load: Callable[[Path], Compilable]) -> None:
    if not REFERENCE_RUST.path.exists():
        pytest.skip("the file whose image kernel divides is not on this machine")
    text = ir(load(REFERENCE_RUST.path), f"{Kernel.IMAGE_BACKWARD}__f32__256")
    assert "arith.divsi" in text
    assert "arith.remsi" in text
    assert "arith.sitofp" not in text
