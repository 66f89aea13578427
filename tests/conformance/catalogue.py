"""All cases: those of every file `cases_<family>.py` beside this one."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conformance.model import Run

if TYPE_CHECKING:
    from tests.conformance.model import Case


def all_cases() -> tuple[Case, ...]:
    """The cases, file by file in the order of their names.

    Raises:
        ValueError: Two cases have one name.
    """
    cases: list[Case] = []
    for path in sorted(Path(__file__).parent.glob("cases_*.py")):
        cases += importlib.import_module(f"tests.conformance.{path.stem}").CASES
    names = [case.name for case in cases]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two cases are called {twice[0]}")
    return tuple(cases)


def all_runs() -> tuple[Run, ...]:
    """Every case with every dtype it runs for."""
    return tuple(Run(case=case, dtype=dtype) for case in all_cases() for dtype in case.dtypes)
