"""Writes programs, and what rustc makes of them, for a machine that has a GPU and neither rustc nor this compiler.

`python -m tests.oracle.prepare` fills `.gpu/oracle` with modules of 300 programs in all, and what they are called with.
`python tests/oracle/on_device.py .gpu/oracle` runs them there.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import transpiler
from tests.oracle import rustc
from tests.oracle.comparing import calls_of, refusal
from tests.oracle.programs import Generator

PART = 10
"""Programs of a module: a module is what one process compiles at a time."""


def prepare(folder: Path, programs: int, seed: int) -> int:
    """Fills the folder, and says how many calls there are.

    Raises:
        ValueError: the compiler refuses a program.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("part_*"):
        old.unlink()
    generator = Generator(seed=seed, is_for_device=True)
    count = 0
    for part in range(-(-programs // PART)):
        chosen = [generator.program() for _ in range(PART)]
        text = transpiler.transpile("".join(program.text for program in chosen)).text
        if text is None:
            raise ValueError(next(filter(None, map(refusal, chosen))))
        with tempfile.TemporaryDirectory() as scratch:
            expected = rustc.run(chosen, Path(scratch))
        calls = [call for program in chosen for call in calls_of(program)]
        # Where Rust panics, nothing is asked of the kernel.
        cases = [
            {"call": call, "expected": outputs}
            for call, outputs in zip(calls, expected, strict=True)
            if outputs is not None
        ]
        count += len(cases)
        (folder / f"part_{part:03}.py").write_text(text, encoding="utf-8")
        (folder / f"part_{part:03}.json").write_text(json.dumps(cases), encoding="utf-8")
    return count


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(".gpu/oracle"))
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    count = prepare(given.folder, given.programs, given.seed)
    print(f"{given.folder}: {count} calls of {given.programs} programs")  # noqa: T201 - a command


if __name__ == "__main__":
    main()
