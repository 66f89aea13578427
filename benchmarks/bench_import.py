"""What importing costs: the package alone, and what the command imports.

`python benchmarks/bench_import.py` prints the least of several fresh processes, less what Python itself takes, and the
modules that take longest. The goal is 50 ms for `import transpiler`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOAL = 50.0
STATEMENTS = (
    "import transpiler",
    "import lark, jinja2",
    "import transpiler.cli.main",
    "import transpiler.pipeline",
    "import transpiler.cli.main, transpiler.cli.execute",
)
_TIMED = """\
import time
start = time.process_time()
{statement}
print(time.process_time() - start)
"""


def cost(statement: str, runs: int, environment: dict[str, str]) -> float:
    """The least processor time of the statement in a fresh process, in milliseconds."""
    program = _TIMED.format(statement=statement)
    return 1000 * min(
        float(_python("-c", program, environment=environment).stdout) for _ in range(runs)
    )


def slowest(statement: str, how_many: int, environment: dict[str, str]) -> list[tuple[float, str]]:
    """The modules that take longest by themselves, in milliseconds."""
    rows = []
    done = _python("-X", "importtime", "-c", statement, environment=environment)
    for line in done.stderr.splitlines()[1:]:
        own, _, name = line.removeprefix("import time:").split("|")
        if own.strip().isdigit():
            rows.append((int(own) / 1000, name.strip()))
    return sorted(rows, reverse=True)[:how_many]


def _python(*arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, *arguments),
        check=True,
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as bytecode:
        # Compiled modules are kept, as an installation keeps them, whatever this environment says.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for statement in STATEMENTS:
            goal = f"   goal: under {GOAL:.0f}" if statement == "import transpiler" else ""
            print(f"{statement:55}{cost(statement, given.runs, environment):8.1f} ms{goal}")
        print("\nslowest by themselves, under -X importtime:")
        for milliseconds, name in slowest(STATEMENTS[-1], 20, environment):
            print(f"{name:55}{milliseconds:8.1f} ms")


if __name__ == "__main__":
    main()
