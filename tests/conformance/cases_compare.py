"""Comparisons and selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import LANES, kernel, load, store
from tests.conformance.model import NUMBERS, Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.model import Array, Values
    from transpiler.ir.types import DType

_OPERATORS: dict[str, Callable[[Array, Array | int], Array]] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
_SIZE = 53


def _inputs(random: np.random.Generator, dtype: DType | None) -> Values:
    x, y = random.integers(0, 4, (2, _SIZE)), random.integers(0, 4, (2, _SIZE))[0]
    if dtype is not None and dtype.is_float:
        left, right = x[0] - 1.5, y - 1.5
        left[:6] = [np.nan, np.nan, np.inf, -np.inf, -0.0, 1.0]
        right[:6] = [np.nan, 1.0, np.inf, np.inf, 0.0, np.nan]
        return {"x_ptr": left, "y_ptr": right, "out_ptr": np.zeros(_SIZE, bool), "n": _SIZE}
    return {"x_ptr": x[0], "y_ptr": y, "out_ptr": np.zeros(_SIZE, bool), "n": _SIZE}


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
        inputs=_inputs,
        outputs=("out_ptr",),
        reference=lambda given: {
            "out_ptr": compare(np.asarray(given["x_ptr"]), np.asarray(given["y_ptr"]))
        },
        constants={"BLOCK": 64},
        dtypes=NUMBERS,
    )


CASES = tuple(_tile(name) for name in _OPERATORS)
