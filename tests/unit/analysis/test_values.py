"""Equal values have equal keys, and integers are polynomials."""

from __future__ import annotations

import pytest

from tests.unit.analysis.elaborated import Analysed, shown

_TWO = "T: Triton, D: Float, const BLOCK: i32, const SIDE: i32"


def integer(rust: str, before: str = "") -> Analysed:
    return Analysed(f"{before}let q = {rust};\nlet r = q;\n", generics=_TWO)


@pytest.mark.parametrize(
    ("rust", "polynomial"),
    [
        ("3 + 4", "7"),
        ("n - n", "0"),
        ("2 * (n + m) - m", "2 * n + m"),
        ("(n + 1) * (n - 1)", "-1 + n * n"),
        ("n << 3", "8 * n"),
        ("-n", "-1 * n"),
        ("n / m", "`n / m`"),
        ("n / m * m", "`n / m` * m"),
        ("T::program_id(Axis::Y) * BLOCK", "BLOCK * program Y"),
        ("T::arange(0, BLOCK)", "lane[-1]"),
        ("T::arange(4, 8) + n", "4 + lane[-1] + n"),
        ("T::arange(0, 1) + n", "n"),
        ("T::full::<i32>(&[BLOCK], n)", "n"),
        ("T::zeros::<i32>(&[BLOCK])", "0"),
        ("T::expand_dims(T::arange(0, BLOCK), 1)", "lane[-2]"),
        ("T::expand_dims(T::arange(0, BLOCK), 0)", "lane[-1]"),
        (
            "T::expand_dims(T::arange(0, SIDE), 1) * n + T::expand_dims(T::arange(0, BLOCK), 0)",
            "lane[-1] + lane[-2] * n",
        ),
        ("T::broadcast_to(T::expand_dims(T::arange(0, BLOCK), 1), &[BLOCK, SIDE])", "lane[-2]"),
        ("(n as i64 * 2) as i32", "2 * n"),
    ],
)
def test_polynomials(rust: str, polynomial: str) -> None:
    assert shown(integer(rust), "q") == polynomial


def test_variables_of_loops_are_atoms() -> None:
    kernel = Analysed("let mut i = 0;\nwhile i < n { let q = i * 2; let r = q; i += 1; }\n")
    assert shown(kernel, "q") == "2 * variable"


@pytest.mark.parametrize(
    ("one", "other", "are_equal"),
    [
        ("a + 1.0", "1.0 + a", True),
        ("a * a", "a * a", True),
        ("a - 1.0", "1.0 - a", False),
        ("(n + m) as f32", "(m + n) as f32", True),
        ("a.sqrt()", "a.sqrt()", True),
        ("a.sqrt()", "a.exp()", False),
    ],
)
def test_keys(one: str, other: str, are_equal: bool) -> None:
    kernel = Analysed(f"let p = {one};\nlet q = {other};\nlet r = p + q;\n")
    values = kernel.facts.values
    assert (values.key(kernel.last("p")) == values.key(kernel.last("q"))) is are_equal


def test_two_loads_are_two_values() -> None:
    load = (
        "T::load(x_ptr.add_offsets(T::arange(0, BLOCK)), None, None, &[], None, None, None, false)"
    )
    kernel = Analysed(f"let p = {load};\nlet q = {load};\nlet r = p + q;\n")
    values = kernel.facts.values
    assert values.key(kernel.last("p")) != values.key(kernel.last("q"))
