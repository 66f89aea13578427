"""What kernels with jumps, `match` and ranges of every kind compute, and how they read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import transpiler
from tests.interpreter.process import InterpreterProcess, Request, Slice
from tests.unit.passes.kernels import kernel, module, translated
from transpiler.harness import aot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_STORE = (
    "T::store(out_ptr.add_offsets(T::arange(0, 1)), T::full::<i32>(&[1], q), "
    "None, &[], None, None);"
)
_ARGUMENTS = [(0, 0), (1, 1), (1, 5), (4, 1), (10, 4), (13, 20), (7, -3), (104, 2)]


def _rust(body: str) -> str:
    return kernel(
        f"{body}\n{_STORE}",
        generics="T: Triton",
        parameters="out_ptr: T::Pointer<i32>, n: i32, m: i32",
    )


def _digits(values: range) -> int:
    """What `q = (q * 3 + i) % 1009` gives over the values, as Rust's `%` does."""
    q = 0
    for i in values:
        whole = q * 3 + i
        q = abs(whole) % 1009 * (1 if whole >= 0 else -1)
    return q


def _jumps(n: int, m: int) -> int:
    q = 0
    for i in range(n):
        if i > 2:
            if i > m:
                break
            q += 10
        q += i
    return q


def _labelled(n: int, m: int) -> int:
    q = 0
    for i in range(n):
        for j in range(m):
            if j > i:
                break
            if i * j > 6:
                return q
            q += i * j + 1
        else:
            q += 100
    return q


_CASES: dict[str, tuple[str, Callable[[int, int], int]]] = {
    "match": (
        "let q = match n { 0 => 10, -1 | 3..=5 => 20, k if k > 100 => k - 1, _ => { let t = n * 2; t + 1 } };",
        lambda n, _m: (
            10 if n == 0 else 20 if n in {-1, 3, 4, 5} else n - 1 if n > 100 else n * 2 + 1
        ),
    ),
    "match statement": (
        "let mut q = 7; match n % 3 { 0 => q = 1, 1 => { q = 2; } _ => {} }",
        lambda n, _m: (1, 2, 7)[n % 3],
    ),
    "match bool": (
        "let q = match n > m { true => 1, false => 2 };",
        lambda n, m: 1 if n > m else 2,
    ),
    "loop value": (
        "let mut i = 0; let q = loop { i += 3; if i > n { break i * 2; } };",
        lambda n, _m: (n // 3 + 1) * 6,
    ),
    "while": (
        (
            "let mut i = 0; let mut q = 0; while i < n { i += 1; if i % 2 == 0 { continue; } "
            "if i > 7 { break; } q += i; }"
        ),
        lambda n, _m: sum(i for i in range(1, min(n, 8) + 1) if i % 2 and i <= 7),
    ),
    "partial jumps": (
        "let mut q = 0; for i in 0..n { if i > 2 { if i > m { break; } q += 10; } q += i; }",
        _jumps,
    ),
    "reversed": (
        "let mut q = 0; for i in (0..n).rev() { q = (q * 3 + i) % 1009; }",
        lambda n, _m: _digits(range(n - 1, -1, -1)),
    ),
    "inclusive": (
        "let mut q = 0; for i in m..=n { q = (q * 3 + i) % 1009; }",
        lambda n, m: _digits(range(m, n + 1)),
    ),
    "inclusive reversed": (
        "let mut q = 0; for i in (m..=n).rev() { q = (q * 3 + i) % 1009; }",
        lambda n, m: _digits(range(n, m - 1, -1)),
    ),
    "stepped": (
        "let mut q = 0; for i in (m..n).step_by(2) { q = (q * 3 + i) % 1009; }",
        lambda n, m: _digits(range(m, n, 2)),
    ),
    "reversed and stepped": (
        "let mut q = 0; for i in (m..n).rev().step_by(3) { q = (q * 3 + i) % 1009; }",
        lambda n, m: _digits(range(n - 1, m - 1, -3)),
    ),
    "stepped and reversed": (
        "let mut q = 0; for i in (m..n).step_by(3).rev() { q = (q * 3 + i) % 1009; }",
        lambda n, m: _digits(range(m, n, 3)[::-1]),
    ),
    "labels": (
        (
            "let mut q = 0; 'a: for i in 0..n { for j in 0..m { if j > i { continue 'a; } "
            "if i * j > 6 { break 'a; } q += i * j + 1; } q += 100; }"
        ),
        _labelled,
    ),
    "return in a loop": (
        "let mut q = 0; for i in 0..n { if i > 4 { let q = 77; " + _STORE + " return; } q += i; }",
        lambda n, _m: 77 if n > 5 else sum(range(n)),
    ),
    "assigned later": (
        "let q; if n > m { q = 1; } else { q = 2; }",
        lambda n, m: 1 if n > m else 2,
    ),
    "swap": (
        "let (mut a, mut b) = (n, m); (a, b) = (b, a); let q = a * 10 + b;",
        lambda n, m: m * 10 + n,
    ),
    "nested pattern": ("let (a, (b, c)) = (n, (m, 3)); let q = a + b * c;", lambda n, m: n + m * 3),
    "continue in a value": (
        "let mut q = 0; for i in 0..n { let v = if i % 2 == 0 { i } else { continue }; q += v; }",
        lambda n, _m: sum(range(0, n, 2)),
    ),
    "loop in an expression": (
        "let q = 1 + { let mut i = 0; loop { i += 3; if i > n { break; } i += 1; } i };",
        lambda n, _m: 1 + next(i for i in range(3, 10_000, 4) if i > n),
    ),
    "labelled block": (
        "let q = 'a: { if n > 3 { break 'a 1; } 2 };",
        lambda n, _m: 1 if n > 3 else 2,
    ),
    "block as a condition": (
        "let mut q = 0; while { let t = q * 2; t < n } { q += 1; }",
        lambda n, _m: (n + 1) // 2,
    ),
}


@pytest.mark.parametrize("name", _CASES)
def test_computes_what_rust_computes(
    name: str, interpreter: InterpreterProcess, tmp_path: Path
) -> None:
    body, expected = _CASES[name]
    path = tmp_path / "m.py"
    path.write_text(module(_rust(body)), encoding="utf-8")
    for n, m in _ARGUMENTS:
        before = torch.full((1,), -77, dtype=torch.int32)
        request = Request(
            path=path,
            function="k",
            arguments=(Slice(buffer=before, start=0, shape=(1,)), n, m),
            constants={},
            grid=(1,),
        )
        (after,) = interpreter.run(request)
        np.testing.assert_equal(after.item(), expected(n, m), err_msg=f"n={n}, m={m}")


@pytest.mark.parametrize("name", _CASES)
def test_triton_compiles_it(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415 - slow, and only where it is there
    from triton.compiler import ASTSource  # noqa: PLC0415

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {"out_ptr": "*i32", "n": "i32", "m": "i32"}
    with aot.loaded(module(_rust(_CASES[name][0])), "structure") as generated:
        for ones in ((), ("n",), ("n", "m")):
            values = dict.fromkeys(ones, 1)
            signature = {**types, **dict.fromkeys(values, "constexpr")}
            source = ASTSource(fn=generated.k, signature=signature, constexprs=values)
            compiled = triton.compile(
                source, target=GPUTarget("cuda", 90, 32), options={"enable_fp_fusion": True}
            )
            assert compiled.asm["cubin"].startswith(b"\x7fELF"), ones


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for i in (0..n).rev() { T::debug_barrier(); }", "for i in range(n - 1, -1, -1):"),
        ("for i in m..=n { T::debug_barrier(); }", "for i in range(m, n + 1):"),
        ("for i in (m..n).step_by(2) { T::debug_barrier(); }", "for i in range(m, n, 2):"),
        # The type of `0` is that of the other end.
        (
            "for i in (0..n).step_by(BLOCK as usize) { T::debug_barrier(); }",
            "for i in range(0, n, BLOCK):",
        ),
        ("let mut i = 0; loop { if i >= n { break; } i += m; }", "while i < n:"),
    ],
)
def test_reads_like_triton(body: str, expected: str) -> None:
    assert expected in translated(body)


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("break;", "E0604", "stands in no loop"),
        ("while n > m { break 'a; }", "E0604", "has the label `'a`"),
        ("let q = match n { 0 => 1, 1..=5 => 2 };", "E0603", "does not cover `-2147483648`"),
        ("let q = match n > m { true => 1 };", "E0603", "does not cover `false`"),
        ("let q: i32; if n > m { q = 1; } let r = q + 1;", "E0601", "not every path"),
    ],
)
def test_refuses(body: str, code: str, message: str) -> None:
    found = transpiler.transpile(_rust(f"{body}\nlet q = 0;")).diagnostics
    assert [each.code for each in found][:1] == [code]
    assert re.search(re.escape(message), found[0].message)
