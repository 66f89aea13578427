"""Strength reduction: which divisions become cheaper, which stay and why, and that the numbers are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus.catalogue import all_runs
from tests.optimise.classics import changed
from tests.optimise.running import Sample
from tests.unit.passes.kernels import OFFSETS, store
from transpiler.optimise.flags import STRENGTH

if TYPE_CHECKING:
    from tests.optimise.running import Comparison

NO_NAME = "no variable holds the quotient of the same numbers here"
NEGATIVE = "the dividend may be negative, and a shift rounds down"
NOTHING = ("k", "it divides no integers that only a launch knows")


def missed(body: str) -> list[tuple[str, str]]:
    """Why nothing changes."""
    made = changed(STRENGTH, body)
    assert made.applied == []
    assert made.is_same
    return made.missed


def test_a_remainder_is_made_of_the_quotient() -> None:
    made = changed(STRENGTH, "let q = n / m;\nlet r = n % m + 1;\n")
    assert made.lines == ("q = n // m", "r = n - q * m + 1")
    assert made.applied == [("n % m", "`q` is the quotient of the same numbers")]


def test_lanes_too() -> None:
    body = OFFSETS + "let q = offsets / m;\nlet r = offsets % m;\n" + store("offsets")
    made = changed(STRENGTH, body.replace(store("offsets"), ""))
    assert made.lines[-2:] == ("q = offsets // m", "r = offsets - q * m")


def test_a_remainder_before_the_quotient_stays() -> None:
    assert missed("let r = n % m;\nlet q = n / m;\n") == [("n % m", NO_NAME)]


def test_a_quotient_without_a_name_is_of_no_use() -> None:
    assert missed("let r = n / m * 8 + n % m;\n") == [("n % m", NO_NAME)]


def test_a_quotient_of_an_arm_is_unknown_after_it() -> None:
    body = "let mut z = 0;\nif n > 1 { let q = n / m; z = q; }\nlet r = n % m + z;\n"
    assert missed(body) == [("n % m", NO_NAME)]


def test_a_variable_that_changes_has_no_known_quotient() -> None:
    body = "let mut c1 = n;\nlet q = c1 / m;\nc1 = q;\nlet r = c1 % m;\n"
    assert missed(body) == [("c1 % m", NO_NAME)]


def test_a_remainder_alone_stays() -> None:
    assert missed("let r = n % m;\n") == [NOTHING]


def test_constants_stay() -> None:
    assert missed("let q = BLOCK / 4;\nlet r = BLOCK % 4;\n") == [NOTHING]


def test_powers_of_two_shift_what_is_not_negative() -> None:
    made = changed(STRENGTH, "for i in 0..n { let q = i / 8; }\n")
    assert made.lines == ("for i in range(n):", "    q = i >> 3")
    assert made.applied == [("i / 8", "a shift divides")]


def test_what_triton_knows_of_addresses_stays() -> None:
    body = OFFSETS + "for i in 0..n { let r = i % 8; }\nlet q = offsets / 8;\n"
    assert missed(body) == [
        (
            "i % 8",
            "Triton knows what a remainder is a multiple of, but not what its lower bits are",
        ),
        ("offsets / 8", "Triton knows which lanes have one quotient, but not which one shift"),
    ]


def test_a_condition_may_show_that_it_is_not_negative() -> None:
    made = changed(STRENGTH, "let mut q = 0;\nif n >= 0 { q = n / 16; }\n")
    assert made.lines[-1].strip() == "q = n >> 4"


def test_what_may_be_negative_is_divided() -> None:
    assert missed("let q = n / 8;\nlet r = (n - m) / 4;\n") == [
        ("n / 8", NEGATIVE),
        ("(n - m) / 4", NEGATIVE),
    ]


def test_what_may_wrap_may_be_negative() -> None:
    assert missed("for i in 0..n { let q = i * 65536 / 8; }\n") == [("i * 65536 / 8", NEGATIVE)]


def test_other_numbers_divide() -> None:
    assert missed("for i in 0..n { let q = i / 6; }\n") == [NOTHING]


@pytest.mark.parametrize(
    "body",
    [
        "let q = offsets / m;\nlet at = q * m + offsets % m;\n",
        "let q = (offsets - 30) / m;\nlet at = (offsets - 30) % m + 64 + q;\n",
        "let mut at = offsets;\nfor i in 0..n { at = at + i / 4; }\n",
    ],
    ids=["pair", "negative", "loop"],
)
def test_samples_leave_the_same_bytes(comparison: Comparison, body: str) -> None:
    read = "T::load(x_ptr.add_offsets(at), None, None, &[], None, None, None, false)"
    sample = Sample(body=OFFSETS + body + f"let x = {read};\n" + store("x"), n=50)
    assert comparison.is_same(sample, STRENGTH)


@pytest.mark.parametrize("name", ["maxpool2d_forward"])
def test_kernels_of_the_corpus_leave_the_same_bytes(comparison: Comparison, name: str) -> None:
    run = next(run for run in all_runs() if run.case.kernel == name)
    assert comparison.differing(run, STRENGTH) == []
