"""Elaboration of statements and blocks."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    NEVER,
    POISON,
    UNIT,
    LiteralKind,
    Never,
    Poison,
    Scalar,
    Tensor,
    TupleType,
    Type,
    Unit,
    shape_text,
)
from transpiler.passes.advice import conversion, without_value
from transpiler.passes.annotations import check_annotation, resolve_type
from transpiler.passes.compile_time import is_compile_time, may_be_constant
from transpiler.passes.control_flow import ControlFlowElaborator, diverges
from transpiler.passes.elaboration import BLOCK_LEVELS, is_poison, unknown_name
from transpiler.passes.items import namespace_of
from transpiler.passes.layout import closing_lines, layout_of
from transpiler.passes.merging import merge_types
from transpiler.passes.negation import negated
from transpiler.passes.operators import binary
from transpiler.passes.places import Scrutinee, elements_of
from transpiler.passes.unsupported import refuse_item
from transpiler.syntax import nodes as syntax
from transpiler.syntax.base import NO_TRIVIA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.passes.elaboration import Elaboration
    from transpiler.passes.matching import LetTest
    from transpiler.source import Span


class BodyElaborator(ControlFlowElaborator):
    """Turns a kernel's body into typed IR."""

    def under(self, state: Elaboration) -> BodyElaborator:
        """What elaborates what stands elsewhere, with the state of that place."""
        return BodyElaborator(state)

    # --- Blocks -----------------------------------------------------------------------------------

    def block(self, node: syntax.Block) -> ir.Block:
        """A block for its effect; a tail expression must have no value."""
        self.state.enter(node.span, levels=BLOCK_LEVELS)
        with self._scope(node):
            statements = self._statements(node)
            if node.tail is not None:
                statements.extend(self.effect(node.tail, layout_of(node.tail_trivia)))
        self.state.leave(levels=BLOCK_LEVELS)
        return ir.Block(
            span=node.span,
            statements=tuple(statements),
            closing_comments=closing_lines(node.closing_comments),
        )

    def block_value(self, block: syntax.Block) -> ir.BlockValue:
        """A block for its value; the unit type where it has none."""
        with self._scope(block):
            statements = self._statements(block)
            if block.tail is None:
                value: ir.Expression = ir.TupleValue(span=block.span, type=UNIT, elements=())
            else:
                value = self.expression(block.tail)
        # What follows a `return` or `break` is never reached: neither is the missing value.
        leaves = isinstance(value.type, Unit) and diverges(statements)
        return ir.BlockValue(
            span=block.span,
            type=NEVER if leaves else value.type,
            statements=tuple(statements),
            value=value,
        )

    def _statements(self, node: syntax.Block) -> list[ir.Statement]:
        result: list[ir.Statement] = []
        for statement in node.statements:
            match statement:
                case syntax.Let():
                    result.extend(self._let(statement))
                case syntax.ExpressionStatement():
                    result.extend(self.effect(statement.expression, layout_of(statement.trivia)))
                case syntax.ItemStatement(
                    item=syntax.Const()
                    | syntax.Use()
                    | syntax.Function()
                    | syntax.Enumeration()
                    | syntax.AliasedType()
                    | syntax.Module()
                ):
                    pass  # in the namespace of the block
                case syntax.ItemStatement(item=syntax.OpaqueItem(keyword="macro_rules!")):
                    scopes = self.state.scopes
                    definition = scopes.hygiene.definition_in(statement.span)
                    if definition is not None:
                        scopes.define_macro(definition)
                case syntax.ItemStatement(item=item):
                    refuse_item(self.state, item)
        return result

    @contextmanager
    def _scope(self, node: syntax.Block) -> Iterator[None]:
        """The scope of a block: its variables, and its items from its first statement on."""
        state, outer = self.state, self.state.items
        items = [each.item for each in node.statements if isinstance(each, syntax.ItemStatement)]
        if items:
            state.items = namespace_of(items, state.features, parent=outer, is_block=True)
        try:
            with state.scopes.nested():
                yield
        finally:
            state.items = outer

    # --- Let --------------------------------------------------------------------------------------

    def _let(self, node: syntax.Let) -> list[ir.Statement]:
        state = self.state
        if node.else_block is not None and node.value is not None:
            return self._let_else(node, node.value, node.else_block)
        if node.value is None:
            return self._declare_later(node)
        value = self.expression(node.value)
        type_ = state.type_of(value)
        if node.type is not None:
            annotation = resolve_type(state, node.type)
            if not check_annotation(state, annotation, type_):
                state.sink.emit(
                    "E0401",
                    f"mismatched types: expected `{_annotation_text(self, annotation)}`, "
                    f"found `{state.text(type_)}`",
                    node.value.span,
                    help=conversion(annotation, type_),
                )
                type_ = POISON
            else:
                type_ = state.solver.resolve_type(type_)
        if isinstance(type_, Unit | Never):
            without_value(state, node.value)
            type_ = POISON
        return self._bind_pattern(node, value, type_)

    def _bind_pattern(
        self, node: syntax.Let, value: ir.Expression, type_: Type
    ) -> list[ir.Statement]:
        layout = layout_of(node.trivia)
        match node.pattern:
            case syntax.IdentifierPattern(is_reference=False, subpattern=None) as pattern:
                symbol = self._declare(pattern, type_)
                if (
                    not pattern.is_mutable
                    and may_be_constant(type_)
                    and is_compile_time(value, self.state.constants)
                ):
                    self.state.constants[symbol] = value
                return [ir.Let(span=node.span, layout=layout, symbol=symbol, value=value)]
            case syntax.WildcardPattern():
                return [ir.Evaluate(span=node.span, layout=layout, value=value)]
            case syntax.TuplePattern() as pattern if _is_plain(pattern):
                return self._bind_tuple(node, pattern, value, type_)
            case pattern:
                statements: list[ir.Statement] = []
                place = self.place_of(value, pattern, statements)
                scrutinee = Scrutinee(statements=tuple(statements), place=place)
                self.refuse_refutable(pattern, scrutinee)
                return self._matched(node, self.test_of(pattern, scrutinee), None)

    def _let_else(
        self, node: syntax.Let, value: syntax.Expression, otherwise: syntax.Block
    ) -> list[ir.Statement]:
        """`let pattern = value else { … };`, whose block leaves."""
        state = self.state
        other = self.block(otherwise)
        if not diverges([*other.statements]):
            state.sink.emit(
                "E0401",
                "the `else` of a `let` must leave, with `return`, `break` or `continue`",
                otherwise.span,
            )
        scrutinee = self.scrutinee(value, (node.pattern,))
        if scrutinee is None:
            self._declare_pattern(node.pattern, POISON)
            return []
        if node.type is not None:
            annotation = resolve_type(state, node.type)
            found = self.type_at(scrutinee.place)
            if not check_annotation(state, annotation, found):
                state.sink.emit(
                    "E0401",
                    f"mismatched types: expected `{_annotation_text(self, annotation)}`, "
                    f"found `{state.text(found)}`",
                    value.span,
                )
        return self._matched(node, self.test_of(node.pattern, scrutinee), other)

    def _matched(
        self, node: syntax.Let, found: LetTest | None, otherwise: ir.Block | None
    ) -> list[ir.Statement]:
        """The statements of a `let` that takes a value apart, and of its `else`."""
        if found is None:
            self._declare_pattern(node.pattern, POISON)
            return []
        statements = [*found.statements]
        if found.test is not None and otherwise is not None:
            condition = negated(found.test)
            statements.append(ir.If(span=node.span, condition=condition, then_block=otherwise))
        statements.extend(found.bindings)
        return list(with_first_layout(tuple(statements), layout_of(node.trivia)))

    def _bind_tuple(
        self, node: syntax.Let, pattern: syntax.TuplePattern, value: ir.Expression, type_: Type
    ) -> list[ir.Statement]:
        elements = None
        if isinstance(type_, TupleType):
            elements = elements_of(pattern, len(type_.elements))
        if elements is None or not isinstance(type_, TupleType):
            if not isinstance(type_, Poison):
                self.state.sink.emit(
                    "E0401",
                    f"a tuple of {len(pattern.elements)} cannot be taken from "
                    f"`{self.state.text(type_)}`",
                    pattern.span,
                )
            self._declare_pattern(pattern, POISON)
            return []
        symbols: list[ir.Symbol | None] = []
        inner: list[ir.Statement] = []
        for element, element_type in zip(elements, type_.elements, strict=True):
            match element:
                case syntax.IdentifierPattern(is_reference=False):
                    symbols.append(self._declare(element, element_type))
                case None | syntax.WildcardPattern():
                    symbols.append(None)
                case syntax.TuplePattern():
                    whole = self.state.symbol(
                        "pair", ir.SymbolKind.LOCAL, element_type, element.span
                    )
                    symbols.append(whole)
                    read = ir.Read(span=element.span, type=element_type, symbol=whole)
                    part = replace(node, span=element.span, pattern=element, trivia=NO_TRIVIA)
                    inner.extend(self._bind_tuple(part, element, read, element_type))
                case _:
                    self.state.unsupported("a pattern inside a tuple pattern", element.span)
        layout = layout_of(node.trivia)
        whole_pattern = ir.LetTuple(
            span=node.span, layout=layout, symbols=tuple(symbols), value=value
        )
        return [whole_pattern, *inner]

    def _declare_later(self, node: syntax.Let) -> list[ir.Statement]:
        """`let x: type;`: a scalar, whose type must be written or told by a later assignment."""
        state = self.state
        if not isinstance(node.pattern, syntax.IdentifierPattern):
            state.unsupported("a pattern without a value", node.span, instead="bind each name")
            self._declare_pattern(node.pattern, POISON)
            return []
        if node.type is None:
            type_: Type = Scalar(dtype=state.solver.fresh(LiteralKind.ANY))
        else:
            type_ = resolve_type(state, node.type)
        if not isinstance(type_, Scalar):
            state.unsupported(
                "a variable other than a scalar without a first value",
                node.span,
                instead="bind it to an `if` used as a value: `let x = if … { … } else { … };`",
            )
            type_ = POISON
        symbol = self._declare(node.pattern, type_)
        state.deferred.add(symbol)
        if isinstance(type_, Poison):
            return []
        return [ir.Declare(span=node.span, layout=layout_of(node.trivia), symbol=symbol)]

    def _declare(self, pattern: syntax.IdentifierPattern, type_: Type) -> ir.Symbol:
        symbol = self.state.symbol(
            pattern.name,
            ir.SymbolKind.LOCAL,
            type_,
            pattern.span,
            is_mutable=pattern.is_mutable,
        )
        self.state.scopes.declare(symbol, pattern.context)
        return symbol

    def _declare_pattern(self, pattern: syntax.Pattern, type_: Type) -> None:
        match pattern:
            case syntax.IdentifierPattern():
                self._declare(pattern, type_)
            case syntax.TuplePattern():
                for element in pattern.elements:
                    self._declare_pattern(element, type_)
            case _:
                pass

    # --- Expressions for their effect -------------------------------------------------------------

    def effect(self, node: syntax.Expression, layout: ir.Layout) -> list[ir.Statement]:
        """The statements an expression is where its value is not wanted."""
        match node:
            case syntax.Assignment():
                return self._assignment(node, layout)
            case syntax.If(condition=syntax.LetCondition() as condition):
                return self.match_statement(self.if_let(node, condition), layout)
            case syntax.If():
                return [self.if_statement(node, layout)]
            case (
                syntax.While()
                | syntax.For()
                | syntax.Loop()
                | syntax.Match()
                | syntax.Break()
                | syntax.Continue()
                | syntax.Return()
            ):
                return self.control_statement(node, layout)
            case syntax.Block(label=str()):
                return self.control_statement(node, layout)
            case syntax.Parenthesized():
                return self.effect(node.inner, layout)
            case syntax.Block():
                # A condition that always holds would show; a block is a scope, nothing more.
                return self._plain_block(node, layout)
            case _:
                value = self.expression(node)
                if isinstance(value, ir.BlockValue) and isinstance(value.type, Unit):
                    return list(with_first_layout(value.statements, layout))
                if is_poison(value) or (
                    isinstance(value.type, Unit) and not isinstance(value, ir.OpCall | ir.Call)
                ):
                    return []
                return [ir.Evaluate(span=node.span, layout=layout, value=value)]

    def _plain_block(self, node: syntax.Block, layout: ir.Layout) -> list[ir.Statement]:
        return list(with_first_layout(self.block(node).statements, layout))

    def _assignment(self, node: syntax.Assignment, layout: ir.Layout) -> list[ir.Statement]:
        if isinstance(node.target, syntax.Tuple) and node.operator is None:
            return self._assign_tuple(node, node.target, layout)
        operator = None if node.operator is None else ir.BinaryOperator(node.operator.value)
        return self._assign(node.target, self.expression(node.value), operator, node.span, layout)

    def _assign(
        self,
        place: syntax.Expression,
        value: ir.Expression,
        operator: ir.BinaryOperator | None,
        span: Span,
        layout: ir.Layout,
    ) -> list[ir.Statement]:
        state = self.state
        name = place.path.identifier if isinstance(place, syntax.PathExpression) else None
        if name is None or not isinstance(place, syntax.PathExpression):
            state.unsupported("assignment to anything but a variable", place.span)
            return []
        symbol = state.scopes.find(name, place.context)
        if symbol is None:
            state.sink.emit(
                "E0201",
                f"cannot find `{name}` in this scope",
                place.span,
                help=unknown_name(state, name, place.context),
            )
            return []
        if isinstance(symbol.type, Poison):
            return []
        if not symbol.is_mutable and symbol not in state.deferred:
            state.sink.emit(
                "E0203",
                f"`{name}` is not mutable",
                place.span,
                help=f"declare it with `let mut {name}`"
                if symbol.kind is ir.SymbolKind.LOCAL
                else f"start a variable from it: `let mut {name} = {name};`",
            )
            return []
        target = ir.Read(span=place.span, type=symbol.type, symbol=symbol)
        result = value if operator is None else binary(state, operator, target, value, span)
        if is_poison(result, target) or not self._check_assignment(symbol, result, span):
            return []
        return [ir.Assign(span=span, layout=layout, symbol=symbol, value=value, operator=operator)]

    def _assign_tuple(
        self, node: syntax.Assignment, target: syntax.Tuple, layout: ir.Layout
    ) -> list[ir.Statement]:
        """`(a, b) = value;`: every element is computed before any is assigned."""
        state = self.state
        value = self.expression(node.value)
        type_ = state.type_of(value)
        if not isinstance(type_, TupleType) or len(type_.elements) != len(target.elements):
            if not isinstance(type_, Poison):
                state.sink.emit(
                    "E0401",
                    f"a tuple of {len(target.elements)} cannot be taken from `{state.text(type_)}`",
                    target.span,
                )
            return []
        symbols = tuple(
            state.symbol(
                element.path.identifier or "value"
                if isinstance(element, syntax.PathExpression)
                else "value",
                ir.SymbolKind.LOCAL,
                element_type,
                element.span,
            )
            for element, element_type in zip(target.elements, type_.elements, strict=True)
        )
        result: list[ir.Statement] = [
            ir.LetTuple(span=node.span, layout=layout, symbols=symbols, value=value)
        ]
        for element, symbol in zip(target.elements, symbols, strict=True):
            if isinstance(element, syntax.PathExpression) and element.path.identifier == "_":
                continue
            read = ir.Read(span=element.span, type=symbol.type, symbol=symbol)
            result.extend(self._assign(element, read, None, element.span, ir.PLAIN))
        return result

    def _check_assignment(self, symbol: ir.Symbol, value: ir.Expression, span: Span) -> bool:
        state = self.state
        target, found = state.solver.resolve_type(symbol.type), state.type_of(value)
        if merge_types(state, target, found) is not None:
            return True
        if symbol in state.deferred and not isinstance(found, Scalar):
            state.unsupported(
                f"a variable without a first value that is `{state.text(found)}`",
                symbol.span,
                instead="bind it to an `if` used as a value: `let x = if … { … } else { … };`",
            )
            return False
        if (
            isinstance(target, Tensor)
            and isinstance(found, Tensor)
            and state.solver.unify(target.dtype, found.dtype)
        ):
            state.sink.emit(
                "E0402",
                f"`{symbol.name}` has shape `{shape_text(target.shape)}` and is assigned "
                f"`{shape_text(found.shape)}`",
                span,
                help="a variable keeps its shape; bind the new value with `let`",
            )
            return False
        state.sink.emit(
            "E0401",
            f"mismatched types: `{symbol.name}` is `{state.text(target)}`, "
            f"the value is `{state.text(found)}`",
            span,
        )
        return False


def _is_plain(pattern: syntax.TuplePattern) -> bool:
    """Whether it holds nothing but names, `_`, `..` and tuples of these."""
    return all(
        isinstance(element, syntax.WildcardPattern | syntax.RestPattern)
        or (isinstance(element, syntax.TuplePattern) and _is_plain(element))
        or (
            isinstance(element, syntax.IdentifierPattern)
            and element.subpattern is None
            and not element.is_reference
        )
        for element in pattern.elements
    )


def _annotation_text(elaborator: BodyElaborator, annotation: Type) -> str:
    # The one unknown dimension of an annotation stands for any shape: showing `[?]` would say less than nothing.
    text = elaborator.state.text(annotation)
    if isinstance(annotation, Tensor):
        return f"a tensor of {text.removesuffix('[?]')}"
    return text


def with_first_layout(
    statements: tuple[ir.Statement, ...], layout: ir.Layout
) -> tuple[ir.Statement, ...]:
    """The statements that take the place of one with `layout`: the first of them stands under its comments."""
    if not statements or layout == ir.PLAIN:
        return statements
    first, *rest = statements
    merged = ir.Layout(
        comments=(*layout.comments, *first.layout.comments),
        trailing=first.layout.trailing,
        blank_before=layout.blank_before,
    )
    return (replace(first, layout=merged), *rest)
