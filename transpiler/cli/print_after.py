"""`--print-after`: the typed IR on its way, after each pass and each transform that was asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from transpiler.cli.values import read_names
from transpiler.optimise.flags import TRANSFORMS

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALL = "all"
_FIRST = "elaborate"
_OPTIMISER = ("lift", *(it.flag for it in TRANSFORMS), "optimise")
_TITLE = re.compile(r"^(?:kernel|function|nest) \w+", re.MULTILINE)

OPTIMISING = frozenset(_OPTIMISER)
"""What runs with `-O` alone."""


def read_passes(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[str, ...]:
    """Names of passes and transforms, each of which exists; all of them for `all`.

    Raises:
        click.UsageError: one does not.
    """
    names = read_names(context, parameter, texts)
    if not names:
        return ()
    from transpiler.passes.pipeline import PIPELINE  # noqa: PLC0415 - for this option alone

    known = (_FIRST, *(it.__name__ for it in PIPELINE), *_OPTIMISER)
    for name in names:
        if name not in known and name != _ALL:
            from difflib import get_close_matches  # noqa: PLC0415 - for mistakes alone

            near = get_close_matches(name, known, n=1, cutoff=0.5)
            advice = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(
                f"no pass is called {name!r}{advice}\nThere are {', '.join(known)}; and {_ALL}."
            )
    return known if _ALL in names else names


class Printed:
    """Collects the texts after the passes `names`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._parts: list[str] = []
        self._last: dict[str, str] = {}
        """What was shown last of kernels and functions, by their names."""

    def observe(self, name: str, text: str) -> None:
        """Keep the text, under a heading, if it is one of those that were asked for; the same again is not shown."""
        if name not in self._names:
            return
        titles = ", ".join(dict.fromkeys(_TITLE.findall(text)))
        heading = f"; after {name}: {titles}" if titles else f"; after {name}"
        if self._last.get(titles) == text:
            self._parts.append(f"{heading}, unchanged\n")
        else:
            self._last[titles] = text
            self._parts.append(f"{heading}\n{text}")

    def before(self, text: str) -> str:
        """All of them, and then the text that was made in the end."""
        return "\n".join((*self._parts, f"; the result\n{text}"))
