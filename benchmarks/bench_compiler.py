"""The compiler itself: cold process, warm throughput, growth from 1 to 10,000 kernels, memory.

    python benchmarks/bench_compiler.py [FILE.rs] [--sizes 1,10,100] [--json FILE] [--docs FILE.md]
    python benchmarks/bench_compiler.py [FILE.rs] --profile

The first runs `teeny-transpile` and `python -c "import lark, jinja2"` in turns; translates FILE.rs, and files made by
repeating its kernels under new names, each size in a process of its own; and prints tables. The goals are a process of
at most three times that import, 250 KB of Rust a second, and one cost per kernel at any size. 10,000 kernels take two
minutes and some gigabytes. `--docs` renews the section `compiler` of a Markdown file. The second prints which functions
and which imports take longest instead.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import os
import platform
import pstats
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.compiler.growth import growth
from benchmarks.compiler.process import cold, slowest_imports
from benchmarks.compiler.report import Report, lines, markdown
from benchmarks.compiler.stages import stages
from benchmarks.sections import renew
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

SIZES = (1, 10, 100, 1000, 10_000)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add = parser.add_argument
    add("file", nargs="?", type=Path, default=ROOT / "kernels/batchnorm.rs")
    add("--runs", type=int, default=20, help="processes of each command")
    add("--sizes", type=_sizes, default=SIZES, help="kernels of the files that grow, with commas")
    add("--json", type=Path, metavar="FILE", help="write what was measured")
    add("--docs", type=Path, metavar="FILE.md", help="renew the section of this file")
    add("--profile", action="store_true", help="print where the time goes instead")
    given = parser.parse_args()
    path: Path = given.file.resolve()
    if given.profile:
        _profile(path)
        return
    report = _measured(path, given.sizes, given.runs)
    for line in lines(report):
        print(line)
    if given.json is not None:
        given.json.write_text(report.data(), "utf-8")
    if given.docs is not None:
        command = shlex.join(("python", "benchmarks/bench_compiler.py", *sys.argv[1:]))
        renew(given.docs, "compiler", markdown(report, command))


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _measured(path: Path, sizes: tuple[int, ...], runs: int) -> Report:
    load = os.getloadavg()[0]
    return Report(
        file=path.name,
        machine=_processor(),
        python=platform.python_version(),
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        load=load,
        processes=tuple(cold(path, runs)),
        growth=tuple(growth(path, sizes)),
        stages=stages(_warm(path), 7),
    )


def _processor() -> str:
    """The processor's name where the system tells it, its kind elsewhere."""
    try:
        known = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in known.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def _warm(path: Path) -> SourceFile:
    source = SourceFile(path.name, path.read_text("utf-8"))
    gc.disable()  # as the command does
    for _ in range(2):
        transpile_source(source)
    return source


def _profile(path: Path) -> None:
    profile = cProfile.Profile()
    profile.runcall(transpile_source, _warm(path))
    pstats.Stats(profile).sort_stats("tottime").print_stats(40)
    print("imports of the command that take longest by themselves, ms:")
    for milliseconds, name in slowest_imports(20):
        print(f"{name:55}{milliseconds:8.1f}")


if __name__ == "__main__":
    main()
