"""Where the time of a translation goes."""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import wraps
from typing import TYPE_CHECKING
from unittest.mock import patch

from transpiler import pipeline
from transpiler.host import planning
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_STAGES: dict[str, tuple[tuple[ModuleType, str], ...]] = {
    "parse": ((pipeline, "parse_file"),),
    "elaborate": ((pipeline, "elaborate"),),
    "passes and verifier": ((pipeline, "run_passes"),),
    "lints": ((pipeline, "run_lints"),),
    "forms in 64 bits": ((pipeline, "wide_forms"),),
    "facts and specialisations": ((pipeline, "launch_facts"), (pipeline, "specialise")),
    "operators": ((planning, "plan_host"),),
    "lower, print, compile": ((pipeline, "emit_module"),),
}
"""The functions of the pipeline that make up a stage, by the names under which it calls them."""


def stages(source: SourceFile, repeats: int) -> dict[str, float]:
    """The least processor time of each stage of some translations, in seconds, and of what is between them."""
    runs = [_stages_once(source) for _ in range(repeats)]
    return {name: min(run[name] for run in runs) for name in runs[0]}


def _stages_once(source: SourceFile) -> dict[str, float]:
    times = dict.fromkeys(_STAGES, 0.0)
    with ExitStack() as patched:
        for stage, functions in _STAGES.items():
            for module, name in functions:
                timed = _timed(vars(module)[name], stage, times)
                patched.enter_context(patch.object(module, name, timed))
        start = time.process_time()
        pipeline.transpile_source(SourceFile(source.name, source.text))
        whole = time.process_time() - start
    return {**times, "the rest": whole - sum(times.values())}


def _timed(
    function: Callable[..., object], stage: str, times: dict[str, float]
) -> Callable[..., object]:
    @wraps(function)
    def call(*arguments: object, **keywords: object) -> object:
        start = time.process_time()
        try:
            return function(*arguments, **keywords)
        finally:
            times[stage] += time.process_time() - start

    return call
