"""No operation without a case, and no case of what is no operation."""

from __future__ import annotations

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
