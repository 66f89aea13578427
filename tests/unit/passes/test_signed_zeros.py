"""How negations of floats print: with the sign of zero where it can be seen, plainly where it cannot."""

from __future__ import annotations

import pytest

from tests.unit.passes.kernels import LOAD, store, translated


def stored(value: str) -> str:
    """How a tile is stored."""
    (line,) = [
        line for line in translated(LOAD + store(value)).splitlines() if line.startswith("tl.store")
    ]
    return line.removeprefix("tl.store(y_ptr + offsets, ").removesuffix(", mask=offsets < n)")


@pytest.mark.parametrize(
    ("rust", "triton"),
    [
        ("-x", "x * -1.0"),
        ("T::exp(-x)", "tl.exp(-x)"),
        ("T::exp(-(x * x))", "tl.exp(-(x * x))"),
        ("T::exp(-x * x)", "tl.exp(-x * x)"),
        ("T::cos(x - -x)", "tl.cos(x - -x)"),
        ("T::exp(-x / x)", "tl.exp(-x / x)"),
        # 1 / -0 is minus infinity, and a sine has the sign of its argument.
        ("T::exp(x / -x)", "tl.exp(x / (x * -1.0))"),
        ("T::sin(-x)", "tl.sin(x * -1.0)"),
        ("T::exp(T::sin(-x))", "tl.exp(tl.sin(x * -1.0))"),
        ("-T::exp(-x)", "tl.exp(-x) * -1.0"),
        ("T::where_(T::lt(-x, x), x, -x)", "tl.where(-x < x, x, x * -1.0)"),
    ],
)
def test_a_negation(rust: str, triton: str) -> None:
    assert stored(rust) == triton


def test_a_negation_does_not_pass_through_f64() -> None:
    body = LOAD + store("x * T::full(&[BLOCK], D::from_f64(-(a as f64)))")
    assert "tl.full([BLOCK], a * -1.0, D)" in translated(body)
