"""What the command says of kernels that are wrong, each in its own way, and of one that is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.conftest import Verified, verify_in, written
from tests.harness.sources import case, cases_file, kernel

if TYPE_CHECKING:
    from pathlib import Path

F32 = 'dtypes="f32",'

RUST = "".join(
    [
        kernel("right"),
        kernel("wrong"),
        kernel("short", mask="Some(offsets.lt(n - 3))"),
        kernel("long", mask="None"),
        kernel("early", mask="Some(offsets.lt(n))", offsets="offsets - 2"),
        kernel("spoilt", before='T::static_assert(BLOCK > 100, "BLOCK is too small");\n    '),
        kernel("raising"),
        kernel("crashing", offsets="offsets * 20000000"),
        kernel("after_the_crash"),
        kernel("integers", dtype="i32"),
        kernel("wrong_integers", dtype="i32", value="x + x + x"),
        kernel("nobodys"),
    ]
)

WHOLE = "inputs=lambda n: {'x': torch.randint(-9, 9, (n,))},"

CASES = cases_file(
    case("right", more=F32),
    case("wrong", reference="lambda x: 2 * x * (1 + 1e-5)", more=F32),
    case("short", more=F32),
    case("long", more=F32),
    case("early", more=F32),
    case("spoilt", more=F32),
    case("raising", reference="lambda x: x.no_such_method()", more=F32),
    case("crashing", more=F32),
    case("after_the_crash", more=F32),
    case("integers").replace('inputs=lambda n: {"x": torch.randn(n)},', WHOLE),
    case("wrong_integers").replace('inputs=lambda n: {"x": torch.randn(n)},', WHOLE),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("verdicts"), {"a.rs": RUST, "a_cases.py": CASES})


@pytest.fixture(scope="module")
def outcome(folder: Path) -> Verified:
    return verify_in(folder, "a.rs", "--json")


def of(outcome: Verified, name: str) -> dict[str, object]:
    (found,) = (it for it in outcome.cases().values() if it["kernel"] == name)
    return found


def test_one_failure_is_enough_for_the_exit_code(outcome: Verified) -> None:
    assert outcome.code == 1
    assert outcome.document["summary"] == {
        "passed": 3,
        "failed": 8,
        "faults": 0,
        "without_cases": 1,
        "agreeing": 0,
        "disagreeing": 0,
    }


def test_a_right_kernel_passes_with_its_errors(outcome: Verified) -> None:
    found = of(outcome, "right")
    assert found["verdict"] == "pass"
    assert found["message"] == ""
    assert found["error"] == 0.0
    assert found["torch_error"] == 0.0
    assert 0 < float(str(found["allowed"])) < 2e-6


def test_a_wrong_result_is_shown_beside_the_right_one(outcome: Verified) -> None:
    found = of(outcome, "wrong")
    assert found["verdict"] == "wrong result"
    # Elements near 0 are judged by numbers around 1.
    assert " of 100 elements wrong; [0] is " in str(found["message"])
    assert "the largest relative error is 1e-05" in str(found["message"])


def test_elements_that_nobody_wrote_are_counted(outcome: Verified) -> None:
    found = of(outcome, "short")
    assert found["verdict"] == "unwritten elements"
    assert found["message"] == "y_ptr: 3 of 100 elements never written, the first at [97]"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("long", "y_ptr: 28 elements outside it written, the first 0 after its end"),
        ("early", "y_ptr: 2 elements outside it written, the first 2 before its beginning"),
    ],
)
def test_what_is_written_out_of_bounds_is_seen(outcome: Verified, name: str, said: str) -> None:
    found = of(outcome, name)
    assert found["verdict"] == "out-of-bounds write"
    assert str(found["message"]).splitlines()[0] == said


def test_what_triton_refuses_is_shown_in_the_rust(outcome: Verified) -> None:
    found = of(outcome, "spoilt")
    assert found["verdict"] == "refused by Triton"
    assert "Triton refused `spoilt[f32-BLOCK=64-n=100]`" in str(found["message"])
    assert "--> a.rs:" in str(found["message"])
    assert "BLOCK is too small" in str(found["message"])


def test_a_reference_that_raises_is_shown_at_its_line(outcome: Verified) -> None:
    found = of(outcome, "raising")
    assert found["verdict"] == "error"
    message = str(found["message"])
    line = CASES[: CASES.index("no_such_method")].count("\n") + 1
    assert f"a_cases.py:{line}: AttributeError: " in message
    assert "reference=lambda x: x.no_such_method()," in message


def test_a_crash_costs_its_own_case_alone(outcome: Verified) -> None:
    found = of(outcome, "crashing")
    assert found["verdict"] == "crashed"
    assert "was ended by SIGSEGV" in str(found["message"])
    assert of(outcome, "after_the_crash")["verdict"] == "pass"


def test_a_case_that_never_ends_is_stopped_and_the_others_run(folder: Path) -> None:
    files = {
        "hanging.rs": kernel("hanging") + kernel("after_it"),
        "hanging_cases.py": cases_file(
            case("hanging", reference="lambda x: any(iter(int, 1))", more=F32),
            case("after_it", more=F32),
        ),
    }
    said = verify_in(written(folder, files), "hanging.rs", "--json", "--timeout", "4")
    assert said.code == 1
    found = of(said, "hanging")
    assert found["verdict"] == "timed out"
    assert found["message"] == "the process that launched it was stopped after 4 s"
    assert of(said, "after_it")["verdict"] == "pass"


def test_integers_are_compared_exactly(outcome: Verified) -> None:
    right, wrong = of(outcome, "integers"), of(outcome, "wrong_integers")
    assert right["verdict"] == "pass"
    assert right["error"] is None
    assert wrong["verdict"] == "wrong result"


def test_the_table_has_a_row_for_each_and_the_failures_below(folder: Path) -> None:
    said = verify_in(folder, "a.rs", "--kernel", "right,short,nobodys")
    assert said.code == 1
    lines = [line.split() for line in said.out.splitlines()]
    assert lines[1][:4] == ["kernel", "dtype", "constants", "shapes"]
    assert lines[1][4:] == ["error", "torch's", "allowed", "verdict"]
    assert lines[2][:4] == ["right", "f32", "BLOCK=64", "n=100"]
    assert lines[2][-1] == "pass"
    assert lines[3][-2:] == ["unwritten", "elements"]
    reason = "no operator launches it"
    assert lines[4] == ["nobodys", *"------", "no", "cases:", *reason.split()]
    assert "  y_ptr: 3 of 100 elements never written, the first at [97]\n" in said.out
    count = "1 passed, 1 failed, 1 kernel without cases on Triton's interpreter\n"
    assert said.out.endswith(count)
    assert said.err == ""
