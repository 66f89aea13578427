"""How far a result may be from its reference in f64.

A bound is in units in the last place of the result's dtype: relative to the reference, and for sums that cancel
relative to 1. Half precision is computed in f32 and rounded once at the end; the interpreter narrows to bfloat16 by
cutting off, which is a whole unit.
"""

from __future__ import annotations

import numpy as np

from transpiler.ir.types import DType

_EPSILON = {
    DType.F64: 2.0**-52,
    DType.F32: 2.0**-23,
    DType.F16: 2.0**-10,
    DType.BF16: 2.0**-7,
}

_UNITS: dict[str, dict[DType, tuple[float, float]]] = {
    # Only rounding to the stored dtype.
    "exact": {
        DType.F64: (0, 0),
        DType.F32: (0, 0),
        DType.F16: (0.51, 0.001),
        DType.BF16: (1.01, 0),
    },
    # One operation rounded once, or exactly what the hardware's operation promises.
    "rounded": {DType.F64: (1, 0), DType.F32: (1, 0), DType.F16: (1, 0.001), DType.BF16: (1.1, 0)},
    # The functions of the GPU's and numpy's mathematical libraries.
    "function": {
        DType.F64: (4, 4),
        DType.F32: (8, 4),
        DType.F16: (1.1, 0.01),
        DType.BF16: (1.1, 0),
    },
    # Sums and products of some hundreds of terms of the order of 1, in any order.
    "sum": {DType.F64: (64, 64), DType.F32: (64, 64), DType.F16: (2, 2), DType.BF16: (2, 2)},
    # Operands with the 10 bits of TF32, or of half precision.
    "tensor core": {
        DType.F64: (64, 64),
        DType.F32: (2.0**14, 2.0**14),
        DType.F16: (8, 8),
        DType.BF16: (8, 8),
    },
}


def tolerance(key: str, dtype: DType) -> tuple[float, float]:
    """The relative and the absolute bound for a float result of `dtype`.

    Raises:
        KeyError: there is no such key, or the dtype is no float.
    """
    relative, absolute = _UNITS[key][dtype]
    return relative * _EPSILON[dtype], absolute * _EPSILON[dtype]


def fault(key: str, dtype: DType, found: np.ndarray, expected: np.ndarray) -> str | None:
    """What is wrong with `found`; None where it is within the bound. Integers and bools must be equal."""
    try:
        if dtype.is_float:
            relative, absolute = tolerance(key, dtype)
            np.testing.assert_allclose(found, expected, rtol=relative, atol=absolute)
        else:
            np.testing.assert_array_equal(found, expected)
    except AssertionError as error:
        return str(error)
    return None
