"""Functions whose body takes the place of their call.

That is where the result is known at compile time, so that tiles can be sized by it, and where a descriptor is passed
or returned, which is no value of Triton's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.diagnostics.sink import Sink
from transpiler.ir import nodes as ir
from transpiler.ir.types import DtypeParameter, Scalar, with_dtypes
from transpiler.ir.visit import Rewriter
from transpiler.passes.compile_time import is_compile_time
from transpiler.passes.fold import fold_expression
from transpiler.passes.settle import settle_expression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.ir.types import DType, DtypeVariable, ElementType
    from transpiler.passes.elaboration import Elaboration


def constant_result(
    state: Elaboration,
    function: ir.Function,
    call: ir.Call,
    dtypes: Mapping[DtypeParameter, ElementType],
) -> ir.Expression | None:
    """The result of the call where it depends on compile-time values alone."""
    if not isinstance(function.result, Scalar) or function.symbol.effects:
        return None
    if not all(is_compile_time(argument, state.constants) for argument in call.arguments):
        return None
    known: dict[ir.Symbol, ir.Expression | None] = dict.fromkeys(
        (*function.const_generics, *function.parameters)
    )
    *statements, last = function.body.statements
    values: dict[ir.Symbol, ir.Expression] = _given(function, call)
    copy = _Copy(state, values, dtypes)
    for statement in statements:
        if (
            not isinstance(statement, ir.Let)
            or statement.symbol.is_mutable
            or not is_compile_time(statement.value, known)
        ):
            return None
        known[statement.symbol] = statement.value
        values[statement.symbol] = copy.expression(statement.value)
    if not isinstance(last, ir.Return) or last.value is None:
        return None
    if not is_compile_time(last.value, known):
        return None
    result = copy.expression(last.value)
    # What would panic or wrap does so when the kernel runs: it is no fault of the constants.
    trial = Sink()
    fold_expression(settle_expression(result, state.solver, trial), trial)
    return None if trial.has_errors else result


def in_place(
    state: Elaboration,
    function: ir.Function,
    call: ir.Call,
    dtypes: Mapping[DtypeParameter, ElementType],
) -> ir.Expression:
    """The body of the function as a value."""
    values = _given(function, call)
    copy = _Copy(state, values, dtypes)
    before: list[ir.Statement] = []
    for parameter in function.parameters:
        argument = values[parameter]
        if not parameter.is_mutable and (
            isinstance(argument, ir.Literal)
            or (isinstance(argument, ir.Read) and not argument.symbol.is_mutable)
        ):
            continue  # another name for what the caller has
        del values[parameter]
        before.append(ir.Let(span=call.span, symbol=copy.symbol(parameter), value=argument))
    statements = [*before, *copy.statements(function.body.statements)]
    value: ir.Expression = ir.TupleValue(span=call.span, type=call.type, elements=())
    match statements:
        case [*_, ir.Return(value=ir.TypedNode() as returned)]:
            statements.pop()
            value = returned
        case _:
            pass
    if not statements:
        return value
    return ir.BlockValue(span=call.span, type=call.type, statements=tuple(statements), value=value)


def _given(function: ir.Function, call: ir.Call) -> dict[ir.Symbol, ir.Expression]:
    return {
        **dict(zip(function.parameters, call.arguments, strict=True)),
        **dict(zip(function.const_generics, call.constants, strict=True)),
    }


class _Copy(Rewriter):
    """Writes the body of a function in the terms of a caller, with symbols and loops of its own."""

    def __init__(
        self,
        state: Elaboration,
        values: Mapping[ir.Symbol, ir.Expression],
        dtypes: Mapping[DtypeParameter, ElementType],
    ) -> None:
        self._state = state
        self._values = values
        self._dtypes = dtypes
        self._symbols: dict[ir.Symbol, ir.Symbol] = {}
        self._loops: dict[int, int] = {}

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        if symbol not in self._symbols:
            kind = ir.SymbolKind.LOCAL
            self._symbols[symbol] = self._state.symbol(
                symbol.name,
                kind,
                with_dtypes(symbol.type, self._dtypes),
                symbol.span,
                is_mutable=symbol.is_mutable,
            )
        return self._symbols[symbol]

    def statement(self, node: ir.Statement) -> ir.Statement:
        match node:
            case ir.While() | ir.For() | ir.Break() | ir.Continue():
                if node.loop not in self._loops:
                    self._state.loop_count += 1
                    self._loops[node.loop] = self._state.loop_count
                node = replace(node, loop=self._loops[node.loop])
            case _:
                pass
        return super().statement(node)

    def expression(self, node: ir.Expression) -> ir.Expression:
        if isinstance(node, ir.Read) and node.symbol in self._values:
            return self._values[node.symbol]
        return super().expression(node)

    def block_value(self, node: ir.BlockValue) -> ir.BlockValue:
        copied = super().block_value(node)
        return replace(copied, type=with_dtypes(copied.type, self._dtypes))

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        node = replace(node, type=with_dtypes(node.type, self._dtypes))
        if isinstance(node, ir.OpCall | ir.Call):
            return replace(node, dtypes=tuple(self._dtype(dtype) for dtype in node.dtypes))
        return node

    def _dtype(self, dtype: ElementType) -> DType | DtypeParameter | DtypeVariable:
        return self._dtypes.get(dtype, dtype) if isinstance(dtype, DtypeParameter) else dtype
