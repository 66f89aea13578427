"""All six kernels of both batch norm files against float64 and torch, in Triton's interpreter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.numerics.cases import Case, DType, Kernel, cases
from tests.numerics.check import faults
from tests.numerics.launchers import Launcher, LaunchError
from tests.numerics.modules import (
    OWN_OPTIMISED,
    OWN_RUST,
    REFERENCE_OPTIMISED,
    REFERENCE_RUST,
    Subject,
    chosen_subjects,
)
from tests.numerics.problems import problem
from tests.numerics.training import step_faults

_SUBJECTS = (OWN_RUST, REFERENCE_RUST, OWN_OPTIMISED, REFERENCE_OPTIMISED)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = chosen_subjects(metafunc.config, *_SUBJECTS)
    if "case" in metafunc.fixturenames:
        pairs = [
            pytest.param(subject, case, id=f"{subject.name}-{case.name}")
            for subject in chosen
            for case in cases(by_element=subject.algorithm.is_by_moments)
        ]
        metafunc.parametrize(("subject", "case"), pairs)
    else:
        metafunc.parametrize("subject", [pytest.param(each, id=each.name) for each in chosen])


def test_outputs_are_right_and_nothing_else_is_touched(
    case: Case, subject: Subject, launcher: Launcher
) -> None:
    assert faults(case, launcher, subject.algorithm) == []


@pytest.mark.parametrize("dtype", DType)
def test_training_step_agrees_with_autograd(
    dtype: DType, subject: Subject, launcher: Launcher
) -> None:
    assert step_faults(dtype, launcher, subject.algorithm) == []


@pytest.mark.parametrize("kernel", Kernel)
@pytest.mark.parametrize(("given", "made_for"), [(DType.F64, DType.F32), (DType.F16, DType.BF16)])
def test_specialisation_refuses_another_dtype(
    kernel: Kernel, given: DType, made_for: DType, launcher: Launcher
) -> None:
    case = Case(kernel=kernel, outer=3, channels=1, inner=1, block=128, dtype=given)
    at_hand = problem(case, device=launcher.device)
    with pytest.raises(LaunchError, match="the dtype this kernel is specialised for"):
        launcher.launch(f"{kernel}__{made_for}__128", at_hand.arguments, {}, at_hand.grid)
    assert not any(tensor.changed().any() for tensor in at_hand.tensors.values())


def test_a_store_beyond_the_end_is_noticed(launcher: Launcher) -> None:
    case = Case(kernel=Kernel.NORMALIZE, outer=5, channels=1, inner=1, block=128, dtype=DType.F32)
    at_hand = problem(case, device=launcher.device)
    too_many = replace(at_hand, scalars={**at_hand.scalars, "N": 6})
    # A specialisation: what launches an optimised kernel counts elements first.
    function = f"{case.kernel}__{case.dtype}__128"
    launcher.launch(function, too_many.arguments, {}, too_many.grid)
    assert [name for name, tensor in at_hand.tensors.items() if tensor.breached()] == ["y"]
