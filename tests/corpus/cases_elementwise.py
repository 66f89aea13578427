"""Arithmetic and functions, element by element."""

from __future__ import annotations

from functools import partial

import torch

from tests.corpus.builders import bits, elementwise, gradient, normal, positive, unit
from tests.corpus.model import FLOATS, NUMBERS

_case = partial(elementwise, "elementwise")
_X = {"x_ptr": normal}
_DY_X = {"dy_ptr": normal, "x_ptr": normal}
_AB = {"a_ptr": normal, "b_ptr": normal}
_DX = ("dx_ptr",)
_NAN = float("nan")


def _with_nan(x: torch.Tensor) -> torch.Tensor:
    return x.isnan().double()


CASES = [
    _case("elemwise_add_forward", torch.add, _AB, dtypes=NUMBERS),
    _case("elemwise_sub_forward", torch.sub, _AB, dtypes=NUMBERS),
    _case("elemwise_mul_forward", torch.mul, _AB, dtypes=NUMBERS),
    _case(
        "elemwise_mul_backward",
        lambda dy, a, b: (dy * b, dy * a),
        {"dy_ptr": normal, **_AB},
        ("da_ptr", "db_ptr"),
        dtypes=NUMBERS,
    ),
    _case("elemwise_div_forward", torch.div, {"a_ptr": normal, "b_ptr": positive}, dtypes=FLOATS),
    _case(
        "elemwise_div_backward",
        gradient(torch.div, 0, 1),
        {"dy_ptr": normal, "a_ptr": normal, "b_ptr": positive},
        ("da_ptr", "db_ptr"),
        dtypes=FLOATS,
    ),
    _case("elemwise_pow_forward", torch.pow, {"a_ptr": positive, "b_ptr": normal}, dtypes=FLOATS),
    _case("elemwise_fmod_forward", torch.remainder, {"a_ptr": normal, "b_ptr": positive}),
    _case(
        "elemwise_where_forward",
        lambda cond, a, b: torch.where(cond != 0, a, b),
        {"cond_ptr": bits, **_AB},
        tolerance="exact",
    ),
    _case(
        "elemwise_where_backward",
        lambda dy, cond: (torch.where(cond != 0, dy, 0.0), torch.where(cond != 0, 0.0, dy)),
        {"dy_ptr": normal, "cond_ptr": bits},
        ("da_ptr", "db_ptr"),
        tolerance="exact",
    ),
    _case("elemwise_erf_forward", torch.erf, _X),
    _case("elemwise_erf_backward", gradient(torch.erf), _DY_X, _DX),
    _case("elemwise_atan_forward", torch.atan, _X),
    _case("elemwise_asin_forward", torch.asin, {"x_ptr": unit}),
    _case("elemwise_acos_forward", torch.acos, {"x_ptr": unit}),
    _case("elemwise_acos_backward", gradient(torch.acos), {"dy_ptr": normal, "x_ptr": unit}, _DX),
    _case("elemwise_sin_forward", torch.sin, _X),
    _case("elemwise_cos_backward", gradient(torch.cos), _DY_X, _DX),
    _case("elemwise_tan_forward", torch.tan, {"x_ptr": unit}),
    _case("elemwise_ceil_forward", torch.ceil, _X, tolerance="exact"),
    _case("elemwise_sqrt_forward", torch.sqrt, {"x_ptr": positive}),
    _case(
        "elemwise_rsqrt_backward",
        gradient(torch.rsqrt),
        {"dy_ptr": normal, "x_ptr": positive},
        _DX,
        dtypes=FLOATS,
    ),
    _case("elemwise_reciprocal_forward", torch.reciprocal, {"x_ptr": positive}),
    _case("elemwise_abs_forward", torch.abs, _X, dtypes=NUMBERS, tolerance="exact"),
    _case(
        "elemwise_abs_backward",
        lambda dy, x: dy * torch.sign(x),
        _DY_X,
        _DX,
        dtypes=NUMBERS,
        tolerance="exact",
    ),
    _case("elemwise_neg_forward", torch.neg, _X, dtypes=NUMBERS, tolerance="exact"),
    _case(
        "isnan_forward",
        _with_nan,
        {"x_ptr": lambda sample, n: torch.where(sample.whole(0, 2, n) > 0, _NAN, sample.normal(n))},
        tolerance="exact",
    ),
    _case(
        "elemwise_eq_forward",
        lambda a, b: (a == b).double(),
        {"a_ptr": bits, "b_ptr": bits},
        dtypes=NUMBERS,
        tolerance="exact",
    ),
    _case(
        "elemwise_clip_forward",
        lambda x: x.clamp(-1, 2),
        _X,
        dtypes=NUMBERS,
        tolerance="exact",
        numbers={"lo": -1.0, "hi": 2.0},
    ),
    _case(
        "lerp_forward",
        lambda a, b: a + 0.375 * (b - a),
        _AB,
        dtypes=FLOATS,
        numbers={"weight": 0.375},
    ),
    _case(
        "masked_fill_forward",
        lambda x, m: torch.where(m == 0, x, -0.5),
        {"x_ptr": normal, "m_ptr": bits},
        dtypes=FLOATS,
        tolerance="exact",
        numbers={"value": -0.5},
    ),
    _case(
        "fill_forward",
        lambda y: torch.full_like(y, 2.5),
        {"y_ptr": normal},
        dtypes=FLOATS,
        tolerance="exact",
        numbers={"value": 2.5},
    ),
]
