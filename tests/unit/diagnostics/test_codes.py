"""The table of codes: what `--explain` and the documentation rely on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from transpiler.diagnostics.codes import CODES
from transpiler.diagnostics.model import Severity

if TYPE_CHECKING:
    from transpiler.diagnostics.code import Code

_LETTERS = {"E": Severity.ERROR, "W": Severity.WARNING, "R": Severity.REMARK}


@pytest.mark.parametrize("entry", CODES.values(), ids=CODES)
def test_entries_are_complete(entry: Code) -> None:
    assert re.fullmatch(r"[EWR]\d{4}", entry.code)
    assert entry.severity is _LETTERS[entry.code[0]]
    assert entry.title
    assert entry.title[0].isupper()
    assert "\n" not in entry.title
    assert not entry.title.endswith(".")
    assert entry.explanation.rstrip().endswith((".", "`", "```"))
    assert bool(entry.wrong) == bool(entry.right) or entry.severity is not Severity.ERROR
