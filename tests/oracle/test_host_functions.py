"""Random functions of host code give in Python what rustc makes of them.

`HOST_FUNCTIONS=5000` in the environment runs that many instead of 240, and `HOST_SEED=7` others.
"""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.host.free_functions import module_with, refusal
from tests.oracle.host_calls import are_same, result_of_python, results_of_rust
from tests.oracle.host_functions import SAMPLE, Writer, arguments

if TYPE_CHECKING:
    from pathlib import Path

    from tests.oracle.host_functions import HostFunction

COUNT = int(os.environ.get("HOST_FUNCTIONS", "240"))
SEED = int(os.environ.get("HOST_SEED", "0"))
CHUNK = 120
CALLS = 24

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")


def _refusal(functions: list[HostFunction]) -> str | None:
    return refusal(_sources(functions), _calls(functions))


def _sources(functions: list[HostFunction]) -> str:
    return "".join(it.source for it in functions)


def _calls(functions: list[HostFunction]) -> list[str]:
    return [f"{it.name}({SAMPLE})" for it in functions]


@pytest.mark.parametrize("part", range(-(-COUNT // CHUNK)))
def test_functions_give_what_rust_gives(part: int, tmp_path: Path) -> None:
    rng = random.Random(SEED * 1_000_000 + part)  # noqa: S311 - no secret depends on it
    written = [Writer(rng=rng).function(f"f{place}") for place in range(CHUNK)]
    functions = [it for it in written if _refusal([it]) is None]
    assert len(functions) > 0.8 * CHUNK  # what is refused is not compared
    calls = [arguments(rng) for _ in range(CALLS)]
    expected = results_of_rust(functions, calls, tmp_path)
    module = module_with(_sources(functions), _calls(functions))
    different = [
        f"{function.source}{call}: Rust {wanted}, Python {found!r}"
        for function, results in zip(functions, expected, strict=True)
        for call, wanted in zip(calls, results, strict=True)
        if not are_same(wanted, found := result_of_python(module, function, call))
    ]
    if different:
        pytest.fail(f"{len(different)} differ\n{min(different, key=len)}", pytrace=False)
