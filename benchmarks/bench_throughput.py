"""How much Rust the compiler translates in a second, in process on one core, and whether that stays linear.

`python benchmarks/bench_throughput.py` translates `kernels/batchnorm.rs`, then files of 10, 100 and 1,000 kernels made
by repeating its kernels under new names. The goals are 250 KB of Rust a second, and one cost per kernel at any size.
Processor time is counted, since other programs may share the core. `--profile` prints where the time goes instead.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import re
import sys
import time
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from transpiler.analysis.footprint import Footprints
from transpiler.diagnostics.sink import Sink
from transpiler.emit.module import emit_module
from transpiler.frontend.parser import parse_file
from transpiler.ir.description import KernelPlan
from transpiler.passes.cfg import Features
from transpiler.passes.context import PassContext
from transpiler.passes.elaborate import elaborate
from transpiler.passes.launch_facts import launch_facts
from transpiler.passes.pipeline import run_passes
from transpiler.passes.specialise import specialise
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

GOAL = 250.0
SIZES = (10, 100, 1000)
_KERNEL = re.compile(
    r"(?:^///[^\n]*\n|^#\[[^\n]*\]\n)*^pub fn (?P<name>\w+)<.*?^\}\n", re.MULTILINE | re.DOTALL
)


def repeated(text: str, kernels: int) -> str:
    """A file of that many kernels: those of `text`, in turns, each time under another name."""
    found = list(_KERNEL.finditer(text))
    top = text[: found[0].start()]
    parts: list[str] = []
    for number in count():
        for kernel in found:
            if len(parts) == kernels:
                return top + "\n".join(parts)
            parts.append(re.sub(rf"\b{kernel['name']}\b", f"{kernel['name']}_{number}", kernel[0]))
    raise AssertionError


def best(source: SourceFile, repeats: int) -> float:
    """The least processor time of some translations, in seconds."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        result = transpile_source(SourceFile(source.name, source.text))
        times.append(time.process_time() - start)
        if not result.ok:
            sys.exit(f"{source.name} has errors")
    return min(times)


def stages(source: SourceFile) -> dict[str, float]:
    """The processor time of each stage of one translation, in seconds."""
    sink = Sink()
    times: dict[str, float] = {}
    last = time.process_time()

    def lap(name: str) -> None:
        nonlocal last
        now = time.process_time()
        times[name] = now - last
        last = now

    file = parse_file(source, sink)
    lap("parse")
    module = elaborate(
        file, source, Features(frozenset(), default_features=True), sink, frozenset()
    )
    lap("elaborate")
    module = run_passes(module, PassContext(sink=sink))
    lap("passes and verifier")
    footprints = Footprints()
    plans = tuple(
        KernelPlan(
            kernel=kernel,
            facts=launch_facts(kernel, footprints),
            specialisations=specialise(kernel, blocks={}, dtypes=None, sink=sink),
        )
        for kernel in module.kernels
    )
    lap("plan")
    emit_module(module, plans, source=source, options_text="defaults", version="0")
    lap("lower, print, compile")
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "kernels/batchnorm.rs")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    path: Path = given.file
    text = path.read_text("utf-8")
    source = SourceFile(path.name, text)
    gc.disable()  # as the command does
    best(source, 2)
    if given.profile:
        profile = cProfile.Profile()
        profile.runcall(transpile_source, source)
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
        return
    print(f"{'':22}{'KB':>8}{'ms':>10}{'KB/s':>8}{'ms/kernel':>11}   goal: {GOAL:.0f} KB/s")
    files = [(path.name, source, given.repeats)] + [
        (
            f"{size} kernels",
            SourceFile("repeated.rs", repeated(text, size)),
            3 if size < 1000 else 1,
        )
        for size in SIZES
    ]
    for name, each, repeats in files:
        seconds = best(each, repeats)
        size = len(each.text.encode()) / 1000
        kernels = len(_KERNEL.findall(each.text))
        per_kernel = f"{1000 * seconds / kernels:11.2f}" if kernels else ""
        print(f"{name:22}{size:8.0f}{1000 * seconds:10.1f}{size / seconds:8.0f}{per_kernel}")
    print()
    runs = [stages(source) for _ in range(given.repeats)]
    for stage in runs[0]:
        print(f"{stage:22}{'':8}{1000 * min(run[stage] for run in runs):10.1f}")


if __name__ == "__main__":
    main()
