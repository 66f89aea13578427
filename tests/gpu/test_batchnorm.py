"""All six batch norm kernels against float64 and torch, on a GPU."""

from __future__ import annotations

import pytest

from tests.numerics.cases import Case, DType, Kernel, cases, large_cases
from tests.numerics.check import faults
from tests.numerics.launchers import Launcher, LaunchError
from tests.numerics.modules import OWN_MODULE, Subject, chosen_subjects
from tests.numerics.problems import problem
from tests.numerics.training import step_faults

pytestmark = pytest.mark.gpu


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = chosen_subjects(metafunc.config, OWN_MODULE)
    if "case" in metafunc.fixturenames:
        pairs = [
            pytest.param(subject, case, id=f"{subject.name}-{case.name}")
            for subject in chosen
            for case in [*cases(by_element=subject.algorithm.is_by_moments), *large_cases()]
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
def test_results_are_the_same_bits_each_time(kernel: Kernel, launcher: Launcher) -> None:
    case = Case(
        kernel=kernel,
        outer=1000,
        channels=3,
        inner=5 if kernel.is_image else 1,
        block=256,
        dtype=DType.F32,
    )
    once, again = (problem(case, device=launcher.device) for _ in range(2))
    for run in (once, again):
        launcher.launch(case.function, run.arguments, run.block, run.grid)
    for name, tensor in once.tensors.items():
        assert (
            tensor.buffer.cpu().numpy().tobytes()
            == again.tensors[name].buffer.cpu().numpy().tobytes()
        )


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
