"""What small kernels compute, in Triton's interpreter, and that Triton compiles them for a GPU.

Each kernel stores the scalar `q` it computes. It runs with integer arguments of many kinds, 1 among
them: at a launch Triton makes a constant of an argument that equals 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from tests.interpreter.process import InterpreterProcess, Request, Slice
from tests.unit.passes.kernels import kernel, module
from transpiler.harness import aot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Computation:
    """Statements that give `q`, and what it is for the arguments `n`, `m` and `a`.

    `is_constant` tells that Triton computes it where `n` and `m` are constants.
    """

    name: str
    body: str
    expected: Callable[[int, int, float], float]
    dtype: str = "i32"
    is_constant: bool = True

    @property
    def rust(self) -> str:
        """The kernel."""
        stores = (
            f"T::store(out_ptr.add_offsets(T::arange(0, 1)), T::full::<{self.dtype}>(&[1], q), "
            "None, &[], None, None);"
        )
        return kernel(
            f"{self.body}\n{stores}",
            generics="T: Triton, const S: i32, const BLOCK: i32",
            parameters=f"out_ptr: T::Pointer<{self.dtype}>, n: i32, m: i32, a: f32",
        )


def quotient(left: int, right: int) -> int:
    return int(np.fix(left / right))


def remainder(left: int, right: int) -> int:
    return left - quotient(left, right) * right


def single(value: float) -> float:
    return float(np.float32(value))


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def loop_with_a_block(n: int, m: int) -> int:
    q = 0
    while True:
        if q >= n:
            q += 5
            if q >= m:
                return q
        q += 1
        if q <= 9:
            q += 1


def steps(n: int, step: int) -> int:
    return sum(range(0, n, step))


S = -3
COMPUTATIONS = [
    Computation(
        name="a quotient of what may be negative",
        body="let q = (n - 7) / m;",
        expected=lambda n, m, _a: quotient(n - 7, m),
    ),
    Computation(
        name="a quotient of a name for what may be negative",
        body="let (p, r) = (n - 7, m);\nlet s = p;\n"
        "let q = p / 4 * 100 + (if n < m { 3 } else { s }) / 4 * 10 + s % 4 + r;",
        expected=lambda n, m, _a: (
            quotient(n - 7, 4) * 100
            + quotient(3 if n < m else n - 7, 4) * 10
            + remainder(n - 7, 4)
            + m
        ),
    ),
    Computation(
        name="a remainder of what may be negative",
        body="let q = (n - 7) % (m + 1);",
        expected=lambda n, m, _a: remainder(n - 7, m + 1),
    ),
    Computation(
        name="division by a negative const generic",
        body="let q = (BLOCK / S) * 1000 + (n + 9) / S * 10 + (n + 9) % S;",
        expected=lambda n, _m, _a: (
            quotient(16, S) * 1000 + quotient(n + 9, S) * 10 + remainder(n + 9, S)
        ),
    ),
    Computation(
        name="remainders of const generics",
        body="let q = S % 2 + (S - 10) % 7;",
        expected=lambda _n, _m, _a: remainder(S, 2) + remainder(S - 10, 7),
    ),
    Computation(
        name="quotients of a loop variable",
        body="let mut q = 0;\nfor i in 0..n {\n    q += (i - 5) / 2 + (i - 5) % 3;\n}",
        expected=lambda n, _m, _a: sum(quotient(i - 5, 2) + remainder(i - 5, 3) for i in range(n)),
    ),
    Computation(
        name="an integer as float",
        body="let q = 1.0 / (n as f32) + 1.0_f32 / m as f32;",
        expected=lambda n, m, _a: single(single(1 / n) + single(1 / m)),
        dtype="f32",
    ),
    Computation(
        name="f32 arithmetic on an argument",
        body="let q = 1.0 - a;",
        expected=lambda _n, _m, a: single(1 - single(a)),
        dtype="f32",
        is_constant=False,
    ),
    Computation(
        name="f64 arithmetic on an f32 argument",
        body="let q = 1.0 / (a as f64);",
        expected=lambda _n, _m, a: 1 / single(a),
        dtype="f64",
        is_constant=False,
    ),
    Computation(
        name="a sum in f64",
        body="let mut q = 0.0_f64;\nfor i in 0..n {\n    q += 0.1;\n}",
        # Not `sum`: from Python 3.12 on it makes up for what rounding loses.
        expected=lambda n, _m, _a: float(np.add.accumulate(np.full(n, 0.1))[-1]),
        dtype="f64",
    ),
    Computation(
        name="a sum in f32",
        body="let mut q = 0.0_f32;\nfor i in 0..n {\n    q = q + 0.1;\n}",
        expected=lambda n, _m, _a: float(np.add.accumulate(np.full(n, 0.1, np.float32))[-1]),
        dtype="f32",
    ),
    Computation(
        name="float to integer",
        body="let q = (a * -2.5) as i32 * 10 + ((a * 1.0e30) as i32 / 1000) + (a - 9.0) as u8 as i32;",
        expected=lambda _n, _m, a: int(single(single(a) * -2.5)) * 10 + (2**31 - 1) // 1000,
        is_constant=False,
    ),
    Computation(
        name="a wide product",
        body="let q = n as i64 * 3_000_000_000 + m as i64;",
        expected=lambda n, m, _a: n * 3_000_000_000 + m,
        dtype="i64",
    ),
    Computation(
        name="a bool as integer",
        body="let q = (n < m) as i32 * 10 + (n == m) as i32;",
        expected=lambda n, m, _a: (n < m) * 10 + (n == m),
    ),
    Computation(
        name="a chain",
        body="let q = if n < 3 { -n } else if n >= m { 2 * m - n } else { let z = n * n; z + 1 };",
        expected=lambda n, m, _a: -n if n < 3 else 2 * m - n if n >= m else n * n + 1,
    ),
    Computation(
        name="a tuple from an if",
        body="let (low, high) = if n < m { (n, m) } else { (m, n) };\nlet q = low * 100 + high;",
        expected=lambda n, m, _a: min(n, m) * 100 + max(n, m),
    ),
    Computation(
        name="an inner variable of another type",
        body="let x = n;\nlet mut q = 0;\n"
        "if m > 2 {\n    let x = 0.5_f32 * a;\n    q = (x * 100.0) as i32;\n}\nq = q + x;",
        expected=lambda n, m, a: (int(single(single(single(a) * 0.5) * 100)) if m > 2 else 0) + n,
    ),
    Computation(
        name="a variable hidden in each iteration",
        body="let mut q = 0;\nfor i in 0..n {\n    let i = i * 2;\n    q += i;\n}\n"
        "for i in 0..m {\n    let i = i + 1;\n    q += i;\n}",
        expected=lambda n, m, _a: n * (n - 1) + m * (m + 1) // 2,
    ),
    Computation(
        name="a counting loop and the counter after another",
        body="let mut q = 0;\nlet mut i = 0;\nwhile i < n {\n    q += i;\n    i += 3;\n}\n"
        "let mut j = 1;\nwhile j <= m {\n    j *= 2;\n}\nq = q * 100 + j;",
        expected=lambda n, m, _a: steps(n, 3) * 100 + 2 ** m.bit_length(),
        is_constant=False,
    ),
    Computation(
        name="a parameter is counted down",
        body="let mut k = n;\nlet mut q = 0;\nwhile k > 0 {\n    q += k;\n    k -= 1;\n}",
        expected=lambda n, _m, _a: n * (n + 1) // 2,
        is_constant=False,
    ),
    Computation(
        name="an early return leaves what was there",
        body="if n > 3 {\n    if m > 3 {\n        return;\n    }\n}\nlet q = n * m;",
        expected=lambda n, m, _a: -77 if n > 3 and m > 3 else n * m,
    ),
    Computation(
        name="names Python and Triton reserve",
        body="let lambda = n;\nlet is = m;\nlet tl = lambda * is;\nlet range = 3;\nlet max = tl - range;\n"
        "let triton = max;\nlet mut q = 0;\nfor not in 0..is {\n    q += triton;\n}",
        expected=lambda n, m, _a: m * (n * m - 3),
    ),
    Computation(
        name="unsigned arithmetic",
        body="let q = ((n as u32 + 4_294_967_290) / 3) as i32;",
        expected=lambda n, _m, _a: (n + 4_294_967_290) % 2**32 // 3,
    ),
    Computation(
        name="a bool carried by a loop",
        body="let mut f = n < 0;\nlet mut g = true;\nfor i in 0..n {\n    f = f || i == 3;\n"
        "    g = g && !(i > m);\n}\nlet q = if f { 10 } else { 20 } + g as i32;",
        expected=lambda n, m, _a: (10 if n > 3 else 20) + all(i <= m for i in range(n)),
    ),
    Computation(
        name="a comparison of f32 constants",
        body="let c = 0.1_f32;\nlet q = if c * 3.0 > 0.3 { n } else { -n };",
        expected=lambda n, _m, _a: n if np.float32(0.1) * np.float32(3) > np.float32(0.3) else -n,
    ),
    Computation(
        name="a tile, a pointer and pointers from an if",
        body="let at = T::arange(0, 1);\nlet one = T::full::<i32>(&[1], 1);\n"
        "let p = if n > 2 { out_ptr } else { out_ptr };\n"
        "let mut cells = if n > 4 { p.add_offsets(at) } else { p.add_offsets(at + 0) };\n"
        "for i in 0..m {\n    cells = cells.add_offsets(one - 1);\n}\n"
        "let old = if n > 2 { T::load(cells, None, None, &[], None, None, None, false) } else { one };\n"
        "let q = T::sum(old, Some(0), true) * m;\n"
        "T::store(cells, q, None, &[], None, None);\nreturn;\nlet q = 0;",
        expected=lambda n, m, _a: (-77 if n > 2 else 1) * m,
        is_constant=False,
    ),
    Computation(
        name="a block inside an expression",
        body="let q = n + { let n = m * 2; n + 1 } * if n > 2 { let z = n; z } else { 1 };",
        expected=lambda n, m, _a: n + (m * 2 + 1) * (n if n > 2 else 1),
    ),
    Computation(
        name="a compile-time choice",
        body="let w = if S < 0 { BLOCK * 2 } else { BLOCK };\n"
        "let q = T::sum(T::full::<i32>(&[w], n), Some(0), true);\n"
        "T::store(out_ptr.add_offsets(T::arange(0, 1)), q, None, &[], None, None);\nreturn;\nlet q = 0;",
        expected=lambda n, _m, _a: 32 * n,
        is_constant=False,
    ),
    Computation(
        name="the largest f32 beside a tile",
        body="let low = -3.4028235e38_f32;\nlet t = T::max(T::full::<f32>(&[BLOCK], a) * 0.0 + low, Some(0), true);\n"
        "T::store(out_ptr.add_offsets(T::arange(0, 1)), t, None, &[], None, None);\nreturn;\nlet q = 0.0;",
        expected=lambda _n, _m, _a: -float(np.finfo(np.float32).max),
        dtype="f32",
        is_constant=False,
    ),
    Computation(
        name="NaN wins in a maximum",
        body="let t = T::full::<f32>(&[BLOCK], a);\n"
        "let lanes = T::cast::<i32, f32>(T::arange(0, BLOCK), None, false);\n"
        "let nan = T::where_(T::arange(0, BLOCK).eq(3), t * f32::NAN, lanes);\n"
        "let u = T::max(T::maximum(nan, t), Some(0), true) + T::min(lanes, Some(0), true);\n"
        "T::store(out_ptr.add_offsets(T::arange(0, 1)), u, None, &[], None, None);\nreturn;\nlet q = 0.0;",
        expected=lambda _n, _m, _a: float("nan"),
        dtype="f32",
        is_constant=False,
    ),
    Computation(
        name="a variable shifted by a distance of another dtype, beyond its width too",
        body="let mut q = n;\nq <<= (m + 31) as u8;\nq >>= 1;",
        expected=lambda n, m, _a: wrapped(n << ((m + 31) % 32)) >> 1,
    ),
    Computation(
        name="a loop whose condition takes statements to compute",
        body="let mut q = 0;\n"
        "while q < n || { q += 5; q < m } {\nq += 1;\nif q > 9 { continue; }\nq += 1;\n}",
        expected=lambda n, m, _a: loop_with_a_block(n, m),
        is_constant=False,
    ),
    Computation(
        name="a choice in the condition of a loop",
        body="let mut q = 0;\nwhile q < 9 && q * q < (if n < m { n } else if m == 4 { 30 } else { 50 }) {\nq += 1;\n}",
        expected=lambda n, m, _a: next(
            q for q in range(10) if not (q < 9 and q * q < (n if n < m else 30 if m == 4 else 50))
        ),
        is_constant=False,
    ),
    Computation(
        name="constants in a tuple have their dtypes",
        body="let (one, three): (u8, i64) = (1_u8, 3_i64);\n"
        "let q = ((n as u8) / one) as i32 + ((m as i64) % three) as i32;",
        expected=lambda n, m, _a: n + m % 3,
        is_constant=False,
    ),
    Computation(
        name="counters of a loop wrap in their own dtype",
        body="let mut q = 0;\nfor i in 0..(m as u8) {\nq += (i - 5) as i32;\n}\n"
        "for i in 0_i64..3 {\nq += (i * 3_000_000_000 / 1_000_000_000) as i32;\n}",
        expected=lambda _n, m, _a: sum((i - 5) % 256 for i in range(m)) + 9,
        is_constant=False,
    ),
    Computation(
        name="constants in tuples compute in their dtypes",
        body="let (b, c): (f32, f32) = (1.0, 2.5e-3);\nlet pair = (0.3_f32, b);\n"
        "let q = (c - 0.1) * b + (pair.0 - 0.1);",
        expected=lambda _n, _m, _a: single(
            single(single(2.5e-3) - single(0.1)) + single(single(0.3) - single(0.1))
        ),
        dtype="f32",
        is_constant=False,
    ),
    Computation(
        name="quotients of constants beyond 32 bits are exact",
        body="let far: i64 = -1_114_238_632_219_114_853;\nlet q = far % 1000 + far / 1_000_007;",
        expected=lambda _n, _m, _a: (
            -(1_114_238_632_219_114_853 % 1000) - 1_114_238_632_219_114_853 // 1_000_007
        ),
        dtype="i64",
        is_constant=False,
    ),
    Computation(
        name="a choice between constants computes in its dtype",
        body="let q = (if n < m { 1.0_f32 } else { 3.0 }) + 16777217.0 "
        "- (if n > m { 0.1_f32 } else { 16777217.0 } as f64) as f32;",
        expected=lambda n, m, _a: single(
            single((1.0 if n < m else 3.0) + 16777216.0) - (single(0.1) if n > m else 16777216.0)
        ),
        dtype="f32",
        is_constant=False,
    ),
    Computation(
        name="a constant decides the condition of a loop",
        body="let mut q = 0;\nwhile q < m && n < 5 {\nq += 1;\nif q == 3 { break; }\n}\n"
        "while S > 0 {\nq = 100;\n}",
        expected=lambda n, m, _a: min(m, 3) if n < 5 else 0,
        is_constant=False,
    ),
    Computation(
        name="arms give values of one type to a name that was of another",
        body="let mut q = (if n < m { let k = n; k * k } else { 7 });\n"
        "q += (if n < m { let k = 1.5_f32; k * a } else { 2.0 }) as i32;\n"
        "q += { let x; if n > 3 { x = 1_u8; } else { x = n as u8; } x } as i32;\n"
        "q += { let x; if n > 3 { x = 1_i64; } else { x = m as i64; } x } as i32;",
        expected=lambda n, m, a: (
            (n * n if n < m else 7)
            + int(single(1.5 * single(a)) if n < m else 2.0)
            + (1 if n > 3 else n)
            + (1 if n > 3 else m)
        ),
        is_constant=False,
    ),
    Computation(
        name="counters of one dtype that Triton counts in others",
        body="let mut q = 0;\nif n > m {\nfor x in 2_i64..6 { q += x as i32; }\n"
        "} else {\nfor x in (n as i64)..(m as i64) { q += x as i32; }\n}",
        expected=lambda n, m, _a: 14 if n > m else sum(range(n, m)),
        is_constant=False,
    ),
    Computation(
        name="a condition on a constant of another dtype",
        body="let c = -1_i8;\nlet d = c as i64;\nlet e = c as u8;\n"
        "let q = if d == -1 && n > 3 { 1 } else if e == 255 { 2 } else { m };",
        expected=lambda n, _m, _a: 1 if n > 3 else 2,
        is_constant=False,
    ),
    Computation(
        name="an argument that wraps beside bits of it",
        body="let q = m ^ (n + n + (n | 2147483647)) ^ (-2147483647 - (n ^ 3));",
        expected=lambda n, m, _a: (
            m ^ wrapped(n + n + (n | 2147483647)) ^ wrapped(-2147483647 - (n ^ 3))
        ),
    ),
    Computation(
        name="a choice between a value and a constant wraps and rounds in its dtype",
        body="let p = (if n < m { n } else { -100 }) - 2147483647;\n"
        "let q = if p > 0 { (if n < m { a } else { 0.1 }) * 0.3 } else { -1.0 };",
        expected=lambda n, m, _a: -1.0 if n < m else single(single(0.1) * single(0.3)),
        dtype="f32",
        is_constant=False,
    ),
    Computation(
        name="a choice that constants of another dtype decide",
        body="let k = 0_i16;\nlet v = if n < m { if k > 100 { k } else { 100 } } else { n as i16 };\n"
        "let q = v as i32;",
        expected=lambda n, m, _a: 100 if n < m else n,
        is_constant=False,
    ),
]
ARGUMENTS = [(1, 1, 0.1), (1, 5, 2.5), (4, 1, 0.3), (10, 4, 1.7), (13, 20, 3.9)]
_TORCH = {"i32": torch.int32, "i64": torch.int64, "f32": torch.float32, "f64": torch.float64}
_TRITON = {"i32": "*i32", "i64": "*i64", "f32": "*fp32", "f64": "*fp64"}


@pytest.mark.parametrize("computation", COMPUTATIONS, ids=lambda each: each.name)
def test_computes_what_rust_computes(
    computation: Computation, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    path = tmp_path / "m.py"
    path.write_text(module(computation.rust), encoding="utf-8")
    for n, m, a in ARGUMENTS:
        before = torch.full((1,), -77, dtype=_TORCH[computation.dtype])
        request = Request(
            path=path,
            function="k",
            arguments=(Slice(buffer=before, start=0, shape=(1,)), n, m, a),
            constants={"S": S, "BLOCK": 16},
            grid=(1,),
        )
        (after,) = interpreter.run(request)
        expected = computation.expected(n, m, a)
        np.testing.assert_equal(after.item(), expected, err_msg=f"n={n}, m={m}, a={a}")


@pytest.mark.parametrize("computation", COMPUTATIONS, ids=lambda each: each.name)
def test_triton_compiles_it(
    computation: Computation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415 - slow, and only where it is there
    from triton.compiler import ASTSource  # noqa: PLC0415

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"out_ptr": _TRITON[computation.dtype], "n": "i32", "m": "i32", "a": "fp32"}
    constants = {"S": S, "BLOCK": 16}
    with aot.loaded(module(computation.rust), "semantics") as generated:
        for ones in ((), ("n",), ("n", "m")):
            values = {**constants, **dict.fromkeys(ones, 1)}
            signature = {**types, **dict.fromkeys(values, "constexpr")}
            source = ASTSource(fn=generated.k, signature=signature, constexprs=values)
            compiled = triton.compile(
                source, target=GPUTarget("cuda", 90, 32), options={"enable_fp_fusion": True}
            )
            assert compiled.asm["cubin"].startswith(b"\x7fELF"), ones
        if computation.is_constant:
            expected = computation.expected(1, 1, 0.0)
            assert stored_constant(compiled.asm["ttir"]) == pytest.approx(expected, rel=1e-6)


def stored_constant(ttir: str) -> float:
    """The constant that the kernel stores: what Triton computed itself, since every argument is known."""
    stored = re.search(r"tt\.store %\w+, (%[\w-]+)", ttir)
    assert stored is not None
    constant = re.search(rf"{re.escape(stored[1])} = arith\.constant dense<(.*?)>", ttir)
    assert constant is not None, ttir
    return float(constant[1])
