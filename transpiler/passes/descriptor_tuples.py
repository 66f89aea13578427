"""Takes variables that hold tuples of descriptors apart, into one variable an element."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.types import TupleType
from transpiler.ir.visit import Rewriter, walk_statements
from transpiler.passes.descriptor_values import elements_of, holds_descriptor

if TYPE_CHECKING:
    from collections.abc import Iterator


def split_tuples(routine: ir.R, ids: Iterator[int]) -> ir.R:
    """The routine without variables of tuples that hold descriptors; `ids` are free for new ones."""
    if not any(_is_tuple(symbol) for symbol in _declared(routine)):
        return routine
    return split_tuples(_Splitter(ids).kernel(routine), ids)


def _is_tuple(symbol: ir.Symbol | None) -> bool:
    return symbol is not None and holds_descriptor(symbol.type)


def _declared(routine: ir.Routine) -> Iterator[ir.Symbol | None]:
    for node in walk_statements(routine.body):
        match node:
            case ir.Let(symbol=symbol) | ir.Declare(symbol=symbol):
                yield symbol
            case ir.LetTuple(symbols=symbols):
                yield from symbols
            case _:
                pass


class _Splitter(Rewriter):
    """Takes off the outermost tuple of each variable."""

    def __init__(self, ids: Iterator[int]) -> None:
        self._ids = ids
        self._parts: dict[ir.Symbol, tuple[ir.Symbol, ...]] = {}

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.Read(symbol=symbol) if symbol in self._parts:
                parts = self._parts[symbol]
                reads = tuple(ir.Read(span=node.span, type=s.type, symbol=s) for s in parts)
                return ir.TupleValue(span=node.span, type=node.type, elements=reads)
            case ir.TupleElement(operand=ir.TupleValue(elements=elements), index=index) if all(
                isinstance(element, ir.Read) for element in elements
            ):
                return elements[index]
            case _:
                return node

    def leave_statement(self, node: ir.Statement) -> tuple[ir.Statement, ...]:
        match node:
            case ir.Let(symbol=symbol, value=value) if _is_tuple(symbol):
                return (
                    ir.LetTuple(
                        span=node.span,
                        symbols=self._split(symbol),
                        value=value,
                        layout=node.layout,
                    ),
                )
            case ir.Declare(symbol=symbol) if _is_tuple(symbol):
                parts = self._split(symbol)
                first = ir.Declare(span=node.span, symbol=parts[0], layout=node.layout)
                return (first, *(ir.Declare(span=node.span, symbol=part) for part in parts[1:]))
            case ir.Assign(symbol=symbol, value=value) if _is_tuple(symbol):
                return self._assigned(node, self._parts[symbol], value)
            case ir.LetTuple(symbols=symbols, value=value) if any(map(_is_tuple, symbols)):
                return self._nested(node, symbols, elements_of(value))
            case _:
                return (node,)

    def _split(self, symbol: ir.Symbol) -> tuple[ir.Symbol, ...]:
        types = symbol.type.elements if isinstance(symbol.type, TupleType) else ()
        parts = tuple(
            replace(symbol, id=next(self._ids), name=f"{symbol.name}_{place}", type=type_)
            for place, type_ in enumerate(types)
        )
        self._parts[symbol] = parts
        return parts

    def _assigned(
        self, node: ir.Assign, parts: tuple[ir.Symbol, ...], value: ir.Expression
    ) -> tuple[ir.Statement, ...]:
        """All elements are computed before any is assigned: `pair = (pair.1, pair.0)` swaps."""
        new = tuple(replace(part, id=next(self._ids), name=f"next_{part.name}") for part in parts)
        return (
            ir.LetTuple(span=node.span, symbols=new, value=value, layout=node.layout),
            *(
                ir.Assign(
                    span=node.span,
                    symbol=part,
                    value=ir.Read(span=node.span, type=source.type, symbol=source),
                )
                for part, source in zip(parts, new, strict=True)
            ),
        )

    def _nested(
        self,
        node: ir.LetTuple,
        symbols: tuple[ir.Symbol | None, ...],
        values: tuple[ir.Expression, ...],
    ) -> tuple[ir.Statement, ...]:
        statements: list[ir.Statement] = []
        for symbol, value in zip(symbols, values, strict=True):
            if symbol is None:
                continue
            if _is_tuple(symbol):
                parts = self._split(symbol)
                statements.append(ir.LetTuple(span=node.span, symbols=parts, value=value))
            else:
                statements.append(ir.Let(span=node.span, symbol=symbol, value=value))
        if statements:
            statements[0] = replace(statements[0], layout=node.layout)
        return tuple(statements)
