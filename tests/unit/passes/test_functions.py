"""Functions, constants and aliases of the file: the text they become, and what it computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
import torch

from tests.interpreter.process import InterpreterProcess, Request, Slice
from tests.unit.passes.kernels import function, kernel, module
from transpiler.harness import aot
from transpiler.passes.items import use_leaves

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PARAMETERS = "out_ptr: T::Pointer<f64>, n: i32, a: f32"
STORE = "T::store(out_ptr.add_offsets(T::arange(0, 16)), tile, None, &[], None, None);"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Items, the statements that give `tile` of 16 f64, and what it holds for `n` and `a`."""

    name: str
    items: str
    body: str
    expected: Callable[[int, float], object]

    @property
    def rust(self) -> str:
        """The file."""
        return self.items + kernel(
            f"{self.body}\n{STORE}",
            generics="T: Triton, const BLOCK: i32",
            parameters=PARAMETERS,
        )


Array: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
LANES = np.arange(16, dtype=np.float64)
PROGRAMS = [
    Program(
        name="a scalar function of two names",
        items="use self::div_up as blocks;\nfn div_up(a: i32, b: i32) -> i32 { (a + b - 1) / b }\n",
        body="let tile = T::full::<f64>(&[16], (blocks(n, 4) + 100 * div_up(n + 1, 3)) as f64);",
        expected=lambda n, _a: np.full(16, -(-n // 4) + 100 * -(-(n + 1) // 3)),
    ),
    Program(
        name="a mutable parameter is the function's own",
        items="fn halve(mut x: i32) -> i32 { while x > 3 { x /= 2; } x }\n",
        body="let kept = n + 20;\nlet h = halve(kept);\n"
        "let tile = T::full::<f64>(&[16], (h + 10 * kept) as f64);",
        expected=lambda n, _a: np.full(
            16, next(v for v in (((n + 20) >> s) for s in range(9)) if v <= 3) + 10 * (n + 20)
        ),
    ),
    Program(
        name="f64 constants keep their precision",
        items="mod consts { pub const TENTH: f64 = 0.1; pub const THIRD: f64 = 1.0 / 3.0; }\n"
        "use consts::*;\nconst BOTH: f64 = TENTH * consts::THIRD;\n",
        body="let tile = T::full::<f64>(&[16], BOTH);",
        expected=lambda _n, _a: np.full(16, 0.1 * (1.0 / 3.0)),
    ),
    Program(
        name="an f32 constant is rounded once",
        items="const TENTH: f32 = 0.1;\n",
        body="let tile = T::cast::<f32, f64>(T::full::<f32>(&[16], TENTH), None, false);",
        expected=lambda _n, _a: np.full(16, float(np.float32(0.1))),
    ),
    Program(
        name="functions generic over dtype and size, of shapes their callers know",
        items="fn shifted<T: Triton, D: Float, const N: i32>(x: T::Tensor<D>, by: f64)"
        " -> (T::Tensor<D>, T::Tensor<D>) {\n"
        "    let moved = x + T::full::<D>(&[N], D::from_f64(by));\n"
        "    (moved, doubled(moved))\n}\n"
        "fn doubled<T: Triton, D: Num>(x: T::Tensor<D>) -> T::Tensor<D> { return x + x; }\n",
        body="let lanes = T::cast::<i32, f64>(T::arange(0, BLOCK), None, false);\n"
        "let (one, two) = shifted::<T, _, BLOCK>(lanes, 0.5);\n"
        "let (three, _) = shifted::<T, f64, { BLOCK }>(two, 0.25);\n"
        "let sum = one + three;\n"
        "T::store(out_ptr.add_offsets(T::arange(0, BLOCK)), sum, None, &[], None, None);\nreturn;\n"
        "let tile = T::full::<f64>(&[16], 0.0);",
        expected=lambda _n, _a: (LANES + 0.5) + (2 * (LANES + 0.5) + 0.25),
    ),
    Program(
        name="a function for its effect",
        items="fn put<T: Triton>(p: T::Pointer<f64>, i: i32, v: f64) {\n"
        "    let at = T::arange(0, 1) + i;\n"
        "    T::store(p.add_offsets(at), T::full::<f64>(&[1], v), None, &[], None, None);\n}\n",
        body="let tile = T::full::<f64>(&[16], 1.0);\n" + STORE + "\n"
        "for i in 0..3 { put(out_ptr, i * 2, 7.0); }\nreturn;",
        expected=lambda _n, _a: np.where(np.isin(LANES, [0, 2, 4]), 7.0, 1.0),
    ),
    Program(
        name="constants of blocks hide those of the file",
        items="const N: i32 = 1;\nconst TILE: usize = 8 * 2;\nfn outer() -> i32 { N }\n",
        body="const N: i32 = 2;\nlet inner = { const N: i32 = 3; N };\n"
        "let tile = T::full::<f64>(&[TILE as i32], (n * 1000 + outer() * 100 + N * 10 + inner) as f64);",
        expected=lambda n, _a: np.full(16, n * 1000 + 123),
    ),
    Program(
        name="a tile returned from a loop",
        items="fn grown<T: Triton, D: Float>(x: T::Tensor<D>, n: i32, a: D) -> T::Tensor<D> {\n"
        "    let mut y = x;\n"
        "    for i in 0..n {\n"
        "        if i == 5 { return y - x; }\n"
        "        y = y + x * a;\n    }\n    y\n}\n",
        body="let lanes = T::cast::<i32, f64>(T::arange(0, 16), None, false);\n"
        "let tile = grown(lanes, n, a as f64) + grown(lanes, 2, 0.1);",
        expected=lambda n, a: _grown(LANES, n, a) + _grown(LANES, 2, 0.1),
    ),
    Program(
        name="a tuple of a tile and a number returned from a loop",
        items="fn until<T: Triton>(x: T::Tensor<f64>, n: i32) -> (T::Tensor<f64>, i32) {\n"
        "    let mut i = 0;\n"
        "    loop {\n"
        "        if i * i > n { return (x + x, i); }\n"
        "        if i == 3 { return (x, -1); }\n"
        "        i += 1;\n    }\n}\n",
        body="let lanes = T::cast::<i32, f64>(T::arange(0, 16), None, false);\n"
        "let (y, i) = until(lanes, n);\n"
        "let tile = y + T::full::<f64>(&[16], i as f64);",
        expected=lambda n, _a: 2 * LANES + int(np.sqrt(n)) + 1 if n < 9 else LANES - 1,
    ),
    Program(
        name="tiles of pointers, masks and what is updated atomically",
        items="fn moved<T: Triton, D: Num>(p: T::Pointer<D>, by: i32) -> T::Tensor<T::Pointer<D>> {\n"
        "    p.add_offsets(T::arange(0, 4) + by)\n}\n"
        "fn counted<T: Triton>(p: T::Tensor<T::Pointer<f64>>, only: T::BoolTensor) {\n"
        "    T::atomic_add(p, T::full::<f64>(&[4], 2.0), Some(only), None, None);\n}\n"
        "fn first<T: Triton>(n: i32) -> T::BoolTensor { T::arange(0, 4).lt(n) }\n",
        body="let tile = T::full::<f64>(&[16], 1.0);\n" + STORE + "\n"
        "for i in 0..3 { counted(moved(out_ptr, i * 4), first::<T>(n - i)); }\nreturn;",
        expected=lambda n, _a: np.where((LANES < 12) & (n - LANES // 4 > LANES % 4), 3.0, 1.0),
    ),
    Program(
        name="functions in conditions, arms and loop heads",
        items="fn is_odd(n: i32) -> bool { n % 2 != 0 }\n"
        "fn sign(n: i32) -> i32 { if n < 0 { return -1; } if n == 0 { return 0; } 1 }\n",
        body="let mut total = 0;\n"
        "for i in sign(n)..n { total += if is_odd(i) { sign(i - 4) * i } else { -sign(-i) }; }\n"
        "let mut i = n;\n"
        "while !is_odd(i) && sign(i) > 0 { i = i / 2; }\n"
        "let tile = T::full::<f64>(&[16], (total * 100 + i) as f64);",
        expected=lambda n, _a: np.full(16, _totalled(n)),
    ),
    Program(
        name="reductions and scans by functions of functions",
        items="fn larger<T: Triton, D: Num>(a: T::Tensor<D>, b: T::Tensor<D>) -> T::Tensor<D> {\n"
        "    T::where_(T::gt(a, b), a, b)\n}\n"
        "fn spread<T: Triton, D: Num>(a: T::Tensor<D>, b: T::Tensor<D>) -> T::Tensor<D> {\n"
        "    larger(a, b) - larger(T::zeros_like(a), b)\n}\n",
        body="let lanes = T::cast::<i32, f64>((T::arange(0, 16) * 7 + n) % T::full::<i32>(&[16], 16), None, false);\n"
        "let most = T::reduce(lanes, 0, larger::<T, f64>, true);\n"
        "let upto = T::associative_scan(lanes, 0, larger::<T, _>, true);\n"
        "let tile = most * T::full::<f64>(&[16], 100.0) + upto + spread(upto, lanes);",
        expected=lambda n, _a: _combined((LANES * 7 + n) % 16),
    ),
]


def _grown(x: Array, n: int, a: float) -> Array:
    y = x.copy()
    for i in range(n):
        if i == 5:
            return y - x
        y = y + x * a
    return y


def _totalled(n: int) -> int:
    total = 0
    for i in range(int(np.sign(n)), n):
        total += int(np.sign(i - 4)) * i if i % 2 else -int(np.sign(-i))
    i = n
    while i % 2 == 0 and i > 0:
        i //= 2
    return total * 100 + i


def _combined(x: Array) -> Array:
    upto = np.maximum.accumulate(x[::-1])[::-1]
    return np.asarray(x.max() * 100 + upto + np.maximum(upto, x) - np.maximum(0, x))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.name)
def test_computes_what_rust_computes(
    program: Program, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    path = tmp_path / "m.py"
    path.write_text(module(program.rust), encoding="utf-8")
    for n, a in ((1, 0.5), (7, 2.0), (12, -1.0)):
        request = Request(
            path=path,
            function="k",
            arguments=(
                Slice(buffer=torch.full((16,), -77.0, dtype=torch.float64), start=0, shape=(16,)),
                n,
                a,
            ),
            constants={"BLOCK": 16},
            grid=(1,),
        )
        (after,) = interpreter.run(request)
        np.testing.assert_array_equal(after.numpy(), program.expected(n, a), err_msg=f"n={n}")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.name)
def test_triton_compiles_it(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415 - slow, and only where it is there
    from triton.compiler import ASTSource  # noqa: PLC0415

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"out_ptr": "*fp64", "n": "i32", "a": "fp32"}
    with aot.loaded(module(program.rust), "functions") as generated:
        for ones in ((), ("n",)):
            values = {"BLOCK": 16, **dict.fromkeys(ones, 1)}
            signature = {**types, **dict.fromkeys(values, "constexpr")}
            source = ASTSource(fn=generated.k, signature=signature, constexprs=values)
            compiled = triton.compile(
                source, target=GPUTarget("cuda", 90, 32), options={"enable_fp_fusion": True}
            )
            assert compiled.asm["cubin"].startswith(b"\x7fELF"), ones


HALVES = (
    "fn fetch<T: Triton, D: Float>(p: T::Pointer<D>, at: T::I32Tensor) -> T::Tensor<D> {\n"
    "    T::load(p.add_offsets(at), None, None, &[], None, None, None, false)\n}\n"
    "fn gather<T: Triton, D: Float>(p: T::Tensor<T::Pointer<D>>) -> T::Tensor<D> {\n"
    "    T::load(p, None, None, &[], None, None, None, false)\n}\n"
    "fn grown<T: Triton, D: Float, const N: i32>(x: T::Tensor<D>, by: D, times: i32) -> T::Tensor<D> {\n"
    "    let mut y = x;\n"
    "    for i in 0..times {\n"
    "        if i == 3 { return y; }\n"
    "        y = y * T::full::<D>(&[N], by) + T::full::<D>(&[N], scaled(by, D::from_f64(0.1)));\n    }\n"
    "    y\n}\n"
    "fn scaled<D: Float>(a: D, b: D) -> D { a * b }\n"
    "fn top<T: Triton, D: Num>(a: T::Tensor<D>, b: T::Tensor<D>) -> T::Tensor<D> {\n"
    "    T::where_(T::gt(a, b), a, b) + T::zeros::<D>(&[])\n}\n"
    "fn put<T: Triton, D: Float>(p: T::Pointer<D>, at: T::I32Tensor, x: T::Tensor<D>) {\n"
    "    T::store(p.add_offsets(at), x, None, &[], None, None);\n}\n"
    + kernel(
        "let lanes = T::arange(0, BLOCK);\n"
        "let x = fetch(x_ptr, lanes) + gather(x_ptr.add_offsets(lanes));\n"
        "let y = grown::<T, D, BLOCK>(x, D::from_f64(a as f64), n);\n"
        "let most = T::reduce(y, 0, top::<T, D>, true);\n"
        "put(out_ptr, lanes, y - most * D::from_f64(0.5));",
        parameters="x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>, n: i32, a: f32",
    )
)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_halves_are_widened_in_functions_too(
    dtype: torch.dtype, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    path = tmp_path / "m.py"
    path.write_text(module(HALVES), encoding="utf-8")
    wide = torch.promote_types(dtype, torch.float32)
    x = (torch.arange(16) * 0.37 - 2).to(dtype)
    a = torch.tensor(1.1, dtype=torch.float32).to(wide)
    for n in (2, 7):
        y = x.to(wide) + x.to(wide)
        for _ in range(min(n, 3)):
            y = y * a + a * torch.tensor(0.1, dtype=wide)
        request = Request(
            path=path,
            function="k",
            arguments=(
                Slice(buffer=x, start=0, shape=(16,)),
                Slice(buffer=torch.zeros(16, dtype=dtype), start=0, shape=(16,)),
                n,
                1.1,
            ),
            constants={"BLOCK": 16},
            grid=(1,),
        )
        _, after = interpreter.run(request)
        torch.testing.assert_close(after, (y - y.max() * 0.5).to(dtype))


def test_a_function_is_one_of_the_module_with_its_comments() -> None:
    rust = (
        "/// Twice the larger of x and its square.\n"
        "fn grown<T: Triton, D: Float>(x: T::Tensor<D>) -> T::Tensor<D> {\n"
        "    // below\n    let low = T::maximum(x, x * x);\n\n    // twice\n    low + low\n}\n"
        + kernel(
            "let x = T::zeros::<D>(&[BLOCK]);\n"
            "let y = grown(x);\n"
            "T::store(x_ptr.add_offsets(T::arange(0, BLOCK)), y, None, &[], None, None);"
        )
    )
    text = module(rust)
    assert (
        "# <string>:2\n@triton.jit\ndef grown(x):\n"
        '    """Twice the larger of x and its square."""\n'
        "    # below\n"
        "    low = tl.maximum(x, x * x, propagate_nan=tl.PropagateNan.ALL)\n"
        "\n"
        "    # twice\n"
        "    return low + low\n"
    ) in text
    assert text.index("def grown") < text.index("def k(")
    assert "y = grown(x)" in function(text, "k").splitlines()


@pytest.mark.parametrize(
    ("tree", "leaves"),
    [
        ("a::b", [("a::b", "b")]),
        ("a::b as c", [("a::b", "c")]),
        ("a::{b, c as d, e::{f, g::*}, self}", "b d f * a"),
        ("a::{self as b, /* c */ r#type}", [("a", "b"), ("a::type", "type")]),
        ("super::{b,}", [("super::b", "b")]),
        ("{a, b::c}", [("a", "a"), ("b::c", "c")]),
    ],
)
def test_reads_use_trees(tree: str, leaves: list[tuple[str, str]] | str) -> None:
    found = list(use_leaves(tree))
    if isinstance(leaves, str):
        assert [name for _, name in found] == leaves.split()
    else:
        assert found == [(tuple(path.split("::")), name) for path, name in leaves]


def test_an_enum_may_be_imported_under_another_name() -> None:
    rust = "use teeny_triton::triton::{self, Axis as Dim};\n" + kernel(
        "let pid = T::program_id(Dim::Y);\n"
        "T::store(x_ptr.add_offsets(T::arange(0, 1) + pid), T::zeros::<D>(&[1]), None, &[], None, None);"
    )
    assert "tl.program_id(1)" in module(rust)
