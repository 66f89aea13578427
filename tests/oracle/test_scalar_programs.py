"""Random scalar programs compute in Triton's interpreter what rustc makes of them, bit for bit.

`SCALAR_PROGRAMS=20000` in the environment runs that many instead of 2,000, and `SCALAR_SEED=7` others. rustc compiles
without overflow checks, since kernels have none; calls for which it panics (division by zero) are not compared.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.oracle.comparing import Interpreter, differences
from tests.oracle.programs import Generator
from tests.oracle.shrinking import shrunk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COUNT = int(os.environ.get("SCALAR_PROGRAMS", "2000"))
SEED = int(os.environ.get("SCALAR_SEED", "0"))
CHUNK = 125

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")


@pytest.fixture(scope="module")
def interpreter() -> Iterator[Interpreter]:
    process = Interpreter()
    yield process
    process.close()


@pytest.mark.parametrize("part", range(-(-COUNT // CHUNK)))
def test_programs_agree_with_rustc(part: int, interpreter: Interpreter, tmp_path: Path) -> None:
    generator = Generator(seed=SEED * 1_000_000 + part)
    programs = [generator.program() for _ in range(CHUNK)]
    found = differences(programs, interpreter, tmp_path)
    if found:
        # The shortest is the quickest to make small.
        first = min(found, key=lambda each: len(each.program.text))
        smallest = shrunk(first, interpreter, tmp_path)
        pytest.fail(f"{len(found)} of {CHUNK} programs differ\n{smallest.report()}", pytrace=False)
