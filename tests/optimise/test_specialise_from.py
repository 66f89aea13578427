"""`--specialise-from`: what tuning found becomes the default."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.optimise.hand_made import OPTIMISED, plan, planned
from transpiler.cli.main import command
from transpiler.optimise.tuned import read_choices, with_choices

if TYPE_CHECKING:
    from click.testing import Result

SUMS = Path(__file__).with_name("column_sums.rs")
CHOICES = {
    "column_sums__partial": {"BLOCK_C": 32, "ROWS": 128, "num_warps": 8},
    "column_sums__none_of_this_file": {"BLOCK": 8},
}


def launches(text: str) -> list[str]:
    """The tiles and warps of the launches in the function of a plan."""
    words = ("column_sums__", "BLOCK_C=", "num_warps=", "ROWS =")
    lines = text[text.index("def _plan_") : text.index("\n\n\n_TUNED")].splitlines()
    return [it.strip().rstrip(",") for it in lines if it.strip().startswith(words)]


def test_choices_stand_in_the_plan() -> None:
    text = planned(with_choices(plan(), read_choices(json.dumps(CHOICES), "tune.json"))).text
    assert text is not None
    first = launches(text)[:7]
    # Other numbers depend on the rows of a program, so tuning does not choose them.
    assert first == [
        "ROWS = 64",
        "column_sums__partial",
        "BLOCK_C=32",
        "num_warps=8",
        "column_sums__finish",
        "BLOCK_C=16",
        "num_warps=1",
    ]


def test_the_tuned_form_tries_what_it_tried() -> None:
    chosen = with_choices(plan(), read_choices(json.dumps(CHOICES), "tune.json"))
    found = planned(chosen).text
    assert found is not None
    assert "for BLOCK_C in (16, 32, 64)" in found


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments], catch_exceptions=False)


@pytest.fixture
def tune(tmp_path: Path) -> Path:
    """A file of choices."""
    path = tmp_path / "tune.json"
    path.write_text(json.dumps(CHOICES), "utf-8")
    return path


def test_a_module_names_the_file_it_was_specialised_from(tune: Path) -> None:
    done = run(str(SUMS), "-O", "--specialise-from", str(tune), "-o", "-")
    assert done.exit_code == 0
    assert "# Options: -O --specialise-from tune.json\n" in done.stdout
    assert OPTIMISED.text() == "--kernel column_sums -O"


def test_the_option_has_no_effect_without_optimisation(tune: Path) -> None:
    done = run(str(SUMS), "--specialise-from", str(tune), "-o", "-")
    assert "# Options: defaults\n" in done.stdout
    assert "`--specialise-from` has no effect without `-O`" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "it has no kernels"),
        ('{"k": 3}', "the choices of 'k' have no names"),
        ('{"k": {"BLOCK": 48}}', "'BLOCK' of 'k' is no power of two: 48"),
        ('{"k": {"BLOCK": true}}', "is no power of two: True"),
        ('{"k": {"BLOCK": "32"}}', "is no power of two: '32'"),
        ("{", "Expecting property name"),
    ],
)
def test_files_of_something_else_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "tune.json"
    path.write_text(text, "utf-8")
    done = run(str(SUMS), "-O", "--specialise-from", str(path), "-o", "-")
    assert done.exit_code == 2
    assert words in done.stderr
    assert "has not what tuned_choices() gives" in done.stderr


def test_a_file_that_is_not_there_is_refused() -> None:
    done = run(str(SUMS), "-O", "--specialise-from", "nowhere.json", "-o", "-")
    assert done.exit_code == 2
    assert "nowhere.json" in done.stderr
