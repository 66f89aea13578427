"""`--explain CODE`: what a code means, with Rust that is wrong and Rust that is right."""

from __future__ import annotations

import textwrap
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from transpiler.diagnostics.codes import CODES
from transpiler.diagnostics.render.segment import Segment, Style

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH = 88


def explain(text: str) -> Iterator[Segment]:
    """The entry of a code.

    Raises:
        click.BadParameter: there is no such code.
    """
    code = text.strip().upper()
    if code not in CODES:
        near = get_close_matches(code, CODES, n=3, cutoff=0.7)
        advice = f"; near it are {', '.join(near)}" if near else ""
        raise click.BadParameter(f"there is no code {text!r}{advice}", param_hint="'--explain'")
    entry = CODES[code]
    yield Segment(f"{entry.severity.label}[{entry.code}]", _styles()[entry.severity.label])
    yield Segment(f": {entry.title}\n\n", Style.TITLE)
    yield Segment(_wrapped(entry.explanation) + "\n")
    for heading, example in (("Wrong", entry.wrong), ("Right", entry.right)):
        if example:
            yield Segment(f"\n{heading}:\n\n", Style.TITLE)
            yield Segment(textwrap.indent(example.strip("\n"), "    ") + "\n")


def _styles() -> dict[str, Style]:
    return {style.value: style for style in (Style.ERROR, Style.WARNING, Style.REMARK)}


def _wrapped(markdown: str) -> str:
    """Fill paragraphs of one line; lists and code blocks have line ends and stay."""
    return "\n\n".join(
        paragraph if "\n" in paragraph else textwrap.fill(paragraph, _WIDTH, break_on_hyphens=False)
        for paragraph in markdown.strip().split("\n\n")
    )
