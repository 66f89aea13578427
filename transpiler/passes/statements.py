"""Elaboration of statements and blocks."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    NEVER,
    POISON,
    UNIT,
    Enumeration,
    Never,
    Pointer,
    Poison,
    Scalar,
    TupleType,
    Type,
    Unit,
)
from transpiler.passes.advice import conversion_help, without_value
from transpiler.passes.annotations import check_annotation, resolve_type
from transpiler.passes.assignments import AssignmentElaborator, written_type
from transpiler.passes.cfg import is_enabled
from transpiler.passes.compile_time import is_compile_time, may_be_constant
from transpiler.passes.control_flow import diverges
from transpiler.passes.elaboration import BLOCK_LEVELS, is_poison
from transpiler.passes.items import namespace_of
from transpiler.passes.layout import closing_lines, layout_of, with_first_layout
from transpiler.passes.negation import negated
from transpiler.passes.places import Scrutinee, elements_of
from transpiler.passes.unsupported import refuse_item
from transpiler.syntax import nodes as syntax
from transpiler.syntax.base import NO_TRIVIA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.passes.elaboration import Elaboration
    from transpiler.passes.matching import LetTest


class BodyElaborator(AssignmentElaborator):
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
            if isinstance(statement, syntax.Let | syntax.ExpressionStatement) and not is_enabled(
                statement.attributes, self.state.features, self.state.sink
            ):
                continue
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
        is_ignored = isinstance(node.pattern, syntax.WildcardPattern) or (
            isinstance(node.pattern, syntax.TuplePattern) and not node.pattern.elements
        )
        if is_ignored and _is_statement(node.value):
            return self.effect(node.value, layout_of(node.trivia))
        value = self.expression(node.value)
        type_ = state.type_of(value)
        if is_ignored and isinstance(type_, Unit):
            return list(with_first_layout(_without_value(value), layout_of(node.trivia)))
        if node.type is not None and not isinstance(node.type, syntax.InferredType):
            annotation = resolve_type(state, node.type)
            if not check_annotation(state, annotation, type_):
                state.sink.emit(
                    "E0401",
                    f"mismatched types: expected `{written_type(state, annotation)}`, "
                    f"found `{state.text(type_)}`",
                    node.value.span,
                    help=conversion_help(annotation, type_),
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
            case syntax.TuplePattern() as pattern if pattern.elements and _is_plain(pattern):
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
                    f"mismatched types: expected `{written_type(state, annotation)}`, "
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
        """`let x: type;`, whose type a later assignment tells where it is not written, or no shape in it."""
        state = self.state
        annotation = None if node.type is None else resolve_type(state, node.type)
        if annotation is None and _is_plain(node.pattern):
            parts = [replace(node, pattern=element) for element in node.pattern.elements]
            return [each for part in parts for each in self._declare_later(part)]
        match node.pattern:
            case syntax.IdentifierPattern(is_reference=False, subpattern=None) as pattern:
                pass
            case syntax.WildcardPattern() | syntax.RestPattern():
                return []
            case _:
                state.unsupported("a pattern without a value", node.span, instead="bind each name")
                self._declare_pattern(node.pattern, POISON)
                return []
        is_whole = isinstance(annotation, Scalar | Enumeration | Pointer | Poison)
        type_ = annotation if is_whole and annotation else state.solver.fresh_type()
        symbol = self._declare(pattern, type_)
        state.deferred[symbol] = annotation
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
                return self.assignment(node, layout)
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


def _is_plain(pattern: syntax.Pattern) -> TypeGuard[syntax.TuplePattern]:
    """Whether it is a tuple of nothing but names, `_`, `..` and such tuples."""
    return isinstance(pattern, syntax.TuplePattern) and all(
        isinstance(element, syntax.WildcardPattern | syntax.RestPattern)
        or _is_plain(element)
        or (
            isinstance(element, syntax.IdentifierPattern)
            and element.subpattern is None
            and not element.is_reference
        )
        for element in pattern.elements
    )


def _is_statement(node: syntax.Expression) -> bool:
    """Whether it never has a value."""
    match node:
        case syntax.Assignment() | syntax.While() | syntax.For() | syntax.If(else_branch=None):
            return True
        case _:
            return False


def _without_value(value: ir.Expression) -> tuple[ir.Statement, ...]:
    """The statements that an expression of unit type is."""
    match value:
        case ir.TupleValue(elements=()):
            return ()
        case ir.BlockValue():
            return (*value.statements, *_without_value(value.value))
        case _:
            return (ir.Evaluate(span=value.span, value=value),)
