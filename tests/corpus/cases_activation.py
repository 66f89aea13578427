"""Activations and their gradients."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812 - as everybody calls it

from tests.corpus.builders import NONE, ceil_div, elementwise, gradient, normal, unit
from tests.corpus.model import FLOATS, NUMBERS, Case, Launch

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.corpus.model import Numbers, Sampler, Tensors

_X = {"x_ptr": normal}
_DY_X = {"dy_ptr": normal, "x_ptr": normal}
_DX = ("dx_ptr",)
_smooth = partial(elementwise, "activation", dtypes=FLOATS)
_hard = partial(elementwise, "hard", dtypes=FLOATS)


def _pair(
    make: Callable[..., Case],
    name: str,
    function: Callable[[torch.Tensor], torch.Tensor],
    numbers: Numbers = NONE,
) -> list[Case]:
    """Forward, and backward from the input."""
    return [
        make(f"{name}_forward", function, _X, numbers=numbers),
        make(f"{name}_backward", gradient(function), _DY_X, _DX, numbers=numbers),
    ]


def _swiglu(x: torch.Tensor) -> torch.Tensor:
    a, b = x.chunk(2, dim=-1)
    return a * F.silu(b)


def _swiglu_forward(sample: Sampler, rows: int, half: int, block: int) -> Launch:
    return Launch(
        tensors={"x_ptr": sample.normal(rows, 2 * half), "y_ptr": torch.zeros(rows, half)},
        numbers={"_n_rows": rows, "half": half},
        expected=lambda given: {"y_ptr": _swiglu(given["x_ptr"])},
        constants={"BLOCK_SIZE": block},
        grid=(rows * ceil_div(half, block),),
    )


def _swiglu_backward(sample: Sampler, rows: int, half: int, block: int) -> Launch:
    return Launch(
        tensors={
            "dy_ptr": sample.normal(rows, half),
            "x_ptr": sample.normal(rows, 2 * half),
            "dx_ptr": torch.zeros(rows, 2 * half),
        },
        numbers={"_n_rows": rows, "half": half},
        expected=lambda given: {
            "dx_ptr": torch.as_tensor(gradient(_swiglu)(given["dy_ptr"], given["x_ptr"]))
        },
        constants={"BLOCK_SIZE": block},
        grid=(rows * ceil_div(half, block),),
    )


def _prelu(sample: Sampler, b: int, c: int, hw: int, block: int) -> Launch:
    def expected(given: Tensors) -> Tensors:
        return {"y_ptr": F.prelu(given["x_ptr"], given["weight_ptr"])}

    return Launch(
        tensors={
            "x_ptr": sample.normal(b, c, hw),
            "weight_ptr": sample.normal(c),
            "y_ptr": torch.zeros(b, c, hw),
        },
        numbers={"_B": b, "C": c, "HW": hw},
        expected=expected,
        constants={"BLOCK_SIZE": block},
        grid=(b * c * ceil_div(hw, block),),
    )


def _threshold(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 1, x, torch.full_like(x, 3))


def _hardsigmoid(x: torch.Tensor) -> torch.Tensor:
    """Torch's own divides by six in f32."""
    return (x + 3).clamp(0, 6) / 6


def _shrink(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < -0.75, x + 0.25, torch.where(x > 0.75, x - 0.25, 0.0))


_ROWS = (
    {"rows": 3, "half": 21, "block": 16},
    {"rows": 1, "half": 1, "block": 16},
    {"rows": 2, "half": 5, "block": 64},
)

CASES = [
    *_pair(_smooth, "elu", lambda x: F.elu(x, 0.75), numbers={"alpha": 0.75}),
    *_pair(_smooth, "selu", F.selu),
    *_pair(_smooth, "celu", lambda x: F.celu(x, 1.5), numbers={"alpha": 1.5}),
    *_pair(_smooth, "gelu_tanh", lambda x: F.gelu(x, approximate="tanh")),
    _smooth("gelu_erf_forward", F.gelu, _X),
    _smooth("sigmoid_forward", torch.sigmoid, _X),
    _smooth(
        "sigmoid_backward",
        lambda dy, y: dy * y * (1 - y),
        {"dy_ptr": normal, "y_ptr": unit},
        _DX,
    ),
    *_pair(_smooth, "silu", F.silu),
    _smooth("log_sigmoid_forward", F.logsigmoid, _X),
    *_pair(
        _smooth,
        "softplus",
        lambda x: F.softplus(x, 1.5, 3.0),
        numbers={"beta": 1.5, "threshold": 3.0},
    ),
    *_pair(_smooth, "mish", F.mish),
    _smooth("tanh_forward", torch.tanh, _X),
    _smooth(
        "tanh_backward", lambda dy, y: dy * (1 - y * y), {"dy_ptr": normal, "y_ptr": unit}, _DX
    ),
    _smooth("tanhshrink_forward", F.tanhshrink, _X),
    _smooth("softsign_forward", F.softsign, _X),
    Case(
        topic="activation",
        kernel="swiglu_forward",
        prepare=_swiglu_forward,
        shapes=_ROWS,
        dtypes=FLOATS,
    ),
    Case(
        topic="activation",
        kernel="swiglu_backward",
        prepare=_swiglu_backward,
        shapes=_ROWS,
        dtypes=FLOATS,
    ),
    elementwise("hard", "relu_forward", lambda x: x.clamp(min=0), _X, dtypes=NUMBERS),
    elementwise(
        "hard",
        "relu_backward",
        lambda dy, x: torch.where(x > 0, dy, 0),
        _DY_X,
        _DX,
        dtypes=NUMBERS,
    ),
    _hard("relu6_forward", F.relu6, _X),
    *_pair(
        _hard, "leaky_relu", lambda x: F.leaky_relu(x, 0.125), numbers={"negative_slope": 0.125}
    ),
    Case(
        topic="hard",
        kernel="prelu_forward",
        prepare=_prelu,
        shapes=(
            {"b": 2, "c": 3, "hw": 21, "block": 16},
            {"b": 1, "c": 1, "hw": 1, "block": 16},
            {"b": 3, "c": 1, "hw": 7, "block": 32},
        ),
        dtypes=FLOATS,
    ),
    *_pair(
        _hard,
        "hardtanh",
        lambda x: F.hardtanh(x, -0.75, 1.25),
        numbers={"min_val": -0.75, "max_val": 1.25},
    ),
    *_pair(_hard, "hardsigmoid", _hardsigmoid),
    *_pair(_hard, "hardswish", F.hardswish),
    *_pair(_hard, "hardshrink", lambda x: F.hardshrink(x, 0.75), numbers={"lambda": 0.75}),
    _hard("softshrink_forward", lambda x: F.softshrink(x, 0.75), _X, numbers={"lambda": 0.75}),
    elementwise("hard", "shrink_forward", _shrink, _X, numbers={"bias": 0.25, "lambda": 0.75}),
    elementwise(
        "hard",
        "threshold_forward",
        _threshold,
        _X,
        dtypes=NUMBERS,
        numbers={"threshold": 1.0, "value": 3.0},
    ),
]
