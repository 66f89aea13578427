"""Loop-invariant code motion: what leaves a loop, what stays and why, and that the numbers are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus.catalogue import all_runs
from tests.optimise.classics import changed, transformed
from tests.optimise.running import Sample
from tests.unit.passes.kernels import LOAD, OFFSETS, kernel, store
from transpiler.optimise.flags import HOIST

if TYPE_CHECKING:
    from tests.optimise.running import Comparison

READ = "T::load(x_ptr.add_offsets(offsets), None, None, &[], None, None, None, false)"
BEFORE = LOAD + "let mut acc = T::zeros::<D>(&[BLOCK]);\n"
AFTER = store("acc")
EMPTY_LOOP = "the loop may not run at all, and then nothing may be read"
WRITTEN = "the loop may write what is read here"


def lines(body: str) -> tuple[str, ...]:
    """The statements from the first that the transform may have moved on."""
    found = changed(HOIST, BEFORE + body + AFTER).lines
    first = next(place for place, line in enumerate(found) if line.startswith("acc = "))
    return found[first + 1 : -1]


def missed(body: str) -> list[tuple[str, str]]:
    """What is said to stay; nothing moves."""
    made = changed(HOIST, BEFORE + body + AFTER)
    assert made.applied == []
    assert made.is_same
    return made.missed


def test_a_variable_leaves_with_its_comments() -> None:
    assert lines(
        "// Over the rows.\n"
        "for i in 0..n {\n"
        "    // Grows.\n"
        "    let scale = T::exp(x); // fast\n"
        "    acc = acc + scale;\n"
        "}\n"
    ) == (
        "# Grows.",
        "scale = tl.exp(x)  # fast",
        "# Over the rows.",
        "for i in range(n):",
        "    acc = acc + scale",
    )


def test_a_costly_part_of_a_statement_gets_a_name() -> None:
    assert lines("for i in 0..n { acc = acc + T::sqrt(x) * x; }\n") == (
        "sqrt_x_times_x = tl.sqrt(x) * x",
        "for i in range(n):",
        "    acc = acc + sqrt_x_times_x",
    )


def test_equal_parts_share_a_name() -> None:
    assert lines("for i in 0..n { acc = acc * T::exp(x) + T::exp(x); }\n") == (
        "exp_x = tl.exp(x)",
        "for i in range(n):",
        "    acc = acc * exp_x + exp_x",
    )


def test_what_an_inner_loop_repeats_leaves_both() -> None:
    assert lines(
        "for i in 0..n { for j in 0..i { let scale = T::exp(x); acc = acc + scale; } }\n"
    ) == (
        "scale = tl.exp(x)",
        "for i in range(n):",
        "    for j in range(i):",
        "        acc = acc + scale",
    )


def test_what_several_inner_loops_repeat_has_one_name() -> None:
    rows = "for j in 0..n { acc = acc + T::exp(x) * x; }\n"
    exp = "exp_x_times_x"
    assert lines(f"for i in 0..n {{ {rows} {rows} }}\n") == (
        f"{exp} = tl.exp(x) * x",
        "for i in range(n):",
        "    for j in range(n):",
        f"        acc = acc + {exp}",
        "    for j in range(n):",
        f"        acc = acc + {exp}",
    )


def test_names_alone_move_only_for_what_reads_them() -> None:
    assert lines(
        "for i in 0..n { let rows = m; let q = rows * rows; let p = m; if i < q + p { acc = acc + x; } }\n"
    ) == (
        "rows = m",
        "q = rows * rows",
        "for i in range(n):",
        "    p = m",
        "    if i < q + p:",
        "        acc = acc + x",
    )


def test_cheap_parts_of_statements_stay() -> None:
    made = changed(HOIST, BEFORE + "for i in 0..n { acc = acc + x * x; }\n" + AFTER)
    assert made.is_same
    assert made.missed == [("k", "no loop computes anything in the same way in each iteration")]


def test_what_an_iteration_changes_stays() -> None:
    body = "let mut k = 1;\nwhile k < n { acc = acc + T::exp(acc); k = k * 2 + n / 4 * k; }\n"
    made = changed(HOIST, BEFORE + body + AFTER)
    assert [text for text, _ in made.applied] == ["n / 4"]


def test_a_branch_of_the_loop_keeps_its_own() -> None:
    assert missed("for i in 0..n { if i > m { acc = acc + T::exp(x); } }\n") == [
        ("k", "no loop computes anything in the same way in each iteration")
    ]


# --- What may fail --------------------------------------------------------------------------------


def test_a_division_by_what_may_be_zero_stays() -> None:
    assert missed("for i in 0..n { let q = n / m; if i < q { acc = acc + x; } }\n") == [
        ("n / m", "this may fail, and the loop may not run at all")
    ]


@pytest.mark.parametrize(
    "before",
    [
        "let first = n / m;\n",
        "if m < 1 { return; }\n",
    ],
    ids=["divided by already", "compared with"],
)
def test_a_division_by_what_cannot_be_zero_leaves(before: str) -> None:
    made = changed(HOIST, before + "for i in 0..n { let q = i + n % m; }\n")
    assert [text for text, _ in made.applied] == ["n % m"]


def test_a_division_leaves_a_loop_that_surely_runs() -> None:
    made = changed(HOIST, "for i in 0..BLOCK { let q = i + n / m; }\n" + LOAD)
    assert [text for text, _ in made.applied] == ["n / m"]


def test_what_only_the_loop_shows_counts_for_nothing_before_it() -> None:
    """That the loop runs tells that `n` is positive, in the loop."""
    made = changed(HOIST, "for i in 0..n { let d = n; let q = m / d + i; }\n")
    assert made.is_same
    assert made.missed == [("m / d", "this may fail, and the loop may not run at all")]


def test_a_shift_by_any_number_stays() -> None:
    made = changed(HOIST, "for i in 0..n { let q = i + n / 3 * (n << m); }\n")
    assert ("n << m", "this may fail, and the loop may not run at all") in made.missed


# --- What reads memory ----------------------------------------------------------------------------


def test_a_read_leaves_a_loop_that_surely_runs() -> None:
    assert lines(f"for i in 0..4 {{ let w = {READ}; acc = acc + w; }}\n") == (
        "w = tl.load(x_ptr + offsets).to(D)",
        "for i in range(4):",
        "    acc = acc + w",
    )


def test_a_read_stays_where_the_loop_may_be_empty() -> None:
    assert missed(f"for i in 0..n {{ let w = {READ}; acc = acc + w; }}\n") == [(READ, EMPTY_LOOP)]


def test_a_read_stays_where_the_loop_writes() -> None:
    body = f"for i in 0..4 {{ let w = {READ}; acc = acc + w; {store('acc')} }}\n"
    assert missed(body) == [(READ, WRITTEN)]


def test_a_volatile_read_stays() -> None:
    read = READ.replace("false)", "true)")
    assert missed(f"for i in 0..4 {{ let w = {read}; acc = acc + w; }}\n") == [
        (read, "a volatile read happens in each iteration")
    ]


def test_a_read_stays_in_a_loop_that_may_wait() -> None:
    body = f"let mut k = n;\nwhile k > 1 {{ let w = {READ}; acc = acc + w; k = k / 2; }}\n"
    assert missed(body) == [
        (READ, "the loop may wait for another program to write what is read here")
    ]


# --- Numbers --------------------------------------------------------------------------------------

SAMPLES = {
    "parts": BEFORE
    + "for i in 0..n { acc = acc * T::exp(x) + T::exp(x) / T::sqrt(x * x + x); }\n"
    + AFTER,
    "nest": BEFORE
    + "for i in 0..n { for j in 0..m { let s = T::sigmoid(x); let q = n / 3; "
    + "if j < q { acc = acc * s; } acc = acc + s; } }\n"
    + AFTER,
    "reads": BEFORE + f"for i in 0..4 {{ let w = {READ}; acc = acc + w * w; }}\n" + AFTER,
    "offsets": OFFSETS
    + "for i in 0..n { let start = n % 3 * BLOCK; let at = offsets + start; "
    + "let w = T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false); "
    + "T::store(y_ptr.add_offsets(at + i * BLOCK), w + w, None, &[], None, None); }\n",
    "while": BEFORE
    + "let mut k = n;\nwhile k > n / 8 { acc = acc + T::exp(x); k = k - n / 4 - 1; }\n"
    + AFTER,
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("n", [0, 1, 8])
def test_samples_leave_the_same_bytes(comparison: Comparison, name: str, n: int) -> None:
    assert comparison.is_same(Sample(body=SAMPLES[name], n=n), HOIST)


def test_a_kernel_of_the_corpus_leaves_the_same_bytes(comparison: Comparison) -> None:
    run = next(run for run in all_runs() if run.case.kernel == "embedding_forward")
    assert comparison.differing(run, HOIST) == []


def test_nothing_happens_where_it_is_off() -> None:
    made = transformed(kernel(SAMPLES["nest"]))
    assert made.is_same
    assert made.remarks.remarks == ()
