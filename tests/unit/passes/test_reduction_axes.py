"""Reductions are printed so that Triton's interpreter gives the shapes its compiler does."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import translated

_TILE = "let x = T::zeros::<f32>(&[BLOCK, 16]);\n"
_GENERICS = "T: Triton, const BLOCK: i32"
_PARAMETERS = "out: T::Pointer<f32>"


@pytest.mark.parametrize(
    ("rust", "python"),
    [
        ("T::max(x, Some(-1), false)", "tl.reduce(x, 1, _maximum)"),
        ("T::min(x, Some(-2), true)", "tl.reduce(x, 0, _minimum, keep_dims=True)"),
        ("T::sum(x, Some(-2), true)", "tl.sum(x, axis=-2, keep_dims=True)"),
        ("T::sum(x, None, true)", "tl.sum(x, keep_dims=True)"),
        ("T::sum(x, Some(1), false)", "tl.sum(x, axis=1)"),
        ("T::max(x, None, false)", "tl.reduce(x, None, _maximum)"),
        ("T::sort(x, Some(-1), false)", "tl.sort(x, dim=1)"),
        # The interpreter would keep one dimension of two.
        (
            "T::max(x, None, true)",
            "tl.full([1, 1], tl.reduce(x, None, _maximum), tl.float32)",
        ),
        (
            "T::max(T::ravel(x, false), None, true)",
            "tl.reduce(tl.ravel(x), None, _maximum, keep_dims=True)",
        ),
    ],
)
def test_axes(rust: str, python: str) -> None:
    store = "T::store(out.add_offsets(T::zeros::<i32>(&[BLOCK, 16])), x + q * 0.0, None, &[], None, None);"
    use = f"let q = {rust};\n{store}"
    if "Some(1), false" in rust or "max(x, Some(-1)" in rust:
        use = use.replace("q * 0.0", "T::expand_dims(q, 1) * 0.0")
    text = translated(_TILE + use, generics=_GENERICS, parameters=_PARAMETERS)
    assert f"\nq = {python}\n" in text
