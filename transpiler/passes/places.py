"""What patterns look at: values, and tuples in their parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    UNIT,
    Never,
    TupleType,
    Type,
    Unit,
)
from transpiler.passes.compile_time import is_compile_time, may_be_constant
from transpiler.passes.elaboration import is_poison
from transpiler.passes.expressions import ExpressionElaborator
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A value that patterns look at as a whole."""

    value: ir.Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A tuple, taken apart."""

    elements: tuple[Place, ...]


Place: TypeAlias = Leaf | Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrutinee:
    """What is matched, and the statements that compute it."""

    statements: tuple[ir.Statement, ...]
    place: Place


class PlaceElaborator(ExpressionElaborator):
    """Takes what patterns look at apart."""

    def scrutinee(
        self, node: syntax.Expression, patterns: Sequence[syntax.Pattern]
    ) -> Scrutinee | None:
        """The value of `node`, in parts where it is a tuple; None where an error was reported.

        What patterns give names to is kept in variables nothing else assigns.
        """
        statements: list[ir.Statement] = []
        place = self._place(node, tuple(_alternatives(patterns)), statements, is_bound=False)
        return None if place is None else Scrutinee(statements=tuple(statements), place=place)

    def _place(
        self,
        node: syntax.Expression,
        patterns: tuple[syntax.Pattern, ...],
        statements: list[ir.Statement],
        *,
        is_bound: bool,
    ) -> Place | None:
        while isinstance(node, syntax.Parenthesized):
            node = node.inner
        is_bound |= any(self._binds(pattern) for pattern in patterns)
        if isinstance(node, syntax.Tuple):
            found = [
                self._place(
                    element,
                    _parts(patterns, index, len(node.elements)),
                    statements,
                    is_bound=is_bound,
                )
                for index, element in enumerate(node.elements)
            ]
            places = tuple(place for place in found if place is not None)
            return None if len(places) < len(found) else Group(elements=places)
        value = self.expression(node)
        if is_poison(value):
            return None
        return self._part(value, patterns, statements, is_bound=is_bound)

    def place_of(
        self, value: ir.Expression, pattern: syntax.Pattern, statements: list[ir.Statement]
    ) -> Place:
        """The place of a value that is typed already."""
        return self._part(value, tuple(_alternatives((pattern,))), statements, is_bound=False)

    def _part(
        self,
        value: ir.Expression,
        patterns: tuple[syntax.Pattern, ...],
        statements: list[ir.Statement],
        *,
        is_bound: bool,
    ) -> Place:
        type_ = self.state.type_of(value)
        is_bound |= any(self._binds(pattern) for pattern in patterns)
        match type_:
            case Unit() | Never():
                statements.append(ir.Evaluate(span=value.span, value=value))
                return Group(elements=())
            case TupleType(elements=types):
                parts = [_parts(patterns, index, len(types)) for index in range(len(types))]
                symbols = tuple(
                    self.state.symbol(self._name(part), ir.SymbolKind.LOCAL, element, value.span)
                    for part, element in zip(parts, types, strict=True)
                )
                statements.append(ir.LetTuple(span=value.span, symbols=symbols, value=value))
                return Group(
                    elements=tuple(
                        self._part(
                            ir.Read(span=value.span, type=symbol.type, symbol=symbol),
                            part,
                            statements,
                            is_bound=is_bound,
                        )
                        for symbol, part in zip(symbols, parts, strict=True)
                    )
                )
            case _:
                pass
        match value:
            case ir.Read(symbol=symbol) if not (symbol.is_mutable and is_bound):
                return Leaf(value=value)
            case ir.Literal() if not is_bound:
                return Leaf(value=value)
            case _:
                return Leaf(value=self._named(value, self._name(patterns), type_, statements))

    def _named(
        self, value: ir.Expression, name: str, type_: Type, statements: list[ir.Statement]
    ) -> ir.Read:
        state = self.state
        symbol = state.symbol(name, ir.SymbolKind.LOCAL, type_, value.span)
        if may_be_constant(type_) and is_compile_time(value, state.constants):
            state.constants[symbol] = value
        statements.append(ir.Let(span=value.span, symbol=symbol, value=value))
        return ir.Read(span=value.span, type=type_, symbol=symbol)

    def _binds(self, pattern: syntax.Pattern) -> bool:
        return isinstance(pattern, syntax.IdentifierPattern) and not self.is_constant(pattern)

    def _name(self, patterns: Iterable[syntax.Pattern]) -> str:
        """What to call a value: as the first pattern does that gives it a name."""
        for pattern in patterns:
            if isinstance(pattern, syntax.IdentifierPattern) and self._binds(pattern):
                return pattern.name
        return "matched"

    def is_constant(self, pattern: syntax.IdentifierPattern) -> bool:
        """Whether a name in a pattern is that of a constant or variant, which it then stands for."""
        if pattern.is_mutable or pattern.is_reference or pattern.subpattern is not None:
            return False
        items = self.state.items
        found = items.resolve((pattern.name,))
        if found is not None and isinstance(found[0], syntax.Const):
            return True
        return items.variant((pattern.name,)) is not None

    def type_at(self, place: Place) -> Type:
        """The type of what stands at a place."""
        match place:
            case Leaf(value=value):
                return self.state.type_of(value)
            case Group(elements=()):
                return UNIT
            case Group(elements=elements):
                return TupleType(elements=tuple(self.type_at(each) for each in elements))


def elements_of(node: syntax.TuplePattern, count: int) -> list[syntax.Pattern | None] | None:
    """A pattern for each element of a tuple, None for those that `..` skips; None where their number differs."""
    rests = [i for i, each in enumerate(node.elements) if isinstance(each, syntax.RestPattern)]
    if not rests:
        return [*node.elements] if len(node.elements) == count else None
    before, after = node.elements[: rests[0]], node.elements[rests[0] + 1 :]
    skipped = count - len(before) - len(after)
    if skipped < 0 or len(rests) > 1:
        return None
    return [*before, *[None] * skipped, *after]


def _alternatives(patterns: Iterable[syntax.Pattern]) -> Iterable[syntax.Pattern]:
    """The patterns, those inside `|` and behind `@` too."""
    for pattern in patterns:
        match pattern:
            case syntax.OrPattern(alternatives=alternatives):
                yield from _alternatives(alternatives)
            case syntax.IdentifierPattern(subpattern=inner) if inner is not None:
                yield pattern
                yield from _alternatives((inner,))
            case _:
                yield pattern


def _parts(
    patterns: Iterable[syntax.Pattern], index: int, count: int
) -> tuple[syntax.Pattern, ...]:
    """Of those patterns that are tuples, the ones for one element."""
    found: list[syntax.Pattern] = []
    for pattern in patterns:
        elements = elements_of(pattern, count) if isinstance(pattern, syntax.TuplePattern) else None
        part = None if elements is None else elements[index]
        if part is not None:
            found.append(part)
    return tuple(_alternatives(found))
