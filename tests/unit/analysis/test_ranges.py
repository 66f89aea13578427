"""The bounds of a kernel's integers, read off its `let`s."""

from __future__ import annotations

import pytest

import transpiler
from tests.unit.passes.kernels import kernel
from transpiler.analysis.interval import Interval
from transpiler.analysis.ranges import Ranges
from transpiler.ir import nodes as ir
from transpiler.ir.visit import walk_statements

MOST = 2**31 - 1
LEAST = -(2**31)
EVERY_I32 = (LEAST, MOST)
_END = "\nT::store(x_ptr.add_offsets(T::arange(0, BLOCK)), T::zeros::<D>(&[BLOCK]), None, &[], None, None);"
_GENERICS = "T: Triton, D: Float, const BLOCK: i32, const S: i32"


def lines(rust: str) -> ir.Kernel:
    """The typed kernel of statements; `BLOCK` is the extent of a tile, `S` is not."""
    result = transpiler.transpile(kernel(rust + _END, generics=_GENERICS))
    assert result.module is not None, result.diagnostics
    return result.module.kernels[0]


def bounds(rust: str, *, wraps: bool = False) -> tuple[float, float]:
    """Where `q` lies, of the last statement that gives it a value."""
    built = lines(rust)
    ranges = Ranges(built, extents=frozenset({"BLOCK"}), wraps=wraps)
    (*_, last) = (
        statement
        for statement in walk_statements(built.body)
        if isinstance(statement, ir.Let | ir.Assign) and statement.symbol.name == "q"
    )
    found = ranges.of(last.value, at=last)
    return found.low, found.high


@pytest.mark.parametrize(
    ("rust", "low", "high"),
    [
        ("7", 7, 7),
        ("T::program_id(Axis::X)", 0, MOST),
        ("T::num_programs(Axis::X)", 1, MOST),
        ("n", *EVERY_I32),
        ("n % 8", -7, 7),
        ("T::program_id(Axis::X) % 8", 0, 7),
        ("T::program_id(Axis::X) / n", -MOST, MOST),
        ("BLOCK", 1, 2**20),
        ("BLOCK - 1", 0, 2**20 - 1),
        ("S", *EVERY_I32),
        ("S * S", -(MOST + 1) * MOST, (MOST + 1) ** 2),
        ("n & 15", 0, 15),
        ("(n & 15) << 2", 0, 60),
        ("-(n & 15)", -15, 0),
        ("T::arange(0, 16)", 0, 15),
        ("T::arange(0, 16) * 2 + 1", 1, 31),
        ("T::arange(0, BLOCK)", 0, 2**20 - 1),
        ("T::expand_dims(T::arange(0, 16), 0)", 0, 15),
        ("T::zeros::<i32>(&[16])", 0, 0),
        ("T::full::<i32>(&[16], 9)", 9, 9),
        (
            "T::where_::<i32>(T::arange(0, 8).lt(n), T::arange(0, 8), T::full::<i32>(&[8], -1))",
            -1,
            7,
        ),
        ("T::maximum(T::arange(0, 8), T::full::<i32>(&[8], 3))", 3, 7),
        ("T::minimum(T::arange(0, 8), T::full::<i32>(&[8], 3))", 0, 3),
        ("T::cdiv(T::program_id(Axis::X), 4)", 0, (MOST // 4) + 1),
        ("n.max(0)", 0, MOST),
        ("n.max(0).min(9)", 0, 9),
        ("n.clamp(-3, 3)", -3, 3),
        ("(n & 7).abs()", 0, 7),
        ("n.rem_euclid(5)", 0, MOST),
        ("(n as u8) as i32", 0, 255),
        ("((n & 7) as i64) as i32", 0, 7),
        ("a as i32", *EVERY_I32),
        ("if n > 0 { n } else { 1 }", 1, MOST),
        ("if n < 0 { -n } else { n }", 0, MOST + 1),
        ("if n < 0 || n > 9 { 4 } else { n }", 0, 9),
        ("if n >= 2 && 5 > n { n } else { 3 }", 2, 4),
        ("if n == 6 { n } else { 3 }", 3, 6),
    ],
)
def test_expressions(rust: str, low: int, high: int) -> None:
    assert bounds(f"let q = {rust};") == (low, high)


@pytest.mark.parametrize(
    ("rust", "low", "high"),
    [
        ("let p = T::program_id(Axis::X);\nlet q = p + 1;", 1, MOST + 1),
        ("for i in 0..n {\n let q = i;\n}", 0, MOST - 1),
        ("for i in 3..8 {\n let q = i * 2;\n}", 6, 14),
        ("for i in (3..8).rev() {\n let q = i;\n}", 3, 7),
        ("for i in (0..20).step_by(5) {\n let q = i;\n}", 0, 19),
        ("for i in n..0 {\n let q = i;\n}", LEAST, -1),
        # A loop that runs has a range that is not empty.
        ("for i in 0..S {\n let q = S;\n}", 1, MOST),
        ("let end = S;\nfor i in 2..end {\n let q = S;\n}", 3, MOST),
        # Early returns, and both arms of an `if`.
        ("if n < 1 {\n return;\n}\nlet q = n;", 1, MOST),
        ("if n < 4 {\n let q = n;\n}", LEAST, 3),
        ("if n < 4 {\n} else {\n let q = n;\n}", 4, MOST),
        ("if n < 4 {\n}\nlet q = n;", *EVERY_I32),
        ("while m > n {\n let q = m;\n}", LEAST + 1, MOST),
        # Variables: wherever their values lie, and without the conditions, which may be old.
        ("let mut i = 0;\nif n > 3 {\n i = 5;\n}\nlet q = i;", 0, 5),
        (
            "let mut i = 0;\nwhile i < n {\n if m > 2 {\n i += 3;\n}\n i += 1;\n}\nlet q = i;",
            0,
            MOST,
        ),
        ("let mut i = n;\nif i > 0 {\n i -= 9;\n let q = i;\n}", *EVERY_I32),
        (
            "let mut i = 1;\nlet mut j = 1;\nfor k in 0..n {\n i = j;\n j = -i;\n}\nlet q = i;",
            -MOST,
            MOST,
        ),
        ("let (i, j) = if n > 0 { (1, 2) } else { (3, 4) };\nlet q = i;", 1, 3),
    ],
)
def test_statements(rust: str, low: int, high: int) -> None:
    assert bounds(rust) == (low, high)


def test_arithmetic_that_may_wrap() -> None:
    for rust, low in [("T::program_id(Axis::X) * BLOCK", 0), ("n.max(0) + 1", 1)]:
        assert bounds(f"let q = {rust};")[0] == low
        assert bounds(f"let q = {rust};", wraps=True) == EVERY_I32
    assert bounds("let q = n.max(0) - 1;", wraps=True) == (-1, MOST - 1)


def test_a_number_of_python_is_exact_and_made_of_what_parameters_are_as_numbers() -> None:
    built = lines("for i in 0..n {\n let q = (i + 7 * n) * 4;\n}")
    numbers = {symbol: Interval(low=1, high=1) for symbol in built.parameters}
    ranges = Ranges(built, extents=frozenset(), wraps=True, numbers=numbers)
    (statement,) = (s for s in walk_statements(built.body) if isinstance(s, ir.Let))
    # The loop may have been entered with any `n`: its variable is a number where `n` is none.
    assert ranges.of_number(statement.value, at=statement) == Interval(
        low=28, high=(MOST - 1 + 7) * 4
    )


def test_names_made_of_names_are_looked_at_once_and_not_too_deep() -> None:
    def chain(length: int) -> str:
        return "".join(f"let a{i + 1} = (a{i} * a{i}) % 9;\n" for i in range(length))

    assert bounds(f"let a0 = n;\n{chain(20)}let q = a20;") == (-8, 8)
    assert bounds(f"let a0 = n;\n{chain(300)}let q = a300;") == (-8, 8)
    loop = f"let mut t = 1;\nfor k in 0..n {{\nlet a0 = t;\n{chain(300)}t = a300;\n}}\nlet q = t;"
    assert bounds(loop) == (-8, 8)
