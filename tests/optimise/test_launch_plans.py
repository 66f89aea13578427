"""Launch plans: what a module has of them, and what its launchers and operators launch."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.host.interpreted import interpreted
from tests.optimise.hand_made import OPTIMISED, SOURCE, N, column_sums, plan, planned
from transpiler.harness import launching
from transpiler.ir.extent import AtLeast, Division, Named, Number, Parameter, Product
from transpiler.ir.launch_plan import Quantity
from transpiler.optimise.flags import NO_OPTIMISATION
from transpiler.optimise.nests.extents import least, power_of_two
from transpiler.pipeline import transpile_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from syrupy.assertion import SnapshotAssertion

    from transpiler.ir.launch_plan import LaunchPlan

PLANNED = ["column_sums__partial", "column_sums__finish"]
WIDE = [f"{name}__index64" for name in PLANNED]
TALL, MIDDLE, FLAT = (300, 37), (70, 37), (5, 3)
"""What the variants of the plan are for, and what none is for."""


def arguments(
    shape: tuple[int, int], dtype: torch.dtype = torch.float32, **changed: Any
) -> list[Any]:
    """What `column_sums` takes for a matrix; every sum is exact in any order and dtype."""
    torch.manual_seed(0)
    n, c = shape
    given = {
        "x_ptr": torch.randint(-1, 2, shape).to(dtype),
        "bias_ptr": torch.arange(c).to(dtype),
        "sums_ptr": torch.full((c,), -100.0, dtype=dtype),
        "N": n,
        "C": c,
        "scale": 0.5,
    }
    return list({**given, **changed}.values())


def noted(run: Callable[[], object]) -> list[str]:
    """The names of the kernels that Triton launches, and the sizes and dtypes of new memory, in order."""
    module, found = column_sums(), list[str]()
    empty = torch.empty

    def allocate(size: int, **keywords: Any) -> torch.Tensor:
        found.append(f"{size} of {keywords['dtype']}".replace("torch.", ""))
        return empty(size, **keywords).fill_(float("nan"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "empty", allocate)
        for name in ("column_sums", *PLANNED, "column_sums__index64", *WIDE):
            function = getattr(module, name)

            def launch(
                *args: Any, name: str = name, run: Any = function.run, **keywords: Any
            ) -> Any:
                found.append(name)
                return run(*args, **keywords)

            patch.setattr(function, "run", launch)
        run()
    return found


def launched(
    shape: tuple[int, int],
    grid: tuple[int, ...] | None = None,
    /,
    *,
    has_bias: bool = True,
    **changed: Any,
) -> list[str]:
    """What a launch comes to; it leaves the sums of the columns."""
    given = arguments(shape, **changed)
    launcher = column_sums().ColumnSums(8, has_bias=has_bias)
    found = noted(lambda: launcher.launch(grid or (shape[1],), *given))
    x, bias, sums, *_, scale = given
    expected = x.sum(0) * scale + (bias if has_bias else 0)
    torch.testing.assert_close(sums, expected, rtol=0, atol=0)
    return found


def test_text_of_a_plan(snapshot: SnapshotAssertion) -> None:
    assert planned(plan()).text == snapshot


def test_a_module_without_plans_has_nothing_of_them() -> None:
    text = transpile_source(SOURCE, replace(OPTIMISED, optimise=NO_OPTIMISATION)).text
    assert text is not None
    for word in ("_Stage", "_Scratch", "optimised", "_plan_", "_power_of_two", "_is_large"):
        assert word not in text


def test_lines_of_stages_lead_to_the_rust() -> None:
    result = planned(plan())
    assert result.text is not None
    assert result.line_map is not None
    lines = result.text.splitlines()
    at = lines.index(
        "        sums = sums + tl.where(inside, x, zeros)", lines.index("def column_sums__partial(")
    )
    span = result.line_map.rust_span(at + 1)
    assert span is not None
    assert SOURCE.text[span.start : span.end] == "sums = sums + T::where_(inside, x, zeros)"


@interpreted
@pytest.mark.parametrize(("shape", "count"), [(TALL, 5 * 37), (MIDDLE, 37)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_stages_are_launched_in_the_place_of_the_kernel(
    shape: tuple[int, int], count: int, dtype: torch.dtype
) -> None:
    memory = "float64" if dtype is torch.float64 else "float32"
    assert launched(shape, dtype=dtype) == [f"{count} of {memory}", *PLANNED]


@interpreted
def test_the_kernel_is_launched_where_no_variant_is_for_it() -> None:
    assert launched(FLAT) == ["column_sums"]


@interpreted
def test_the_kernel_is_launched_where_the_plan_requires_more() -> None:
    given = arguments(TALL, x_ptr=torch.zeros(0, 37), N=0)
    launcher = column_sums().ColumnSums(8, has_bias=True)
    assert noted(lambda: launcher.launch((37,), *given)) == ["column_sums"]
    assert torch.equal(given[2], given[1])


@interpreted
def test_a_null_pointer_stays_one() -> None:
    assert launched(TALL, has_bias=False, bias_ptr=None)[1:] == PLANNED


@interpreted
@pytest.mark.parametrize("grid", [(0,), (37, 0)])
def test_a_grid_without_programs_launches_nothing(grid: tuple[int, ...]) -> None:
    given = arguments(TALL)
    launcher = column_sums().ColumnSums(8, has_bias=True)
    assert noted(lambda: launcher.launch(grid, *given)) == []
    assert torch.equal(given[2], torch.full((37,), -100.0))


@interpreted
def test_what_is_refused_is_refused() -> None:
    launcher = column_sums().ColumnSums(8, has_bias=True)
    given = arguments(TALL, sums_ptr=torch.zeros(36))
    with pytest.raises(RuntimeError, match="expected sums_ptr to have at least 37 elements"):
        launcher.launch((37,), *given)
    assert not given[2].any()


@interpreted
def test_written_tensors_are_told_to_autograd() -> None:
    given = arguments(TALL)
    before = [it._version for it in given[:3]]
    column_sums().ColumnSums(8, has_bias=True).launch((37,), *given)
    assert [it._version for it in given[:3]] == [before[0], before[1], before[2] + 1]


@interpreted
def test_a_launcher_may_launch_the_kernel_as_written() -> None:
    module, given = column_sums(), arguments(TALL)
    launcher = module.ColumnSums(8, has_bias=True)
    launcher.optimised = False
    assert noted(lambda: launcher.launch((37,), *given)) == ["column_sums"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.Launcher, "optimised", False)
        assert launched(TALL) == ["column_sums"]
    assert launched(TALL)[1:] == PLANNED


@interpreted
def test_numbers_that_32_bits_do_not_hold_are_for_the_kernel() -> None:
    module = column_sums()
    launcher = module.ColumnSums(8, has_bias=True)
    given = arguments(TALL, C=2**31)
    assert launcher._stages((37, 1, 1), given) is None
    # So many sums of 64 rows have no room in memory that 32 bits count.
    given = arguments(TALL, N=2**30, C=2**20)
    assert launcher._stages((37, 1, 1), given) is None


@contextmanager
def large_tensors() -> Iterator[pytest.MonkeyPatch]:
    """As if all tensors had 2^31 elements and more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_sums(), "_is_large", lambda _: True)
        yield patch


@interpreted
@pytest.mark.parametrize(("shape", "count"), [(TALL, 5 * 37), (MIDDLE, 37)])
def test_stages_have_a_form_for_large_tensors(shape: tuple[int, int], count: int) -> None:
    with large_tensors():
        assert launched(shape) == [f"{count} of float32", *WIDE]
        assert launched(FLAT) == ["column_sums__index64"]


@interpreted
def test_the_kernel_is_launched_where_a_stage_has_no_form_for_large_tensors() -> None:
    launcher, given = column_sums().ColumnSums(8, has_bias=True), arguments(TALL)
    *_, last = launcher._stages((37, 1, 1), given)
    with large_tensors() as patch:
        patch.setattr(last, "index64", None)
        assert noted(lambda: launcher.launch((37,), *given)) == ["column_sums__index64"]


@interpreted
def test_an_operator_launches_the_forms_of_stages() -> None:
    x, bias, *_ = arguments(TALL)
    operator = column_sums().ColumnSumsRuntimeOp(8, 0.5)
    with large_tensors():
        found = noted(lambda: operator(x, bias, output_shape=(37,)))
    assert found == ["185 of float32", *WIDE]


@interpreted
def test_a_grid_that_no_gpu_takes_is_for_the_kernel() -> None:
    launcher = column_sums().ColumnSums(8, has_bias=True)
    assert launcher._stages((1, 1, 1), arguments(TALL, N=64 * 65535, C=1)) is not None
    assert launcher._stages((1, 1, 1), arguments(TALL, N=64 * 65535 + 1, C=1)) is None


@interpreted
def test_an_operator_launches_the_stages_and_keeps_them() -> None:
    module = column_sums()
    operator = module.ColumnSumsRuntimeOp(8, 0.5)
    x, bias, *_ = arguments(TALL)
    for _ in range(2):
        found = noted(
            lambda: torch.testing.assert_close(
                operator(x, bias, output_shape=(37,)), x.sum(0) * 0.5 + bias
            )
        )
        assert found == ["185 of float32", *PLANNED]
    (kept,) = operator._plans.values()
    assert isinstance(kept.launches[0], module._PlannedLaunch)
    x, bias, *_ = arguments(FLAT)
    assert noted(lambda: operator(x, bias, output_shape=(3,))) == ["column_sums"]


@interpreted
def test_operators_launch_kernels_as_written_where_they_are_told_to() -> None:
    module = column_sums()
    operator = module.ColumnSumsRuntimeOp(8, 0.5)
    x, bias, *_ = arguments(TALL)
    assert noted(lambda: operator(x, bias, output_shape=(37,)))[1:] == PLANNED
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.Launcher, "optimised", False)
        assert noted(lambda: operator(x, bias, output_shape=(37,))) == ["column_sums"]
    assert noted(lambda: operator(x, bias, output_shape=(37,)))[1:] == PLANNED


def changed(**fields: Any) -> LaunchPlan:
    """The plan with its first variant changed."""
    whole = plan()
    return replace(whole, variants=(replace(whole.variants[0], **fields), *whole.variants[1:]))


def function_of(launch_plan: LaunchPlan) -> str:
    """The text of the function of a plan."""
    text = planned(launch_plan).text
    assert text is not None
    return text[text.index("def _plan_") : text.index("\n\n\nKERNELS")]


def test_behind_a_variant_without_conditions_is_nothing() -> None:
    text = function_of(changed(conditions=()))
    assert "if N < 1 or C < 1:\n        return None\n\n    ROWS = 64\n" in text
    assert text.count("return") == 2


def test_conditions_are_joined() -> None:
    both = (
        AtLeast(value=Parameter(3), bound=Number(128)),
        AtLeast(value=Parameter(4), bound=Number(2)),
    )
    assert "    if N >= 128 and C >= 2:\n" in function_of(changed(conditions=both))


@interpreted
def test_verify_launches_what_launchers_launch() -> None:
    bench: Any = SimpleNamespace(module=column_sums(), is_gpu=False)
    kernel = SimpleNamespace(name="column_sums", instance=lambda *_: None)
    run: Any = SimpleNamespace(
        kernel=kernel, dtypes=(), constants={"BLOCK_N": 8, "HAS_BIAS": True}, key=None
    )
    given: Any = SimpleNamespace(grid=(37,), arguments=tuple(arguments(TALL)))
    assert noted(lambda: launching._launch(bench, run, given))[1:] == PLANNED


def test_two_numbers_of_one_name_are_a_fault_of_the_plan() -> None:
    (rows, splits), other = plan().variants[0].quantities, Number(3)
    twice = changed(quantities=(rows, splits, replace(splits, value=other)))
    with pytest.raises(ValueError, match="two numbers of a plan are called splits"):
        planned(twice)
    assert function_of(changed(quantities=(rows, splits, splits))) == function_of(plan())


def test_what_has_a_name_is_spelled_by_it() -> None:
    variant = plan().variants[0]
    columns = replace(variant.stages[0].tiles[0], choices=())
    rows, splits = variant.quantities
    per_program = Quantity(
        name="columns", value=Product((columns.default, Division(N, Named("rows"), is_up=True)))
    )
    first = replace(variant.stages[0], tiles=(columns, *variant.stages[0].tiles[1:]))
    text = function_of(
        changed(quantities=(rows, splits, per_program), stages=(first, variant.stages[1]))
    )
    assert (
        "        BLOCK_C = min(64, _power_of_two(C))\n"
        "        ROWS = 64\n"
        "        splits = triton.cdiv(N, ROWS)\n"
        "        columns = BLOCK_C * splits\n"
    ) in text
    # The second stage has a tile of that name, and its own number.
    assert "(triton.cdiv(C, BLOCK_C), splits),\n" in text
    assert 'lambda meta: (triton.cdiv(C, meta["BLOCK_C"]),),\n' in text
    assert "BLOCK_C=BLOCK_C,\n" in text
    assert "BLOCK_C=16,\n" in text


def test_stages_stand_below_their_tiles_which_are_assigned_where_they_change() -> None:
    variant = plan().variants[0]
    first, second = variant.stages
    tiles = (replace(second.tiles[0], default=least(Number(16), power_of_two(Parameter(4)))),)
    text = function_of(changed(stages=(first, replace(second, tiles=tiles), first)))
    body = text[text.index("partial_ptr = ") : text.index("return [")]
    assigned = [line.strip() for line in body.splitlines() if line.strip().startswith("BLOCK_C = ")]
    assert assigned == [
        "BLOCK_C = min(64, _power_of_two(C))",
        "BLOCK_C = min(16, _power_of_two(C))",
        "BLOCK_C = min(64, _power_of_two(C))",
    ]
    assert text.count("BLOCK_C=BLOCK_C,") == 5


def test_what_tells_why_stands_above() -> None:
    variant = plan().variants[0]
    rows, *others = variant.quantities
    text = function_of(
        changed(quantities=(replace(rows, value=Number(7), why="Seven."), *others), why="Many.")
    )
    assert "\n\n    # Many.\n    if N >= 128:\n" in text
    assert "        # Seven.\n        rows = 7\n" in text
