"""What the author wrote above the statements, where some of these are left out.

A comment above a paragraph speaks of all of it: it stays above what is left of that. One in the middle speaks of the
statement below, and goes where that goes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from transpiler.ir import nodes as ir
    from transpiler.optimise.nests.nest import Accumulate, Loop, Store

Laid = TypeVar("Laid", "ir.Statement", "ir.Let | Store | Accumulate | Loop")
"""What has a layout."""


def headed(layout: ir.Layout, heading: ir.Layout) -> ir.Layout:
    """A layout below what stood above it all."""
    return replace(
        layout,
        comments=(*heading.comments, *layout.comments),
        blank_before=heading.blank_before or layout.blank_before,
    )


def below(heading: ir.Layout, items: Sequence[Laid]) -> list[Laid]:
    """Items in the place of one, below what stood above that."""
    return [replace(it, layout=headed(it.layout, heading)) for it in items[:1]] + list(items[1:])


def kept(items: Iterable[Laid], is_kept: Callable[[Laid], bool]) -> tuple[Laid, ...]:
    """The items that are kept, with the comments above their paragraphs."""
    found: list[Laid] = []
    heading: ir.Layout | None = None
    for place, item in enumerate(items):
        begins = place == 0 or item.layout.blank_before
        if begins:
            heading = None
        if is_kept(item):
            found += [item] if heading is None else below(heading, [item])
            heading = None
        elif begins:
            heading = item.layout
    return tuple(found)
