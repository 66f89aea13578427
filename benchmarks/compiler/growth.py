"""Translations in a warm process: of one file, and of files that grow.

`python -m benchmarks.compiler.growth FILE KERNELS REPEATS` measures one size in a process of its own, so that its peak
of memory is that of this size alone, and prints it as JSON.
"""

from __future__ import annotations

import gc
import json
import re
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
_KERNEL = re.compile(
    r"(?:^///[^\n]*\n|^#\[[^\n]*\]\n)*^pub fn (?P<name>\w+)<.*?^\}\n", re.MULTILINE | re.DOTALL
)
_IS_IN_BYTES = sys.platform == "darwin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What the translation of a file of some kernels took.

    `seconds` is the least processor time of some translations, `peak` the most memory the process held by the end of
    the first, in bytes.
    """

    kernels: int
    bytes: int
    seconds: float
    peak: int

    @property
    def rate(self) -> float:
        """Kilobytes of Rust a second."""
        return self.bytes / self.seconds / 1000

    @property
    def per_kernel(self) -> float:
        """Milliseconds a kernel."""
        return 1000 * self.seconds / self.kernels


def kernels_in(text: str) -> int:
    """How many kernels a file has, as far as this script knows one when it sees it."""
    return sum(1 for _ in _KERNEL.finditer(text))


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


def growth(path: Path, sizes: tuple[int, ...]) -> Iterator[Size]:
    """The sizes one after the other, the file itself first."""
    yield _in_process(path, 0, 9)
    for size in sizes:
        yield _in_process(path, size, max(1, min(15, 300 // size)))


def _in_process(path: Path, kernels: int, repeats: int) -> Size:
    """One size in a process of its own; 0 is the file itself."""
    arguments = (str(path), str(kernels), str(repeats))
    done = subprocess.run(
        (sys.executable, "-m", __name__, *arguments),
        check=True,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Size(**json.loads(done.stdout))


def _measured(path: Path, kernels: int, repeats: int) -> Size:
    text = path.read_text("utf-8")
    gc.disable()  # as the command does
    _seconds(SourceFile(path.name, text))
    _seconds(SourceFile(path.name, text))
    if kernels:
        text = repeated(text, kernels)
    times, peak = [_seconds(SourceFile(path.name, text))], _peak()
    times += [_seconds(SourceFile(path.name, text)) for _ in range(repeats - 1)]
    return Size(
        kernels=kernels or kernels_in(text),
        bytes=len(text.encode()),
        seconds=min(times),
        peak=peak,
    )


def _seconds(source: SourceFile) -> float:
    """The processor time of a translation: other programs may share the core.

    Raises:
        ValueError: the file has errors.
    """
    gc.collect()
    start = time.process_time()
    result = transpile_source(source)
    seconds = time.process_time() - start
    if not result.ok:
        raise ValueError(f"{source.name} has errors")
    return seconds


def _peak() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if _IS_IN_BYTES else most * 1024


if __name__ == "__main__":
    print(json.dumps(asdict(_measured(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))))
