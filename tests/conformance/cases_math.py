"""Element-wise mathematics, and the arithmetic of programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.inputs import floats, numbers
from tests.conformance.kernels import LANES, grid_2d, kernel, load, store
from tests.conformance.model import FLOATS, NUMBERS, SIGNED, Case

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.model import Array, Value, Values
    from transpiler.ir.types import DType

_SIZE = 61


def _as_array(value: Value) -> Array:
    return np.asarray(value)


def _one_input(random: np.random.Generator, dtype: DType | None) -> Values:
    is_float = dtype is None or dtype.is_float
    x = floats(random, _SIZE) if is_float else numbers(random, dtype, _SIZE, low=-40, high=90)
    return {"x_ptr": x, "out_ptr": np.zeros(_SIZE), "n": _SIZE}


def _unary(
    name: str,
    reference: Callable[[Array], Array],
    tolerance: str = "function",
    bound: str = "Float",
    dtypes: tuple[DType, ...] = FLOATS,
) -> Case:
    def expected(given: Values) -> Values:
        with np.errstate(all="ignore"):
            return {"out_ptr": reference(_as_array(given["x_ptr"]))}

    return Case(
        name=name,
        operations=(name,),
        rust=kernel(
            LANES + load("x") + store("out_ptr", f"T::{name}(x)"),
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>, n: i32",
            f"D: {bound}, const BLOCK: i32",
        ),
        inputs=_one_input,
        outputs=("out_ptr",),
        reference=expected,
        constants={"BLOCK": 64},
        dtypes=dtypes,
        tolerance=tolerance,
    )


def _several(
    name: str,
    call: str,
    reference: Callable[[Array, Array, Array], Array],
    dtypes: tuple[DType, ...] = FLOATS,
    tolerance: str = "exact",
) -> Case:
    def inputs(random: np.random.Generator, dtype: DType | None) -> Values:
        x, y, z = (numbers(random, dtype, _SIZE, low=1) for _ in range(3))
        if dtype is not None and dtype.is_float and name not in {"clamp", "fma"}:
            x[:6] = [np.nan, 1.0, np.inf, -np.inf, 2.0, 0.5]
            y[:6] = [1.0, np.nan, 2.0, 1.0, np.inf, -np.inf]
        return {"x_ptr": x, "y_ptr": y, "z_ptr": z, "out_ptr": np.zeros(_SIZE), "n": _SIZE}

    def expected(given: Values) -> Values:
        x, y, z = (_as_array(given[f"{each}_ptr"]) for each in "xyz")
        with np.errstate(all="ignore"):
            return {"out_ptr": reference(x, y, z)}

    bound = "Float" if dtypes is FLOATS else "Num"
    return Case(
        name=name,
        operations=(name,),
        rust=kernel(
            LANES + load("x") + load("y") + load("z") + store("out_ptr", call),
            "x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, z_ptr: T::Pointer<D>, "
            "out_ptr: T::Pointer<D>, n: i32",
            f"D: {bound}, const BLOCK: i32",
        ),
        inputs=inputs,
        outputs=("out_ptr",),
        reference=expected,
        constants={"BLOCK": 64},
        dtypes=dtypes,
        tolerance=tolerance,
    )


def _softmax(name: str, dim: str, axis: int) -> Case:
    def expected(given: Values) -> Values:
        x = _as_array(given["x_ptr"]).reshape(4, 16).astype(np.float64)
        powers = np.exp(x - x.max(axis, keepdims=True))
        return {"out_ptr": (powers / powers.sum(axis, keepdims=True)).reshape(-1)}

    return Case(
        name=name,
        operations=("softmax",),
        rust=kernel(
            grid_2d()
            + load("x", "at", "")
            + store("out_ptr", f"T::softmax(x, {dim}, false, false)", "at", ""),
            "x_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>",
            "D: Float, const ROWS: i32, const COLS: i32",
        ),
        inputs=lambda random, _dtype: {
            "x_ptr": floats(random, 64, awkward=False),
            "out_ptr": np.zeros(64),
        },
        outputs=("out_ptr",),
        reference=expected,
        constants={"ROWS": 4, "COLS": 16},
        dtypes=FLOATS,
        tolerance="function",
    )


def _swizzled(given: Values) -> Values:
    """Row-major indices of a 6 by 5 matrix, column-major in groups of 4 rows."""
    del given
    pairs = np.zeros((30, 2), np.int32)
    for index in range(30):
        group, within = divmod(index, 4 * 5)
        rows = min(6 - group * 4, 4)
        pairs[index] = group * 4 + within % rows, within // rows
    return {"out_ptr": pairs.reshape(-1)}


def _umulhi_inputs(random: np.random.Generator, _dtype: DType | None) -> Values:
    x, y = random.integers(0, 2**32, (2, _SIZE))
    x[:2] = 2**32 - 1
    y[:1] = 2**32 - 1
    return {"x_ptr": x, "y_ptr": y, "out_ptr": np.zeros(_SIZE), "n": _SIZE}


CASES = (
    _unary("abs", np.abs, "exact", "Num", FLOATS + SIGNED),
    _unary("ceil", np.ceil, "exact"),
    _unary("floor", np.floor, "exact"),
    _unary("cos", np.cos),
    _unary("sin", np.sin),
    _unary("exp", np.exp),
    _unary("exp2", np.exp2),
    _unary("log", np.log),
    _unary("log2", np.log2),
    _unary("rsqrt", lambda x: 1 / np.sqrt(x)),
    _unary("sigmoid", lambda x: np.divide(1, 1 + np.exp(np.negative(x)))),
    _unary("sqrt", np.sqrt),
    _unary("sqrt_rn", np.sqrt, "rounded"),
    _unary("erf", np.vectorize(math.erf, otypes=[float])),
    _unary("atan", np.arctan),
    _several("maximum", "T::maximum(x, y)", lambda x, y, _z: np.maximum(x, y), dtypes=NUMBERS),
    _several("minimum", "T::minimum(x, y)", lambda x, y, _z: np.minimum(x, y), dtypes=NUMBERS),
    _several(
        "clamp",
        "T::clamp(x, T::minimum(y, z), T::maximum(y, z))",
        lambda x, y, z: np.clip(x, np.minimum(y, z), np.maximum(y, z)),
        dtypes=NUMBERS,
    ),
    _several(
        "fma", "T::fma(x, y, z)", lambda x, y, z: np.add(np.multiply(x, y), z), tolerance="rounded"
    ),
    _several(
        "fdiv", "T::fdiv(x, y, false)", lambda x, y, _z: np.divide(x, y), tolerance="function"
    ),
    _several("div_rn", "T::div_rn(x, y)", lambda x, y, _z: np.divide(x, y), tolerance="rounded"),
    _softmax("softmax of the last dimension", "None", 1),
    _softmax("softmax of the first dimension", "Some(0)", 0),
    Case(
        name="umulhi",
        operations=("umulhi",),
        rust=kernel(
            LANES + load("x") + load("y") + store("out_ptr", "T::umulhi(x, y)"),
            "x_ptr: T::Pointer<u32>, y_ptr: T::Pointer<u32>, out_ptr: T::Pointer<u32>, n: i32",
            "const BLOCK: i32",
        ),
        inputs=_umulhi_inputs,
        outputs=("out_ptr",),
        reference=lambda given: {
            "out_ptr": (
                _as_array(given["x_ptr"]).astype(np.uint64)
                * _as_array(given["y_ptr"]).astype(np.uint64)
            )
            >> np.uint64(32)
        },
        constants={"BLOCK": 64},
    ),
    Case(
        name="programs",
        operations=("program_id", "num_programs", "cdiv"),
        rust=kernel(
            "let x = T::program_id(Axis::X);\n"
            "let y = T::program_id(Axis::Y);\n"
            "let at = T::arange(0, 1) + y * T::num_programs(Axis::X) + x;\n"
            "let v = T::full::<i32>(&[1], x * 100 + y * 10 + T::cdiv(n, x + 1));\n"
            + store("out_ptr", "v", "at", ""),
            "out_ptr: T::Pointer<i32>, n: i32",
            "",
        ),
        inputs=lambda _random, _dtype: {"out_ptr": np.zeros(6), "n": 7},
        outputs=("out_ptr",),
        reference=lambda _given: {
            "out_ptr": np.array(
                [x * 100 + y * 10 + -(-7 // (x + 1)) for y in range(2) for x in range(3)]
            )
        },
        grid=(3, 2),
    ),
    Case(
        name="swizzle2d",
        operations=("swizzle2d",),
        rust=kernel(
            "let pid = T::program_id(Axis::X);\n"
            "let (i, j) = T::swizzle2d(pid / columns, pid % columns, rows, columns, 4);\n"
            "let at = T::arange(0, 1) + pid * 2;\n"
            + store("out_ptr", "T::full::<i32>(&[1], i)", "at", "")
            + store("out_ptr", "T::full::<i32>(&[1], j)", "at + 1", ""),
            "out_ptr: T::Pointer<i32>, rows: i32, columns: i32",
            "",
        ),
        inputs=lambda _random, _dtype: {"out_ptr": np.zeros(60), "rows": 6, "columns": 5},
        outputs=("out_ptr",),
        reference=_swizzled,
        grid=(30,),
    ),
)
