"""The one place that finds the files shipped beside the code: grammars and templates.

In a checkout they stand in `grammar/` and `templates/` next to the package; a wheel holds them in
`transpiler/_resources/`.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def directory(name: str) -> Path:
    """The folder of resources called `name` (`grammar`, `templates`).

    Raises:
        FileNotFoundError: the installation lacks it.
    """
    for candidate in (_PACKAGE / "_resources" / name, _PACKAGE.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the installation of teeny-transpile lacks its folder {name!r}")


def grammar_text(names: tuple[str, ...]) -> str:
    """The text of the Lark grammar made of the named files, in this order."""
    folder = directory("grammar")
    return "\n".join((folder / f"{name}.lark").read_text("utf-8") for name in names)
