"""The cases in `cases/*.md`.

A case is a heading, `## E0301: what is wrong`, that lists the codes of its diagnostics in the order of the text,
a fence of Rust and a fence of the diagnostics as people see them. The Rust is a whole file; or, in a fence
`rust body`, what stands in place of `// …` in `kernel.rs`. Words behind, `dtype=i32`, are options; `-Rpass=axis` and
`-Rpass-missed=axis` optimise and show those remarks. Prose may stand anywhere.

`python -m tests.diagnostics.case_files` writes what the compiler says today into the files: read the
difference before committing it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from transpiler.cli.remarks import WantedRemarks, with_remarks
from transpiler.diagnostics.render.full import render
from transpiler.diagnostics.render.report import Report
from transpiler.ir.types import DType
from transpiler.optimise.flags import OptimiseOptions
from transpiler.pipeline import Options, transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.pipeline import Result

FOLDER: Final = Path(__file__).parent / "cases"
_TEMPLATE: Final = (Path(__file__).parent / "kernel.rs").read_text("utf-8")
_PLACE: Final = "    // …\n"
_CASE: Final = re.compile(
    r"^## (?P<codes>[EWR]\d{4}(?:, [EWR]\d{4})*): (?P<title>[^\n]+)\n"
    r"(?P<before>(?:(?!^## ).*\n)*?)"
    r"^```rust(?P<words>[^\n]*)\n(?P<rust>(?:(?!^```).*\n)*)```\n"
    r"(?P<between>\n*)"
    r"^```text\n(?P<expected>(?:(?!^```).*\n)*)```$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case."""

    file: str
    title: str
    codes: tuple[str, ...]
    words: tuple[str, ...]
    rust: str
    expected: str

    @property
    def source(self) -> SourceFile:
        """The file it stands for."""
        if "body" not in self.words:
            return SourceFile("k.rs", self.rust)
        body = "".join(
            f"    {line}" if line.strip() else line for line in self.rust.splitlines(keepends=True)
        )
        return SourceFile("k.rs", _TEMPLATE.replace(_PLACE, body))

    @property
    def options(self) -> Options:
        """The options its words ask for."""
        options = Options(optimise=OptimiseOptions(is_on=self.remarks != WantedRemarks()))
        for word in self.words:
            name, _, value = word.partition("=")
            if name == "dtype":
                return replace(options, dtypes=tuple(DType(each) for each in value.split(",")))
        return options

    @property
    def remarks(self) -> WantedRemarks:
        """The optimiser's remarks its words ask for."""
        patterns = {
            name: re.compile(value)
            for name, _, value in (word.partition("=") for word in self.words)
            if name.startswith("-")
        }
        return WantedRemarks(applied=patterns.get("-Rpass"), missed=patterns.get("-Rpass-missed"))

    def run(self) -> Result:
        """What the compiler makes of it, the remarks among the diagnostics."""
        result = transpile_source(self.source, self.options)
        told = with_remarks(result.diagnostics, result.remarks, self.remarks)
        return replace(result, diagnostics=told)


def shown(result: Result) -> str:
    """The diagnostics as people see them."""
    return render([Report(source=result.source, diagnostics=result.diagnostics)])


def cases() -> Iterator[Case]:
    """Every case of every file."""
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text("utf-8")
        found = [_case(path, match) for match in _CASE.finditer(text)]
        if len(found) != len(re.findall(r"^## ", text, re.MULTILINE)):
            raise ValueError(f"{path.name} has a heading without its two fences")
        yield from found


def _case(path: Path, match: re.Match[str]) -> Case:
    return Case(
        file=path.stem,
        title=match["title"],
        codes=tuple(match["codes"].split(", ")),
        words=tuple(match["words"].split()),
        rust=match["rust"],
        expected=match["expected"],
    )


def update() -> None:
    """Write the diagnostics of today into the files."""
    for path in sorted(FOLDER.glob("*.md")):
        text = path.read_text("utf-8")

        def renewed(match: re.Match[str], path: Path = path) -> str:
            now = shown(_case(path, match).run())
            start, end = (each - match.start() for each in match.span("expected"))
            return match[0][:start] + now + match[0][end:]

        path.write_text(_CASE.sub(renewed, text), "utf-8")


if __name__ == "__main__":
    update()
