"""Common subexpressions: what is read instead of computed again, what is computed again and why, and equal numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus.catalogue import all_runs
from tests.optimise.classics import changed
from tests.optimise.running import Sample
from tests.unit.passes.kernels import LOAD, OFFSETS, store
from transpiler.optimise.flags import REUSE

if TYPE_CHECKING:
    from tests.optimise.running import Comparison

READ = "T::load(x_ptr.add_offsets(offsets), None, None, &[], None, None, None, false)"
IN_A_BLOCK = "it is computed before in a branch or a loop alone, which may not have run"
WRITTEN = "memory is written in between, which may be what is read"
NOTHING = ("k", "nothing that takes time is computed twice")


def lines(body: str, *, after: int = 0) -> tuple[str, ...]:
    """The statements of the kernel from the place `after` on."""
    return changed(REUSE, body).lines[after:]


def missed(body: str) -> list[tuple[str, str]]:
    """Why nothing changes."""
    made = changed(REUSE, body)
    assert made.applied == []
    assert made.is_same
    return made.missed


def test_a_name_that_is_there_is_read() -> None:
    made = changed(REUSE, "let q = n / m;\nlet r = n - n / m * 4;\nlet p = n / m;\n")
    assert made.lines == ("q = n // m", "r = n - q * 4", "p = q")
    assert made.applied == [("n / m", "`q` has this value already")] * 2
    assert made.missed == []


def test_a_value_without_a_name_gets_one() -> None:
    body = LOAD + "// Both.\nlet y = T::exp(x) * x; // done\nlet z = T::exp(x) + x;\n"
    made = changed(REUSE, body + store("y + z"))
    assert made.lines[-5:-1] == (
        "# Both.",
        "exp_x = tl.exp(x)  # done",
        "y = exp_x * x",
        "z = exp_x + x",
    )
    assert made.applied == [
        ("T::exp(x)", "`exp_x` is computed once"),
        ("T::exp(x)", "`exp_x` has this value already"),
    ]


def test_the_larger_value_is_shared() -> None:
    body = "let a1 = (n / m + 1) % m;\nlet b1 = (n / m + 1) % m + 2;\n"
    assert lines(body) == ("a1 = (n // m + 1) % m", "b1 = a1 + 2")


def test_what_is_cheap_is_written_again() -> None:
    assert missed("let a1 = n + 1;\nlet b1 = n + 1;\nlet c1 = (n + 1) * (n + 1);\n") == [NOTHING]


def test_what_is_known_at_compile_time_is_written_again() -> None:
    assert missed("let a1 = BLOCK / 4;\nlet b1 = BLOCK / 4 + n;\n") == [NOTHING]


def test_factors_may_change_places_and_differences_may_not() -> None:
    made = changed(
        REUSE, "let a1 = n * m / 3;\nlet b1 = m * n / 3;\nlet c1 = (n - m) / 3 + (m - n) / 3;\n"
    )
    assert made.lines[1] == "b1 = a1"
    assert made.applied == [("m * n / 3", "`a1` has this value already")]


def test_zeros_of_two_signs_are_two_values() -> None:
    scale = "D::from_f64({}0.0)"
    body = LOAD + f"let y = T::exp(x * {scale.format('')}) + T::exp(x * {scale.format('-')});\n"
    assert missed(body + store("y")) == [NOTHING]


def test_a_branch_reads_what_came_before_it() -> None:
    assert (
        lines('let q = n / m;\nif n > 1 { T::static_assert(BLOCK > 1, ""); let p = n / m + 1; }\n')[
            -1
        ].strip()
        == "p = q + 1"
    )


def test_what_a_branch_computes_is_unknown_after_it() -> None:
    body = LOAD + "let mut y = x;\nif n > m { y = T::exp(x); }\ny = y + T::exp(x);\n" + store("y")
    assert missed(body) == [("T::exp(x)", IN_A_BLOCK)]


def test_arms_do_not_know_each_other() -> None:
    body = "let mut y = x;\nif n > m { y = T::exp(x); } else { y = y + T::exp(x); }\n"
    assert missed(LOAD + body + store("y")) == [NOTHING]


def test_an_old_value_is_another_one() -> None:
    body = "let mut c1 = n;\nlet d = c1 / m;\nc1 = 3;\nlet e = c1 / m;\n"
    assert missed(body) == [NOTHING]


def test_what_a_loop_assigns_is_not_known_in_it() -> None:
    body = "let mut c1 = n;\nlet d = c1 / m;\nfor i in 0..n { let e = c1 / m + i; c1 = e; }\n"
    assert missed(body) == [NOTHING]


def test_a_loop_reads_what_came_before_it() -> None:
    found = lines("let q = n / m;\nfor i in 0..n / m { let e = n / m + i; }\n")
    assert found == ("q = n // m", "for i in range(q):", "    e = q + i")


def test_the_condition_of_a_loop_has_no_name_before_it() -> None:
    """It is evaluated anew each time; what it shares with the body stays."""
    body = "let mut c1 = n;\nwhile c1 / m > 1 { c1 = c1 - c1 / m; }\n"
    assert changed(REUSE, body).is_same


def test_what_may_not_be_evaluated_is_not_known() -> None:
    body = "let mut c1 = 0;\nif n > 0 && m / n > 1 { c1 = 1; }\nlet d = m / n;\n"
    assert missed(body) == [NOTHING]


# --- Memory ---------------------------------------------------------------------------------------


def test_a_load_is_read_once() -> None:
    found = lines(OFFSETS + f"let x = {READ};\nlet w = {READ};\n" + store("x * w"))
    assert found[-2:] == ("w = x", "tl.store(y_ptr + offsets, x * w, mask=offsets < n)")


def test_a_load_after_a_store_reads_again() -> None:
    body = OFFSETS + f"let x = {READ};\n" + store("x") + f"let w = {READ};\n" + store("w")
    assert missed(body) == [(READ, WRITTEN)]


def test_a_load_in_a_loop_that_stores_reads_again() -> None:
    body = OFFSETS + f"let x = {READ};\nfor i in 0..n {{ let w = {READ};\n{store('w')} }}\n"
    assert missed(body + store("x")) == [(READ, WRITTEN)]


def test_a_load_beside_an_update_of_memory_reads_again() -> None:
    update = "T::atomic_add(x_ptr.add_offsets(offsets), x, None, None, None)"
    body = OFFSETS + f"let x = {READ};\nlet w = {update} + {READ};\n" + store("w")
    assert missed(body) == [(READ, WRITTEN)]


def test_a_volatile_load_reads_each_time() -> None:
    read = READ.replace("false)", "true)")
    body = OFFSETS + f"let x = {read};\nlet w = {read};\n" + store("x * w")
    assert missed(body) == [(read, "a volatile read happens each time")]


# --- Numbers --------------------------------------------------------------------------------------

SAMPLES = {
    "math": LOAD + "let y = T::exp(x) / T::sqrt(T::exp(x) + x * x);\n" + store("y * T::exp(x)"),
    "index": OFFSETS
    + "let at = offsets / m * m + (offsets - offsets / m * m);\n"
    + "let x = T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false);\n"
    + store("x"),
    "branch": LOAD
    + "let mut y = T::log(T::abs(x));\nif n > 4 { y = y + T::log(T::abs(x)); }\n"
    + "for i in 0..m { y = y * T::log(T::abs(x)) + T::exp(y) - T::exp(y); }\n"
    + store("y"),
    "loads": OFFSETS
    + f"let mut y = {READ} * {READ};\n"
    + store("y")
    + f"y = y + {READ};\ny = y + {READ};\n"
    + store("y"),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("n", [1, 64])
def test_samples_leave_the_same_bytes(comparison: Comparison, name: str, n: int) -> None:
    assert comparison.is_same(Sample(body=SAMPLES[name], n=n), REUSE)


@pytest.mark.parametrize("name", ["matmul_forward", "constant_pad2d_backward"])
def test_kernels_of_the_corpus_leave_the_same_bytes(comparison: Comparison, name: str) -> None:
    run = next(run for run in all_runs() if run.case.kernel == name)
    assert comparison.differing(run, REUSE) == []
