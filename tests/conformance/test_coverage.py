"""No operation without a case, and no case of what is no operation."""

from __future__ import annotations

import transpiler
from tests.conformance.catalogue import all_cases
from transpiler.ops.table import OPS


def test_every_operation_has_a_case() -> None:
    covered = {operation for case in all_cases() for operation in case.operations}
    assert sorted(OPS.keys() - covered) == []


def test_every_case_calls_what_it_is_a_case_of() -> None:
    for case in all_cases():
        assert case.operations, case.name
        for operation in case.operations:
            assert operation in OPS, case.name
            assert f"T::{operation}" in case.rust, case.name


def test_every_gap_says_why() -> None:
    for case in all_cases():
        assert case.interpreter_gap is None or len(case.interpreter_gap) > 20, case.name


def test_no_case_goes_wrong_silently() -> None:
    # Cases share their parameters, so some read only a few: names are all that is warned of.
    names = {"W0701", "W0702", "W0704"}
    for case in all_cases():
        found = transpiler.check(case.rust)
        assert [each for each in found if each.code not in names] == [], case.name
