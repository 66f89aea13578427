"""What all nodes of the syntax tree have, and the comments around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass

if TYPE_CHECKING:
    from transpiler.source import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What all nodes have: the place in the source text."""

    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment(Node):
    """A `//` or `/* */` comment, delimiters included in `text`, line ends normalised to a line feed."""

    text: str
    blank_before: bool = False

    @property
    def is_block(self) -> bool:
        """Whether it is written `/* */`."""
        return self.text.startswith("/*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trivia:
    """The comments around a statement or an item.

    `leading` stand on the lines above it, `trailing` after it on its last line. `blank_before` tells that an empty line
    stands before it all (one between its comments is on the `Comment`). `blank_after_leading` tells that an empty line
    parts the last leading comment from it: such a comment heads a section rather than this one thing.
    """

    leading: tuple[Comment, ...] = ()
    trailing: Comment | None = None
    blank_before: bool = False
    blank_after_leading: bool = False


NO_TRIVIA = Trivia()
