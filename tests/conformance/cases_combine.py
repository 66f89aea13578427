"""Reductions and scans by functions of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.inputs import numbers
from tests.conformance.kernels import grid_2d, kernel, load, store
from tests.conformance.model import FLOATS, INTEGERS, NUMBERS, Case
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.model import Array, Values

_ROWS, _COLUMNS = 4, 8
_PARAMETERS = "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>"
_CONSTANTS = {"ROWS": _ROWS, "COLS": _COLUMNS}
_LOADED = grid_2d() + load("x", "at", "")
_ROW = "let row = T::arange(0, ROWS);\n"
_COLUMN = "let column = T::expand_dims(T::arange(0, COLS), 0);\n"
_LANES = "let lanes = T::arange(0, COLS);\nlet one = T::arange(0, 1);\n"


def _combine(body: str, bound: str = "Num", name: str = "combine") -> str:
    """A function that makes one value of two."""
    return (
        f"fn {name}<T: Triton, D: {bound}>(a: T::Tensor<D>, b: T::Tensor<D>) -> T::Tensor<D> "
        f"{{ {body} }}\n"
    )


_SUM = _combine("a + b")
# Of two, the one further from zero; the first where both are as far.
_FURTHEST = _combine("T::where_(T::ge(T::abs(a), T::abs(b)), a, b)")
_LOG_SUM = (
    "/// The exponentials of a number and zero, added.\n"
    "fn grown<T: Triton, D: Float>(x: T::Tensor<D>) -> T::Tensor<D> {\n"
    "    T::exp(x) + T::full::<D>(&[], D::from_f64(1.0))\n}\n"
) + _combine(
    "let top = T::maximum(a, b); top + T::log(grown(T::minimum(a, b) - top))", bound="Float"
)
# Not commutative: the later of two that is not zero.
_LAST = _combine("T::where_(T::ne(b, T::zeros::<D>(&[])), b, a)")


def _generics(bound: str) -> str:
    return f"D: {bound}, const ROWS: i32, const COLS: i32"


def _matrix(given: Values) -> Array:
    return np.asarray(given["x_ptr"]).reshape(_ROWS, _COLUMNS)


def _inputs(random: np.random.Generator, dtype: DType | None, count: int) -> Values:
    x = numbers(random, dtype, _ROWS * _COLUMNS)
    if dtype is not None and (dtype.is_float or dtype.is_signed):
        x = x - (1 if dtype.is_float else 4)
    return {"x_ptr": x, "out_ptr": np.zeros(count)}


def _reduced(
    name: str,
    function: str,
    reduce: Callable[..., Array],
    bound: str = "Num",
    dtypes: tuple[DType, ...] = NUMBERS,
) -> tuple[Case, Case, Case]:
    """Along the last axis, along the first with its dimension kept, and of a vector."""

    def _along(x: Array, axis: int | None) -> Array:
        return reduce(x[:1], axis=1) if axis is None else reduce(x, axis=axis)

    def case(suffix: str, body: str, count: int, axis: int | None) -> Case:
        return Case(
            name=f"reduce by {name} {suffix}",
            operations=("reduce",),
            rust=function + kernel(body, _PARAMETERS, _generics(bound)),
            inputs=lambda random, dtype: _inputs(random, dtype, count),
            outputs=("out_ptr",),
            reference=lambda given: {"out_ptr": _along(_matrix(given), axis).reshape(-1)},
            constants=_CONSTANTS,
            dtypes=dtypes,
            tolerance="sum",
        )

    return (
        case(
            "of rows",
            _LOADED + _ROW + store("out_ptr", "T::reduce(x, 1, combine::<T, D>, false)", "row", ""),
            _ROWS,
            1,
        ),
        case(
            "of columns",
            _LOADED
            + _COLUMN
            + store("out_ptr", "T::reduce::<D, D>(x, 0, combine::<T, D>, true)", "column", ""),
            _COLUMNS,
            0,
        ),
        case(
            "of a vector",
            _LANES
            + load("x", "lanes", "")
            + store("out_ptr", "T::reduce(x, 0, combine::<T, _>, true)", "one", ""),
            1,
            None,
        ),
    )


def _scanned(
    name: str, function: str, step: Callable[[Array, Array], Array]
) -> tuple[Case, Case, Case]:
    """Along rows, up columns, and along a vector backwards."""

    def case(suffix: str, body: str, axis: int, *, is_vector: bool, is_reverse: bool) -> Case:
        def expected(given: Values) -> Values:
            x = _matrix(given)[:1] if is_vector else _matrix(given)
            turned = np.moveaxis(np.flip(x, axis) if is_reverse else x, axis, 0).copy()
            for index in range(1, len(turned)):
                turned[index] = step(turned[index - 1], turned[index])
            scanned = np.moveaxis(turned, 0, axis)
            return {"out_ptr": (np.flip(scanned, axis) if is_reverse else scanned).reshape(-1)}

        count = _COLUMNS if is_vector else _ROWS * _COLUMNS
        return Case(
            name=f"associative_scan by {name} {suffix}",
            operations=("associative_scan",),
            rust=function + kernel(body, _PARAMETERS, _generics("Num")),
            inputs=lambda random, dtype: _inputs(random, dtype, count),
            outputs=("out_ptr",),
            reference=expected,
            constants=_CONSTANTS,
            dtypes=NUMBERS,
            tolerance="sum",
        )

    def call(axis: int, flag: str) -> str:
        return f"T::associative_scan(x, {axis}, combine::<T, D>, {flag})"

    return (
        case(
            "along rows",
            _LOADED + store("out_ptr", call(1, "false"), "at", ""),
            1,
            is_vector=False,
            is_reverse=False,
        ),
        case(
            "up columns",
            _LOADED + store("out_ptr", call(0, "true"), "at", ""),
            0,
            is_vector=False,
            is_reverse=True,
        ),
        case(
            "of a vector backwards",
            _LANES + load("x", "lanes", "") + store("out_ptr", call(0, "true"), "lanes", ""),
            1,
            is_vector=True,
            is_reverse=True,
        ),
    )


def _sum(x: Array, axis: int) -> Array:
    return np.asarray(np.sum(x, axis=axis, dtype=x.dtype))


def _furthest(x: Array, axis: int) -> Array:
    where = np.expand_dims(np.argmax(np.abs(x), axis=axis), axis)
    return np.abs(np.take_along_axis(x, where, axis))


def _wider_inputs(random: np.random.Generator, _dtype: DType | None) -> Values:
    return {"x_ptr": random.integers(100, 120, _COLUMNS), "out_ptr": np.zeros(1)}


CASES = (
    *_reduced("a sum", _SUM, _sum),
    *_reduced(
        "the size of the furthest",
        _FURTHEST.replace("combine", "furthest") + _combine("T::abs(furthest(a, b))"),
        _furthest,
        dtypes=(*FLOATS, DType.I32, DType.I64, DType.U32, DType.U64),
    ),
    *_reduced(
        "the logarithm of a sum of exponentials",
        _LOG_SUM,
        lambda x, axis: np.asarray(np.log(np.sum(np.exp(x), axis=axis))),
        "Float",
        FLOATS,
    ),
    *_scanned("a sum", _SUM, lambda a, b: np.asarray(np.add(a, b, dtype=a.dtype))),
    *_scanned("the last that is not zero", _LAST, lambda a, b: np.where(b != 0, b, a)),
    Case(
        name="reduce of bools",
        operations=("reduce",),
        rust="fn either<T: Triton>(a: T::BoolTensor, b: T::BoolTensor) -> T::BoolTensor { a | b }\n"
        + kernel(
            _LOADED + _ROW + store("out_ptr", "T::reduce(x, 1, either::<T>, false)", "row", ""),
            "x_ptr: T::Pointer<bool>, out_ptr: T::Pointer<bool>",
            "const ROWS: i32, const COLS: i32",
        ),
        inputs=lambda random, _dtype: {
            "x_ptr": random.random(_ROWS * _COLUMNS) < 0.1,
            "out_ptr": np.zeros(_ROWS, bool),
        },
        outputs=("out_ptr",),
        reference=lambda given: {"out_ptr": np.any(_matrix(given), axis=1)},
        constants=_CONSTANTS,
    ),
    Case(
        name="associative_scan of bools",
        operations=("associative_scan",),
        rust="fn either<T: Triton>(a: T::BoolTensor, b: T::BoolTensor) -> T::BoolTensor { a | b }\n"
        + kernel(
            _LOADED
            + store("out_ptr", "T::associative_scan::<bool>(x, 1, either::<T>, false)", "at", ""),
            "x_ptr: T::Pointer<bool>, out_ptr: T::Pointer<bool>",
            "const ROWS: i32, const COLS: i32",
        ),
        inputs=lambda random, _dtype: {
            "x_ptr": random.random(_ROWS * _COLUMNS) < 0.2,
            "out_ptr": np.zeros(_ROWS * _COLUMNS, bool),
        },
        outputs=("out_ptr",),
        reference=lambda given: {
            "out_ptr": np.logical_or.accumulate(_matrix(given), axis=1).reshape(-1)
        },
        constants=_CONSTANTS,
    ),
    Case(
        name="reduce in a wider dtype",
        operations=("reduce",),
        rust="fn add<T: Triton>(a: T::Tensor<i64>, b: T::Tensor<i64>) -> T::Tensor<i64> { a + b }\n"
        + kernel(
            _LANES
            + load("x", "lanes", "")
            + store("out_ptr", "T::reduce::<D, i64>(x, 0, add::<T>, true)", "one", ""),
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<i64>",
            _generics("Int"),
        ),
        inputs=_wider_inputs,
        outputs=("out_ptr",),
        reference=lambda given: {
            "out_ptr": np.sum(np.asarray(given["x_ptr"]), dtype=np.int64, keepdims=True)
        },
        constants=_CONSTANTS,
        dtypes=INTEGERS,
    ),
)
