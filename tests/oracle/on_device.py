"""Runs prepared programs on the GPU and compares them, bit for bit, with what rustc made of them.

`python tests/oracle/on_device.py .gpu/oracle [--processes 12]` needs torch, triton and what `prepare` wrote. Compiling
takes nearly all the time, so it is spread over processes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))

from tests.oracle.patterns import are_same  # noqa: E402 - found only once the path is set

if TYPE_CHECKING:
    from collections.abc import Sequence


def faults(module: Path, *, is_interpreted: bool = False) -> tuple[int, list[str]]:
    """How many calls of a module there are, and a text for each that differs."""
    cases = json.loads(module.with_suffix(".json").read_text(encoding="utf-8"))
    request = {"path": str(module), "calls": [case["call"] for case in cases]}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", HERE / "launch.py"],
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TRITON_INTERPRET": "1" if is_interpreted else "0"},
    )
    if done.returncode or not done.stdout:
        return len(cases), [f"{module.name}: {done.stderr[-2000:]}"]
    answer: list[Sequence[Sequence[int]] | str] | str = json.loads(done.stdout.splitlines()[-1])
    answers = [answer] * len(cases) if isinstance(answer, str) else answer
    found = []
    for case, outputs in zip(cases, answers, strict=True):
        if isinstance(outputs, str) or not are_same(
            case["call"]["outputs"], outputs, case["expected"]
        ):
            call = {key: case["call"][key] for key in ("function", "constants", "arguments")}
            found.append(f"{module.name} {call}\n  GPU:   {outputs}\n  rustc: {case['expected']}")
    return len(cases), found


def main() -> None:
    """The command; exits with 1 where a call differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(".gpu/oracle"))
    parser.add_argument("--processes", type=int, default=12)
    parser.add_argument("--interpret", action="store_true", help="in Triton's interpreter instead")
    given = parser.parse_args()
    modules = sorted(given.folder.resolve().glob("part_*.py"))
    with ThreadPoolExecutor(given.processes) as pool:
        results = list(pool.map(lambda m: faults(m, is_interpreted=given.interpret), modules))
    total = sum(count for count, _ in results)
    different = [text for _, texts in results for text in texts]
    print("\n".join([*different, f"{total} calls, {len(different)} differ"]))  # noqa: T201 - a command
    sys.exit(1 if different or not total else 0)


if __name__ == "__main__":
    main()
