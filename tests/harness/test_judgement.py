"""What passes and what a small fault looks like, with functions of torch in the place of launches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from tests.harness.sources import kernel
from transpiler.harness.arguments import give, prepare, refer
from transpiler.harness.cases import Case
from transpiler.harness.judging import find_truth, judge, setting, widened
from transpiler.harness.outcomes import Verdict
from transpiler.harness.programs import Program, launched_kernels
from transpiler.harness.runs import Filter, runs_of
from transpiler.harness.tolerances import ROUNDOFF
from transpiler.ir.types import DType
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from transpiler.harness.judging import Finding

    Launch = Callable[[torch.Tensor, torch.Tensor], object]

FLOATS = ("f32", "f64", "f16", "bf16")
HERE = Path("a_cases.py")


def judged(
    reference: Callable[..., object],
    launch: Launch,
    *,
    x: Callable[[], torch.Tensor] = lambda: torch.randn(100),
    dtype: str = "f32",
    tolerance: float | None = None,
) -> list[Finding]:
    """What is wrong with a launch that is a function of `x` and of an unwritten `y`."""
    is_float = dtype in FLOATS
    value = "x" if dtype == "bool" else "x + x"
    rust = kernel("k", dtype="D" if is_float else dtype, value=value)
    result = transpile_source(SourceFile("a.rs", rust))
    assert result.line_map is not None
    program = Program(
        name="a.rs",
        stem="a",
        cases=str(HERE),
        source=result.source,
        text=result.text or "",
        kernels=launched_kernels(result.plans),
        rust_span=result.line_map.rust_span,
    )
    case = Case(
        kernel="k",
        dtypes=dtype if is_float else None,
        constants={"BLOCK": 16},
        inputs=lambda: {"x": x(), "n": 100},
        reference=reference,
        grid=1,
        tolerance=tolerance,
    )
    (run,), faults, _ = runs_of(program, [case], Filter())
    assert faults == ()
    given = give(run, torch.device("cpu"), HERE)
    exact = refer(run, given, widened(given), HERE, is_exact=True)
    prepared = prepare(run, given, exact, HERE)
    launch(prepared.fenced["x_ptr"].tensor, prepared.fenced["y_ptr"].tensor)
    truth = find_truth(run, given, exact, HERE)
    found, outputs = judge(
        run, given, prepared, truth, setting(given, terms=None, is_chopped=False)
    )
    assert [output.name for output in outputs] == ["y_ptr"]
    return found


def verdicts(found: list[Finding]) -> list[Verdict]:
    return [each.verdict for each in found]


@pytest.mark.parametrize("dtype", FLOATS)
def test_roundings_pass_and_a_hundred_of_them_do_not(dtype: str) -> None:
    off = 100 * ROUNDOFF[DType(dtype)]
    assert judged(torch.square, lambda x, y: y.copy_(x.square()), dtype=dtype) == []
    found = judged(torch.square, lambda x, y: y.copy_(x.double().square() * (1 + off)), dtype=dtype)
    assert verdicts(found) == [Verdict.WRONG]


def test_a_sum_that_cancels_is_judged_by_its_terms() -> None:
    def x() -> torch.Tensor:
        half = torch.randn(5000)
        return torch.cat([half, -half * (1 + 1e-6)])[torch.randperm(10000)]

    def one_after_another(x: torch.Tensor, y: torch.Tensor) -> None:
        total = torch.zeros((), dtype=torch.float32)
        for each in x:
            total += each
        y.copy_(total)

    def total(x: torch.Tensor) -> torch.Tensor:
        return x.sum().reshape(1)

    assert judged(total, one_after_another, x=x) == []
    found = judged(total, lambda x, y: y.copy_(x.sum() + 0.02), x=x)
    assert verdicts(found) == [Verdict.WRONG]


def test_a_variance_far_from_zero_may_not_be_a_difference_of_squares() -> None:
    def x() -> torch.Tensor:
        return torch.randn(1000) + 300

    def variance(x: torch.Tensor) -> torch.Tensor:
        return x.var(correction=0).reshape(1)

    def by_two_passes(x: torch.Tensor, y: torch.Tensor) -> None:
        y.copy_((x - x.mean()).square().mean())

    def by_moments(x: torch.Tensor, y: torch.Tensor) -> None:
        y.copy_(x.square().mean() - x.mean().square())

    assert judged(variance, by_two_passes, x=x) == []
    assert verdicts(judged(variance, by_moments, x=x)) == [Verdict.WRONG]


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_small_result_may_come_of_numbers_around_one(dtype: str) -> None:
    def x() -> torch.Tensor:
        return torch.cat([-torch.rand(1000) / 64, torch.tensor([-1.5])])

    def simply(x: torch.Tensor, y: torch.Tensor) -> None:
        wide = x if dtype == "f64" else x.float()
        y.copy_(wide.exp() - 1)

    assert judged(torch.expm1, simply, x=x, dtype=dtype) == []
    wrong = judged(torch.expm1, lambda x, y: y.copy_(x.double().expm1() * 1.05), x=x, dtype=dtype)
    assert verdicts(wrong) == [Verdict.WRONG]


@pytest.mark.parametrize("side", [-1, 1])
def test_an_element_at_a_jump_may_lie_on_either_side(side: int) -> None:
    # Far enough for f32 to tell, near enough for a rounding to change it.
    def x() -> torch.Tensor:
        return torch.full((3,), 7.0) * (1 + side * 2**-22)

    assert judged(torch.floor, lambda _, y: y.fill_(7.0), x=x) == []
    assert judged(torch.floor, lambda _, y: y.fill_(6.0), x=x) == []
    assert verdicts(judged(torch.floor, lambda _, y: y.fill_(7.0), x=lambda: x() - 0.5)) == [
        Verdict.WRONG
    ]


def test_nan_and_infinity_have_to_be_where_they_belong() -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        return torch.log(x)

    def x() -> torch.Tensor:
        return torch.tensor([-1.0, 0.0, 2.0])

    assert judged(reference, lambda x, y: y.copy_(x.log()), x=x) == []
    for place, value in ((0, 0.0), (1, -1e38), (2, float("nan")), (2, float("inf"))):

        def launch(x: torch.Tensor, y: torch.Tensor, at: int = place, to: float = value) -> None:
            y.copy_(x.log())
            y[at] = to

        found = judged(reference, launch, x=x)
        assert verdicts(found) == [Verdict.WRONG], (place, value)
        assert f"1 of 3 elements wrong; [{place}] is " in found[0].message


def test_what_overflows_when_it_is_stored_is_infinite() -> None:
    def x() -> torch.Tensor:
        return torch.tensor([300.0, 2.0])

    assert judged(torch.square, lambda x, y: y.copy_(x.square()), x=x, dtype="f16") == []


def test_nan_that_nobody_wrote_is_not_nan_that_was_computed() -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        return torch.where(x > 0, x, float("nan"))

    def some(x: torch.Tensor, y: torch.Tensor) -> None:
        y[x > 0] = x[x > 0]

    assert judged(reference, some) == []
    found = judged(lambda x: x.clone(), some)
    assert verdicts(found) == [Verdict.UNWRITTEN]
    found = judged(lambda x: x.clone(), lambda _, y: y.fill_(float("nan")))
    assert verdicts(found) == [Verdict.WRONG]


def test_a_changed_input_is_seen_though_it_is_rounding() -> None:
    def launch(x: torch.Tensor, y: torch.Tensor) -> None:
        y.copy_(x)
        x[7] *= 1 + 2**-20

    found = judged(lambda x: x.clone(), launch)
    assert verdicts(found) == [Verdict.INPUT_CHANGED]
    assert found[0].message == "x_ptr: 1 of 100 elements changed, the first at [7]"


def test_a_tolerance_of_the_case_takes_the_place_of_the_default() -> None:
    def launch(x: torch.Tensor, y: torch.Tensor) -> None:
        y.copy_(x * 1.001)

    assert verdicts(judged(lambda x: x.clone(), launch)) == [Verdict.WRONG]
    assert judged(lambda x: x.clone(), launch, tolerance=2e-3) == []
    assert verdicts(judged(lambda x: x.clone(), launch, tolerance=5e-4)) == [Verdict.WRONG]


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool"])
def test_integers_of_every_dtype_are_compared_exactly(dtype: str) -> None:
    def x() -> torch.Tensor:
        return torch.randint(0, 2, (100,))

    def copy(x: torch.Tensor, y: torch.Tensor) -> None:
        y.copy_(x)

    def spoil(x: torch.Tensor, y: torch.Tensor) -> None:
        y.copy_(x)
        y[3] = 1 - int(x[3])

    assert judged(lambda x: x.clone(), copy, x=x, dtype=dtype) == []
    found = judged(lambda x: x.clone(), spoil, x=x, dtype=dtype)
    assert verdicts(found) == [Verdict.WRONG]
    assert "1 of 100 elements wrong; [3] is " in found[0].message
    left = judged(lambda x: x.clone(), lambda x, y: y[1:].copy_(x[1:]), x=x, dtype=dtype)
    assert verdicts(left) == [Verdict.UNWRITTEN]


def test_what_a_reference_makes_is_as_wide_as_its_tensors() -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        thirds = torch.full((100,), 1 / 3)
        assert thirds.dtype == (torch.float64 if x.dtype is torch.float64 else torch.float32)
        return x * thirds

    before = torch.get_default_dtype()
    assert judged(reference, lambda x, y: y.copy_(x / 3), dtype="f64") == []
    assert judged(reference, lambda x, y: y.copy_(x / 3), dtype="f16") == []
    assert torch.get_default_dtype() is before


def test_torch_without_an_operator_for_the_dtype_is_no_failure() -> None:
    def reference(x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = torch.linalg.inv(x.view(10, 10))
        return made.flatten()

    def launch(x: torch.Tensor, y: torch.Tensor) -> None:
        y.copy_(torch.linalg.inv(x.double().view(10, 10)).flatten())

    assert judged(reference, launch, dtype="f16") == []
