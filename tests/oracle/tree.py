"""A program as a tree of text: enough structure to take parts of it away."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STATEMENT = "statement"
"""The sort of what can be left out. Every other sort is the dtype of a value."""

_ENDS_IN_CAST = re.compile(r"\bas [a-z]\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """Where a value stands: in parentheses where it binds less tightly than `level`, or before `<`."""

    node: Node
    level: int = 0
    is_before_angle: bool = False

    def __str__(self) -> str:
        text = str(self.node)
        # `x as i32 < y` reads as the start of generic arguments.
        is_open = self.is_before_angle and _ENDS_IN_CAST.search(text) is not None
        return f"({text})" if self.node.precedence < self.level or is_open else text


Piece = str | Hole


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A statement or a value, as text with holes."""

    sort: str
    pieces: tuple[Piece, ...]
    precedence: int = 0

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))

    def nodes(self) -> Iterator[Node]:
        """The node and all within it."""
        yield self
        for piece in self.pieces:
            if isinstance(piece, Hole):
                yield from piece.node.nodes()

    def variants(self, smallest: dict[str, Node]) -> Iterator[Node]:
        """The node with one part made simpler, the largest cuts first.

        A statement goes, or becomes one within it; a value becomes the smallest of its sort, or one within it.
        """
        yield from self._own_variants(smallest)
        for index, piece in enumerate(self.pieces):
            if isinstance(piece, Hole):
                for variant in piece.node.variants(smallest):
                    pieces = list(self.pieces)
                    pieces[index] = replace(piece, node=variant)
                    yield replace(self, pieces=tuple(pieces))

    def _own_variants(self, smallest: dict[str, Node]) -> Iterator[Node]:
        if self.sort in smallest and self.pieces != smallest[self.sort].pieces:
            yield smallest[self.sort]
        for node in self.nodes():
            if node is not self and node.sort == self.sort and node.pieces:
                yield node


def empty() -> Node:
    """No statement."""
    return Node(sort=STATEMENT, pieces=())
