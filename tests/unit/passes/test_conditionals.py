"""`if` as a value, and variables set on one path."""

from __future__ import annotations

from tests.unit.passes.kernels import GENERICS, OFFSETS, codes, translated

FLAGS = GENERICS + ", const FLIP: bool, const WIDE: bool"


def stored(offset: str) -> str:
    return (
        f"\nT::store(y_ptr.add_offsets(offsets + {offset}), T::zeros::<D>(&[BLOCK]), "
        "None, &[], None, None);"
    )


def lines(body: str, *, generics: str = GENERICS) -> list[str]:
    """What stands between the offsets and the store."""
    return translated(OFFSETS + body, generics=generics).splitlines()[1:-1]


def test_two_plain_arms_are_an_expression() -> None:
    assert lines("let q = if n < m { n } else { m };" + stored("q")) == ["q = n if n < m else m"]


def test_an_arm_with_statements_is_an_if_statement() -> None:
    body = "let q = if n < m { let z = n * 2; z + 1 } else { m };"
    assert lines(body + stored("q")) == [
        "if n < m:",
        "    z = n * 2",
        "    q = z + 1",
        "else:",
        "    q = m",
    ]


def test_a_chain_is_an_if_statement() -> None:
    body = "let q = if n < 0 { -n } else if n >= m { 2 * m - n } else { n };"
    assert lines(body + stored("q")) == [
        "if n < 0:",
        "    q = -n",
        "elif n >= m:",
        "    q = 2 * m - n",
        "else:",
        "    q = n",
    ]


def test_a_compile_time_chain_stays_an_expression() -> None:
    body = "let q = if FLIP { 1 } else if WIDE { 2 } else { 3 };"
    assert lines(body + stored("q"), generics=FLAGS) == ["q = 1 if FLIP else 2 if WIDE else 3"]


def test_a_tuple_from_an_if() -> None:
    body = "let (p, q) = if n < m { (n, m) } else { (m, n) };"
    assert lines(body + stored("p * q")) == [
        "if n < m:",
        "    p = n",
        "    q = m",
        "else:",
        "    p = m",
        "    q = n",
    ]


def test_a_tuple_swaps() -> None:
    body = "let mut p = n;\nlet mut q = m;\nlet (r, s) = (q, p);\np = r;\nq = s;"
    assert lines(body + stored("p - q"))[2] == "r, s = q, p"


def test_an_if_inside_an_expression_moves_out() -> None:
    body = "let q = 1 + if n < m { let z = n * 2; z } else { m };"
    text = lines(body + stored("q"))
    assert text[0] == "if n < m:"
    assert text[-1].startswith("q = 1 + ")


def test_a_variable_set_on_one_path_has_a_value_on_the_other() -> None:
    body = "let mut q = 1;\nif n > m {\n    q = n;\n}"
    assert lines(body + stored("q")) == ["q = 1", "if n > m:", "    q = n"]


def test_a_compile_time_arm_may_use_what_the_other_has_not() -> None:
    body = "let mut q = n;\nif FLIP {\n    q = q + 1;\n} else {\n    q = q - 1;\n}"
    assert lines(body + stored("q"), generics=FLAGS) == [
        "q = n",
        "if FLIP:",
        "    q = q + 1",
        "else:",
        "    q = q - 1",
    ]


def test_logical_operators_short_circuit() -> None:
    body = "if FLIP && n == 0 || !WIDE {\n    return;\n}"
    assert lines(body + stored("n"), generics=FLAGS) == [
        "if FLIP and n == 0 or not WIDE:",
        "    return",
    ]


def test_masks_are_combined_with_parentheses() -> None:
    text = translated(
        OFFSETS + "let mask = offsets.lt(n) & offsets.ge(m) | !offsets.eq(3);\n"
        "T::store(y_ptr.add_offsets(offsets), T::zeros::<D>(&[BLOCK]), Some(mask), &[], None, None);"
    )
    assert "mask = (offsets < n) & (offsets >= m) | ~(offsets == 3)" in text


def test_arms_of_different_types_are_refused() -> None:
    assert codes(OFFSETS + "let q = if n < m { 1 } else { 0.5 };" + stored("q")) == ["E0401"]
    assert codes(OFFSETS + "let q = if n < m { offsets } else { 1 };") == ["E0401"]


def test_a_value_needs_both_arms() -> None:
    assert codes(OFFSETS + "let q = if n < m { 1 };" + stored("q")) == ["E0401"]
