"""How many elements launches need behind their pointers."""

from __future__ import annotations

import pytest

import transpiler
from tests.footprint.claims import claims
from tests.unit.passes.kernels import GENERICS, PARAMETERS, kernel


def load(pointer: str, offsets: str, mask: str = "") -> str:
    given = f"Some({mask})" if mask else "None"
    return f"let _ = T::load({pointer}.add_offsets({offsets}), {given}, None, &[], None, None, None, false);\n"


def claim(body: str, *, generics: str = GENERICS, parameters: str = PARAMETERS) -> str | None:
    """What is claimed of `x_ptr`: the number, `~` where more may be touched, and the conditions."""
    result = transpiler.transpile(kernel(body, generics=generics, parameters=parameters))
    assert result.module is not None
    assert result.text is not None, result.diagnostics
    (found,) = result.module.kernels
    each = claims(found)["x_ptr"]
    if each is None:
        return None
    conditions = f" if {' and '.join(each.conditions)}" if each.conditions else ""
    return f"{each.size}{'' if each.is_exact else ' ~'}{conditions}"


PID = "let pid = T::program_id(Axis::X);\n"
FLAT = PID + "let offsets = T::arange(0, BLOCK) + pid * BLOCK;\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            FLAT + load("x_ptr", "offsets", "offsets.lt(n)"), "min(n, grid_x * BLOCK)", id="flat"
        ),
        pytest.param(FLAT + load("x_ptr", "offsets"), "grid_x * BLOCK", id="unmasked"),
        pytest.param(
            PID + load("x_ptr", "T::arange(0, 1) + pid"), "grid_x", id="one element a program"
        ),
        pytest.param(
            PID
            + "let columns = T::arange(0, BLOCK);\n"
            + load("x_ptr", "columns + pid * n", "columns.lt(n)"),
            "(grid_x - 1) * n + min(n, BLOCK) if n >= 1",
            id="a row a program in one tile",
        ),
        pytest.param(
            PID
            + "let mut start = 0;\nwhile start < n {\nlet columns = T::arange(0, BLOCK) + start;\n"
            + load("x_ptr", "columns + pid * n", "columns.lt(n)")
            + "start += BLOCK;\n}",
            "grid_x * n if n >= 1",
            id="a row a program in many tiles",
        ),
        pytest.param(
            PID
            + "let mut start = 0;\nwhile start < n {\nlet rows = T::arange(0, BLOCK) + start;\n"
            + load("x_ptr", "rows * m + pid", "rows.lt(n)")
            + "start += BLOCK;\n}",
            "(n - 1) * m + grid_x if n >= 1",
            id="a column a program",
        ),
        pytest.param(
            "let c = T::program_id(Axis::X);\nlet b = T::program_id(Axis::Y);\n"
            "let mut start = 0;\nwhile start < n {\nlet hw = T::arange(0, BLOCK) + start;\n"
            + load("x_ptr", "hw + (b * m + c) * n", "hw.lt(n)")
            + "start += BLOCK;\n}",
            "((grid_y - 1) * m + grid_x) * n if n >= 1",
            id="two axes of the grid",
        ),
        pytest.param(
            PID
            + "let total = n * m;\nlet mut start = 0;\nwhile start < total {\n"
            + "let i = T::arange(0, BLOCK) + start;\nlet b = i / m;\nlet hw = i % m;\n"
            + load("x_ptr", "b * (m * 7) + pid * m + hw", "i.lt(total)")
            + "start += BLOCK;\n}",
            "(grid_x + 7 * (n - 1)) * m if n >= 1 and m >= 1",
            id="quotient and remainder of a flat index",
        ),
        pytest.param(
            FLAT + load("x_ptr", "offsets % m", "offsets.lt(n)"),
            "m ~ if n >= 1 and grid_x * BLOCK >= m and n >= m",
            id="broadcast along the rows",
        ),
        pytest.param(
            PID
            + "let step = T::num_programs(Axis::X) * BLOCK;\nlet mut i = pid * BLOCK;\n"
            + "while i < n {\nlet offsets = T::arange(0, BLOCK) + i;\n"
            + load("x_ptr", "offsets", "offsets.lt(n)")
            + "i += step;\n}",
            "n",
            id="a loop over the grid",
        ),
        pytest.param(
            "let mut i = n - 1;\nwhile i >= 0 {\n"
            + load("x_ptr", "T::arange(0, 1) + i")
            + "i -= 1;\n}",
            "n",
            id="downward",
        ),
        pytest.param(
            FLAT + load("x_ptr", "offsets * -1 + (n - 1)", "offsets.lt(n)"),
            "n",
            id="from the end",
        ),
        pytest.param(
            FLAT
            + load("x_ptr", "offsets", "offsets.lt(n)")
            + load("x_ptr", "offsets", "offsets.lt(m)"),
            "max(min(n, grid_x * BLOCK), min(m, grid_x * BLOCK))",
            id="the greater of two",
        ),
        pytest.param(
            PID + "if pid >= n { return; }\n" + load("x_ptr", "T::arange(0, 1) + pid"),
            "min(grid_x, n)",
            id="after an early return",
        ),
    ],
)
def test_it_is_what_a_launch_touches(body: str, expected: str) -> None:
    assert claim(body) == expected


def test_matrix_with_masks_on_both_axes() -> None:
    body = (
        "let rows = T::expand_dims(T::arange(0, BLOCK) + T::program_id(Axis::X) * BLOCK, 1);\n"
        "let columns = T::expand_dims(T::arange(0, BLOCK) + T::program_id(Axis::Y) * BLOCK, 0);\n"
        "let mask = rows.lt(n) & columns.lt(m);\n"
        + load("x_ptr", "rows * stride + columns", "mask")
    )
    expected = "(min(n, grid_x * BLOCK) - 1) * stride + min(m, grid_y * BLOCK) if n >= 1 and m >= 1"
    parameters = "x_ptr: T::Pointer<D>, n: i32, m: i32, stride: i32"
    assert claim(body, parameters=parameters) == expected


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            FLAT + f"if a > 0.0 {{\n{load('x_ptr', 'offsets')}}}", id="if a float is positive"
        ),
        pytest.param(
            FLAT
            + "let there = T::load(y_ptr.add_offsets(offsets), None, None, &[], None, None, None, false);\n"
            + "let zero = T::zeros_like(there);\n"
            + load("x_ptr", "offsets", "there.gt(zero)"),
            id="if memory says so",
        ),
        pytest.param(
            "let mut i = 0;\nwhile i < n {\n"
            + load("x_ptr", "T::arange(0, 1) + i")
            + "if i * i > m { break; }\ni += 1;\n}",
            id="as long as nothing breaks the loop",
        ),
        pytest.param(
            "let mut i = 0;\nlet mut j = 0;\nwhile i < n {\n"
            + load("x_ptr", "T::arange(0, 1) + j")
            + "if i > m { j += 2; }\ni += 1;\n}",
            id="what moves now and then",
        ),
        pytest.param(
            PID + load("x_ptr", "T::arange(0, 1) + ((pid as u8) as i32)"), id="what wraps"
        ),
        pytest.param(
            FLAT + load("x_ptr", "(offsets * 1103515245 + 12345) % n"),
            id="a hash, which wraps",
        ),
        pytest.param(
            PID
            + "let row = pid / m;\nlet column = pid % m;\n"
            + load("x_ptr", "T::arange(0, 1) + row * n + column"),
            id="two dimensions along one axis, the last of which may end anywhere",
        ),
    ],
)
def test_nothing_is_claimed_of_what_may_not_happen(body: str) -> None:
    assert claim(body) is None


def test_what_may_happen_beyond_makes_the_number_inexact() -> None:
    certain = load("x_ptr", "T::arange(0, 1) + pid")
    beyond = f"if a > 0.0 {{\n{load('x_ptr', 'T::arange(0, 1) + pid + 1')}}}"
    before = f"if a > 0.0 {{\n{load('x_ptr', 'T::arange(0, 1)')}}}"
    assert claim(PID + certain) == "grid_x"
    assert claim(PID + certain + before) == "grid_x"
    assert claim(PID + certain + beyond) == "grid_x ~"
