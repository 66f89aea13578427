"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.conformance.kernels import grid_2d, kernel, load, store
from tests.conformance.model import Case
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


def _scaled_product(given: Values) -> Values:
    def numbers(name: str) -> np.ndarray:
        # The format is the upper byte of an f16.
        return (np.asarray(given[name]).astype(np.uint16) << 8).view(np.float16).astype(np.float64)

    def scales(name: str) -> np.ndarray:
        exponents = np.asarray(given[name]).astype(np.int32).reshape(_SIDE, 2) - 127
        return np.repeat(2.0**exponents, 32, axis=1)

    left = numbers("a_ptr").reshape(_SIDE, _LONG) * scales("s_ptr")
    right = numbers("b_ptr").reshape(_LONG, _SIDE) * scales("t_ptr").T
    return {"out_ptr": (left @ right).reshape(-1)}


CASES = (
    _dot("dot", (DType.F32, DType.F64, DType.F16, DType.BF16), "D", "D"),
    _dot("dot of bytes", (None,), "i8", "i32"),
    Case(
        name="dot_scaled",
        operations=("dot_scaled",),
        rust=kernel(
            grid_2d("SIDE", "LONG")
            + load("a", "at", "")
            + grid_2d("LONG", "SIDE", "down")
            + load("b", "down", "")
            + grid_2d("SIDE", "2", "blocks")
            + load("s", "blocks", "")
            + load("t", "blocks", "")
            + "let p = T::dot_scaled::<u8, u8, f32>(a, s, DotFormat::E5M2, b, t, DotFormat::E5M2, "
            "None, false);\n" + grid_2d("SIDE", "SIDE", "to") + store("out_ptr", "p", "to", ""),
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
