"""Comparisons and selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.inputs import numbers
from tests.conformance.kernels import LANES, kernel, load, store
from tests.conformance.model import FLOATS, INTEGERS, NUMBERS, Case
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.model import Array, Values

_OPERATORS: dict[str, Callable[[Array, Array | float], Array]] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
_SIZE = 53


def _pair(random: np.random.Generator, dtype: DType | None) -> tuple[Array, Array]:
    x, y = numbers(random, dtype, _SIZE, high=4), numbers(random, dtype, _SIZE, high=4)
    if dtype is not None and dtype.is_float:
        x[:6] = [np.nan, np.nan, np.inf, -np.inf, -0.0, 1.0]
        y[:6] = [np.nan, 1.0, np.inf, np.inf, 0.0, np.nan]
    return x, y


def _tile_inputs(random: np.random.Generator, dtype: DType | None) -> Values:
    x, y = _pair(random, dtype)
    return {"x_ptr": x, "y_ptr": y, "out_ptr": np.zeros(_SIZE, bool), "n": _SIZE}


def _scalar_inputs(random: np.random.Generator, dtype: DType | None) -> Values:
    x, _ = _pair(random, dtype)
    return {"x_ptr": x, "out_ptr": np.zeros(_SIZE, bool), "n": _SIZE}


def _where_inputs(random: np.random.Generator, dtype: DType | None) -> Values:
    x, y = _pair(random, dtype)
    mask = random.integers(0, 2, _SIZE).astype(bool)
    return {"m_ptr": mask, "x_ptr": x, "y_ptr": y, "out_ptr": np.zeros(_SIZE), "n": _SIZE}


def _tile(name: str) -> Case:
    compare = _OPERATORS[name]
    return Case(
        name=name,
        operations=(name,),
        rust=kernel(
            LANES + load("x") + load("y") + store("out_ptr", f"T::{name}(x, y)"),
            "x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, out_ptr: T::Pointer<bool>, n: i32",
            "D: Num, const BLOCK: i32",
        ),
        inputs=_tile_inputs,
        outputs=("out_ptr",),
        reference=lambda given: {
            "out_ptr": compare(np.asarray(given["x_ptr"]), np.asarray(given["y_ptr"]))
        },
        constants={"BLOCK": 64},
        dtypes=NUMBERS,
    )


def _scalar(name: str) -> Case:
    compare = _OPERATORS[name]
    return Case(
        name=f"{name}_scalar",
        operations=(f"{name}_scalar",),
        rust=kernel(
            LANES + load("x") + store("out_ptr", f"T::{name}_scalar(x, D::from_f64(0.5))"),
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<bool>, n: i32",
        ),
        inputs=_scalar_inputs,
        outputs=("out_ptr",),
        reference=lambda given: {"out_ptr": compare(np.asarray(given["x_ptr"]), 0.5)},
        constants={"BLOCK": 64},
        dtypes=FLOATS,
    )


CASES = (
    *map(_tile, _OPERATORS),
    *map(_scalar, _OPERATORS),
    Case(
        name="where",
        operations=("where_",),
        rust=kernel(
            LANES + load("m") + load("x") + load("y") + store("out_ptr", "T::where_(m, x, y)"),
            "m_ptr: T::Pointer<bool>, x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, "
            "out_ptr: T::Pointer<D>, n: i32",
            "D: Dtype, const BLOCK: i32",
        ),
        inputs=_where_inputs,
        outputs=("out_ptr",),
        reference=lambda given: {
            "out_ptr": np.where(
                np.asarray(given["m_ptr"]), np.asarray(given["x_ptr"]), np.asarray(given["y_ptr"])
            )
        },
        constants={"BLOCK": 64},
        dtypes=(*FLOATS, *INTEGERS, DType.BOOL),
    ),
)
