"""Calls of functions written out where they stand, so that what a kernel does is all in it.

A function is typed for the shapes of one of its calls, and called with others where its text would be the same: its
dimensions are then those of the call. What it declares has other symbols in each call.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import (
    DtypeParameter,
    NamedDimension,
    PointerTensor,
    Tensor,
    TupleType,
    Unit,
    with_dtypes,
)
from transpiler.ir.visit import Rewriter
from transpiler.ops.model import Effect
from transpiler.optimise.paragraphs import below

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transpiler.ir.types import Dimension, ElementType, Shape, Type
    from transpiler.optimise.symbols import Symbols


def written_out(
    kernel: ir.Kernel, functions: Mapping[ir.FunctionSymbol, ir.Function], symbols: Symbols
) -> ir.Kernel:
    """The kernel with the functions it calls in the place of their calls.

    A call stays where it is not surely reached: in the arms of a value, and in the condition of a loop.
    """
    return _Inliner(functions, symbols).kernel(kernel) if functions else kernel


class _Inliner(Rewriter):
    def __init__(
        self, functions: Mapping[ir.FunctionSymbol, ir.Function], symbols: Symbols
    ) -> None:
        self._functions = functions
        self._symbols = symbols
        self._before: list[ir.Statement] | None = None
        """What is done before the statement that is being rewritten; None where it may not be reached."""
        self._whole: ir.Expression | None = None
        """The value of that statement, with which nothing else is computed."""

    # --- Statements -------------------------------------------------------------------------------

    def statements(self, statements: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        result: list[ir.Statement] = []
        for statement in statements:
            around = self._before, self._whole
            self._before, self._whole = [], getattr(statement, "value", None)
            made = self.statement(statement)
            if self._before:
                rest = [] if _is_nothing(made) else [replace(made, layout=ir.PLAIN)]
                result += below(statement.layout, [*self._before, *rest])
            elif not _is_nothing(made):
                result.append(made)
            self._before, self._whole = around
        return tuple(result)

    def statement(self, node: ir.Statement) -> ir.Statement:
        if not isinstance(node, ir.While):
            return super().statement(node)
        before, self._before = self._before, None
        made = super().statement(node)
        self._before = before
        return made

    def expression(self, node: ir.Expression) -> ir.Expression:
        if isinstance(node, ir.Binary) and node.operator.is_logical:
            left = self.expression(node.left)
            before, self._before = self._before, None
            right = self.expression(node.right)
            self._before = before
            return replace(node, left=left, right=right)
        return super().expression(node)

    def block_value(self, node: ir.BlockValue) -> ir.BlockValue:
        before, self._before = self._before, None
        made = super().block_value(node)
        self._before = before
        return made

    # --- Calls ------------------------------------------------------------------------------------

    def expression_parts(self, node: ir.Expression) -> ir.Expression:
        made = super().expression_parts(node)
        if not isinstance(made, ir.Call):
            return made
        is_whole = node is self._whole
        return self._inlined(made, is_whole=is_whole) or made

    def _inlined(self, call: ir.Call, *, is_whole: bool) -> ir.Expression | None:
        function = self._functions.get(call.function)
        if function is None or not (is_whole or call.function.effects <= {Effect.READS}):
            return None
        statements, value = _taken_apart(function)
        if value is None and not (is_whole and isinstance(function.result, Unit)):
            return None
        copy = _copy_of(function, call, self._symbols)
        if copy is None:
            return None
        held = [*copy.held, *copy.statements(statements)]
        if held and self._before is None:
            return None
        if self._before is not None:
            before, whole = self._before, self._whole
            before.extend(self.statements(tuple(held)))
            self._before, self._whole = before, whole
        if value is None:
            return ir.TupleValue(span=call.span, type=call.type, elements=())
        return self.expression(copy.expression(value))


def _is_nothing(statement: ir.Statement) -> bool:
    match statement:
        case ir.Evaluate(value=ir.TupleValue(elements=())):
            return True
        case _:
            return False


def _taken_apart(
    function: ir.Function,
) -> tuple[tuple[ir.Statement, ...], ir.Expression | None]:
    """What a function does, and what it returns then; passes before have left it one way out."""
    *statements, last = function.body.statements or (None,)
    match last:
        case ir.Return(value=value) if value is not None:
            return tuple(statements), value
        case _:
            return function.body.statements, None


# --- The text of a function, as of a call ---------------------------------------------------------


def _copy_of(function: ir.Function, call: ir.Call, symbols: Symbols) -> _Copy | None:
    """What makes the function's text that of a call; None where the call is of another kind."""
    dtypes: dict[DtypeParameter, ElementType] = {}
    for parameter, dtype in zip(function.dtype_parameters, call.dtypes, strict=True):
        # What is computed in half precision, and what of it, is decided by what the parameter may be.
        if not isinstance(dtype, DtypeParameter) or dtype.bound is not parameter.bound:
            return None
        for is_stored in (False, True):
            dtypes[replace(parameter, is_stored=is_stored)] = replace(dtype, is_stored=is_stored)
    dimensions: dict[NamedDimension, Dimension] = {}
    for own, argument in zip(function.parameters, call.arguments, strict=True):
        if not _matches(own.type, argument.type, dimensions):
            return None
    return _Copy(function, call, symbols, dtypes, dimensions)


def _matches(own: Type, given: Type, dimensions: dict[NamedDimension, Dimension]) -> bool:
    """Whether a parameter's type is that of an argument but for the names of dimensions, which are taken down."""
    match own, given:
        case (Tensor() | PointerTensor(), Tensor() | PointerTensor()):
            return len(own.shape) == len(given.shape) and all(
                dimensions.setdefault(one, other) == other
                if isinstance(one, NamedDimension)
                else one == other
                for one, other in zip(own.shape, given.shape, strict=True)
            )
        case TupleType(elements=elements), TupleType(elements=others):
            return all(map(_matches, elements, others, [dimensions] * len(elements)))
        case _:
            return True


class _Copy(Rewriter):
    def __init__(
        self,
        function: ir.Function,
        call: ir.Call,
        symbols: Symbols,
        dtypes: Mapping[DtypeParameter, ElementType],
        dimensions: Mapping[NamedDimension, Dimension],
    ) -> None:
        self._symbols = symbols
        self._dtypes = dtypes
        self._dimensions = dimensions
        self._copies: dict[ir.Symbol, ir.Symbol] = {}
        self._given: dict[ir.Symbol, ir.Expression] = dict(
            zip(function.const_generics, call.constants, strict=True)
        )
        self.held: list[ir.Statement] = []
        """What gives parameters their values that are no names, or are assigned."""
        for parameter, argument in zip(function.parameters, call.arguments, strict=True):
            is_plain = isinstance(argument, ir.Read | ir.Literal)
            if parameter.kind is ir.SymbolKind.CONST_GENERIC or (
                is_plain and not parameter.is_mutable
            ):
                self._given[parameter] = argument
                continue
            symbol = replace(self.symbol(parameter), kind=ir.SymbolKind.LOCAL)
            self._copies[parameter] = symbol
            self.held.append(ir.Let(span=argument.span, symbol=symbol, value=argument))

    def symbol(self, symbol: ir.Symbol) -> ir.Symbol:
        if symbol not in self._copies:
            self._copies[symbol] = self._symbols.like(symbol, self._type(symbol.type))
        return self._copies[symbol]

    def expression_parts(self, node: ir.Expression) -> ir.Expression:
        if isinstance(node, ir.Read) and node.symbol in self._given:
            return self._given[node.symbol]
        return super().expression_parts(node)

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        if isinstance(node, ir.OpCall | ir.Call):
            node = replace(node, dtypes=tuple(map(self._dtype, node.dtypes)))
        return replace(node, type=self._type(node.type))

    def block_value(self, node: ir.BlockValue) -> ir.BlockValue:
        made = super().block_value(node)
        return replace(made, type=self._type(made.type))

    def _dtype(self, dtype: ElementType) -> ElementType:
        return self._dtypes.get(dtype, dtype) if isinstance(dtype, DtypeParameter) else dtype

    def _type(self, type_: Type) -> Type:
        return _with_dimensions(with_dtypes(type_, self._dtypes), self._dimensions)


def _with_dimensions(type_: Type, dimensions: Mapping[NamedDimension, Dimension]) -> Type:
    match type_:
        case Tensor(shape=shape) | PointerTensor(shape=shape):
            return replace(type_, shape=tuple(_renamed(shape, dimensions)))
        case TupleType(elements=elements):
            return TupleType(elements=tuple(_with_dimensions(it, dimensions) for it in elements))
        case _:
            return type_


def _renamed(shape: Shape, dimensions: Mapping[NamedDimension, Dimension]) -> Iterator[Dimension]:
    for extent in shape:
        yield dimensions.get(extent, extent) if isinstance(extent, NamedDimension) else extent
