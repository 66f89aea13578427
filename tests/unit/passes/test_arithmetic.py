"""Rounding and integer arithmetic of constants, against numpy, against struct's half floats, and against rustc."""

from __future__ import annotations

import math
import shutil
import struct
import subprocess
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.passes.kernels import kernel
from transpiler.ir import nodes as ir
from transpiler.ir.nodes import BinaryOperator
from transpiler.ir.types import DType
from transpiler.ir.visit import walk_statements
from transpiler.passes.integer import integer_range, truncating_binary, wrap
from transpiler.passes.rounding import (
    largest_finite,
    machine_epsilon,
    round_digits,
    round_to,
    smallest_normal,
)
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

DOUBLES = st.floats(allow_nan=False)
HALF_RANGE = st.floats(min_value=-65519.9, max_value=65519.9)


def bits(value: float) -> int:
    """The bits of an f64: tells the zeros apart."""
    return int.from_bytes(struct.pack(">d", value), "big")


@given(DOUBLES)
def test_f32_rounds_as_numpy_does(value: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        assert bits(round_to(value, DType.F32)) == bits(float(np.float32(value)))


@given(HALF_RANGE)
def test_f16_rounds_as_ieee_does(value: float) -> None:
    (expected,) = struct.unpack("<e", struct.pack("<e", value))
    assert bits(round_to(value, DType.F16)) == bits(expected)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_bf16_rounds_to_nearest_even_on_the_upper_half(value: float) -> None:
    (word,) = struct.unpack("<I", struct.pack("<f", value))
    upper = (word + 0x7FFF + (word >> 16 & 1)) & 0xFFFF0000
    (expected,) = struct.unpack("<f", struct.pack("<I", upper))
    assert bits(round_to(value, DType.BF16)) == bits(expected)


@given(st.integers(-(10**18), 10**18), st.integers(1, 10**18))
def test_an_exact_quotient_is_rounded_once(numerator: int, denominator: int) -> None:
    exact = Fraction(numerator, denominator)
    assert round_to(exact, DType.F64) == float(exact)
    rounded = Fraction(round_to(exact, DType.F32))
    for direction in (-math.inf, math.inf):
        neighbour = Fraction(float(np.nextafter(np.float32(float(rounded)), np.float32(direction))))
        assert abs(rounded - exact) <= abs(neighbour - exact)


def test_a_decimal_is_not_rounded_to_f64_first() -> None:
    """Just above the middle of two f32, by less than f64 can tell."""
    digits = "1.00000005960464477540"
    assert round_digits(digits, DType.F32) == 1 + 2**-23
    assert float(np.float32(float(digits))) == 1.0


def test_zeros_keep_their_sign() -> None:
    assert math.copysign(1, round_digits("-0.0", DType.F32)) == -1
    assert math.copysign(1, round_to(-1e-60, DType.F32)) == -1


@pytest.mark.parametrize(
    ("dtype", "numpy"), [(DType.F16, np.float16), (DType.F32, np.float32), (DType.F64, np.float64)]
)
def test_limits_are_those_of_numpy(dtype: DType, numpy: type[np.floating]) -> None:
    limits = np.finfo(numpy)
    assert largest_finite(dtype) == float(limits.max)
    assert smallest_normal(dtype) == float(limits.tiny)
    assert machine_epsilon(dtype) == float(limits.eps)


def test_beyond_the_largest_is_infinite_from_half_a_step_on() -> None:
    largest = Fraction(largest_finite(DType.F32))
    half_step = Fraction(2) ** 103
    assert round_to(largest + half_step - 1, DType.F32) == float(largest)
    assert round_to(largest + half_step, DType.F32) == math.inf


INTEGERS = [dtype for dtype in DType if dtype.is_integer]


@pytest.mark.parametrize("dtype", INTEGERS)
@given(st.integers(-(2**80), 2**80))
def test_wrapping_keeps_the_lower_bits(dtype: DType, value: int) -> None:
    wrapped = wrap(value, dtype)
    assert wrapped in integer_range(dtype)
    assert (wrapped - value) % 2**dtype.bits == 0


@given(st.integers(-(2**63), 2**63), st.integers(-(2**63), 2**63).filter(bool))
def test_division_truncates(left: int, right: int) -> None:
    quotient = truncating_binary(BinaryOperator.DIVIDE, left, right)
    remainder = truncating_binary(BinaryOperator.REMAINDER, left, right)
    assert quotient == math.trunc(Fraction(left, right))
    assert remainder == left - right * math.trunc(Fraction(left, right))


def test_division_by_zero_has_no_value() -> None:
    assert truncating_binary(BinaryOperator.DIVIDE, 1, 0) is None
    assert truncating_binary(BinaryOperator.REMAINDER, 1, 0) is None


# --- rustc ----------------------------------------------------------------------------------------

_INTEGER_VALUES = ("-7", "7", "-2147483648", "2147483647", "300", "-129", "0")
_FLOAT_VALUES = (
    "0.1", "-2.9", "16777217.0", "1e-7", "1.0e10", "-1.0e10", "3.4028235e38", "-0.0", "5e-324", "255.5",
)  # fmt: skip
EXPRESSIONS = (
    *(f"({a}_i32) {o} ({b}_i32)" for a in ("-7", "7", "2147483647") for b in ("2", "-2", "3") for o in "/%&|^"),
    *(f"({a}_i32 as {t}) as i64" for a in _INTEGER_VALUES for t in ("i8", "u8", "i16", "u16", "u32", "i64")),
    *(f"({a}_i32) as {t}" for a in _INTEGER_VALUES for t in ("f32", "f64")),
    *(f"({a}_f64) as {t}" for a in _FLOAT_VALUES for t in ("f32", "i8", "u8", "i32", "u32", "i64", "u64")),
    *(f"({a}_f32) as {t}" for a in ("0.1", "1e-7", "16777217.0", "255.5") for t in ("f64", "i32", "u8")),
    *(f"{a}_f32 {o} {b}_f32" for a in ("0.1", "1.0", "16777216.0") for b in ("0.2", "3.0", "1e-7") for o in "+-*/"),
    *(f"{a}_f64 {o} {b}_f64" for a in ("0.1", "1.0") for b in ("0.2", "3.0") for o in "+-*/"),
    "1 << 10", "-17 >> 2", "!5", "!5_u8", "-(3 - 10)", "1.0 / 6.0", "2.0 * 0.7978845608028654",
    "f32::EPSILON", "f32::MIN", "f64::MAX", "i32::MIN", "u64::MAX", "core::f32::consts::PI", "f32::NAN as i32",
    "f32::INFINITY as u8", "1.128_379_2_f32", "0xff_u8 as i8", "0.1_f32 as f64 * 3.0",
)  # fmt: skip


# Floats as the bits of their value in f64, which holds every f32.
_ORACLE = """
trait Exact { fn exact(self) -> String; }
impl Exact for f32 { fn exact(self) -> String { (self as f64).exact() } }
impl Exact for f64 { fn exact(self) -> String { format!("bits:{}", self.to_bits()) } }
macro_rules! integers { ($($t:ty)*) => {
    $(impl Exact for $t { fn exact(self) -> String { self.to_string() } })*
} }
integers!(i8 i16 i32 i64 u8 u16 u32 u64);
"""


def test_constants_are_those_of_rustc(tmp_path: Path) -> None:
    rustc = shutil.which("rustc")
    if rustc is None:
        pytest.skip("rustc is not installed")
    prints = "\n".join(f'    println!("{{}}", ({each}).exact());' for each in EXPRESSIONS)
    (tmp_path / "oracle.rs").write_text(f"{_ORACLE}\nfn main() {{\n{prints}\n}}\n")
    build = subprocess.run(
        [rustc, "oracle.rs"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if build.returncode:
        pytest.skip(f"rustc does not build here: {build.stderr[:200]}")
    printed = subprocess.run([tmp_path / "oracle"], capture_output=True, text=True, check=True)
    differing = {
        expression: (ours, theirs)
        for expression, ours, theirs in zip(
            EXPRESSIONS, folded(EXPRESSIONS), printed.stdout.split(), strict=True
        )
        if ours != theirs
    }
    assert differing == {}


def folded(expressions: tuple[str, ...]) -> list[str]:
    """The values the compiler gives them, as the oracle shows them."""
    lets = "\n".join(f"let v{index} = {each};" for index, each in enumerate(expressions))
    result = transpile_source(SourceFile("k.rs", kernel(lets)))
    assert result.module is not None
    assert result.ok
    (kernel_ir,) = result.module.kernels
    values: list[str] = []
    for statement in walk_statements(kernel_ir.body):
        if isinstance(statement, ir.Let):
            value, sign = statement.value, 1
            if isinstance(value, ir.Binary) and value.operator is ir.BinaryOperator.MULTIPLY:
                # `-0.0` is printed as a product.
                value, sign = value.left, -1
            while isinstance(value, ir.Cast):
                value = value.operand
            assert isinstance(value, ir.Literal), statement.symbol.name
            number = sign * value.value if sign < 0 else value.value
            values.append(f"bits:{bits(number)}" if isinstance(number, float) else str(number))
    return values
