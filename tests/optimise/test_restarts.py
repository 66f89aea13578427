"""Variables that are given a value anew become others."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, dumped, routine
from transpiler.optimise.lifting.restarts import restarted
from transpiler.optimise.symbols import Symbols

TERM = f"T::load(x.add_offsets(T::arange(0, 1) + (i * a + c)), None, None, {LOAD})"
LOOP = f"for i in 0..n {{ acc = acc + {TERM}; }}"
START = "let c = T::program_id(Axis::X); let mut acc = T::zeros::<D>(&[1]);"
END = f"T::store(y.add_offsets(T::arange(0, 1) + c), acc, None, {STORE});"


def sums(body: str) -> list[str]:
    """What the loops of a kernel leave behind, and what is stored."""
    lines = [line.strip() for line in dumped(body)]
    return [it for it in lines if " reducing " in it or it.startswith(("store", "let"))]


def test_each_pass_has_a_sum_of_its_own() -> None:
    again = "let first = acc; acc = T::zeros::<D>(&[1]);" + LOOP.replace("+ T", "+ first * T")
    loops = [it for it in sums(START + LOOP + again + END) if " reducing " in it]
    assert [it.partition(" reducing ")[2] for it in loops] == [
        "sum acc as first {",
        "sum acc as acc {",
    ]


def test_a_sum_that_is_changed_behind_its_loop_is_read_changed() -> None:
    changed = "acc = acc + acc; acc = acc * acc;"
    *_, left = sums(START + LOOP + changed + END)
    assert left.startswith("store<D>(offset(y, pid_x), acc, ")
    assert [it for it in sums(START + LOOP + changed + END) if it.startswith("let")] == [
        "let acc = acc + acc",
        "let acc = acc * acc",
    ]


@pytest.mark.parametrize("rest", ["", LOOP, f"if n > a {{ acc = acc * acc; }} {LOOP}"])
def test_a_kernel_none_of_whose_variables_starts_again_stays_as_it_is(rest: str) -> None:
    kernel = routine(START + rest + END)
    assert restarted(kernel, Symbols(kernel)) is kernel
