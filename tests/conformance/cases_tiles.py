"""Creation of tiles, and their shapes."""

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

_EVERY = (*NUMBERS, DType.BOOL)
_ROWS, _COLUMNS = 4, 8


def _matrix(random: np.random.Generator, dtype: DType | None) -> Array:
    high = 2 if dtype is DType.BOOL else 100
    return numbers(random, dtype, _ROWS * _COLUMNS, high=high)


def _moved(
    name: str,
    operations: tuple[str, ...],
    body: str,
    rearranged: Callable[[Array], Array],
    dtypes: tuple[DType, ...] = _EVERY,
) -> Case:
    """A case that puts the elements of `x`, a 4 by 8 matrix, or of a row of 32, elsewhere."""

    def inputs(random: np.random.Generator, dtype: DType | None) -> Values:
        x = _matrix(random, dtype)
        count = rearranged(x).size
        return {"x_ptr": x, "out_ptr": np.zeros(count)}

    return Case(
        name=name,
        operations=operations,
        rust=kernel(
            body,
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>",
            "D: Dtype, const ROWS: i32, const COLS: i32",
        ),
        inputs=inputs,
        outputs=("out_ptr",),
        reference=lambda given: {"out_ptr": rearranged(np.asarray(given["x_ptr"])).reshape(-1)},
        constants={"ROWS": _ROWS, "COLS": _COLUMNS},
        dtypes=dtypes,
    )


def _rows(x: Array) -> Array:
    return x.reshape(_ROWS, _COLUMNS)


_LOADED = grid_2d() + load("x", "at", "")
_HALVES = (
    "let lanes = T::arange(0, 16);\n"
    + load("x", "lanes", "").replace("let x", "let a")
    + load("x", "lanes + 16", "").replace("let x", "let b")
)
_TO_32 = "let to = T::arange(0, 32);\n"
_TO_ALL = "let to = T::arange(0, ROWS * COLS);\n"


def _created(name: str, operations: tuple[str, ...], value: str, expected: float) -> Case:
    return Case(
        name=name,
        operations=operations,
        rust=kernel(
            "let at = T::arange(0, BLOCK);\n"
            + load("x", "at", "")
            + store("out_ptr", f"x + {value}", "at", ""),
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>",
            "D: Num, const BLOCK: i32",
        ),
        inputs=lambda random, dtype: {
            "x_ptr": numbers(random, dtype, 16),
            "out_ptr": np.zeros(16),
        },
        outputs=("out_ptr",),
        reference=lambda given: {"out_ptr": np.asarray(given["x_ptr"]) + expected},
        constants={"BLOCK": 16},
        dtypes=NUMBERS,
    )


def _toward_zero(x: np.ndarray) -> np.ndarray:
    """`x` as f32, rounded toward zero."""
    nearest = x.astype(np.float32)
    is_past = np.abs(nearest.astype(np.float64)) > np.abs(x)
    return np.where(is_past, np.nextafter(nearest, np.float32(0)), nearest)


CASES = (
    Case(
        name="arange",
        operations=("arange", "arange_f32"),
        rust=kernel(
            "let at = T::arange(0, 32);\n"
            + store("i_ptr", "T::arange(16, 48)", "at", "")
            + store("f_ptr", "T::arange_f32(16, 48)", "at", ""),
            "i_ptr: T::Pointer<i32>, f_ptr: T::Pointer<f32>",
            "",
        ),
        inputs=lambda _random, _dtype: {"i_ptr": np.zeros(32), "f_ptr": np.zeros(32)},
        outputs=("i_ptr", "f_ptr"),
        reference=lambda _given: {"i_ptr": np.arange(16, 48), "f_ptr": np.arange(16, 48)},
    ),
    _created("zeros", ("zeros",), "T::zeros::<D>(&[BLOCK])", 0),
    _created("zeros_like", ("zeros_like",), "T::zeros_like(x)", 0),
    Case(
        name="full",
        operations=("full",),
        rust=kernel(
            "let at = T::arange(0, BLOCK);\n"
            + store("out_ptr", "T::full::<D>(&[BLOCK], D::from_f64(2.5))", "at", ""),
            "out_ptr: T::Pointer<D>",
        ),
        inputs=lambda _random, _dtype: {"out_ptr": np.zeros(16)},
        outputs=("out_ptr",),
        reference=lambda _given: {"out_ptr": np.full(16, 2.5)},
        constants={"BLOCK": 16},
        dtypes=FLOATS,
    ),
    Case(
        name="cast",
        operations=("cast",),
        rust=kernel(
            "let at = T::arange(0, BLOCK);\n"
            + load("x", "at", "")
            + store("f_ptr", "T::cast::<D, f64>(x, None, false)", "at", "")
            + store("i_ptr", "T::cast::<D, i32>(x, None, false)", "at", ""),
            "x_ptr: T::Pointer<D>, f_ptr: T::Pointer<f64>, i_ptr: T::Pointer<i32>",
            "D: Num, const BLOCK: i32",
        ),
        inputs=lambda random, dtype: {
            "x_ptr": numbers(random, dtype, 16, high=100),
            "f_ptr": np.zeros(16),
            "i_ptr": np.zeros(16),
        },
        outputs=("f_ptr", "i_ptr"),
        reference=lambda given: {
            "f_ptr": np.asarray(given["x_ptr"]).astype(np.float64),
            "i_ptr": np.asarray(given["x_ptr"]).astype(np.int32),
        },
        constants={"BLOCK": 16},
        dtypes=(*FLOATS, *INTEGERS),
    ),
    Case(
        name="cast, rounded",
        operations=("cast",),
        rust=kernel(
            "let at = T::arange(0, BLOCK);\n"
            + load("x", "at", "")
            + store("f_ptr", "T::cast::<D, f32>(x, Some(FpDowncastRounding::Rtz), false)", "at", "")
            + store(
                "i_ptr", "T::cast::<D, i32>(x, Some(FpDowncastRounding::Rtz), false)", "at", ""
            ),
            "x_ptr: T::Pointer<D>, f_ptr: T::Pointer<f32>, i_ptr: T::Pointer<i32>",
            "D: Num, const BLOCK: i32",
        ),
        inputs=lambda random, dtype: {
            "x_ptr": np.true_divide(
                numbers(random, dtype, 16, high=100), 3 if dtype in FLOATS else 1
            ),
            "f_ptr": np.zeros(16),
            "i_ptr": np.zeros(16),
        },
        outputs=("f_ptr", "i_ptr"),
        reference=lambda given: {
            "f_ptr": _toward_zero(np.asarray(given["x_ptr"])),
            "i_ptr": np.asarray(given["x_ptr"]).astype(np.int32),
        },
        constants={"BLOCK": 16},
        dtypes=(*FLOATS, *INTEGERS),
    ),
    _moved(
        "broadcast_to and expand_dims",
        ("broadcast_to", "expand_dims"),
        "let column = T::expand_dims(T::arange(0, ROWS), 1);\n"
        + load("x", "column", "")
        + grid_2d()
        + store("out_ptr", "T::broadcast_to(x, &[ROWS, COLS])", "at", ""),
        lambda x: np.repeat(x[:_ROWS], _COLUMNS),
    ),
    _moved(
        "broadcast",
        ("broadcast",),
        "let column = T::expand_dims(T::arange(0, ROWS), 1);\n"
        + load("x", "column", "").replace("let x", "let a")
        + load("x", "T::expand_dims(T::arange(0, COLS), 0)", "").replace("let x", "let b")
        + grid_2d()
        + "let (c, d) = T::broadcast(a, b);\n"
        + store("out_ptr", "c", "at", "")
        + store("out_ptr", "d", "at + 32", ""),
        lambda x: np.concatenate([np.repeat(x[:_ROWS], _COLUMNS), np.tile(x[:_COLUMNS], _ROWS)]),
    ),
    _moved(
        "permute",
        ("permute",),
        _LOADED
        + grid_2d("COLS", "ROWS", "to")
        + store("out_ptr", "T::permute(x, &[1, 0])", "to", ""),
        lambda x: _rows(x).T,
    ),
    _moved(
        "trans",
        ("trans",),
        _LOADED
        + grid_2d("COLS", "ROWS", "to")
        + store("out_ptr", "T::trans(x, &[1, 0])", "to", ""),
        lambda x: _rows(x).T,
    ),
    _moved(
        "reshape",
        ("reshape",),
        _LOADED
        + grid_2d("COLS", "ROWS", "to")
        + store("out_ptr", "T::reshape(x, &[COLS, ROWS], false)", "to", ""),
        lambda x: x,
    ),
    _moved(
        "view",
        ("view",),
        _LOADED
        + grid_2d("COLS", "ROWS", "to")
        + store("out_ptr", "T::view(x, &[COLS, ROWS])", "to", ""),
        lambda x: x,
    ),
    _moved(
        "ravel",
        ("ravel",),
        _LOADED + _TO_ALL + store("out_ptr", "T::ravel(x, false)", "to", ""),
        lambda x: x,
    ),
    _moved(
        "cat",
        ("cat",),
        _HALVES + _TO_32 + store("out_ptr", "T::cat(a, b, false)", "to", ""),
        lambda x: x,
    ),
    _moved(
        "join",
        ("join",),
        _HALVES + grid_2d("16", "2", "to") + store("out_ptr", "T::join(a, b)", "to", ""),
        lambda x: np.stack([x[:16], x[16:]], axis=1),
    ),
    _moved(
        "interleave",
        ("interleave",),
        _HALVES + _TO_32 + store("out_ptr", "T::interleave(a, b)", "to", ""),
        lambda x: np.stack([x[:16], x[16:]], axis=1),
    ),
    _moved(
        "split",
        ("split",),
        grid_2d("16", "2")
        + load("x", "at", "")
        + "let (a, b) = T::split(x);\nlet lanes = T::arange(0, 16);\n"
        + store("out_ptr", "a", "lanes", "")
        + store("out_ptr", "b", "lanes + 16", ""),
        lambda x: np.concatenate([x[::2], x[1::2]]),
    ),
    _moved(
        "flip along one dimension",
        ("flip",),
        _LOADED + store("out_ptr", "T::flip(x, Some(0))", "at", ""),
        lambda x: _rows(x)[::-1],
        dtypes=NUMBERS,
    ),
    _moved(
        "flip along every dimension",
        ("flip",),
        _LOADED + store("out_ptr", "T::flip(x, None)", "at", ""),
        lambda x: x[::-1],
        dtypes=(DType.F32, DType.I8),
    ),
    _moved(
        "gather",
        ("gather",),
        _LOADED
        + "let index = (at * 5 + 3) % COLS;\n"
        + store("out_ptr", "T::gather(x, index, 1)", "at", ""),
        lambda x: np.take_along_axis(
            _rows(x), (np.arange(32).reshape(4, 8) * 5 + 3) % _COLUMNS, axis=1
        ),
        dtypes=NUMBERS,
    ),
)
