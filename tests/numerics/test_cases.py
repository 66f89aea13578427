"""The cases cover what they promise."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from tests.numerics.cases import (
    BATCHES,
    BLOCKS,
    CHANNELS,
    LENGTHS,
    DType,
    Kernel,
    cases,
    large_cases,
)
from tests.numerics.covering import pairwise

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_pairwise_holds_every_pair_in_fewer_rows() -> None:
    rows = list(itertools.product(range(4), range(3), range(3), range(2)))
    chosen = pairwise(rows)
    assert pairs(chosen) == pairs(rows)
    assert len(chosen) < 20 < len(rows)


def test_pairwise_leaves_out_what_no_row_holds() -> None:
    assert pairwise([("a", 1), ("b", 2)]) == [("a", 1), ("b", 2)]


def pairs(rows: Sequence[tuple[int, ...]]) -> set[tuple[tuple[int, int], ...]]:
    return {pair for row in rows for pair in itertools.combinations(enumerate(row), 2)}


@pytest.mark.parametrize("by_element", [False, True])
@pytest.mark.parametrize("kernel", Kernel)
def test_every_size_meets_every_dtype_and_block(kernel: Kernel, *, by_element: bool) -> None:
    chosen = [case for case in cases(by_element=by_element) if case.kernel is kernel]
    lengths = {(case.inner if kernel.is_image else case.outer, case.dtype) for case in chosen}
    assert lengths == set(itertools.product(LENGTHS, DType))
    assert {(case.block, case.dtype) for case in chosen} == set(itertools.product(BLOCKS, DType))
    assert {case.channels for case in chosen} == set(CHANNELS)
    if kernel.is_image:
        assert {case.outer for case in chosen} == set(BATCHES)


def test_names_and_seeds_are_unique() -> None:
    chosen = [*cases(by_element=False), *large_cases()]
    names = {case.name for case in chosen}
    assert len(names) == len(set(chosen))
    assert len({case.seed for case in chosen}) == len(names)
