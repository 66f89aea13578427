"""What is claimed of the corpus, against what its kernels touch."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.corpus.catalogue import all_cases
from tests.corpus.model import KERNELS, Case, Run
from tests.corpus.runner import TORCH_DTYPES, dtype_of, kernel_of, translated
from tests.footprint.claims import claims, needed
from tests.footprint.traced import Launched
from transpiler.ir.types import Pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.footprint.traced import TracingProcess

TOPICS = sorted(path.stem for path in KERNELS.glob("*.rs"))
_VALUES = (-1, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 20, 33)


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the generated modules lie."""
    return tmp_path_factory.mktemp("footprint")


def runs(case: Case) -> list[Run]:
    """A case at its shapes; its dtypes touch the same."""
    return [Run(case=case, shape=shape, dtype=case.dtypes[0]) for shape in case.shapes]


def faults(
    run: Run,
    numbers: Mapping[str, float],
    grid: tuple[int, ...],
    tracing: TracingProcess,
    modules: Path,
) -> Iterator[str]:
    """Claims about a launch that are wrong."""
    kernel, constants = kernel_of(run), run.launch().constants
    path = modules / f"{run.case.topic}.py"
    if not path.exists():
        path.write_text(translated(run.case.topic).text, "utf-8")
    arguments = tuple(
        TORCH_DTYPES[dtype_of(parameter, run)]
        if isinstance(parameter.type, Pointer)
        else float(numbers[parameter.name])
        if dtype_of(parameter, run).is_float
        else int(numbers[parameter.name])
        for parameter in kernel.parameters
    )
    touched = tracing.touched(
        Launched(
            path=path,
            function=run.case.kernel,
            arguments=arguments,
            constants=constants,
            grid=grid,
        )
    )
    assert not isinstance(touched, str), touched
    is_usual = all(number >= 0 for number in numbers.values())
    for place, (name, claim) in enumerate(claims(kernel).items()):
        count = None if claim is None else needed(claim, {**numbers, **constants}, grid)
        if claim is None or count is None:
            continue
        seen = touched.get(place, 0)
        if count > seen or (claim.is_exact and is_usual and count < max(seen, 0)):
            yield f"{name}: {claim} is {count}, touched are {seen} of {dict(numbers)} in {grid}"


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.topic}-{case.kernel}")
def test_the_launches_of_the_corpus_need_what_they_touch(
    case: Case, tracing: TracingProcess, modules: Path
) -> None:
    for run in runs(case):
        launch = run.launch()
        assert list(faults(run, launch.numbers, launch.grid, tracing, modules)) == []


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.topic}-{case.kernel}")
def test_launches_with_any_numbers_touch_what_is_claimed(
    case: Case, tracing: TracingProcess, modules: Path
) -> None:
    """Numbers that fit no tensor, negative ones too: a claim keeps to its conditions."""
    chance = random.Random(case.kernel)  # noqa: S311 - any numbers will do
    for run in runs(case):
        launch, kernel = run.launch(), kernel_of(run)
        whole = [
            parameter.name
            for parameter in kernel.parameters
            if not isinstance(parameter.type, Pointer) and not dtype_of(parameter, run).is_float
        ]
        drawn = {name: chance.choice(_VALUES) for name in whole if chance.random() < 0.7}
        grid = tuple(chance.randint(1, 5) for _ in launch.grid)
        numbers = {**launch.numbers, **drawn}
        assert list(faults(run, numbers, grid, tracing, modules)) == []


def test_most_pointers_of_the_corpus_are_known() -> None:
    """The numbers may become better, never worse."""
    every = [
        claim
        for topic in TOPICS
        for kernel in translated(topic).kernels.values()
        for claim in claims(kernel).values()
    ]
    known = [claim for claim in every if claim is not None]
    counts = (len(every), len(known), sum(claim.is_exact for claim in known))
    assert counts == (529, 416, 410)
