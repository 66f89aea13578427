"""What callers have to know of a function: its effects, and what of it must be known at compile time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import Tensor
from transpiler.ir.visit import Rewriter, walk_block, walk_expression, walk_statements
from transpiler.ops.model import Effect
from transpiler.ops.signature import Form
from transpiler.passes.compile_time import dimension_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transpiler.ir.types import Dimension
    from transpiler.passes.function_table import CallShape


def with_facts(
    function: ir.Function,
    shape: CallShape,
    constants: dict[ir.Symbol, ir.Expression | None],
) -> ir.Function:
    """The function with a symbol that tells what its callers have to know; `constants` are those of its elaboration."""
    wanted = _wanted(function.body)
    places = frozenset(place for place in shape.known if function.parameters[place] in wanted)
    symbol = replace(
        function.symbol,
        effects=_effects(function.body),
        constants=places,
        extents=_extents(function, constants),
    )
    function = replace(function, symbol=symbol)
    if not places:
        return function
    known = {function.parameters[place] for place in places}
    renewed = _CompileTime(known).kernel(function)
    return replace(
        renewed,
        parameters=tuple(
            _compile_time(parameter) if parameter in known else parameter
            for parameter in function.parameters
        ),
    )


class _CompileTime(Rewriter):
    """Gives symbols the kind of what is known at compile time."""

    def __init__(self, known: set[ir.Symbol]) -> None:
        self._known = known

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        return _compile_time(symbol) if symbol in self._known else symbol


def _compile_time(symbol: ir.Symbol) -> ir.Symbol:
    return replace(symbol, kind=ir.SymbolKind.CONST_GENERIC)


def _wanted(body: ir.Block) -> set[ir.Symbol]:
    """The symbols whose values must be known at compile time, and those they are computed from."""
    pending: list[ir.Expression] = []
    for node in walk_block(body):
        match node:
            case ir.OpCall():
                for parameter, argument in zip(
                    node.op.parsed.parameters, node.arguments, strict=True
                ):
                    if parameter.kind.form in _COMPILE_TIME_FORMS:
                        pending.extend(_values(argument))
            case ir.Call(function=function):
                pending.extend(node.constants)
                pending.extend(node.arguments[place] for place in function.constants)
            case _:
                pass
    values = {
        statement.symbol: statement.value
        for statement in walk_statements(body)
        if isinstance(statement, ir.Let) and not statement.symbol.is_mutable
    }
    found: set[ir.Symbol] = set()
    while pending:
        for symbol in _reads(pending.pop()):
            if symbol not in found:
                found.add(symbol)
                if symbol in values:
                    pending.append(values[symbol])
    return found


_COMPILE_TIME_FORMS = frozenset({Form.CONSTANT, Form.CONSTANT_LIST, Form.FLAG})


def _values(argument: ir.Argument) -> tuple[ir.Expression, ...]:
    if isinstance(argument, ir.ListArgument):
        return argument.elements
    return () if isinstance(argument, ir.PLAIN_ARGUMENTS) else (argument,)


def _reads(expression: ir.Expression) -> Iterable[ir.Symbol]:
    return [node.symbol for node in walk_expression(expression) if isinstance(node, ir.Read)]


def _effects(body: ir.Block) -> frozenset[Effect]:
    found: set[Effect] = set()
    for node in walk_block(body):
        if isinstance(node, ir.OpCall):
            found.add(node.op.effect)
        elif isinstance(node, ir.Call):
            found |= node.function.effects
    return frozenset(found - {Effect.PURE})


def _extents(
    function: ir.Function, constants: dict[ir.Symbol, ir.Expression | None]
) -> frozenset[int]:
    made: set[Dimension] = set()
    for node in walk_block(function.body):
        if isinstance(node.type, Tensor):
            made.update(node.type.shape)
    return frozenset(
        place
        for place, symbol in enumerate(function.const_generics)
        if dimension_of(ir.Read(span=symbol.span, type=symbol.type, symbol=symbol), constants)
        in made
    )
