"""Methods of scalars: how they print, and what is refused."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import codes, translated
from transpiler.ir.types import DType
from transpiler.ops.scalar_methods import SCALAR_METHODS, method_names, scalar_method
from transpiler.target.prelude import PRELUDE
from transpiler.target.spelling import parse_spelling

STORE = (
    "T::store(y_ptr.add_offsets(T::arange(0, 1)), "
    "T::full::<D>(&[1], D::from_f64(q as f64)), None, &[], None, None);"
)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("let q = n.max(4);", "q = tl.maximum(n, 4)"),
        ("let q = f32::min(a, 0.5);", "q = tl.minimum(a, 0.5)"),
        ("let q = n.wrapping_mul(m);", "q = n * m"),
        ("let q = i64::from(n);", "q = tl.cast(n, tl.int64)"),
        ("let q = a.powi(2);", "q = a * a"),
        ("let q = n.pow(3);", "q = n * n * n"),
        ("let q = a.powi(m);", "q = _power_signed(a, m, tl.float32)"),
        ("let q = n.rotate_left(5);", "q = _rotate_left(n, 5, tl.int32)"),
        ("let q = a * 2.0_f32.sqrt();", "q = a * 1.4142135"),
        ("let q: i64 = n.into();", "q = tl.cast(n, tl.int64)"),
        ("let q = n << m;", "q = n << (m & 31)"),
        ("let q = -a;", "q = a * -1.0"),
    ],
)
def test_spelling(body: str, line: str) -> None:
    assert line in translated(f"{body}\n{STORE}").splitlines()


def test_a_compile_time_result_is_a_tile_size() -> None:
    body = "let w = BLOCK.max(16);\nlet q = T::sum(T::zeros::<f32>(&[w]), None, false);\n"
    text = translated(
        body + "T::store(y_ptr.add_offsets(T::arange(0, 1)), "
        "T::full::<D>(&[1], D::from_f64(0.0)), None, &[], None, None);"
    )
    assert "w: tl.constexpr = BLOCK if BLOCK > 16 else 16" in text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let q = n.sqrt();", "E0306"),
        ("let q = n.max();", "E0302"),
        ("let q = n.max(a);", "E0401"),
        ("let q = 2.0.sqrt();", "E0408"),
        ("let q = i32::from(a);", "E0407"),
        ("let q = f32::nothing();", "E0306"),
    ],
)
def test_refused(body: str, expected: str) -> None:
    assert expected in codes(body)


def test_every_helper_exists() -> None:
    for method in SCALAR_METHODS:
        name = method.triton.removeprefix("not ").split("(")[0]
        parse_spelling(method.triton)
        assert not name.startswith("_") or name in PRELUDE, method


def test_methods_belong_to_their_dtypes() -> None:
    assert scalar_method("abs", DType.U8) is None
    assert scalar_method("div_ceil", DType.U64) is not None
    assert "wrapping_add" in method_names(DType.I8)
    assert "wrapping_add" not in method_names(DType.F32)
