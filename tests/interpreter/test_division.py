"""Quotients and remainders of integers are Rust's where Triton holds Python's numbers, 1 as an argument among them."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import pytest
import torch

import transpiler
from tests.interpreter.process import Request, Slice

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interpreter.process import InterpreterProcess

VALUES = (1, 7, -7)
BLOCK = 4

CHOSEN = "if n > 3 { i } else { k - n }"
POSITIVE = "if S < 1 { 5 } else { S }"

# Expressions of `n`, `m`, the loop's variables, and the constants; `a / b` and `a % b` of each pair.
PAIRS = (
    ("n", "m"),
    ("n", "S"),
    ("n + BLOCK - 1", "BLOCK"),
    ("n - 3", "m"),
    ("-n", "S"),
    ("n * m", "2"),
    ("i", "S"),
    ("i - 2", "2"),
    ("k", "S"),
    ("4 - i", "m"),
    ("S", "3"),
    ("BLOCK - 1", "3"),
    (CHOSEN, "S"),
    ("i", POSITIVE),
)


def rust() -> str:
    body, at = "", 0
    for pair in PAIRS:
        for operator in "/%":
            body += (
                f"T::store(out.add_offsets(place + {at}), T::full::<i32>(&[1], "
                f"({pair[0]}) {operator} ({pair[1]})), None, &[], None, None);\n"
            )
            at += 1
    return (
        "#[kernel]\npub fn k<T: Triton, const BLOCK: i32, const S: i32>"
        "(out: T::Pointer<i32>, n: i32, m: i32) {\n"
        "let tile = T::zeros::<i32>(&[BLOCK]);\nlet mut row = 0;\n"
        "for i in 0..3 {\nfor k in (n - 2)..(n + 1) {\n"
        f"let place = T::arange(0, 1) + row * {at};\n{body}row += 1;\n}}\n}}\n}}\n"
    )


def truncated(a: int, b: int, operator: str) -> int:
    quotient = math.trunc(a / b)
    return quotient if operator == "/" else a - quotient * b


def expected(n: int, m: int, s: int) -> list[int]:
    found = []
    for i, k in product(range(3), range(n - 2, n + 1)):
        names = {"n": n, "m": m, "S": s, "BLOCK": BLOCK, "i": i, "k": k}
        chosen = {CHOSEN: i if n > 3 else k - n, POSITIVE: 5 if s < 1 else s}
        for pair in PAIRS:
            a, b = (
                chosen[side] if side in chosen else eval(side, dict(names))  # noqa: S307 - ours
                for side in pair
            )
            found += [truncated(a, b, operator) for operator in "/%"]
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = transpiler.transpile(rust()).text
    assert text is not None
    path = tmp_path_factory.mktemp("division") / "division.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("n", VALUES)
@pytest.mark.parametrize("m", VALUES)
def test_division_truncates(n: int, m: int, path: Path, interpreter: InterpreterProcess) -> None:
    for s in (3, -3):
        wanted = expected(n, m, s)
        out = torch.zeros(len(wanted), dtype=torch.int32)
        request = Request(
            path=path,
            function="k",
            arguments=(Slice(buffer=out, start=0, shape=(len(wanted),)), n, m),
            constants={"BLOCK": BLOCK, "S": s},
            grid=(1,),
        )
        (after,) = interpreter.run(request)
        assert after.tolist() == wanted
