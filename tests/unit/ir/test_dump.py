"""The dump of the IR: one statement a line, every binding with its type, the same text each time."""

from __future__ import annotations

import textwrap

from tests.unit.passes.kernels import LOAD, dumped, store


def test_a_kernel() -> None:
    body = (
        LOAD.replace("Some(offsets.lt(n))", "None")
        + "let mut acc = x;\nlet mut i = 0;\nwhile i < m {\n    acc = acc * x;\n    i += 1;\n}\n"
    )
    assert dumped(body + store("acc")) == textwrap.dedent("""\
        kernel k<D: Float, const BLOCK: i32>(
          x_ptr: *D,
          y_ptr: *D,
          n: i32,
          m: i32,
          a: f32,
        ) {
          let offsets: i32[BLOCK] = arange(0_i32, BLOCK)
          let x: D[BLOCK] = widen<D>(load<stored D>(offset(x_ptr, offsets), none, none, [], none, none, none, false))
          let mut acc: D[BLOCK] = x
          for i: i32 in 0_i32..m step 1_i32 {
            acc = acc * x
          }
          store<D>(offset(y_ptr, offsets), acc, offsets < n, [], none, none)
        }
        """)


def test_symbols_of_one_name_are_numbered() -> None:
    text = dumped(LOAD + "let x = x + x;\n{\n    let x = x * x;\n    " + store("x") + "}")
    assert "let x#1: D[BLOCK] = x + x" in text
    assert "let x#2: D[BLOCK] = x#1 * x#1" in text


def test_control_flow() -> None:
    body = "let q = if n < m { let z = n; z } else { m };\nif q == 1 { return; } else { }\n"
    lines = [line.strip() for line in dumped(body).splitlines()]
    assert lines[6:] == [
        ") {",
        "declare q: i32",
        "if n < m {",
        "let z: i32 = n",
        "q = z",
        "} else {",
        "q = m",
        "}",
        "if q == 1_i32 {",
        "return",
        "} else {",
        "}",
        "}",
    ]


def test_tuples_enums_texts_and_flags() -> None:
    body = (
        "let (c, _) = (T::program_id(Axis::Y), true);\n"
        "let s = T::sum(T::full::<i32>(&[BLOCK], c), Some(0), false);\n"
    )
    text = dumped(body)
    assert "let (c: i32, _) = (program_id(Axis::Y), true)" in text
    assert "sum<i32>(full<i32>([BLOCK], c), 0_i32, false)" in text


def test_the_same_text_each_time() -> None:
    body = LOAD + store("x * x")
    assert dumped(body) == dumped(body)
