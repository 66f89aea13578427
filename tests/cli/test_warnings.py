"""Warnings on the command line: told, allowed, denied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.sources import kernel

if TYPE_CHECKING:
    from tests.cli.conftest import Files, Invoke

BARE = kernel("bare").replace(", x + x, Some(mask), ", ", x + x, None, ")


def test_a_warning_stops_nothing(files: Files, invoke: Invoke) -> None:
    module = files({"a.rs": BARE}) / "generated/a.py"
    done = invoke("a.rs")
    assert done.exit_code == 0
    assert "warning[W0602]: this store has no mask" in done.stderr
    assert "1 warning in 1 file" in done.stderr
    assert module.exists()


def test_a_warning_can_be_allowed(files: Files, invoke: Invoke) -> None:
    module = files({"a.rs": BARE}) / "generated/a.py"
    invoke("a.rs")
    before = module.read_text("utf-8")
    for allowed in ("W0602", "W06", "W", "W0701,W0602"):
        done = invoke("a.rs", "--allow", allowed, "--deny-warnings")
        assert done.exit_code == 0
        assert "W0602" not in done.stderr
    assert "warning[W0602]" in invoke("a.rs", "--allow", "W07").stderr
    assert module.read_text("utf-8") == before


def test_a_denied_warning_is_an_error(files: Files, invoke: Invoke) -> None:
    module = files({"a.rs": BARE, "b.rs": kernel("fine")}) / "generated/a.py"
    done = invoke("a.rs", "b.rs", "--deny-warnings")
    assert done.exit_code == 1
    assert "error[W0602]: this store has no mask" in done.stderr
    assert not module.exists()
    assert module.with_name("b.py").exists()


def test_what_is_allowed_is_a_warning(files: Files, invoke: Invoke) -> None:
    files({"a.rs": BARE})
    for wrong in ("E0301", "unused", "W99"):
        done = invoke("a.rs", "--allow", wrong)
        assert done.exit_code == 2
        assert f"no warning is called '{wrong}'" in done.stderr
