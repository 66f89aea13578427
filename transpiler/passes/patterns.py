"""Elaboration of patterns: what they test, what they cover, and the names they bind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpiler.frozen import dataclass
from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    BOOL,
    DType,
    Enumeration,
    Poison,
    Scalar,
    TupleType,
    Type,
)
from transpiler.passes.coverage import (
    EVERYTHING,
    NOTHING,
    AnyOf,
    Coverage,
    Fields,
    Interval,
    Product,
    Space,
    Unbounded,
    Values,
)
from transpiler.passes.elaboration import is_poison
from transpiler.passes.integer import integer_range
from transpiler.passes.merging import merge_types
from transpiler.passes.operators import binary
from transpiler.passes.places import Group, Leaf, Place, PlaceElaborator, elements_of
from transpiler.syntax import nodes as syntax

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.passes.coverage import Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What a pattern covers, its test (None where all match), and the places it gives names to."""

    coverage: Coverage
    test: ir.Expression | None = None
    bindings: tuple[tuple[syntax.IdentifierPattern, Place], ...] = ()


class PatternElaborator(PlaceElaborator):
    """Turns patterns into conditions and names."""

    # --- Patterns ---------------------------------------------------------------------------------

    def pattern(self, node: syntax.Pattern, place: Place) -> Tested | None:
        """What a pattern does at a place; None where an error was reported."""
        match node:
            case syntax.WildcardPattern():
                return Tested(coverage=EVERYTHING)
            case syntax.IdentifierPattern(is_reference=False) if not self.is_constant(node):
                return self._binding(node, place)
            case syntax.TuplePattern():
                return self._tuple_pattern(node, place)
            case syntax.OrPattern():
                return self._or_pattern(node, place)
            case (
                syntax.LiteralPattern()
                | syntax.PathPattern()
                | syntax.IdentifierPattern(is_reference=False)
            ):
                return self._value_pattern(node, place)
            case syntax.RangePattern():
                return self._range_pattern(node, place)
            case syntax.TupleStructPattern():
                self.state.unsupported(
                    f"the pattern `{'::'.join(node.path.names)}(…)`",
                    node.span,
                    instead="kernels have no enums that hold data; test a bool instead",
                )
                return None
            case _:
                self.state.unsupported(
                    "this pattern",
                    node.span,
                    instead="patterns are literals, constants, ranges, tuples, `|`, `_` and names",
                )
                return None

    def _binding(self, node: syntax.IdentifierPattern, place: Place) -> Tested | None:
        if node.subpattern is None:
            return Tested(coverage=EVERYTHING, bindings=((node, place),))
        inner = self.pattern(node.subpattern, place)
        if inner is None:
            return None
        return Tested(
            coverage=inner.coverage,
            test=inner.test,
            bindings=((node, place), *inner.bindings),
        )

    def _tuple_pattern(self, node: syntax.TuplePattern, place: Place) -> Tested | None:
        patterns = None
        if isinstance(place, Group):
            patterns = elements_of(node, len(place.elements))
        if patterns is None or not isinstance(place, Group):
            self.state.sink.emit(
                "E0401",
                f"a tuple of {len(node.elements)} cannot be taken from "
                f"`{self.state.text(self.type_at(place))}`",
                node.span,
            )
            return None
        tested: list[Tested] = []
        for pattern, element in zip(patterns, place.elements, strict=True):
            found = (
                Tested(coverage=EVERYTHING) if pattern is None else self.pattern(pattern, element)
            )
            if found is None:
                return None
            tested.append(found)
        test: ir.Expression | None = None
        for each in tested:
            if each.test is not None:
                test = each.test if test is None else self.both(test, each.test)
        return Tested(
            coverage=Fields(elements=tuple(each.coverage for each in tested)),
            test=test,
            bindings=tuple(binding for each in tested for binding in each.bindings),
        )

    def _or_pattern(self, node: syntax.OrPattern, place: Place) -> Tested | None:
        tested: list[Tested] = []
        for alternative in node.alternatives:
            found = self.pattern(alternative, place)
            if found is None:
                return None
            tested.append(found)
        first, *others = tested
        bound = {(pattern.name, place) for pattern, place in first.bindings}
        if any({(pattern.name, at) for pattern, at in each.bindings} != bound for each in others):
            self.state.unsupported(
                "a name that alternatives of a pattern give to different values",
                node.span,
                instead="write an arm for each alternative",
            )
            return None
        test: ir.Expression | None = None
        for each in tested:
            if each.test is None:
                test = None
                break
            test = (
                each.test
                if test is None
                else binary(self.state, ir.BinaryOperator.OR, test, each.test, node.span)
            )
        coverage = AnyOf(alternatives=tuple(each.coverage for each in tested))
        return Tested(coverage=coverage, test=test, bindings=first.bindings)

    def _value_pattern(
        self,
        node: syntax.LiteralPattern | syntax.PathPattern | syntax.IdentifierPattern,
        place: Place,
    ) -> Tested | None:
        expression: syntax.Expression
        match node:
            case syntax.LiteralPattern():
                expression = node.value
            case syntax.PathPattern():
                expression = syntax.PathExpression(span=node.span, path=node.path)
            case syntax.IdentifierPattern():
                segment = syntax.PathSegment(span=node.span, name=node.name)
                path = syntax.Path(span=node.span, segments=(segment,))
                expression = syntax.PathExpression(span=node.span, path=path)
        literal = self._pattern_value(expression, place)
        if literal is None or not isinstance(place, Leaf):
            return None
        if self.state.type_of(literal) == BOOL:
            test = place.value if literal.value else _not(place.value)
        else:
            test = binary(self.state, ir.BinaryOperator.EQUAL, place.value, literal, node.span)
        if isinstance(literal.value, float):
            return Tested(coverage=NOTHING, test=test)
        number = int(literal.value)
        return Tested(coverage=Interval(low=number, high=number), test=test)

    def _range_pattern(self, node: syntax.RangePattern, place: Place) -> Tested | None:
        tests: list[ir.Expression] = []
        bounds: list[float | None] = []
        last = ir.BinaryOperator.LESS_EQUAL if node.is_inclusive else ir.BinaryOperator.LESS
        for end, operator in (
            (node.start, ir.BinaryOperator.GREATER_EQUAL),
            (node.end, last),
        ):
            if end is None:
                bounds.append(None)
                continue
            literal = self._pattern_value(end, place)
            if literal is None or not isinstance(place, Leaf):
                return None
            bounds.append(literal.value)
            tests.append(binary(self.state, operator, place.value, literal, node.span))
        test = tests[0] if len(tests) == 1 else self.both(*tests)
        if any(isinstance(bound, float) for bound in bounds):
            return Tested(coverage=NOTHING, test=test)
        low, high = (None if bound is None else int(bound) for bound in bounds)
        if high is not None and not node.is_inclusive:
            high -= 1
        if low is not None and high is not None and low > high:
            self.state.sink.emit(
                "E0404",
                "this range is empty: its start lies above its end",
                node.span,
                help="write the smaller bound first",
            )
            return None
        return Tested(coverage=Interval(low=low, high=high), test=test)

    def _pattern_value(self, node: syntax.Expression, place: Place) -> ir.Literal | None:
        """The constant a pattern compares with."""
        state = self.state
        literal = self.expression(node)
        if is_poison(literal):
            return None
        if not isinstance(literal, ir.Literal):
            state.unsupported(
                "a pattern that is no constant", node.span, instead="compare with `if`"
            )
            return None
        type_ = self.type_at(place)
        is_one = isinstance(place, Leaf) and isinstance(type_, Scalar | Enumeration)
        if not is_one or merge_types(state, type_, literal.type) is None:
            state.sink.emit(
                "E0401",
                f"mismatched types: the pattern is `{state.text(literal.type)}`, "
                f"the value is `{state.text(type_)}`",
                node.span,
            )
            return None
        return literal

    def both(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        """`left && right`."""
        return binary(self.state, ir.BinaryOperator.AND, left, right, left.span)

    # --- Names and coverage -----------------------------------------------------------------------

    def bind(
        self, bindings: Iterable[tuple[syntax.IdentifierPattern, Place]]
    ) -> list[ir.Statement]:
        """Give the names of a pattern to what they stand for; what has to be computed for that."""
        state = self.state
        statements: list[ir.Statement] = []
        for pattern, place in bindings:
            if place == Group(elements=()):
                continue  # the unit value has no name
            value = _value_at(place)
            if (
                isinstance(value, ir.Read)
                and not value.symbol.is_mutable
                and not pattern.is_mutable
            ):
                state.scopes.rename(pattern.name, value.symbol, pattern.context)
                continue
            symbol = state.symbol(
                pattern.name,
                ir.SymbolKind.LOCAL,
                value.type,
                pattern.span,
                is_mutable=pattern.is_mutable,
            )
            state.scopes.declare(symbol, pattern.context)
            statements.append(ir.Let(span=pattern.span, symbol=symbol, value=value))
        return statements

    def space(self, place: Place) -> Space:
        """The values that may stand at a place."""
        match place:
            case Group(elements=elements):
                return Product(elements=tuple(self.space(each) for each in elements))
            case Leaf(value=value):
                return self._values(self.state.type_of(value))

    def _values(self, type_: Type) -> Space:
        match type_:
            case Enumeration(variants=variants):
                numbers = sorted(number for _, number in variants)
                return Values(parts=tuple(range(number, number + 1) for number in numbers))
            case Scalar(dtype=DType.BOOL):
                return Values(parts=(range(2),))
            case Scalar(dtype=element):
                dtype = self.state.solver.settle(element)
                if isinstance(dtype, DType) and dtype.is_integer:
                    return Values(parts=(integer_range(dtype),))
                return Unbounded()
            case _:
                return Unbounded()

    def shown(self, witness: Witness, place: Place) -> str:
        """A value that no pattern covers, as its pattern would be written."""
        match witness, place:
            case None, _:
                return "_"
            case tuple(), Group(elements=elements):
                inner = [self.shown(w, each) for w, each in zip(witness, elements, strict=True)]
                return f"({', '.join(inner)})"
            case int(), Leaf(value=value):
                type_ = self.state.type_of(value)
                if isinstance(type_, Enumeration):
                    names = {number: name for name, number in type_.variants}
                    return f"{type_.name}::{names[witness]}"
                return str(bool(witness)).lower() if type_ == BOOL else str(witness)
            case _:
                return "_"

    def is_poisoned(self, place: Place) -> bool:
        """Whether an error was reported in what stands at a place."""
        return isinstance(self.type_at(place), Poison)


def _value_at(place: Place) -> ir.Expression:
    match place:
        case Leaf(value=value):
            return value
        case Group(elements=elements):
            values = tuple(_value_at(each) for each in elements)
            type_: Type = TupleType(elements=tuple(each.type for each in values))
            return ir.TupleValue(span=values[0].span, type=type_, elements=values)


def _not(value: ir.Expression) -> ir.Expression:
    return ir.Unary(span=value.span, type=BOOL, operator=ir.UnaryOperator.NOT, operand=value)
