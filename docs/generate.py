"""Writes the pages of the documentation that are made from the compiler's own tables.

`python docs/generate.py` writes them, `--check` shows what is stale and exits with 1:

* `docs/ops.md` from the op table,
* `docs/diagnostics.md` from the table of codes,
* in `README.md` the Python that the Rust above it becomes,
* in `docs/optimising.md` the transforms.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.conformance.catalogue import all_cases
from transpiler.diagnostics.codes import CODES
from transpiler.ops.enums import ENUMS, REFUSED
from transpiler.ops.model import Effect
from transpiler.ops.table import OPS
from transpiler.optimise.flags import TRANSFORMS
from transpiler.pipeline import transpile_source
from transpiler.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from transpiler.diagnostics.code import Code
    from transpiler.ir.types import DType
    from transpiler.ops.model import Op

_OPS_TOP = """\
# Operations

Generated from the op table by `python docs/generate.py`: change `transpiler/ops/`, not this page.

Every operation is a method of the `Triton` trait, called as `T::name(…)` with all its arguments in the order
listed. How signatures are written here:

| written | the argument is |
| --- | --- |
| `Tensor<D>`, `Pointers<D>` | a tile of elements; a tile of pointers, as `ptr.add_offsets(…)` gives |
| `Pointer<D>`, `Descriptor<D>` | a pointer parameter; what `T::make_tensor_descriptor` gives |
| `Mask` | a tile of bool |
| `D`, `i32`, `f32` | a scalar |
| `const i32` | a scalar known at compile time: a literal, a const generic, or computed from these |
| `[const i32]`, `[i32]` | a list, `&[…]` |
| `bool` | `true` or `false`, literally |
| `str` | a string literal |
| `fn` | the name of a function |
| `Option<…>` | `None` or `Some(…)` |
| another name | a member of that enum, listed at the end |

Under each signature stands its Triton, in which the names of the parameters stand for the arguments. A keyword argument
whose Rust is `None`, `false` or `&[]` is left out: `T::load(p, Some(m), None, &[], None, None, None, false)` prints as
`tl.load(p, mask=m)`. A name that begins with an underscore is a small function that the generated module defines for
itself.
"""

_FAMILIES = {
    "program": "Programs",
    "creation": "Creation",
    "memory": "Memory",
    "atomics": "Atomics",
    "math": "Mathematics",
    "compare": "Comparison and choice",
    "reduce": "Reductions",
    "scan": "Scans",
    "shape": "Shapes",
    "linalg": "Matrix products",
    "random": "Random numbers",
    "hints": "Hints",
    "debug": "Debugging",
}

_DIAGNOSTICS_TOP = """\
# Diagnostics

Generated from the table of codes by `python docs/generate.py`: change `transpiler/diagnostics/`, not this page.

Every finding has a code, which never changes its meaning. `teeny-transpile --explain CODE` shows an entry of this page.
Errors keep a module from being written; warnings do not, and remarks are shown with `--verbose`. All errors of a file
are reported in one run.
"""

_CODE_FAMILIES = {
    "E01": "Text and syntax",
    "E02": "Names",
    "E03": "Operations and their arguments",
    "E04": "Types and shapes",
    "E05": "What Triton refuses",
    "E06": "Rust that is not supported",
    "E07": "Attributes, generics and signatures",
    "E08": "Files and options",
    "E09": "Operators",
    "W": "Warnings",
    "R": "Remarks",
}

_README_EXAMPLE = re.compile(
    r"(?P<rust>```rust\n(?P<source>.*?)```\n.*?<!-- generated -->\n```python\n)(?P<python>.*?)(?P<end>```\n)",
    re.DOTALL,
)
_README_FILE = "axpy.rs"
_TRANSFORMS = re.compile(r"(?<=<!-- transforms -->\n).*?(?=<!-- end -->\n)", re.DOTALL)

_WIDTH = 100


def operations() -> str:
    """The page of operations."""
    families = dict.fromkeys([*_FAMILIES, *(op.family for op in OPS.values())])
    parts = [_OPS_TOP]
    for family in families:
        ops = [op for op in OPS.values() if op.family == family]
        if ops:
            title = _FAMILIES.get(family, family.capitalize())
            parts.append(f"\n## {title}\n")
            parts += map(_operation, sorted(ops, key=lambda op: op.name))
    parts.append("\n".join(("\n## Enums", "", *_enum_rows(), "")))
    return "".join(parts)


def _operation(op: Op) -> str:
    words = [op.summary]
    if op.effect is not Effect.PURE:
        words.append(f"It {op.effect.value}.")
    for generic, dtypes in sorted(op.dtypes.items()):
        words.append(f"{generic} is {_named(dtypes)} alone.")
    if op.instances:
        names = ", ".join(name for name, _ in op.parsed.generics)
        tuples = (", ".join(dtype.value for dtype in each) for each in op.instances)
        words.append(f"({names}) is {', '.join(f'({each})' for each in tuples)}.")
    for generic, dtypes in sorted(op.spelled_for.items()):
        words.append(f"Where {generic} may be other than {_named(dtypes)}, it is `{op.elsewhere}`.")
    words += [f"Given `{name}`, it is `{spelling}`." for name, spelling in op.given.items()]
    words.append(_proof(op))
    return (
        f"\n### {op.name}\n\n{' '.join(words)}\n\n```text\n{_signature(op)}\n→ {op.triton}\n```\n"
    )


def _named(dtypes: Iterable[DType]) -> str:
    return ", ".join(sorted(dtype.value for dtype in dtypes))


def _proof(op: Op) -> str:
    """Which of the conformance suite's ways to run a case an operation's cases go."""
    cases = [case for case in all_cases() if op.name in case.operations]
    ways = ["in the interpreter"] if any(case.interpreter_gap is None for case in cases) else []
    targets = dict.fromkeys(target for case in cases for target in case.targets)
    ways += ["compiled for " + " and ".join(targets), "on a GPU"]
    dtypes = dict.fromkeys(dtype.value for case in cases for dtype in case.dtypes if dtype)
    with_dtypes = f", with {', '.join(dtypes)}" if dtypes else ""
    return f"Tested {', '.join(ways)}{with_dtypes}."


def _signature(op: Op) -> str:
    """The signature on one line, or with a line for each parameter."""
    generics, _, rest = op.signature.partition("(")
    parameters, _, result = rest.rpartition(") -> ")
    line = f"T::{op.name}{generics}({parameters}) -> {result}"
    if len(line) <= _WIDTH:
        return line
    rows = "".join(f"    {parameter},\n" for parameter in parameters.split(", "))
    return f"T::{op.name}{generics}(\n{rows}) -> {result}"


def _enum_rows() -> Iterator[str]:
    yield "| enum | members and what they are in Triton |"
    yield "| --- | --- |"
    for name, members in sorted(ENUMS.items()):
        shown = ", ".join(
            f"`{member}` {_in_triton(name, member, value)}" for member, value in members.items()
        )
        yield f"| `{name}` | {shown} |"


def _in_triton(enum: str, member: str, value: int | str | None) -> str:
    if value is not None:
        return f"→ `{value!r}`"
    is_refused = any(member in enums.get(enum, ()) for enums in REFUSED.values())
    return "(not in Triton)" if is_refused else "(left out: the default)"


def diagnostics() -> str:
    """The page of diagnostics."""
    parts = [_DIAGNOSTICS_TOP]
    for prefix, title in _CODE_FAMILIES.items():
        codes = [code for name, code in sorted(CODES.items()) if name.startswith(prefix)]
        if codes:
            parts.append(f"\n## {title}\n")
            parts += map(_diagnostic, codes)
    return "".join(parts)


def _diagnostic(code: Code) -> str:
    lines = [f"\n### {code.code}: {code.title}\n", code.explanation.strip()]
    for heading, example in (("Wrong", code.wrong), ("Right", code.right)):
        if example:
            language = "sh" if example.startswith("teeny-transpile") else "rust"
            lines.append(f"\n{heading}:\n\n```{language}\n{example.strip()}\n```")
    return "\n".join(lines) + "\n"


def readme(text: str) -> str:
    """README's text with the Python of its example made anew: the kernel's function, as the module has it.

    Raises:
        ValueError: the example is not there, or its Rust has errors.
    """
    example = _README_EXAMPLE.search(text)
    if example is None:
        raise ValueError("README.md has no Rust followed by a generated Python block")
    module = transpile_source(SourceFile(_README_FILE, example["source"])).text
    if module is None:
        raise ValueError("the Rust of README.md has errors")
    start = module.index(f"# {_README_FILE}:")
    function = module[start : module.index("\n\n\n", start) + 1]
    return text[: example.start("python")] + function + text[example.end("python") :]


def optimising(text: str) -> str:
    """The page of the optimiser with its table of transforms made anew.

    Raises:
        ValueError: there is no place for the table.
    """
    if _TRANSFORMS.search(text) is None:
        raise ValueError("docs/optimising.md has no place for the transforms")
    rows = ["| `-f` | what it does | when it is legal |", "| --- | --- | --- |"]
    rows += [f"| `{it.flag}` | {it.summary} | {it.condition} |" for it in TRANSFORMS]
    table = "".join(f"{row}\n" for row in rows)
    return _TRANSFORMS.sub(lambda _: f"\n{table}\n", text)


def main() -> int:
    """Write the pages, or with `--check` compare them; 1 where one is stale."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; show what is stale")
    parser.add_argument("--root", type=Path, default=ROOT, help="where README.md and docs/ are")
    given = parser.parse_args()
    root: Path = given.root
    old_readme = (root / "README.md").read_text("utf-8")
    pages = {
        root / "docs/ops.md": operations(),
        root / "docs/diagnostics.md": diagnostics(),
        root / "README.md": readme(old_readme),
        root / "docs/optimising.md": optimising((root / "docs/optimising.md").read_text("utf-8")),
    }
    stale = False
    for path, new in pages.items():
        old = path.read_text("utf-8") if path.exists() else ""
        if old == new:
            continue
        if given.check:
            stale = True
            name = path.relative_to(root).as_posix()
            before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
            sys.stdout.writelines(
                difflib.unified_diff(before, after, f"{name} (committed)", f"{name} (generated)")
            )
        else:
            path.write_text(new, "utf-8")
    if stale:
        sys.stdout.write("run: python docs/generate.py\n")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
