"""All cases: those of every file `cases_<topic>.py` beside this one."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from tests.corpus.model import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.corpus.model import Case


def all_cases() -> tuple[Case, ...]:
    """The cases, file by file in the order of their names."""
    cases: list[Case] = []
    for path in sorted(Path(__file__).parent.glob("cases_*.py")):
        cases += importlib.import_module(f"tests.corpus.{path.stem}").CASES
    return tuple(cases)


def all_runs() -> Iterator[Run]:
    """Every case at every shape with every dtype."""
    for case in all_cases():
        for dtype in case.dtypes:
            for shape in case.shapes:
                yield Run(case=case, shape=shape, dtype=dtype)


def chosen_runs() -> Iterator[Run]:
    """Every case at every shape with its first dtype, and at its first shape with the others."""
    for run in all_runs():
        if run.dtype is run.case.dtypes[0] or run.shape is run.case.shapes[0]:
            yield run
