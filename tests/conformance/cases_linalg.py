"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import grid_2d, kernel, load, store
from tests.conformance.model import FLOATS, Case
from transpiler.ir.types import DType

if TYPE_CHECKING:
    from tests.conformance.model import Values

_SIDE = 32
_LONG = 64


def _whole_inputs(random: np.random.Generator, _dtype: DType | None) -> Values:
    a, b, c = random.integers(-4, 5, (3, _SIDE * _SIDE))
    return {"a_ptr": a, "b_ptr": b, "c_ptr": c, "out_ptr": np.zeros(_SIDE * _SIDE)}


def _product(given: Values) -> Values:
    a, b, c = (
        np.asarray(given[f"{name}_ptr"]).reshape(_SIDE, _SIDE).astype(np.float64) for name in "abc"
    )
    return {"out_ptr": (a @ b + c).reshape(-1)}


def _dot(name: str, dtypes: tuple[DType | None, ...], operand: str, result: str) -> Case:
    """Small whole numbers: the product is exact, whatever the precision of the operands."""
    generics = "D: Float, const SIDE: i32" if operand == "D" else "const SIDE: i32"
    return Case(
        name=name,
        operations=("dot",),
        rust=kernel(
            grid_2d("SIDE", "SIDE")
            + load("a", "at", "")
            + load("b", "at", "")
            + load("c", "at", "")
            + f"let p = T::dot::<{operand}, {result}>(a, b, Some(c), InputPrecision::IEEE, None);\n"
            + store("out_ptr", "p", "at", ""),
            f"a_ptr: T::Pointer<{operand}>, b_ptr: T::Pointer<{operand}>, "
            f"c_ptr: T::Pointer<{result}>, out_ptr: T::Pointer<{result}>",
            generics,
        ),
        inputs=_whole_inputs,
        outputs=("out_ptr",),
        reference=_product,
        constants={"SIDE": _SIDE},
        dtypes=dtypes,
    )


def _scaled_inputs(random: np.random.Generator, _dtype: DType | None) -> Values:
    """Bytes of the 5-bit-exponent format: its largest magnitudes are left out, which are no numbers."""
    left, right = random.integers(0, 0x5C, (2, _LONG * _SIDE)) & 0x7F
    return {
        "a_ptr": left,
        "s_ptr": random.integers(124, 131, _SIDE * 2),
        "b_ptr": right,
        "t_ptr": random.integers(124, 131, _SIDE * 2),
        "out_ptr": np.zeros(_SIDE * _SIDE),
    }


_SCALED = (
    grid_2d("SIDE", "LONG")
    + load("a", "at", "")
    + grid_2d("LONG", "SIDE", "down")
    + load("b", "down", "")
    + grid_2d("SIDE", "2", "blocks")
    + load("s", "blocks", "")
    + load("t", "blocks", "")
    + "let p = T::dot_scaled::<u8, u8, f32>(a, s, DotFormat::E5M2, b, t, DotFormat::E5M2, "
    "None, false);\n" + grid_2d("SIDE", "SIDE", "to") + store("out_ptr", "p", "to", "")
)


def _scaled_halves(random: np.random.Generator, dtype: DType | None) -> Values:
    left, right = random.integers(-4, 5, (2, _LONG * _SIDE))
    return {**_scaled_inputs(random, dtype), "a_ptr": left, "b_ptr": right}


def _scales(values: np.ndarray) -> np.ndarray:
    """A factor for each of 64 elements of 32 rows, from the exponents of two blocks of 32."""
    exponents = values.astype(np.int32).reshape(_SIDE, 2) - 127
    return np.repeat(2.0**exponents, 32, axis=1)


def _scaled_product_of_halves(given: Values) -> Values:
    a, s, b, t = (np.asarray(given[f"{name}_ptr"]) for name in "asbt")
    left = a.reshape(_SIDE, _LONG) * _scales(s)
    right = b.reshape(_LONG, _SIDE) * _scales(t).T
    return {"out_ptr": (left @ right).reshape(-1)}


def _scaled_product(given: Values) -> Values:
    def numbers(name: str) -> np.ndarray:
        # The format is the upper byte of an f16.
        return (np.asarray(given[name]).astype(np.uint16) << 8).view(np.float16).astype(np.float64)

    left = numbers("a_ptr").reshape(_SIDE, _LONG) * _scales(np.asarray(given["s_ptr"]))
    right = numbers("b_ptr").reshape(_LONG, _SIDE) * _scales(np.asarray(given["t_ptr"])).T
    return {"out_ptr": (left @ right).reshape(-1)}


def _matrices(random: np.random.Generator, rows: int, depth: int, columns: int) -> Values:
    """Two matrices of numbers that TF32 holds, whose product f16 holds, and room for it."""
    return {
        "a_ptr": random.integers(-512, 513, rows * depth) / 512,
        "b_ptr": random.integers(-512, 513, depth * columns) / 512,
        "out_ptr": np.zeros(rows * columns),
        "m": rows,
        "n": columns,
        "k": depth,
    }


def _multiplied(given: Values) -> Values:
    m, n, k = (int(given[name]) for name in "mnk")
    a, b = np.asarray(given["a_ptr"]).reshape(m, k), np.asarray(given["b_ptr"]).reshape(k, n)
    return {"out_ptr": (a @ b).reshape(-1)}


_TILE_OF_A = (
    "let down = T::expand_dims(depths, 1);\nlet along = T::expand_dims(depths, 0);\n"
    "let a = T::load(a_ptr.add_offsets(over * k + along), Some(over.lt(m) & along.lt(k)), "
    "Some(T::zeros::<D>(&[SIDE, DEPTH])), &[], None, None, None, false);\n"
)
_PRODUCT = (
    "let rows = T::arange(0, SIDE) + T::program_id(Axis::X) * SIDE;\n"
    "let columns = T::arange(0, SIDE) + T::program_id(Axis::Y) * SIDE;\n"
    "let over = T::expand_dims(rows, 1);\nlet across = T::expand_dims(columns, 0);\n"
    "let mut acc = T::zeros::<D>(&[SIDE, SIDE]);\n"
    "for step in 0..T::cdiv(k, DEPTH) {\n    let depths = T::arange(0, DEPTH) + step * DEPTH;\n"
    + _TILE_OF_A
    + load("b", "down * n + across", "down.lt(k) & across.lt(n)")
    + "let b = T::where_(down.lt(k), b, T::zeros_like(b));\n"
    "acc = T::dot::<D, D>(a, b, Some(acc), InputPrecision::TF32, None);\n}\n"
    + store("out_ptr", "acc", "over * n + across", "over.lt(m) & across.lt(n)")
)
_DESCRIBED_PRODUCT = (
    "let left = T::make_tensor_descriptor(a_ptr, &[m, k], &[k, 1], &[SIDE, DEPTH], "
    "Some(PaddingOption::Zero));\n"
    "let right = T::make_tensor_descriptor(b_ptr, &[k, n], &[n, 1], &[DEPTH, SIDE], "
    "Some(PaddingOption::Zero));\n"
    "let result = T::make_tensor_descriptor(out_ptr, &[m, n], &[n, 1], &[SIDE, SIDE], "
    "Some(PaddingOption::Zero));\n"
    "let row = T::program_id(Axis::X) * SIDE;\nlet column = T::program_id(Axis::Y) * SIDE;\n"
    "let mut acc = T::zeros::<D>(&[SIDE, SIDE]);\n"
    "for step in 0..T::cdiv(k, DEPTH) {\n"
    "    let a = T::load_tensor_descriptor(left, &[row, step * DEPTH]);\n"
    "    let b = T::load_tensor_descriptor(right, &[step * DEPTH, column]);\n"
    "    acc = T::dot::<D, D>(a, b, Some(acc), InputPrecision::TF32, None);\n}\n"
    "T::store_tensor_descriptor(result, &[row, column], acc);\n"
)
_ATTENTION = (
    "let rows = T::arange(0, SIDE);\n"
    + grid_2d("SIDE", "SIDE")
    + load("q", "at", "")
    + "let mut best = T::full::<D>(&[SIDE, 1], D::from_f64(-1e30));\n"
    "let mut total = T::zeros::<D>(&[SIDE, 1]);\nlet mut acc = T::zeros::<D>(&[SIDE, SIDE]);\n"
    "for step in 0..steps {\n"
    + load("k", "at + step * SIDE * SIDE", "")
    + load("v", "at + step * SIDE * SIDE", "")
    + "let scores = T::dot::<D, D>(q, T::trans(k, &[1, 0]), None, InputPrecision::TF32, None);\n"
    "let next = T::maximum(best, T::max(scores, Some(1), true));\n"
    "let p = T::exp(scores - next);\nlet shrink = T::exp(best - next);\n"
    "total = total * shrink + T::sum(p, Some(1), true);\n"
    "acc = T::dot::<D, D>(p, v, Some(acc * shrink), InputPrecision::TF32, None);\n"
    "best = next;\n}\n" + store("out_ptr", "acc / total", "at", "")
)


def _attention_inputs(random: np.random.Generator, _dtype: DType | None) -> Values:
    size = _SIDE * _SIDE
    return {
        "q_ptr": random.normal(size=size) / 4,
        "k_ptr": random.normal(size=3 * size),
        "v_ptr": random.normal(size=3 * size),
        "out_ptr": np.zeros(size),
        "steps": 3,
    }


def _attended(given: Values) -> Values:
    q, k, v = (np.asarray(given[f"{name}_ptr"]).reshape(-1, _SIDE) for name in "qkv")
    scores = q @ k.T
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return {"out_ptr": (weights / weights.sum(1, keepdims=True) @ v).reshape(-1)}


CASES = (
    *(
        Case(
            name=f"dot of {what}",
            operations=("dot",),
            rust=kernel(
                body,
                "a_ptr: T::Pointer<D>, b_ptr: T::Pointer<D>, out_ptr: T::Pointer<D>, "
                "m: i32, n: i32, k: i32",
                "D: Float, const SIDE: i32, const DEPTH: i32",
            ),
            inputs=lambda random, _dtype: _matrices(random, 50, 70, 45),
            outputs=("out_ptr",),
            reference=_multiplied,
            constants={"SIDE": 32, "DEPTH": 16},
            grid=(2, 2),
            dtypes=FLOATS,
            tolerance="tensor core",
        )
        for what, body in (
            ("matrices, tile by tile", _PRODUCT),
            ("described matrices", _DESCRIBED_PRODUCT),
        )
    ),
    Case(
        name="dot of what a dot and a softmax gave",
        operations=("dot",),
        rust=kernel(
            _ATTENTION,
            "q_ptr: T::Pointer<D>, k_ptr: T::Pointer<D>, v_ptr: T::Pointer<D>, "
            "out_ptr: T::Pointer<D>, steps: i32",
            "D: Float, const SIDE: i32",
        ),
        inputs=_attention_inputs,
        outputs=("out_ptr",),
        reference=_attended,
        constants={"SIDE": _SIDE},
        dtypes=FLOATS,
        tolerance="tensor core",
    ),
    _dot("dot", (DType.F32, DType.F64, DType.F16, DType.BF16), "D", "D"),
    _dot("dot of bytes", (None,), "i8", "i32"),
    *(
        Case(
            name=f"dot_scaled of {member}",
            operations=("dot_scaled",),
            rust=kernel(
                _SCALED.replace("E5M2", member).replace("u8, u8, f32", f"{dtype.value}, u8, f32"),
                f"a_ptr: T::Pointer<{dtype.value}>, s_ptr: T::Pointer<u8>, "
                f"b_ptr: T::Pointer<{dtype.value}>, t_ptr: T::Pointer<u8>, out_ptr: T::Pointer<f32>",
                "const SIDE: i32, const LONG: i32",
            ),
            inputs=_scaled_halves,
            outputs=("out_ptr",),
            reference=_scaled_product_of_halves,
            constants={"SIDE": _SIDE, "LONG": _LONG},
            tolerance="tensor core",
        )
        for member, dtype in (("FP16", DType.F16), ("BF16", DType.BF16))
    ),
    Case(
        name="dot_scaled",
        operations=("dot_scaled",),
        rust=kernel(
            _SCALED,
            "a_ptr: T::Pointer<u8>, s_ptr: T::Pointer<u8>, b_ptr: T::Pointer<u8>, "
            "t_ptr: T::Pointer<u8>, out_ptr: T::Pointer<f32>",
            "const SIDE: i32, const LONG: i32",
        ),
        inputs=_scaled_inputs,
        outputs=("out_ptr",),
        reference=_scaled_product,
        constants={"SIDE": _SIDE, "LONG": _LONG},
        tolerance="tensor core",
    ),
)
