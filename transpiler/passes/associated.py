"""Associated constants of dtypes: `D::ONE`, `f32::EPSILON`, `i32::MAX`, `core::f32::consts::PI`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from transpiler.ir.types import DType, DtypeVariable, ElementType
from transpiler.passes.integer import integer_range
from transpiler.passes.rounding import largest_finite, machine_epsilon, round_to, smallest_normal

if TYPE_CHECKING:
    from collections.abc import Mapping

_DTYPES = {
    **{dtype.value: dtype for dtype in DType},
    # Rust's own widths on the GPUs' hosts.
    "usize": DType.U64,
    "isize": DType.I64,
}
_MATHEMATICAL = {
    "PI": math.pi,
    "TAU": math.tau,
    "E": math.e,
    "SQRT_2": math.sqrt(2.0),
    "FRAC_1_SQRT_2": math.sqrt(0.5),
    "FRAC_PI_2": math.pi / 2,
    "FRAC_PI_3": math.pi / 3,
    "FRAC_PI_4": math.pi / 4,
    "FRAC_PI_6": math.pi / 6,
    "FRAC_PI_8": math.pi / 8,
    "FRAC_1_PI": 1 / math.pi,
    "FRAC_2_PI": 2 / math.pi,
    "FRAC_2_SQRT_PI": 2 / math.sqrt(math.pi),
    "LN_2": math.log(2.0),
    "LN_10": math.log(10.0),
    "LOG2_E": math.log2(math.e),
    "LOG2_10": math.log2(10.0),
    "LOG10_E": math.log10(math.e),
    "LOG10_2": math.log10(2.0),
}


def mathematical_constants() -> tuple[str, ...]:
    """The names in `core::f32::consts`."""
    return tuple(_MATHEMATICAL)


def associated_constant(
    names: tuple[str, ...], dtype_parameters: Mapping[str, ElementType]
) -> tuple[ElementType, int | float] | None:
    """The dtype and value a path names, None where it names no constant of a dtype."""
    if len(names) >= 3 and names[-2] == "consts" and names[-3] in _DTYPES:
        dtype = _DTYPES[names[-3]]
        value = _MATHEMATICAL.get(names[-1])
        return None if value is None or not dtype.is_float else (dtype, round_to(value, dtype))
    if len(names) < 2:
        return None
    owner, name = names[-2:]
    if owner in dtype_parameters and len(names) == 2:
        parameter = dtype_parameters[owner]
        number = {"ZERO": 0, "ONE": 1}.get(name)
        if number is None or isinstance(parameter, DtypeVariable):
            return None
        return parameter, float(number) if parameter.is_float else number
    if owner not in _DTYPES:
        return None
    dtype = _DTYPES[owner]
    return _of_primitive(dtype, name)


def _of_primitive(dtype: DType, name: str) -> tuple[DType, int | float] | None:
    if dtype.is_integer:
        if name == "BITS":
            return DType.U32, dtype.bits
        values = integer_range(dtype)
        bounds = {"MAX": values[-1], "MIN": values[0], "ZERO": 0, "ONE": 1}
        return (dtype, bounds[name]) if name in bounds else None
    if not dtype.is_float:
        return None
    if name == "MANTISSA_DIGITS":
        return DType.U32, 1 - round(math.log2(machine_epsilon(dtype)))
    floats = {
        "INFINITY": math.inf,
        "NEG_INFINITY": -math.inf,
        "NAN": math.nan,
        "MAX": largest_finite(dtype),
        "MIN": -largest_finite(dtype),
        "MIN_POSITIVE": smallest_normal(dtype),
        "EPSILON": machine_epsilon(dtype),
        "ZERO": 0.0,
        "ONE": 1.0,
    }
    return (dtype, floats[name]) if name in floats else None
