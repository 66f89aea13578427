"""Kernels over a dtype parameter for every dtype it may be, with the numbers at the ends of its range."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import LANES, kernel, load, store
from tests.conformance.model import FLOATS, INTEGERS, NUMBERS, Case
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conformance.model import Values

_SIZE = 61
_BLOCK = 64


def _held(dtype: DType) -> str:
    """The numpy dtype of an integer dtype."""
    return f"{'int' if dtype.is_signed else 'uint'}{dtype.bits}"


def _extremes(random: np.random.Generator, dtype: DType | None, *, size: int = _SIZE) -> np.ndarray:
    """Numbers of the whole range of an integer dtype, its ends and what is beside them among them."""
    assert dtype is not None
    if dtype.is_float:
        return random.integers(-8, 9, size) / 4
    limits = np.iinfo(_held(dtype))
    some = random.integers(
        limits.min, limits.max, size, dtype=np.dtype(_held(dtype)), endpoint=True
    )
    ends = [limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1]
    some[: len(ends)] = np.array(ends, np.dtype(_held(dtype)))
    return random.permutation(some)


def _divisors(random: np.random.Generator, dtype: DType | None) -> np.ndarray:
    """Small numbers other than 0 and, beside the ends of the range, other than -1, which Rust refuses."""
    assert dtype is not None
    size = random.integers(2, 7, _SIZE)
    if dtype.is_float:
        return np.asarray(size * random.choice([-1, 1], _SIZE) / 4)
    return np.asarray(size * random.choice([-1, 1], _SIZE) if dtype.is_signed else size)


def _case(
    name: str,
    operations: tuple[str, ...],
    body: str,
    reference: Callable[[np.ndarray, np.ndarray], np.ndarray],
    *,
    bound: str = "Num",
    dtypes: tuple[DType, ...] = NUMBERS,
    second: Callable[[np.random.Generator, DType | None], np.ndarray] = _extremes,
    result: str = "D",
    tolerance: str = "exact",
) -> Case:
    """A case of two tiles, `x` and `y`; the body ends in the tile that is stored."""

    def inputs(random: np.random.Generator, dtype: DType | None) -> Values:
        return {
            "x_ptr": _extremes(random, dtype),
            "y_ptr": second(random, dtype),
            "out_ptr": np.zeros(_SIZE),
            "n": _SIZE,
        }

    def expected(given: Values) -> Values:
        with np.errstate(all="ignore"):
            return {"out_ptr": reference(np.asarray(given["x_ptr"]), np.asarray(given["y_ptr"]))}

    *before, value = body.strip().splitlines()
    return Case(
        name=name,
        operations=operations,
        rust=kernel(
            LANES
            + load("x")
            + load("y")
            + "".join(f"{line}\n" for line in before)
            + store("out_ptr", value),
            f"x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, out_ptr: T::Pointer<{result}>, n: i32",
            f"D: {bound}, const BLOCK: i32",
        ),
        inputs=inputs,
        outputs=("out_ptr",),
        reference=expected,
        constants={"BLOCK": _BLOCK},
        dtypes=dtypes,
        tolerance=tolerance,
    )


def _distances(random: np.random.Generator, dtype: DType | None) -> np.ndarray:
    assert dtype is not None
    return random.integers(0, dtype.bits, _SIZE)


def _truncated(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The quotient of integers, rounded toward zero; of floats, as it is."""
    if x.dtype.kind == "f":
        return np.asarray(np.divide(x, y))
    wide = np.abs(x.astype(object)) // np.abs(y.astype(object))
    signed = wide * np.sign(x.astype(object)) * np.sign(y.astype(object))
    return np.asarray(signed.astype(x.dtype))


def _wrapped(to: DType, x: np.ndarray, _y: np.ndarray) -> np.ndarray:
    return x.astype(_held(to))


def _saturated(value: float, x: np.ndarray, _y: np.ndarray) -> np.ndarray:
    """A number as `as` and `from_f64` convert it to the dtype of x."""
    if x.dtype.kind == "f":
        return np.full(x.shape, value)
    limits = np.iinfo(x.dtype.name)
    held = min(max(int(value), int(limits.min)), int(limits.max))
    return np.full(x.shape, held, x.dtype)


def _first(x: np.ndarray) -> int:
    """Where the largest and the smallest of x and zeros behind it stand first."""
    padded = np.concatenate((x, np.zeros(_BLOCK - _SIZE, x.dtype)))
    return int(np.argmax(padded)) * 100 + int(np.argmin(padded))


_WHOLE = "let x = T::where_(mask, x, T::zeros::<D>(&[BLOCK]));\n"
_SPREAD = "T::broadcast_to({}, &[BLOCK])"


def _bools(random: np.random.Generator, _dtype: DType | None) -> Values:
    x, y = random.integers(0, 2, (2, _SIZE)).astype(bool)
    return {"x_ptr": x, "y_ptr": y, "out_ptr": np.zeros(_SIZE, bool), "n": _SIZE}


CASES = (
    _case("arithmetic wraps", ("load", "store"), "x * y + x - y", lambda x, y: x * y + x - y),
    _case(
        "division truncates", ("load",), "x / y", _truncated, second=_divisors, tolerance="rounded"
    ),
    _case(
        "a remainder has the sign of the dividend",
        ("load",),
        "x % y",
        np.fmod,
        second=_divisors,
    ),
    _case(
        "bits",
        ("load",),
        "((x & y) | (x ^ y)) + !x",
        lambda x, y: ((x & y) | (x ^ y)) + ~x,
        bound="Int",
        dtypes=INTEGERS,
    ),
    _case(
        "shift to the left",
        ("load",),
        "x << y",
        np.left_shift,
        bound="Int",
        dtypes=INTEGERS,
        second=_distances,
    ),
    _case(
        "shift to the right",
        ("load",),
        "x >> y",
        np.right_shift,
        bound="Int",
        dtypes=INTEGERS,
        second=_distances,
    ),
    _case("comparison of extremes", ("lt",), "T::lt(x, y)", np.less, result="bool"),
    _case("a method compares extremes", ("load",), "x.ge(y)", np.greater_equal, result="bool"),
    _case(
        "the larger and the smaller of extremes",
        ("maximum", "minimum"),
        "T::maximum(x, y) - T::minimum(x, y)",
        lambda x, y: np.maximum(x, y) - np.minimum(x, y),
    ),
    _case(
        "clamped between extremes",
        ("clamp", "zeros_like"),
        "T::clamp(x, T::minimum(y, T::zeros_like(y)), T::maximum(y, T::zeros_like(y)))",
        lambda x, y: np.clip(x, np.minimum(y, 0), np.maximum(y, 0)),
    ),
    _case(
        "the absolute value wraps",
        ("abs",),
        "T::abs(x)",
        lambda x, _y: np.abs(x),
    ),
    _case(
        "a sum wraps",
        ("sum",),
        _WHOLE + _SPREAD.format("T::sum(x, None, true)"),
        lambda x, _y: np.broadcast_to(x.sum(dtype=x.dtype), x.shape),
        tolerance="sum",
    ),
    _case(
        "a mean truncates",
        ("sum",),
        _WHOLE
        + "let count = T::sum(T::where_(mask, T::full::<D>(&[BLOCK], D::ONE), "
        + "T::zeros::<D>(&[BLOCK])), None, true);\n"
        + _SPREAD.format("T::sum(x, None, true) / count"),
        lambda x, _y: np.broadcast_to(
            _truncated(x.sum(dtype=x.dtype), np.asarray(x.size).astype(x.dtype)), x.shape
        ),
        tolerance="sum",
    ),
    _case(
        "running sums wrap",
        ("cumsum",),
        _WHOLE + "T::cumsum(x, 0, false)",
        lambda x, _y: x.cumsum(dtype=x.dtype),
        tolerance="sum",
    ),
    _case(
        "running products wrap",
        ("cumprod",),
        "let x = T::where_(mask, x, T::full::<D>(&[BLOCK], D::ONE));\nT::cumprod(x, 0, false)",
        lambda x, _y: x.cumprod(dtype=x.dtype),
        dtypes=INTEGERS,
        bound="Int",
    ),
    _case(
        "the largest and the smallest of extremes",
        ("max", "min"),
        _WHOLE + _SPREAD.format("T::max(x, None, true) - T::min(x, None, true)"),
        lambda x, _y: np.broadcast_to(np.maximum(x.max(), 0) - np.minimum(x.min(), 0), x.shape),
    ),
    _case(
        "where extremes stand",
        ("argmax", "argmin"),
        _WHOLE
        + "let most = T::argmax(x, 0, true, true);\nlet least = T::argmin(x, 0, true, true);\n"
        + _SPREAD.format("most * 100 + least"),
        lambda x, _y: np.full(x.shape, _first(x)),
        result="i32",
    ),
    _case(
        "sorted extremes",
        ("sort",),
        "let known = T::where_(mask, x, T::zeros::<D>(&[BLOCK]));\n"
        "let most = T::broadcast_to(T::max(known, None, true), &[BLOCK]);\n"
        "let x = T::where_(mask, x, most);\n"
        "T::sort(x, None, false)",
        lambda x, _y: np.sort(x),
    ),
    _case(
        "selection",
        ("where_",),
        "T::where_(T::lt(x, y), x, y)",
        np.minimum,
    ),
    _case(
        "to f32",
        ("cast",),
        "T::cast::<D, f32>(x, None, false)",
        lambda x, _y: x.astype(np.float32),
        result="f32",
    ),
    _case(
        "to f64",
        ("cast",),
        "T::cast::<D, f64>(x, None, false)",
        lambda x, _y: x.astype(np.float64),
        result="f64",
    ),
    *(
        _case(
            f"to {to}",
            ("cast",),
            f"T::cast::<D, {to}>(x, None, false)",
            partial(_wrapped, DType(to)),
            bound="Int",
            dtypes=INTEGERS,
            result=to,
        )
        for to in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
    ),
    _case(
        "a float to i32",
        ("cast",),
        "T::cast::<D, i32>(x, None, false)",
        lambda x, _y: np.trunc(x),
        bound="Float",
        dtypes=FLOATS,
        result="i32",
    ),
    _case(
        "from i32",
        ("cast",),
        "T::cast::<i32, D>(lanes - 7, None, false)",
        lambda x, _y: (np.arange(_SIZE) - 7).astype(x.dtype),
    ),
    _case(
        "from f32",
        ("cast",),
        "T::cast::<f32, D>(T::cast::<i32, f32>(lanes, None, false), None, false)",
        lambda x, _y: np.arange(_SIZE).astype(x.dtype),
    ),
    *(
        _case(
            f"from_f64 of {value}",
            ("full",),
            f"T::full::<D>(&[BLOCK], D::from_f64({value}))",
            partial(_saturated, value),
            dtypes=dtypes,
        )
        for value, dtypes in ((2.75, NUMBERS), (-1.0, NUMBERS), (1e30, INTEGERS), (-1e30, INTEGERS))
    ),
    Case(
        name="bools",
        operations=("load", "store"),
        rust=kernel(
            LANES + load("x") + load("y") + store("out_ptr", "(x & !y) | (x ^ y)"),
            "x_ptr: T::Pointer<D>, y_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>, n: i32",
            "D: Bool, const BLOCK: i32",
        ),
        inputs=_bools,
        outputs=("out_ptr",),
        reference=lambda given: {
            "out_ptr": (np.asarray(given["x_ptr"]) & ~np.asarray(given["y_ptr"]))
            | (np.asarray(given["x_ptr"]) ^ np.asarray(given["y_ptr"]))
        },
        constants={"BLOCK": _BLOCK},
        dtypes=(DType.BOOL,),
    ),
    Case(
        name="a scalar of the dtype",
        operations=("full",),
        rust=kernel(
            LANES
            + load("x")
            + store("out_ptr", "x * T::full::<D>(&[BLOCK], a) + T::full::<D>(&[1], a)"),
            "x_ptr: T::Pointer<D>, a: D, out_ptr: T::Pointer<D>, n: i32",
            "D: Num, const BLOCK: i32",
        ),
        inputs=lambda random, dtype: {
            "x_ptr": _extremes(random, dtype),
            "a": 3.5 if dtype is not None and dtype.is_float else 3,
            "out_ptr": np.zeros(_SIZE),
            "n": _SIZE,
        },
        outputs=("out_ptr",),
        reference=lambda given: {
            "out_ptr": np.asarray(given["x_ptr"])
            * np.asarray(given["a"]).astype(np.asarray(given["x_ptr"]).dtype)
            + np.asarray(given["a"]).astype(np.asarray(given["x_ptr"]).dtype)
        },
        constants={"BLOCK": _BLOCK},
        dtypes=NUMBERS,
    ),
)
