"""Loops that start somewhere in memory start from 0, and those that go down go up."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, dumped, routine
from transpiler.optimise.lifting.origins import rebased
from transpiler.optimise.symbols import Symbols


def sums(loop: str, before: str = "", at: str = "i") -> str:
    """The sum of each row, in a loop over its elements."""
    return f"""
        let row = T::program_id(Axis::X);
        {before}
        let mut acc = T::zeros::<D>(&[1]);
        {loop} {{
            acc = acc + T::load(x.add_offsets(T::arange(0, 1) + {at}), None, None, {LOAD});
        }}
        T::store(y.add_offsets(T::arange(0, 1) + row), acc, None, {STORE});
    """


TILES = f"""
    let row = T::program_id(Axis::X);
    let begin = row * n;
    let end = begin + n;
    let zeros = T::zeros::<D>(&[BLOCK]);
    let mut acc = zeros;
    let mut i = begin;
    while i < end {{
        let at = T::arange(0, BLOCK) + i;
        acc = acc + T::load(x.add_offsets(at), Some(at.lt(end)), Some(zeros), {LOAD});
        i += BLOCK;
    }}
    T::store(y.add_offsets(T::arange(0, 1) + row), T::sum(acc, None, true), None, {STORE});
"""


@pytest.mark.parametrize(
    ("body", "head", "address"),
    [
        (sums("for i in row * n..(row + 1) * n"), "0_i32..n", "(pid_x * n) + i"),
        (
            sums("for i in begin..end", "let begin = row * n; let end = begin + b;"),
            "0_i32..b",
            "begin + i",
        ),
        (
            sums("for i in (0..n).rev()", at="row * n + i"),
            "0_i32..n",
            "(pid_x * n) + ((n - 1_i32) - i)",
        ),
        (
            sums("for i in (a..=b).rev()", at="row * n + i"),
            "0_i32..(1_i32 + b) - a",
            "(pid_x * n) + (b - i)",
        ),
        (TILES, "0_i32..n", "at"),
    ],
)
def test_indices_count_from_the_start(body: str, head: str, address: str) -> None:
    lines = [it.strip() for it in dumped(body)]
    (loop,) = (it for it in lines if it.startswith("for"))
    assert f" in {head} reducing" in loop
    assert any(f"offset(x, {address})" in it for it in lines)


@pytest.mark.parametrize(
    "body",
    [
        sums("for i in a..n", at="row * n + i"),
        # What differs from program to program stays, and is refused later.
        sums("for i in row..n"),
        sums("for i in (0..n).rev().step_by(2)", at="row * n + i"),
    ],
)
def test_other_loops_stay(body: str) -> None:
    kernel = routine(body)
    assert rebased(kernel, Symbols(kernel)) is kernel
