"""`-O`, `-f…` and what else the command has for the optimising tier."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.sources import COLUMNS, DOUBLE, UNKNOWN_OPERATION
from transpiler.optimise.flags import TRANSFORMS
from transpiler.pipeline import transpile_source

if TYPE_CHECKING:
    from tests.cli.conftest import Files, Invoke, Run
    from transpiler.pipeline import Options, Result
    from transpiler.source import SourceFile


def header(text: str) -> str:
    """The options a module says it was made with."""
    found = re.search(r"^# Options: (.*)$", text, re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((), "defaults"),
        (("-O",), "-O"),
        (("-O1",), "-O"),
        (("-O0",), "defaults"),
        (("-O", "-O0"), "defaults"),
        (("-O0", "-O"), "-O"),
        (("-O", "-fno-block-axis"), "-O -fno-block-axis"),
        (("-fno-block-axis", "-O"), "-O -fno-block-axis"),
        (("-O", "-fno-reuse", "-fno-hoist"), "-O -fno-hoist -fno-reuse"),
        (("-O", "-fno-reuse", "-freuse"), "-O"),
        (("-O", "-freuse", "-fno-reuse"), "-O -fno-reuse"),
        (("-O", "-fhoist"), "-O"),
        (("-O0", "-fhoist", "-fno-reuse"), "defaults"),
        (("-qO",), "-O"),
        (("-O", "-Rpass"), "-O"),
        (("-O", "-Rpass-missed=hoist"), "-O"),
    ],
)
def test_the_module_says_how_it_was_optimised(
    files: Files, invoke: Invoke, arguments: tuple[str, ...], options: str
) -> None:
    """No option takes the path behind it for its value, and the last one counts."""
    folder = files({"a.rs": DOUBLE})
    done = invoke(*arguments, "a.rs")

    assert done.exit_code == 0, done.stderr
    assert header((folder / "generated/a.py").read_text()) == options


def test_transforms_are_applied_unless_they_are_switched_off(files: Files, invoke: Invoke) -> None:
    files({"a.rs": COLUMNS})
    remarks = ("-Rpass=block-axis", "--message-format", "concise")

    done = invoke("a.rs", "-O", *remarks)
    assert re.match(r"a\.rs:6:\d+: remark\[R0801\] block-axis: `add_to_columns`: ", done.stderr)
    *_, row = done.stderr.splitlines()
    assert "block-axis" in row.split()
    off = invoke("a.rs", "-O", "-fno-block-axis", *remarks)
    assert off.exit_code == 0
    assert "block-axis" not in off.stderr
    assert "R0802" in invoke("a.rs", "-O", "-fno-block-axis", "-Rpass-missed").stderr


def test_the_module_has_the_stages_that_json_names(files: Files, invoke: Invoke) -> None:
    files({"a.rs": COLUMNS})
    (file,) = json.loads(invoke("a.rs", "-O", "--emit", "json").stdout)["files"]
    stages = file["kernels"][0]["optimised"]["stages"]
    made = invoke("a.rs", "-O", "-o", "-").stdout

    assert stages
    assert [name for name in stages if f"\ndef {name}(" not in made] == []
    assert not any(name in invoke("a.rs", "-o", "-").stdout for name in stages)
    assert invoke("a.rs", "-O", "-o", "-").stdout == made


def test_a_module_of_another_level_is_stale(files: Files, invoke: Invoke) -> None:
    files({"a.rs": DOUBLE})
    invoke("a.rs", "-O")

    assert invoke("a.rs", "-O", "--check").exit_code == 0
    assert invoke("a.rs", "-O1", "--check").exit_code == 0
    stale = invoke("a.rs", "--check")
    assert stale.exit_code == 1
    assert "generated/a.py is stale" in stale.stderr
    shown = invoke("a.rs", "--diff").stdout
    assert "\n-# Options: -O\n+# Options: defaults\n" in shown


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("-fno-blok-axis", "no transform is called 'blok-axis'; did you mean -fno-block-axis?\n"),
        ("-fhoists", "no transform is called 'hoists'; did you mean -fhoist?\n"),
        ("-fxyzzy", "no transform is called 'xyzzy'\nThere are split-index, split-kernel,"),
        ("-fno-no-hoist", "no transform is called 'no-hoist'"),
        ("-fhoist=3", "no transform is called 'hoist=3'; did you mean -fhoist?"),
        ("-O3", "there is one level of optimisation: -O, which is -O1, and -O0"),
        ("-Ofast", "there is one level of optimisation"),
        ("-Rpas", "no option is called -Rpas: there are -Rpass and -Rpass-missed"),
        ("-Rpass=(", "'(' after -Rpass= is no regular expression: missing )"),
        ("-Rpass-missed=*", "'*' after -Rpass-missed= is no regular expression"),
        ("-Rpass=hiost", "no transform has 'hiost' in its name; did you mean -Rpass=hoist?"),
        ("-Rpass-missed=xyz", "no transform has 'xyz' in its name\nThere are split-index,"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_spelled_wrong_is_wrong_usage(
    files: Files, invoke: Invoke, argument: str, words: str, is_first: bool
) -> None:
    folder = files({"a.rs": DOUBLE})
    done = invoke(*((argument, "a.rs") if is_first else ("a.rs", argument)))

    assert done.exit_code == 2
    assert words in done.stderr
    assert [each.name for each in folder.iterdir()] == ["a.rs"]


def test_an_unknown_transform_is_answered_with_all_of_them(invoke: Invoke) -> None:
    shown = invoke("a.rs", "-O", "-fxyzzy").stderr

    assert [each.flag for each in TRANSFORMS if each.flag not in shown] == []


def test_help_stays_short_and_tells_where_the_transforms_are(invoke: Invoke) -> None:
    shown = invoke("--help").stdout

    for spelling in ("-O, -O1 / -O0", "-f[no-]NAME", "-Rpass[=REGEX]", "-Rpass-missed[=REGEX]"):
        assert shown.count(f"  {spelling}  ") == 1
    assert "--help-optimise" in shown
    assert "vectorise-loop" not in shown
    for hidden in ("-O3", "-Ofast", "-R "):
        assert hidden not in shown


def test_the_transforms_have_a_help_of_their_own(invoke: Invoke) -> None:
    done = invoke("--help-optimise")
    words = " ".join(done.stdout.split())

    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 88
    places = [words.index(f"-f{each.flag}, -fno-{each.flag}") for each in TRANSFORMS]
    assert places == sorted(places)
    for each in TRANSFORMS:
        assert each.summary in words
        assert f"Legality: {each.condition}" in words


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("-fno-b", ["-fno-block-axis"]),
        ("-fsplit-", ["-fsplit-index", "-fsplit-kernel", "-fsplit-reduction"]),
        ("-Rpass-", ["-Rpass-missed"]),
        ("--help-", ["--help-optimise"]),
    ],
)
def test_shells_can_complete_transforms(run: Run, typed: str, completed: list[str]) -> None:
    done = run(
        _TEENY_TRANSPILE_COMPLETE="bash_complete",
        COMP_WORDS=f"teeny-transpile -O -Rpass {typed}",
        COMP_CWORD="3",
    )

    found = [line.partition(",")[2] for line in done.stdout.decode().splitlines()]
    assert found == completed


def test_verify_takes_them_as_well(
    files: Files, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def watched(source: SourceFile, options: Options) -> Result:
        given.append(options.text())
        return transpile_source(source, options)

    monkeypatch.setattr("transpiler.cli.verify_execute.transpile_source", watched)
    # What does not translate is verified by no process.
    files({"a.rs": UNKNOWN_OPERATION})

    assert invoke("verify", "a.rs", "-O", "-fno-hoist").exit_code == 1
    assert invoke("verify", "-O", "a.rs").exit_code == 1
    assert invoke("verify", "a.rs").exit_code == 1
    assert given == ["-O -fno-hoist", "-O", "defaults"]
    assert "-f[no-]NAME" in invoke("verify", "--help").stdout
    wrong = invoke("verify", "a.rs", "-O", "-fno-hoists")
    assert wrong.exit_code == 2
    assert "did you mean -fno-hoist?" in wrong.stderr
