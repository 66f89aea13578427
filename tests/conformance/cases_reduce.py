"""Reductions, scans, sorting and counting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.inputs import numbers
from tests.conformance.kernels import grid_2d, kernel, load, store
from tests.conformance.model import INTEGERS, NUMBERS, Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.model import Array, Values
    from transpiler.ir.types import DType

_ROWS, _COLUMNS = 4, 8
_PARAMETERS = "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>"
_CONSTANTS = {"ROWS": _ROWS, "COLS": _COLUMNS}
_LOADED = grid_2d() + load("x", "at", "")
_ROW = "let row = T::arange(0, ROWS);\n"
_COLUMN = "let column = T::expand_dims(T::arange(0, COLS), 0);\n"
_ONE = "let one = T::expand_dims(T::arange(0, 1), 1);\n"


def _generics(bound: str) -> str:
    return f"D: {bound}, const ROWS: i32, const COLS: i32"


def _matrix(given: Values) -> Array:
    return np.asarray(given["x_ptr"]).reshape(_ROWS, _COLUMNS)


def _inputs(
    random: np.random.Generator, dtype: DType | None, count: int, *, nan: bool
) -> dict[str, Array]:
    x = numbers(random, dtype, _ROWS * _COLUMNS, low=1)
    if nan and dtype is not None and dtype.is_float:
        x[5] = x[7] = np.nan
        x[17] = -np.inf
    return {"x_ptr": x, "out_ptr": np.zeros(count)}


def _reduction(
    name: str,
    reduce: Callable[..., Array],
    bound: str = "Num",
    dtypes: tuple[DType, ...] = NUMBERS,
    *,
    nan: bool = True,
) -> tuple[Case, Case, Case]:
    """Along the last axis, along the first with its dimension kept, and over everything."""

    def case(suffix: str, body: str, count: int, axis: int | None) -> Case:
        return Case(
            name=f"{name} {suffix}",
            operations=(name,),
            rust=kernel(_LOADED + body, _PARAMETERS, _generics(bound)),
            inputs=lambda random, dtype: _inputs(random, dtype, count, nan=nan),
            outputs=("out_ptr",),
            reference=lambda given: {"out_ptr": np.reshape(reduce(_matrix(given), axis), -1)},
            constants=_CONSTANTS,
            dtypes=dtypes,
            tolerance="sum",
        )

    return (
        case(
            "of rows", _ROW + store("out_ptr", f"T::{name}(x, Some(1), false)", "row", ""), _ROWS, 1
        ),
        case(
            "of columns",
            _COLUMN + store("out_ptr", f"T::{name}(x, Some(0), true)", "column", ""),
            _COLUMNS,
            0,
        ),
        case("of all", _ONE + store("out_ptr", f"T::{name}(x, None, true)", "one", ""), 1, None),
    )


def _sum(x: Array, axis: int | None) -> Array:
    return np.asarray(np.sum(x, axis=axis, dtype=x.dtype))


def _position(name: str, find: Callable[..., Array]) -> Case:
    """The leftmost place along the last axis; numpy finds the first NaN too."""
    return Case(
        name=name,
        operations=(name,),
        rust=kernel(
            _LOADED + _ROW + store("out_ptr", f"T::{name}(x, 1, true, false)", "row", ""),
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<i32>",
            _generics("Num"),
        ),
        inputs=lambda random, dtype: _inputs(random, dtype, _ROWS, nan=True),
        outputs=("out_ptr",),
        reference=lambda given: {"out_ptr": find(_matrix(given), axis=1)},
        constants=_CONSTANTS,
        dtypes=NUMBERS,
    )


def _with_position(name: str, find: Callable[..., Array]) -> Case:
    def expected(given: Values) -> Values:
        x = _matrix(given)
        where = find(x, axis=0)
        return {"i_ptr": where, "out_ptr": x[where, np.arange(_COLUMNS)]}

    def inputs(random: np.random.Generator, dtype: DType | None) -> Values:
        return {**_inputs(random, dtype, _COLUMNS, nan=True), "i_ptr": np.zeros(_COLUMNS)}

    return Case(
        name=name,
        operations=(name,),
        rust=kernel(
            _LOADED
            + _COLUMN
            + f"let (value, index) = T::{name}(x, 0, true, true);\n"
            + store("out_ptr", "value", "column", "")
            + store("i_ptr", "index", "column", ""),
            f"{_PARAMETERS}, i_ptr: T::Pointer<i32>",
            _generics("Num"),
        ),
        inputs=inputs,
        outputs=("out_ptr", "i_ptr"),
        reference=expected,
        constants=_CONSTANTS,
        dtypes=NUMBERS,
    )


def _scan(name: str, scan: Callable[..., Array]) -> tuple[Case, Case]:
    def case(suffix: str, axis: int, *, is_reverse: bool) -> Case:
        def expected(given: Values) -> Values:
            x = _matrix(given)
            turned = np.flip(x, axis) if is_reverse else x
            scanned = scan(turned, axis=axis, dtype=x.dtype)
            return {"out_ptr": (np.flip(scanned, axis) if is_reverse else scanned).reshape(-1)}

        flag = "true" if is_reverse else "false"
        return Case(
            name=f"{name} {suffix}",
            operations=(name,),
            rust=kernel(
                _LOADED + store("out_ptr", f"T::{name}(x, {axis}, {flag})", "at", ""),
                _PARAMETERS,
                _generics("Num"),
            ),
            inputs=lambda random, dtype: _inputs(random, dtype, _ROWS * _COLUMNS, nan=False),
            outputs=("out_ptr",),
            reference=expected,
            constants=_CONSTANTS,
            dtypes=NUMBERS,
            tolerance="sum",
        )

    return case("along rows", 1, is_reverse=False), case("up columns", 0, is_reverse=True)


def _sort(name: str, flag: str, *, is_descending: bool) -> Case:
    def expected(given: Values) -> Values:
        x = np.sort(_matrix(given), axis=1)
        return {"out_ptr": (x[:, ::-1] if is_descending else x).reshape(-1)}

    return Case(
        name=name,
        operations=("sort",),
        rust=kernel(
            _LOADED + store("out_ptr", f"T::sort(x, {flag})", "at", ""),
            _PARAMETERS,
            _generics("Num"),
        ),
        inputs=lambda random, dtype: _inputs(random, dtype, _ROWS * _COLUMNS, nan=False),
        outputs=("out_ptr",),
        reference=expected,
        constants=_CONSTANTS,
        dtypes=NUMBERS,
    )


CASES = (
    *_reduction("sum", _sum),
    *_reduction("max", lambda x, axis: np.asarray(np.max(x, axis=axis))),
    *_reduction("min", lambda x, axis: np.asarray(np.min(x, axis=axis))),
    *_reduction(
        "xor_sum",
        lambda x, axis: np.asarray(np.bitwise_xor.reduce(x, axis=axis)),
        "Int",
        INTEGERS,
    ),
    _position("argmax", np.argmax),
    _position("argmin", np.argmin),
    _with_position("max_with_indices", np.argmax),
    _with_position("min_with_indices", np.argmin),
    *_scan("cumsum", np.cumsum),
    *_scan("cumprod", np.cumprod),
    _sort("sort upwards", "None, false", is_descending=False),
    _sort("sort downwards", "Some(1), true", is_descending=True),
    Case(
        name="histogram",
        operations=("histogram",),
        rust=kernel(
            "let at = T::arange(0, BLOCK);\nlet mask = at.lt(n);\n"
            + load("x", "at")
            + "let bins = T::arange(0, BINS);\n"
            + store("out_ptr", "T::histogram(x, BINS, Some(mask))", "bins", ""),
            "x_ptr: T::Pointer<i32>, out_ptr: T::Pointer<i32>, n: i32",
            "const BLOCK: i32, const BINS: i32",
        ),
        inputs=lambda random, _dtype: {
            "x_ptr": random.integers(0, 16, 53),
            "out_ptr": np.zeros(16),
            "n": 53,
        },
        outputs=("out_ptr",),
        reference=lambda given: {"out_ptr": np.bincount(np.asarray(given["x_ptr"]), minlength=16)},
        constants={"BLOCK": 64, "BINS": 16},
    ),
)
