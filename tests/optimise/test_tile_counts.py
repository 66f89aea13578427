"""Loops that count tiles step by the extent of these."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, dumped, routine
from transpiler.ir.dump import dump_routine
from transpiler.optimise.lifting.tile_counts import stepped
from transpiler.optimise.symbols import Symbols


def sums(loop: str, at: str = "t * BLOCK", before: str = "") -> str:
    """The sum of each column, over a loop whose tiles start `at`."""
    return f"""
        let c = T::program_id(Axis::X);
        let zeros = T::zeros::<D>(&[BLOCK]);
        let mut acc = zeros;
        {before}
        for t in {loop} {{
            let rows = T::arange(0, BLOCK) + {at};
            acc = acc + T::load(x.add_offsets(rows * a + c), Some(rows.lt(n)), Some(zeros), {LOAD});
        }}
        T::store(y.add_offsets(T::arange(0, 1) + c), T::sum(acc, None, true), None, {STORE});
    """


def loops(body: str) -> list[str]:
    """The heads of the loops of a kernel's nest."""
    return [it.strip() for it in dumped(body) if it.strip().startswith("for ")]


@pytest.mark.parametrize(
    "body",
    [
        sums("0..(n + BLOCK - 1) / BLOCK"),
        sums("0..(n + (BLOCK - 1)) / BLOCK", at="BLOCK * t"),
        sums("0..T::cdiv(n, BLOCK)"),
        sums("0..tiles", before="let tiles = (BLOCK + n - 1) / BLOCK;"),
    ],
)
def test_tiles_that_are_counted_are_stepped_through(body: str) -> None:
    (head,) = loops(body)
    assert head == "for rows in 0_i32..n reducing sum acc as acc {"


@pytest.mark.parametrize(
    "body",
    [
        sums("1..(n + BLOCK - 1) / BLOCK"),
        # Tiles that are left out at the end, one too many, and those of another extent.
        sums("0..n / BLOCK"),
        sums("0..(n + BLOCK) / BLOCK"),
        sums("0..(n + b - 1) / b"),
        sums("0..(n + BLOCK - 1) / BLOCK", at="t * b"),
        sums("0..(n + BLOCK - 1) / BLOCK", at="t * BLOCK + t"),
    ],
)
def test_other_counts_stay(body: str) -> None:
    kernel = routine(body)
    assert stepped(kernel, Symbols(kernel)) is kernel


def test_a_length_that_has_a_name_keeps_it() -> None:
    kernel = routine(
        sums("0..(length + BLOCK - 1) / BLOCK", before="let length = n / b;").replace(
            "rows.lt(n)", "rows.lt(length)"
        )
    )
    assert "for t: i32 in 0_i32..length step BLOCK {" in dump_routine(
        stepped(kernel, Symbols(kernel))
    )
