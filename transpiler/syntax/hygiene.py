"""Which variables and labels of one spelling are one, where macros wrote some of them.

What a macro's body holds is written in a syntax context of its own for each expansion; what a call passes in keeps that
of the call. A local variable or label is found by its name and its context. An identifier of a macro's body that
finds none of its own sees what was in scope where the macro is defined: `Hygiene` says where that is. Everything else,
functions, constants, types and generics, goes by the name alone, as in Rust.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.source import Span

ROOT_CONTEXT = 0
"""The context of what no macro's body wrote."""


class SyntaxContext(NamedTuple):
    """A context: that in which the macro's body was written, and the number of the macro's definition."""

    outer: int
    definition: int


class Hygiene(NamedTuple):
    """The contexts of a text by their numbers; and the numbers of its macros, by where they are defined."""

    contexts: tuple[SyntaxContext, ...] = (SyntaxContext(ROOT_CONTEXT, -1),)
    places: tuple[int, ...] = ()
    definitions: tuple[int, ...] = ()

    def definition_in(self, span: Span) -> int | None:
        """The number of the macro that is defined at `span`."""
        index = bisect.bisect_left(self.places, span.start)
        if index < len(self.places) and self.places[index] < span.end:
            return self.definitions[index]
        return None


NO_MACROS = Hygiene()
