"""Patterns of the syntax tree. `syntax.nodes` gives them on beside all other nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass
from transpiler.syntax.base import Node
from transpiler.syntax.hygiene import ROOT_CONTEXT

if TYPE_CHECKING:
    from transpiler.syntax.nodes import Expression, Path


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierPattern(Node):
    """`name`, `mut name`, `ref name`, `name @ subpattern`; `context` is the syntax context of the name."""

    name: str
    is_mutable: bool = False
    is_reference: bool = False
    context: int = ROOT_CONTEXT
    subpattern: Pattern | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WildcardPattern(Node):
    """`_`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuplePattern(Node):
    """`(a, b)`."""

    elements: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestPattern(Node):
    """`..` among the elements of a tuple or slice pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteralPattern(Node):
    """`1`, `-1`, `true`."""

    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPattern(Node):
    """`Axis::X`."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleStructPattern(Node):
    """`Some(a)`."""

    path: Path
    elements: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldPattern(Node):
    """`name: pattern`; where `is_shorthand`, the pattern alone is written, and binds the field's name."""

    name: str
    pattern: Pattern
    is_shorthand: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StructPattern(Node):
    """`Path { a, b: pattern, .. }`."""

    path: Path
    fields: tuple[FieldPattern, ...]
    has_rest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePattern(Node):
    """`&a`, `&mut a`."""

    pattern: Pattern
    is_mutable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SlicePattern(Node):
    """`[a, b, ..]`; `rest @ ..` is a name whose pattern is a `RestPattern`."""

    elements: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RangePattern(Node):
    """`a..=b`, either side optional."""

    start: Expression | None
    end: Expression | None
    is_inclusive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OrPattern(Node):
    """`a | b`."""

    alternatives: tuple[Pattern, ...]


Pattern: TypeAlias = (
    IdentifierPattern
    | WildcardPattern
    | TuplePattern
    | RestPattern
    | LiteralPattern
    | PathPattern
    | TupleStructPattern
    | StructPattern
    | ReferencePattern
    | SlicePattern
    | RangePattern
    | OrPattern
)
