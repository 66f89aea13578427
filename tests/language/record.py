"""Takes down from rustc what the programs give: `python -m tests.language.record`."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.language.programs import files, from_rustc, programs


def main() -> None:
    """Write the results into every file of programs."""
    with tempfile.TemporaryDirectory() as folder:
        for path in files():
            text = path.read_text(encoding="utf-8")
            for name, results in from_rustc(path, programs(text), Path(folder)).items():
                text = _with_results(text, name, results)
            path.write_text(text, encoding="utf-8")


def _with_results(text: str, name: str, results: tuple[str, ...]) -> str:
    head = re.search(rf"(?:^// \(.*\n)+(?=pub fn {name}\()", text, re.MULTILINE)
    assert head is not None
    lines = head.group().splitlines()
    recorded = [
        f"{line.partition(') = ')[0].removesuffix(')')}) = {result}\n"
        for line, result in zip(lines, results, strict=True)
    ]
    return text[: head.start()] + "".join(recorded) + text[head.end() :]


if __name__ == "__main__":
    main()
