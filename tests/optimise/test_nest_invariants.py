"""Every nest on the way from a kernel to its stages is well-formed, and the check for it can fail."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.corpus.model import KERNELS
from tests.optimise.test_same_results import CASES
from tests.optimise.verify_nest import InvalidNestError, verified_nests, verify_nest
from tests.properties.nest_kernels import nest_kernel
from tests.properties.nest_runs import optimised
from transpiler.ir import nodes as ir
from transpiler.optimise.nests.nest import Accumulate, Loop, Store

if TYPE_CHECKING:
    from pathlib import Path

    from transpiler.optimise.nests.nest import Nest


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.rs")), ids=lambda path: path.stem)
def test_nests_of_the_corpus_are_well_formed(path: Path) -> None:
    with verified_nests():
        result = optimised(path.read_text("utf-8"))
    assert result.text is not None


def test_random_nests_are_well_formed_after_each_transform() -> None:
    with verified_nests() as seen:
        for seed in range(60):
            optimised(nest_kernel(Random(seed)).rust)  # noqa: S311 - no secret
    steps = {"lift", "split-index", "split-kernel", "partial", "final", "apply"}
    assert steps <= {step for step, _ in seen}


@pytest.fixture(scope="module")
def nest() -> Nest:
    (rust,) = [it.kernel.rust for it in CASES if it.name == "a_sum_of_squares_of_inner_sums"]
    with verified_nests() as seen:
        optimised(rust)
    lifted = dict(seen)["lift"]
    assert lifted is not None
    return lifted


def test_a_name_without_a_value_is_refused(nest: Nest) -> None:
    broken = replace(nest, items=tuple(it for it in nest.items if isinstance(it, Store)))
    with pytest.raises(InvalidNestError, match="is read where it has no value"):
        verify_nest(broken)


def test_a_name_is_defined_once(nest: Nest) -> None:
    loop = next(it for it in nest.items if isinstance(it, Loop))
    with pytest.raises(InvalidNestError, match="is defined twice"):
        verify_nest(replace(nest, items=(loop, *nest.items)))


def test_accumulating_belongs_into_the_loop(nest: Nest) -> None:
    loop = next(it for it in nest.items if isinstance(it, Loop))
    term = next(it for it in loop.items if isinstance(it, Accumulate))
    outside = replace(term, term=loop.axis.stop)
    with pytest.raises(InvalidNestError, match="accumulates outside of its loop"):
        verify_nest(replace(nest, items=(*nest.items, outside)))


def test_nothing_reads_what_accumulates(nest: Nest) -> None:
    loop = next(it for it in nest.items if isinstance(it, Loop))
    symbol = loop.reductions[0].symbol
    reading = ir.Let(
        span=loop.span,
        symbol=replace(symbol, id=10_000),
        value=ir.Read(span=loop.span, type=symbol.type, symbol=symbol),
    )
    broken = replace(loop, items=(*loop.items, reading))
    items = tuple(broken if it is loop else it for it in nest.items)
    with pytest.raises(InvalidNestError, match="is read while it accumulates"):
        verify_nest(replace(nest, items=items))
