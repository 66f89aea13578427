"""Gives conditionals used as values a form Python has.

That is `a if c else b` where each arm is one expression, else an `if` statement.

A compile-time conditional stays an expression however long its chain, so that its value stays a compile-time constant.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.declared import largest_id
from transpiler.ir.types import TupleType
from transpiler.ir.visit import (
    Rewriter,
    statement_expressions,
    walk_block,
    walk_expression,
    walk_statements,
)
from transpiler.passes.compile_time import is_compile_time
from transpiler.passes.constants import compile_time_symbols
from transpiler.passes.layout import with_first_layout
from transpiler.passes.short_circuit import guards_effect, short_circuit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.passes.context import PassContext


def conditionals(module: ir.Module, context: PassContext) -> ir.Module:  # noqa: ARG001 - a pass's signature
    """Every conditional and block value of the module in a form Python has."""

    def expanded(routine: ir.R) -> ir.R:
        if not _has_any(routine):
            return routine
        return _Expander(routine).kernel(routine)

    return module.mapped(expanded)


_BRANCHING = (ir.Conditional, ir.BlockValue, ir.Binary)


def _has_any(kernel: ir.Routine) -> bool:
    return any(
        isinstance(inner, _BRANCHING) and (not isinstance(inner, ir.Binary) or guards_effect(inner))
        for inner in walk_block(kernel.body)
    )


class _Expander(Rewriter):
    def __init__(self, kernel: ir.Routine) -> None:
        self._constants: Mapping[ir.Symbol, ir.Expression | None] = compile_time_symbols(kernel)
        self._ids = count(1 + largest_id(kernel))

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        result: list[ir.Statement] = []
        for statement in statements:
            result.extend(self._expand(statement))
        return tuple(result)

    def _expand(self, statement: ir.Statement) -> Iterator[ir.Statement]:
        match statement:
            case ir.Let(symbol=symbol, value=value) if self._needs_statement(value):
                yield ir.Declare(span=statement.span, symbol=symbol, layout=statement.layout)
                yield from self._into((symbol,), value)
            case ir.LetTuple(value=ir.BlockValue() as block):
                last = replace(statement, value=block.value, layout=ir.PLAIN)
                yield from self.statements(
                    with_first_layout((*block.statements, last), statement.layout)
                )
            case ir.LetTuple(value=value) if self._needs_statement(value):
                yield from self._expand_tuple(statement)
            case ir.Assign(symbol=symbol, value=value, operator=None) if self._needs_statement(
                value
            ):
                first, *rest = self._into((symbol,), value)
                yield replace(first, layout=statement.layout)
                yield from rest
            case _:
                hoisted: list[ir.Statement] = []
                rewritten = self._hoist_from(statement, hoisted)
                if hoisted:
                    hoisted[0] = replace(hoisted[0], layout=statement.layout)
                    rewritten = replace(rewritten, layout=ir.PLAIN)
                yield from hoisted
                yield rewritten

    def _expand_tuple(self, statement: ir.LetTuple) -> Iterator[ir.Statement]:
        symbols: list[ir.Symbol] = []
        types = statement.value.type.elements if isinstance(statement.value.type, TupleType) else ()
        for symbol, type_ in zip(statement.symbols, types, strict=True):
            target = symbol or ir.Symbol(
                id=next(self._ids),
                name="_",
                kind=ir.SymbolKind.LOCAL,
                type=type_,
                span=statement.span,
            )
            symbols.append(target)
            layout = ir.PLAIN if len(symbols) > 1 else statement.layout
            yield ir.Declare(span=statement.span, symbol=target, layout=layout)
        yield from self._into(tuple(symbols), statement.value)

    def _needs_statement(self, value: ir.Expression) -> bool:
        """Whether the value cannot be a Python expression as it stands."""
        match value:
            case ir.Conditional():
                if is_compile_time(value, self._constants):
                    return False
                return not all(
                    self._is_one_expression(arm) for arm in (value.then_value, value.else_value)
                )
            case ir.BlockValue():
                return True
            case ir.Binary() if value.operator.is_logical:
                # Triton evaluates both sides of `and` and `or` on values it has at run time.
                return self._holds_statements(value.right) or guards_effect(value)
            case _:
                return False

    def _is_one_expression(self, arm: ir.BlockValue) -> bool:
        return not (
            arm.statements
            or isinstance(arm.value, ir.Conditional | ir.BlockValue | ir.TupleValue)
            or self._holds_statements(arm.value)
        )

    def _holds_statements(self, value: ir.Expression) -> bool:
        return any(
            self._needs_statement(inner)
            for inner in walk_expression(value)
            # The arm of a conditional is a block, and often nothing but its value.
            if not isinstance(inner, ir.BlockValue) or inner.statements
        )

    def _into(self, targets: tuple[ir.Symbol, ...], value: ir.Expression) -> list[ir.Statement]:
        """Statements that give the targets the value."""
        match value:
            case ir.BlockValue():
                return [*self.statements(value.statements), *self._into(targets, value.value)]
            case ir.Conditional() if not is_compile_time(value, self._constants):
                hoisted: list[ir.Statement] = []
                condition = self._hoist(value.condition, hoisted)
                return [
                    *hoisted,
                    ir.If(
                        span=value.span,
                        condition=condition,
                        then_block=self._arm(targets, value.then_value),
                        else_block=self._arm(targets, value.else_value),
                    ),
                ]
            case ir.Binary() if self._needs_statement(value):
                return self._into(targets, short_circuit(value))
            case ir.TupleValue(elements=elements) if len(targets) == len(elements) > 1:
                return [
                    statement
                    for target, element in zip(targets, elements, strict=True)
                    for statement in self._into((target,), element)
                ]
            case _ if len(targets) == 1:
                hoisted = []
                final = self._hoist(value, hoisted)
                return [*hoisted, ir.Assign(span=value.span, symbol=targets[0], value=final)]
            case _:
                hoisted = []
                final = self._hoist(value, hoisted)
                return [*hoisted, ir.LetTuple(span=value.span, symbols=targets, value=final)]

    def _arm(self, targets: tuple[ir.Symbol, ...], arm: ir.BlockValue) -> ir.Block:
        return ir.Block(span=arm.span, statements=tuple(self._into(targets, arm)))

    # --- Values inside other expressions

    def _hoist_from(self, statement: ir.Statement, hoisted: list[ir.Statement]) -> ir.Statement:
        if isinstance(statement, ir.While) and self._holds_statements(statement.condition):
            raise ValueError("elaboration moves statements out of the conditions of loops")
        overwritten = _overwritten(statement_expressions(statement))
        return _Hoister(self, hoisted, overwritten).statement(statement)

    def _hoist(self, value: ir.Expression, hoisted: list[ir.Statement]) -> ir.Expression:
        return _Hoister(self, hoisted, _overwritten((value,))).expression(value)

    def saved(self, node: ir.Read, into: list[ir.Statement]) -> ir.Read:
        """A read of a new variable that holds what `node` reads now."""
        symbol = ir.Symbol(
            id=next(self._ids),
            name=node.symbol.name,
            kind=ir.SymbolKind.LOCAL,
            type=node.type,
            span=node.span,
        )
        into.append(ir.Let(span=node.span, symbol=symbol, value=node))
        return replace(node, symbol=symbol)

    def hoisted(self, value: ir.Expression, into: list[ir.Statement]) -> ir.Expression:
        """A read of a new variable that the statements added to `into` give the value."""
        if not self._needs_statement(value):
            return value.value if isinstance(value, ir.BlockValue) else value
        symbol = ir.Symbol(
            id=next(self._ids),
            name="value",
            kind=ir.SymbolKind.LOCAL,
            type=value.type,
            span=value.span,
        )
        into.append(ir.Declare(span=value.span, symbol=symbol))
        into.extend(self._into((symbol,), value))
        return ir.Read(span=value.span, type=value.type, symbol=symbol)


class _Hoister(Rewriter):
    """Takes the conditionals that need statements out of an expression, in order of evaluation."""

    def __init__(
        self,
        expander: _Expander,
        hoisted: list[ir.Statement],
        overwritten: frozenset[ir.Symbol],
    ) -> None:
        self._expander = expander
        self._hoisted = hoisted
        self._overwritten = overwritten

    def expression(self, node: ir.Expression) -> ir.Expression:
        if isinstance(node, ir.Read) and node.symbol in self._overwritten:
            # A later part of the expression assigns it: this one has the value before.
            return self._expander.saved(node, self._hoisted)
        if isinstance(node, ir.Conditional | ir.BlockValue) or (
            isinstance(node, ir.Binary) and node.operator.is_logical
        ):
            replaced = self._expander.hoisted(node, self._hoisted)
            return replaced if replaced is not node else self.expression_parts(node)
        return super().expression(node)

    def block(self, block: ir.Block) -> ir.Block:
        return self._expander.block(block)


def _overwritten(values: tuple[ir.Expression, ...]) -> frozenset[ir.Symbol]:
    """The variables that blocks inside the expressions assign."""
    return frozenset(
        statement.symbol
        for value in values
        for node in walk_expression(value)
        if isinstance(node, ir.BlockValue) and node.statements
        for statement in walk_statements(ir.Block(span=node.span, statements=node.statements))
        if isinstance(statement, ir.Assign)
    )
