"""Outputs, gradients and running statistics are torch's, over several steps in both modes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modules.batchnorm import batch_norm_modules
from tests.modules.parity import Setting, faults
from tests.modules.subjects import modules_of
from tests.numerics.modules import Subject  # noqa: TC001 - hypothesis reads it

# In double precision the kernels are the same, and so are their paths: one shape a layout is enough.
DOUBLES = [(5, 3), (4, 3, 7), (3, 5, 4, 5)]
SHAPES = [(2, 1), (5, 3), (130, 2), (3, 4, 1), (4, 3, 7), (2, 3, 1, 1), (3, 5, 4, 5), (2, 3, 9, 16)]
DEFAULTS = Setting(shape=(3, 4, 2, 5))
OPTIONS = {
    "cumulative": replace(DEFAULTS, momentum=None, steps=3),
    "other-constants": replace(DEFAULTS, eps=1e-3, momentum=0.37),
    "momentum-0": replace(DEFAULTS, momentum=0.0),
    "momentum-1": replace(DEFAULTS, momentum=1.0),
    "no-affine": replace(DEFAULTS, affine=False),
    "no-running": replace(DEFAULTS, track_running_stats=False),
    "neither": replace(DEFAULTS, affine=False, track_running_stats=False),
    "channels-last": replace(DEFAULTS, is_channels_last=True),
    "no-affine-channels-last": replace(DEFAULTS, is_channels_last=True, affine=False),
}
HALVES = (torch.float16, torch.bfloat16)


def check(setting: Setting, made: Subject) -> None:
    found = faults(setting, modules_of(made), made.algorithm)
    assert not found, "\n".join([str(setting), *found])


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [*product(SHAPES, [torch.float32]), *product(DOUBLES, [torch.float64])],
    ids=str,
)
def test_shapes(shape: tuple[int, ...], dtype: torch.dtype, made: Subject) -> None:
    setting = Setting(shape=shape, dtype=dtype)
    check(setting, made)


@pytest.mark.parametrize("option", OPTIONS)
def test_options(option: str, made: Subject) -> None:
    for shape in (DEFAULTS.shape, (7, 3)) if "last" not in option else (DEFAULTS.shape,):
        setting = replace(OPTIONS[option], shape=shape)
        check(setting, made)


@pytest.mark.parametrize("keeps_floats", [True, False])
@pytest.mark.parametrize("dtype", HALVES)
def test_halves(dtype: torch.dtype, *, keeps_floats: bool, made: Subject) -> None:
    for shape, is_channels_last in (((4, 3, 3, 5), True), ((4, 3, 3, 5), False), ((9, 2), False)):
        setting = Setting(
            shape=shape,
            dtype=dtype,
            parameters=torch.float32 if keeps_floats else None,
            is_channels_last=is_channels_last,
        )
        check(setting, made)


@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # `made` does not change
)
@given(
    setting=st.builds(
        Setting,
        shape=st.one_of(
            st.tuples(st.integers(2, 9), st.integers(1, 4)),
            st.tuples(*[st.integers(2, 5)] * 3),
            st.tuples(*[st.integers(2, 4)] * 4),
        ),
        dtype=st.sampled_from([torch.float32, torch.float64]),
        eps=st.sampled_from([1e-5, 1e-2]),
        momentum=st.one_of(st.none(), st.floats(0.0, 1.0)),
        affine=st.booleans(),
        track_running_stats=st.booleans(),
        steps=st.just(2),
    )
)
def test_any_setting(setting: Setting, made: Subject) -> None:
    check(setting, made)


def test_wrong_operators_are_noticed(made: Subject) -> None:
    modules = modules_of(made)
    operators = modules.BatchNorm1d.operators

    def scaled(x: torch.Tensor, *others: torch.Tensor, block_n: int) -> torch.Tensor:
        return operators.batch_norm_normalize(x, *others, block_n=block_n) * (1 + 1e-4)

    def biased(
        x: torch.Tensor,
        mean: torch.Tensor,
        var: torch.Tensor,
        *,
        eps: float,
        momentum: float,
        block_n: int,
        output_shape: list[int],
    ) -> torch.Tensor:
        stats = operators.batch_norm_stats(
            x, mean, var, eps=eps, momentum=momentum, block_n=block_n, output_shape=output_shape
        )
        var.mul_(1 - 1 / len(x))
        return stats

    for name, other in {"batch_norm_normalize": scaled, "batch_norm_stats": biased}.items():
        names = ("batch_norm_stats", "batch_norm_normalize", "batch_norm2d_nchw_inference")
        wrong = SimpleNamespace(**{each: getattr(operators, each) for each in names})
        setattr(wrong, name, other)
        found = faults(Setting(shape=(9, 2)), batch_norm_modules(wrong), made.algorithm)
        expected = "y" if name == "batch_norm_normalize" else "running_var"
        assert any(fault.startswith(expected) for fault in found)
