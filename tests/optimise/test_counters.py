"""What loops count in beside their index is a function of it."""

from __future__ import annotations

import pytest

from tests.optimise.nests import LOAD, STORE, kernel, module_of, routine
from transpiler.ir.dump import dump_routine
from transpiler.optimise.lifting.counters import counted
from transpiler.optimise.symbols import Symbols


def body(start: str, head: str, counting: str, at: str = "at", behind: str = "") -> str:
    """The sum of what stands `at` an address, in a loop with this head that counts."""
    return f"""
        let c = T::program_id(Axis::X);
        let mut acc = T::zeros::<D>(&[1]);
        {start}
        {head} {{
            acc = acc + T::load(x.add_offsets(T::arange(0, 1) + ({at})), None, None, {LOAD});
            {counting}
        }}
        T::store(y.add_offsets(T::arange(0, 1) + c), acc, None, {STORE});
        {behind}
    """


def loop(text: str) -> list[str]:
    """The lines of the loop of a kernel, and those above it that count."""
    written = routine(text)
    lines = [it.strip() for it in dump_routine(counted(written, Symbols(written))).splitlines()]
    first = next(i for i, it in enumerate(lines) if it.startswith(("for", "while")))
    return lines[first : lines.index("}", first)]


TERM = (
    "acc = acc + widen<D>(load<stored D>(offset(x, arange(0_i32, 1_i32) + ({})), "
    "none, none, [], none, none, none, false))"
)


@pytest.mark.parametrize(
    ("start", "head", "counting", "at", "lines"),
    [
        (
            "let mut k = 0; let mut at = c;",
            "while k < n",
            "k += 1; at += a;",
            "at",
            ["for k#1: i32 in 0_i32..n step 1_i32 {", TERM.format("at + (k#1 * a)")],
        ),
        (
            "let mut k = b; let mut at = c;",
            "while n > k",
            "at = at + 6; k = k + 2;",
            "at * k",
            ["for k: i32 in b..n step 2_i32 {", TERM.format("(at + ((k - b) * 3_i32)) * k")],
        ),
        (
            "let mut left = n; let mut at = c;",
            "while left > a",
            "left -= 1; at -= b;",
            "at + left",
            [
                "for left#1: i32 in 0_i32..left - a step 1_i32 {",
                TERM.format("(at + (left#1 * (0_i32 - b))) + (left - left#1)"),
            ],
        ),
        (
            "let mut at = c;",
            "for k in b..n",
            "at += a;",
            "at + k",
            ["for k: i32 in b..n step 1_i32 {", TERM.format("(at + ((k - b) * a)) + k")],
        ),
    ],
)
def test_counters_follow_the_index(
    start: str, head: str, counting: str, at: str, lines: list[str]
) -> None:
    found = loop(body(start, head, counting, at))
    assert found == lines


def test_behind_its_step_a_counter_is_one_step_further() -> None:
    store = f"T::store(y.add_offsets(T::arange(0, 1) + at), acc, None, {STORE});"
    found = loop(body("let mut at = 0;", "for k in 0..n", f"at += a; {store}"))
    assert found[1:] == [
        TERM.format("k * a"),
        "store<D>(offset(y, arange(0_i32, 1_i32) + ((k * a) + a)), acc, none, [], none, none)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        # It is read behind the loop, or belongs to a loop around it.
        body(
            "let mut at = c;",
            "for k in 0..n",
            "at += a;",
            behind=f"T::store(y.add_offsets(T::arange(0, 1) + at), acc, None, {STORE});",
        ),
        body("let mut at = c; for i in 0..b {", "for k in 0..n", "at += a;").replace(
            "T::store(y", "} T::store(y"
        ),
        # What it is changed by changes, or is not known to be a whole number of the loop's steps.
        body("let mut at = c;", "for k in 0..n", "at += k;"),
        body("let mut at = c; let mut by = 1;", "for k in 0..n", "at += by; by += at;"),
        body("let mut at = c;", "for k in (0..n).step_by(2)", "at += a;"),
        # It is changed twice, or perhaps, or multiplied.
        body("let mut at = c;", "for k in 0..n", "at += a; at += a;"),
        body("let mut at = c;", "for k in 0..n", "if k > b { at += a; }"),
        body("let mut at = c;", "for k in 0..n", "at = at * a;"),
        # How often the loop runs is another matter.
        body("let mut k = 0; let mut at = c;", "while at * k < n", "k += 1; at += a;"),
        body("let mut k = n; let mut at = c;", "while k > 0", "k -= 2; at += a;"),
        body("let mut k = n; let mut at = c;", "while k < n", "k += a; at += a;"),
    ],
)
def test_other_variables_stay(text: str) -> None:
    written = routine(text)
    assert counted(written, Symbols(written)) is written


def test_what_a_loop_takes_from_a_tuple_changes() -> None:
    text = body("let mut at = c;", "for k in 0..n", "let (by, _) = two(k); at += by;")
    function = "fn two(k: i32) -> (i32, i32) { (k % 3 + 1, k) }\n"
    (written,) = module_of(kernel(text) + function).kernels
    assert counted(written, Symbols(written)) is written
