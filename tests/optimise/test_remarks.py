"""Every transform says of every kernel what it did, or why it did nothing, and where."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.corpus.model import KERNELS
from tests.optimise.realistic.describing import KERNELS as REALISTIC
from tests.optimise.widening import ROW, rust, store
from transpiler.optimise.flags import TRANSFORMS, OptimiseOptions, Transform
from transpiler.optimise.remarks import applied_flags
from transpiler.pipeline import Options, Result, transpile_source
from transpiler.source import SourceFile

SOURCES = (*sorted(KERNELS.glob("*.rs")), Path(__file__).parents[2] / "kernels/batchnorm.rs")

each_source = pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)


@cache
def optimised(path: Path) -> Result:
    result = transpile_source(
        SourceFile(path.name, path.read_text("utf-8")),
        Options(optimise=OptimiseOptions(is_on=True)),
    )
    assert result.ok
    assert result.plans
    return result


@each_source
@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda it: it.flag)
def test_a_transform_has_a_remark_on_every_kernel(path: Path, transform: Transform) -> None:
    result = optimised(path)
    told = {it.kernel for it in result.remarks if it.transform == transform}
    assert told == {plan.kernel.name for plan in result.plans}


@each_source
def test_remarks_stand_in_the_text_of_their_kernel(path: Path) -> None:
    result = optimised(path)
    kernels = {plan.kernel.name: plan.kernel.span for plan in result.plans}
    outside = [
        it
        for it in result.remarks
        if not kernels[it.kernel].start <= it.span.start < it.span.end <= kernels[it.kernel].end
    ]
    assert outside == []


@each_source
def test_no_remark_is_empty(path: Path) -> None:
    assert [it for it in optimised(path).remarks if not it.message.strip()] == []


@each_source
def test_a_kernel_without_a_plan_has_no_applied_remark(path: Path) -> None:
    result = optimised(path)
    applied = {
        plan.kernel.name: applied_flags(result.remarks, plan.kernel.name)
        for plan in result.plans
        if plan.optimised is None
    }
    assert applied == dict.fromkeys(applied, ())


@pytest.mark.parametrize("off", ["block-axis", "vectorise-loop"])
def test_what_is_applied_is_not_missed_by_the_whole_kernel(off: str) -> None:
    """Without some transforms, some variants of plans come to nothing, and others to something."""
    path = REALISTIC / "images.rs"
    result = transpile_source(
        SourceFile(path.name, path.read_text("utf-8")),
        Options(optimise=OptimiseOptions(is_on=True, off=frozenset({off}))),
    )
    names = {plan.kernel.name: plan.kernel.name_span for plan in result.plans}
    applied = {(it.kernel, it.transform) for it in result.remarks if it.is_applied}
    missed = {
        (it.kernel, it.transform)
        for it in result.remarks
        if not it.is_applied and it.span == names[it.kernel]
    }
    assert applied
    assert {it for it in applied & missed if it[1].flag in _OF_NESTS} == set()


_OF_NESTS = {
    "split-index",
    "split-kernel",
    "split-reduction",
    "spread-loop",
    "vectorise-loop",
    "block-axis",
    "collapse-axes",
}


def test_the_corpus_has_kernels_with_and_without_plans() -> None:
    plans = [plan for path in SOURCES for plan in optimised(path).plans]
    assert {plan.optimised is None for plan in plans} == {True, False}


_ELEMENTWISE = f"{ROW} {store('y', 'p * n + o', 'x + x', 'Some(mask)')}"
_IN_A_LOOP = f"for k in 0..p {{ {_ELEMENTWISE} }}"


def missed(body: str, *off: str) -> dict[str, list[str]]:
    """The remarks on a kernel of what was not applied, by the flags of transforms."""
    options = Options(optimise=OptimiseOptions(is_on=True, off=frozenset(off)))
    found: dict[str, list[str]] = {}
    for it in transpile_source(SourceFile("k.rs", rust(body)), options).remarks:
        if not it.is_applied:
            found.setdefault(it.transform.flag, []).append(it.message)
    return found


@pytest.mark.parametrize("flag", ["split-reduction", "spread-loop", "vectorise-loop"])
def test_a_kernel_without_loops_has_no_other_reason_for_loops_to_stay(flag: str) -> None:
    assert missed(_ELEMENTWISE)[flag] == ["there is no loop"]
    assert missed(_IN_A_LOOP)[flag] == [_NO_NEST]


def test_a_kernel_that_is_no_nest_and_cannot_be_widened_says_both() -> None:
    reasons = missed(_IN_A_LOOP)["block-axis"]
    assert reasons == [_NO_NEST, "how often the loop runs is decided by program"]
    assert missed(_IN_A_LOOP)["split-kernel"] == [_NO_NEST]


_NO_NEST = "lanes of BLOCK are used outside of a loop that moves along them"


@pytest.mark.parametrize(
    ("off", "reason"),
    [
        ("split-reduction", "a loop reduces, and `split-reduction` is off"),
        ("split-kernel", "there are several loops, and `split-kernel` is off"),
        ("block-axis", "no axis that may be lanes without `block-axis` is contiguous in memory"),
    ],
)
def test_what_is_off_is_what_stands_in_the_way_of_others(off: str, reason: str) -> None:
    path = REALISTIC / "columns.rs"
    options = Options(optimise=OptimiseOptions(is_on=True, off=frozenset({off})))
    result = transpile_source(SourceFile(path.name, path.read_text("utf-8")), options)
    found = {it.transform.flag for it in result.remarks if it.message == reason}
    assert found >= {"spread-loop", "collapse-axes"}
    assert off not in found
