"""The whole process, from the shell's point of view, against importing Lark and Jinja.

`python benchmarks/bench_process.py [FILE.rs]` runs `teeny-transpile` and `python -c "import lark, jinja2"` in turns, so
that both see the same machine, and prints the times and their ratio. The goal is a ratio of at most 3. The minimum is
what the programs cost; what lies above it is the machine's other work.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOAL = 3.0


@dataclass(slots=True, kw_only=True)
class Series:
    """The runs of one command: wall times and processor times, in seconds."""

    name: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def run(self) -> None:
        """Run the command once.

        Raises:
            subprocess.CalledProcessError: it failed.
        """
        before, start = os.times(), time.perf_counter()
        subprocess.run(
            (sys.executable, *self.arguments),
            check=True,
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wall.append(time.perf_counter() - start)
        after = os.times()
        self.processor.append(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )

    def line(self) -> str:
        """One row of the table."""
        times = (min(self.wall), statistics.median(self.wall), min(self.processor))
        return f"{self.name:28}" + "".join(f"{1000 * it:10.1f}" for it in times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "kernels/batchnorm.rs")
    parser.add_argument("--runs", type=int, default=20, help="runs of each, 15 or more")
    given = parser.parse_args()
    source: Path = given.file.resolve()
    with tempfile.TemporaryDirectory() as folder:
        # Compiled modules are kept, as an installation keeps them, whatever this environment says.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = ("-m", "transpiler.cli", str(source), "-q", "-o", f"{folder}/module.py")
        empty, baseline, fresh = (
            Series(name=name, arguments=arguments, environment=environment)
            for name, arguments in (
                ("nothing", ("-c", "pass")),
                ("import lark, jinja2", ("-c", "import lark, jinja2")),
                ("teeny-transpile, writing", command),
            )
        )
        series = (empty, baseline, fresh)
        for each in series:  # the first run fills caches
            each.run()
            each.wall.clear()
            each.processor.clear()
        for _ in range(max(given.runs, 15)):
            for each in series:
                Path(folder, "module.py").unlink(missing_ok=True)
                each.run()
    print(f"{source.name}, {source.stat().st_size / 1000:.0f} KB, {len(fresh.wall)} runs each; ms")
    print(f"{'':28}{'min':>10}{'median':>10}{'min cpu':>10}")
    for each in series:
        print(each.line())
    ratios = (
        min(fresh.wall) / min(baseline.wall),
        statistics.median(fresh.wall) / statistics.median(baseline.wall),
        min(fresh.processor) / min(baseline.processor),
    )
    print(f"{'ratio':28}" + "".join(f"{it:10.2f}" for it in ratios) + f"   goal: at most {GOAL}")


if __name__ == "__main__":
    main()
