"""Steps of optimisers, from their definitions."""

from __future__ import annotations

from functools import partial

import torch

from tests.corpus.builders import elementwise, normal, positive
from tests.corpus.model import FLOATS

_case = partial(elementwise, "optimizer")
_PG = {"param_ptr": normal, "grad_ptr": normal}
_PGMV = {**_PG, "m_ptr": normal, "v_ptr": positive}
_LR, _EPS, _B1, _B2, _DECAY = 0.125, 2.0**-10, 0.875, 0.9375, 0.25
_T = torch.Tensor


def _sgd(p: _T, g: _T, buf: _T) -> tuple[_T, _T]:
    buf = 0.75 * buf + g + _DECAY * p
    return p - _LR * buf, buf


def _moments(g: _T, m: _T, v: _T) -> tuple[_T, _T, _T]:
    m = _B1 * m + (1 - _B1) * g
    v = _B2 * v + (1 - _B2) * g * g
    return _LR * (m / 0.5) / ((v / 0.25).sqrt() + _EPS), m, v


def _adam(p: _T, g: _T, m: _T, v: _T) -> tuple[_T, _T, _T]:
    step, m, v = _moments(g, m, v)
    return p - step, m, v


def _adamw(p: _T, g: _T, m: _T, v: _T) -> tuple[_T, _T, _T]:
    step, m, v = _moments(g, m, v)
    return p * (1 - _LR * _DECAY) - step, m, v


def _rmsprop(p: _T, g: _T, sq: _T) -> tuple[_T, _T]:
    sq = _B1 * sq + (1 - _B1) * g * g
    return p - _LR * g / (sq.sqrt() + _EPS), sq


def _adagrad(p: _T, g: _T, total: _T) -> tuple[_T, _T]:
    total = total + g * g
    return p - _LR * g / (total.sqrt() + _EPS), total


def _adadelta(p: _T, g: _T, sq: _T, acc: _T) -> tuple[_T, _T, _T]:
    sq = _B1 * sq + (1 - _B1) * g * g
    delta = (acc + _EPS).sqrt() / (sq + _EPS).sqrt() * g
    return p - _LR * delta, sq, _B1 * acc + (1 - _B1) * delta * delta


def _adamax(p: _T, g: _T, m: _T, u: _T) -> tuple[_T, _T, _T]:
    m = _B1 * m + (1 - _B1) * g
    u = torch.maximum(_B2 * u, g.abs() + _EPS)
    return p - _LR / 0.5 * m / u, m, u


def _lion(p: _T, g: _T, m: _T) -> tuple[_T, _T]:
    sign = torch.sign(_B1 * m + (1 - _B1) * g)
    return p - _LR * (sign + _DECAY * p), _B2 * m + (1 - _B2) * g


def _ema(e: _T, p: _T) -> _T:
    return _B1 * e + (1 - _B1) * p


_ADAM: dict[str, float] = {"lr": _LR, "beta1": _B1, "beta2": _B2, "eps": _EPS}
_BIAS: dict[str, float] = {"bias1": 0.5, "bias2": 0.25}

CASES = [
    _case(
        "sgd_step",
        _sgd,
        {**_PG, "momentum_ptr": normal},
        ("param_ptr", "momentum_ptr"),
        numbers={"lr": _LR, "momentum": 0.75, "weight_decay": _DECAY},
    ),
    _case("adam_step", _adam, _PGMV, ("param_ptr", "m_ptr", "v_ptr"), numbers={**_ADAM, **_BIAS}),
    _case(
        "adamw_step",
        _adamw,
        _PGMV,
        ("param_ptr", "m_ptr", "v_ptr"),
        # The moments and the arithmetic are f32 whatever D is.
        dtypes=(FLOATS[0], *FLOATS[2:]),
        numbers={"weight_decay": _DECAY, **_ADAM, **_BIAS},
    ),
    _case(
        "rmsprop_step",
        _rmsprop,
        {**_PG, "sq_ptr": positive},
        ("param_ptr", "sq_ptr"),
        numbers={"lr": _LR, "alpha": _B1, "eps": _EPS},
    ),
    _case(
        "adagrad_step",
        _adagrad,
        {**_PG, "sum_ptr": positive},
        ("param_ptr", "sum_ptr"),
        numbers={"lr": _LR, "eps": _EPS},
    ),
    _case(
        "adadelta_step",
        _adadelta,
        {**_PG, "sq_ptr": positive, "acc_ptr": positive},
        ("param_ptr", "sq_ptr", "acc_ptr"),
        numbers={"lr": _LR, "rho": _B1, "eps": _EPS},
    ),
    _case(
        "adamax_step",
        _adamax,
        {**_PG, "m_ptr": normal, "u_ptr": positive},
        ("param_ptr", "m_ptr", "u_ptr"),
        numbers={"bias1": 0.5, **_ADAM},
    ),
    _case(
        "lion_step",
        _lion,
        {**_PG, "m_ptr": normal},
        ("param_ptr", "m_ptr"),
        numbers={"lr": _LR, "beta1": _B1, "beta2": _B2, "weight_decay": _DECAY},
    ),
    _case(
        "ema_update",
        _ema,
        {"ema_ptr": normal, "param_ptr": normal},
        ("ema_ptr",),
        dtypes=FLOATS,
        numbers={"decay": _B1},
    ),
]
