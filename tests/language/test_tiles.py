"""Tiles, pointers and tuples of them in every place Rust puts values: what kernels compute in the interpreter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import transpiler
from tests.interpreter.process import InterpreterProcess, Request, Slice
from transpiler.harness import aot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Reference = Callable[[NDArray[np.float32], int], NDArray[np.float32]]

LOAD = "T::load({}, None, None, &[], None, None, None, false)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Statements that make the tile `y` of the tile `x` and the integer `n`, and what it is."""

    name: str
    body: str
    expected: Reference


def kernel(case: Case) -> str:
    return (
        f"#[kernel]\npub fn {case.name}<T: Triton, D: Float, const BLOCK: i32>("
        "x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, n: i32) {\n"
        f"let at = T::arange(0, BLOCK);\nlet x = {LOAD.format('x_ptr.add_offsets(at)')};\n"
        f"{case.body}\nT::store(y_ptr.add_offsets(at), y, None, &[], None, None);\n}}\n"
    )


CASES = (
    Case(
        name="declared_then_assigned",
        body="""
let y;
if n > 3 { y = x + x; } else { y = x * x; }
""",
        expected=lambda x, n: x + x if n > 3 else x * x,
    ),
    Case(
        name="declared_with_a_type",
        body="""
let y: T::Tensor<D>;
if n > 3 { y = x + x; } else { y = x * x; }
""",
        expected=lambda x, n: x + x if n > 3 else x * x,
    ),
    Case(
        name="pattern_declared_then_assigned",
        body="""
let (a, b);
if n > 3 { a = x; b = x; } else { (a, b) = (x * x, T::zeros::<D>(&[BLOCK])); }
let y = a + b;
""",
        expected=lambda x, n: x + x if n > 3 else x * x,
    ),
    Case(
        name="assigned_by_a_loop",
        body="""
let y;
let mut i = n;
loop { if i > 7 { y = x + x + x; break; } i += 1; }
""",
        expected=lambda x, _: x * 3,
    ),
    Case(
        name="break_with_a_tile",
        body="""
let y = loop { if n > 3 { break x + x; } break x * x; };
""",
        expected=lambda x, n: x + x if n > 3 else x * x,
    ),
    Case(
        name="break_late_with_a_tile",
        body="""
let mut i = 0;
let y = loop { if i == 5 { break x * T::full::<D>(&[BLOCK], D::from_f64(3.0)); } i += 1; };
""",
        expected=lambda x, _: x * 3,
    ),
    Case(
        name="break_with_a_pair",
        body="""
let mut i = 0;
let (a, b) = loop { if i == 5 { break (x, T::full::<D>(&[BLOCK], D::ONE)); } i += 1; };
let y = a + b;
""",
        expected=lambda x, _: x + 1,
    ),
    Case(
        name="labelled_block_with_a_tile",
        body="""
let y = 'a: { if n > 3 { break 'a x + x; } x * x };
""",
        expected=lambda x, n: x + x if n > 3 else x * x,
    ),
    Case(
        name="labelled_block_with_pointers",
        body="""
let p = 'a: { if n > 3 { break 'a x_ptr.add_offsets(at); } x_ptr.add_offsets(at) };
let z = T::load(p, None, None, &[], None, None, None, false);
let y = z + z;
""",
        expected=lambda x, n: x + x if n > 3 else x * 2,
    ),
    Case(
        name="pair_carried_by_a_loop",
        body="""
let mut acc = (T::zeros::<D>(&[BLOCK]), T::full::<D>(&[BLOCK], D::ONE));
for i in 0..n { acc = (acc.0 + x, acc.1 + acc.1); }
let y = acc.0 + acc.1;
""",
        expected=lambda x, n: x * n + 2**n,
    ),
    Case(
        name="elements_assigned_in_a_loop",
        body="""
let mut acc = (T::zeros::<D>(&[BLOCK]), T::full::<D>(&[BLOCK], D::ONE));
for i in 0..n { acc.0 += x; acc.1 = acc.1 + acc.1; }
let y = acc.0 + acc.1;
""",
        expected=lambda x, n: x * n + 2**n,
    ),
    Case(
        name="pointer_chosen",
        body="""
let p = if n > 0 { x_ptr } else { x_ptr };
let y = T::load(p.add_offsets(at), None, None, &[], None, None, None, false);
""",
        expected=lambda x, _: x,
    ),
    Case(
        name="pointer_in_a_pair",
        body="""
let (p, k) = if n > 0 { (x_ptr, 1) } else { (x_ptr, 1) };
let z = T::load(p.add_offsets(at), None, None, &[], None, None, None, false);
let y = z * T::full::<D>(&[BLOCK], D::from_f64(k as f64));
""",
        expected=lambda x, _: x,
    ),
    Case(
        name="match_gives_a_tile",
        body="""
let y = match n { 0 => x + x, 1 => x * x, _ => x };
""",
        expected=lambda x, n: x + x if n == 0 else (x * x if n == 1 else x),
    ),
    Case(
        name="match_gives_a_pair",
        body="""
let (y, k) = match n { 0 => (x + x, 1), _ => (x, 2) };
""",
        expected=lambda x, n: x + x if n == 0 else x,
    ),
    Case(
        name="load_after_and",
        body="""
let ok = n > 0 && {
    T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);
    true
};
let y = if ok { x } else { x + x };
""",
        expected=lambda x, n: x if n > 0 else x * 2,
    ),
    Case(
        name="clone_of_a_tile",
        body="""
let z = x.clone();
let y = z + x;
""",
        expected=lambda x, _: x * 2,
    ),
    Case(
        name="compound_operators",
        body="""
let mut y = x;
y += x;
y *= T::full::<D>(&[BLOCK], D::from_f64(2.0));
y -= x;
y -= x;
""",
        expected=lambda x, _: x * 2,
    ),
    Case(
        name="operators_of_masks",
        body="""
let zero = T::zeros::<D>(&[BLOCK]);
let mut m = x.lt(zero) | !x.gt(T::full::<D>(&[BLOCK], D::ONE));
m ^= x.gt(T::full::<D>(&[BLOCK], D::from_f64(2.0)));
m &= x.eq(x);
m |= x.ne(x);
let y = T::where_(m, x, zero);
""",
        expected=lambda x, _: np.asarray(
            np.where(((x < 0) | ~(x > 1)) ^ (x > 2), x, 0), np.float32
        ),
    ),
    Case(
        name="operators_of_integers",
        body="""
let mut o = T::arange(0, BLOCK);
o <<= 2;
o |= 1;
o &= !2;
o %= 7;
let y = T::cast::<i32, D>(o, None, false);
""",
        expected=lambda x, _: ((((np.arange(len(x)) << 2) | 1) & ~2) % 7).astype(np.float32),
    ),
    Case(
        name="shadowing_in_blocks",
        body="""
let y = x + x;
let y = { let y = y + y; y };
let y = y + y;
""",
        expected=lambda x, _: x * 8,
    ),
    Case(
        name="shadowing_in_a_loop",
        body="""
let mut y = x;
for i in 0..n { let x = x; let y2 = y + x; y = y2; }
""",
        expected=lambda x, n: x * n + x,
    ),
    Case(
        name="shadowing_with_another_type",
        body="""
let y = 3;
let y = y as f32;
let y = x * T::full::<D>(&[BLOCK], D::from_f64((y / y) as f64));
""",
        expected=lambda x, _: x,
    ),
    Case(
        name="annotated_choice",
        body="""
let y: T::Tensor<D> = if n > 0 { let z = x; z } else { x };
""",
        expected=lambda x, _: x,
    ),
    Case(
        name="assigned_by_an_inner_loop",
        body="""
let y;
let mut i = n;
'a: loop { for j in 0..9 { if i > 7 { y = x + x + x; break 'a; } i += 1; } }
""",
        expected=lambda x, _: x * 3,
    ),
    Case(
        name="assigned_or_left",
        body="""
let y;
let ok = n >= 0 && { true };
match n { 0 | 1 => { let z = x; y = z + z; } _ if n > 3 => y = x + x, _ => return }
""",
        expected=lambda x, _: x * 2,
    ),
)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = transpiler.transpile("".join(map(kernel, CASES)))
    assert result.text is not None, [found.message for found in result.diagnostics]
    path = tmp_path_factory.mktemp("generated") / "tiles.py"
    path.write_text(result.text, encoding="utf-8")
    return path


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_interpreter_computes_it(
    case: Case, n: int, generated: Path, interpreter: InterpreterProcess
) -> None:
    x = np.linspace(-2, 3, 8).astype(np.float32)
    request = Request(
        path=generated,
        function=case.name,
        arguments=(
            Slice(buffer=torch.from_numpy(x.copy()), start=0, shape=(8,)),
            Slice(buffer=torch.zeros(8), start=0, shape=(8,)),
            n,
        ),
        constants={"BLOCK": 8},
        grid=(1,),
    )
    _, y = interpreter.run(request)
    np.testing.assert_allclose(y.numpy(), np.broadcast_to(case.expected(x, n), 8), rtol=1e-6)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_compiles(
    case: Case, generated: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415 - slow, and only where it is there
    from triton.compiler import ASTSource  # noqa: PLC0415

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    with aot.loaded(generated.read_text(encoding="utf-8"), "tiles") as module:
        function = getattr(module, case.name)
        types = ["*fp16", "*fp16", "i32", "constexpr"]
        source = ASTSource(
            fn=function,
            signature=dict(zip(function.arg_names, types, strict=True)),
            constexprs={"BLOCK": 64},
        )
        options = {"enable_fp_fusion": True}
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    assert "tt.store" in compiled.asm["ttir"]
