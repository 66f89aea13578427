"""Literals, constants computed from them, and the dtype each has in Triton."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import GENERICS, LOAD, OFFSETS, codes, store, translated

_AT = (
    "\nT::store(y_ptr.add_offsets(offsets + ({})), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
)


def bound(rust: str, *, use: str, type_: str = "", generics: str = GENERICS) -> str:
    """What `q` is bound to, when it is used as the offset `use`."""
    annotation = f": {type_}" if type_ else ""
    text = translated(OFFSETS + f"let q{annotation} = {rust};" + _AT.format(use), generics=generics)
    (line,) = [line for line in text.splitlines() if line.startswith(("q =", "q:"))]
    return line.partition("= ")[2]


@pytest.mark.parametrize(
    ("rust", "python"),
    [
        ("1_000", "1000"),
        ("0xff", "255"),
        ("0b1010_1010_u8 as i32", "170"),
        ("0o17", "15"),
        ("1 + 2 * 3", "7"),
        ("(1 << 10) - 1", "1023"),
        ("-(5 - 8)", "3"),
        ("!5", "-6"),
        ("!5_u8 as i32", "250"),
        ("-128_i8 as i32", "-128"),
        ("i32::MAX", "2147483647"),
        ("300 as u8 as i32", "44"),
        ("-1_i32 as u8 as i32", "255"),
        ("3_000_000_000_u32 as i32", "-1294967296"),
        # From float to integer: towards zero, held in range, NaN gives 0.
        ("2.9_f32 as i32", "2"),
        ("-2.9_f32 as i32", "-2"),
        ("3.0e10_f32 as i32", "2147483647"),
        ("-3.0e10_f64 as i32", "-2147483648"),
        ("f32::NAN as i32", "0"),
        ("-5.0_f32 as u8 as i32", "0"),
        ("if 3 > 2 { 7 } else { 8 }", "7"),
    ],
)
def test_integers(rust: str, python: str) -> None:
    assert bound(rust, use="q") == python


@pytest.mark.parametrize(
    ("rust", "python"),
    [
        ("1.0_f32", "1.0"),
        ("1.128_379_2_f32", "1.1283792"),
        ("1e-7_f32", "1e-7"),
        ("1e3_f32", "1e3"),
        # f32 arithmetic rounds to f32: not 0.30000000000000004, nor 0.2.
        ("0.1_f32 + 0.2_f32", "0.3"),
        ("1.0_f32 - 1e-7_f32", "0.9999999"),
        ("1.0_f32 / 3.0_f32", "0.33333334"),
        ("16777216.0_f32 + 1.0_f32", "16777216.0"),
        ("0.1_f64 as f32", "0.1"),
        ("16777217 as f32", "16777216.0"),
        # Not f32 for Triton as they stand: beyond its largest and below its smallest normal.
        ("3.4028235e38_f32", "tl.full([], 3.4028235e38, tl.float32)"),
        ("-3.4028235e38_f32", "tl.full([], -3.4028235e38, tl.float32)"),
        ("f32::MAX", "tl.full([], 3.4028235e38, tl.float32)"),
        ("1e-40_f32", "tl.full([], 1e-40, tl.float32)"),
        ("1.0_f64", "tl.full([], 1.0, tl.float64)"),
        ("0.1_f64 + 0.2_f64", "tl.full([], 0.30000000000000004, tl.float64)"),
    ],
)
def test_floats(rust: str, python: str) -> None:
    assert bound(rust, use="q as i32") == python


@pytest.mark.parametrize(
    ("type_", "python"),
    [
        ("i64", "tl.full([], 5, tl.int64)"),
        ("u32", "tl.full([], 5, tl.uint32)"),
        ("i8", "tl.full([], 5, tl.int8)"),
        ("i32", "5"),
    ],
)
def test_a_name_for_a_literal_has_its_dtype(type_: str, python: str) -> None:
    use = "q" if type_ == "i32" else "q as i32"
    assert bound("5", use=use, type_=type_) == python


def test_a_carried_literal_has_one_dtype_all_along() -> None:
    text = translated(
        LOAD
        + "let mut acc = D::from_f64(0.0);\nlet mut count: i64 = 0;\nlet mut sum = 0.0_f64;\n"
        + "for i in 0..m {\n acc = acc + D::from_f64(0.1);\n count += 1;\n sum += 0.1;\n}\n"
        + store("x * T::full(&[BLOCK], acc + D::from_f64(sum))")
        + _AT.format("count as i32")
    )
    assert text.splitlines()[2:9] == [
        "acc = tl.full([], 0.0, D)",
        "count = tl.full([], 0, tl.int64)",
        "sum = tl.full([], 0.0, tl.float64)",
        "for i in range(m):",
        "    acc = acc + 0.1",
        "    count += 1",
        "    sum += 0.1",
    ]


def test_generic_literals_join_tiles_at_their_dtype() -> None:
    assert "x * 0.1 + 1e-7" in translated(LOAD + store("x * D::from_f64(0.1) + D::from_f64(1e-7)"))


def test_a_name_for_a_generic_literal_is_made_in_its_dtype() -> None:
    text = translated(LOAD + "let c = D::from_f64(0.1);\n" + store("x + T::full(&[BLOCK], c)"))
    assert "c = tl.full([], 0.1, D)" in text


def test_arithmetic_of_generic_literals_happens_in_their_dtype() -> None:
    text = translated(
        LOAD
        + "let c = D::from_f64(0.1);\nlet d = c * D::from_f64(3.0);\n"
        + store("x + T::full(&[BLOCK], d)")
    )
    assert "d = c * 3.0" in text


def test_the_largest_float_fills_a_tile() -> None:
    text = translated(
        LOAD
        + "let low = T::full::<f32>(&[BLOCK], -3.4028235e38_f32);\n"
        + "let y = T::maximum(T::cast::<D, f32>(x, None, false), low);\n"
        + store("T::cast::<f32, D>(y, None, false)")
    )
    assert "low = tl.full([BLOCK], -3.4028235e38, tl.float32)" in text


def test_the_largest_float_beside_a_tile() -> None:
    text = translated(
        LOAD
        + "let y = T::cast::<D, f32>(x, None, false) * 3.4028235e38_f32;\n"
        + store("T::cast::<f32, D>(y, None, false)")
    )
    assert "* tl.full([], 3.4028235e38, tl.float32)" in text


def test_a_computed_shape_is_a_constant_of_triton() -> None:
    body = (
        "let two = BLOCK * 2;\nlet o = T::arange(0, two);\n"
        "T::store(y_ptr.add_offsets(o), T::zeros::<D>(&[two]), None, &[], None, None);"
    )
    assert translated(body).splitlines() == [
        "two: tl.constexpr = BLOCK * 2",
        "o = tl.arange(0, two)",
        "tl.store(y_ptr + o, tl.zeros([two], D))",
    ]


def test_a_chosen_shape_is_a_constant_of_triton() -> None:
    body = (
        "let w = if WIDE { BLOCK * 2 } else { BLOCK };\n"
        "T::store(y_ptr.add_offsets(T::arange(0, w)), T::zeros::<D>(&[w]), None, &[], None, None);"
    )
    assert translated(body, generics=GENERICS + ", const WIDE: bool").startswith(
        "w: tl.constexpr = BLOCK * 2 if WIDE else BLOCK\n"
    )


def test_equal_computed_shapes_are_one_shape() -> None:
    body = (
        "let a2 = BLOCK * 2;\nlet b2 = BLOCK * 2;\n"
        "T::store(y_ptr.add_offsets(T::arange(0, a2)), T::zeros::<D>(&[b2]), None, &[], None, None);"
    )
    assert codes(body) == []


def test_another_computed_shape_is_refused() -> None:
    body = (
        "let a2 = BLOCK * 2;\nlet b2 = BLOCK * 4;\n"
        "T::store(y_ptr.add_offsets(T::arange(0, a2)), T::zeros::<D>(&[b2]), None, &[], None, None);"
    )
    assert codes(body) == ["E0402"]


@pytest.mark.parametrize(
    "rust",
    [
        "2147483647 + 1",
        "-2147483648 - 1",
        "65536 * 65536",
        "200_u8 as i32 + (200_u8 + 100_u8) as i32",
        "(0_u32 - 1) as i32",
        "3_000_000_000",
        "128_i8 as i32",
        "1 / 0",
        "1 % 0",
        "-2147483648 / -1",
        "1 << 32",
        "-(-2147483647 - 1)",
    ],
)
def test_what_rustc_refuses_as_overflow_is_reported(rust: str) -> None:
    assert codes(OFFSETS + f"let q = {rust};" + _AT.format("q")) == ["E0406"]
