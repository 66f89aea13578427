"""Scalars of a dtype parameter: their methods print for every dtype it stands for."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import codes, translated

STORE = (
    "T::store(x_ptr.add_offsets(T::arange(0, 1)), T::full::<D>(&[1], q), None, &[], None, None);"
)


def lines(body: str, bound: str) -> list[str]:
    return translated(
        f"{body}\n{STORE}",
        generics=f"T: Triton, D: {bound}",
        parameters="x_ptr: T::Pointer<D>, a: D, b: D",
    ).splitlines()


@pytest.mark.parametrize(
    ("bound", "body", "line"),
    [
        ("Float", "let q = a.max(b);", "q = tl.maximum(a, b)"),
        ("Float", "let q = D::min(a, D::from_f64(0.5));", "q = tl.minimum(a, tl.full([], 0.5, D))"),
        ("Float", "let q = a.sqrt().recip();", "q = 1.0 / _square_root(a, D)"),
        ("Float", "let q = a.powi(2);", "q = a * a"),
        ("Num", "let q = a.abs();", "q = tl.abs(a)"),
        ("Num", "let q = a * D::from_f64(2.0);", "q = a * 2"),
        ("Int", "let q = a % D::from_f64(5.0);", "q = a % 5"),
        ("Int", "let q = a.wrapping_add(b).clamp(D::ZERO, D::ONE);", None),
    ],
)
def test_methods_of_generic_scalars(bound: str, body: str, line: str | None) -> None:
    found = lines(body, bound)
    if line is None:
        line = "q = tl.minimum(tl.maximum(a + b, tl.full([], 0, D)), tl.full([], 1, D))"
    assert line in found


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("let q = a.to_bits();", "E0306"),
        ("let q = D::nothing(a);", "E0201"),
        ("let q: D = 1_i32.into();", "E0407"),
    ],
)
def test_what_no_dtype_follows_from_is_refused(body: str, code: str) -> None:
    assert codes(body, parameters="x_ptr: T::Pointer<D>, a: D") == [code]
