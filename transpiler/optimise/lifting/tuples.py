"""Variables that hold tuples, as one variable for each element."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.effects import effects_of
from transpiler.ir import nodes as ir
from transpiler.ir.types import TupleType
from transpiler.ir.visit import Rewriter, walk_expression
from transpiler.ops.model import Effect
from transpiler.optimise.paragraphs import below

if TYPE_CHECKING:
    from collections.abc import Iterator

    from transpiler.optimise.symbols import Symbols


def taken_apart(kernel: ir.Kernel, symbols: Symbols) -> ir.Kernel:
    """The kernel with variables of elements in the place of those tuples whose values are written as tuples."""
    # Elements that are tuples themselves are variables then, and taken apart next.
    while (parts := _parts(kernel.body, symbols)) or _is_named_at_once(kernel.body):
        kernel = _Apart(parts, symbols).kernel(kernel)
    return kernel


def _is_named_at_once(block: ir.Block) -> bool:
    """Whether elements of a tuple get names that are there only for that."""
    return any(
        isinstance(it, ir.LetTuple) and isinstance(it.value, ir.TupleValue)
        for it in block.contents.statements
    )


def _parts(block: ir.Block, symbols: Symbols) -> dict[ir.Symbol, tuple[ir.Symbol, ...]]:
    """The variables of the elements, of every variable that is taken apart."""
    values: dict[ir.Symbol, list[ir.Expression]] = {}
    for statement in block.contents.statements:
        match statement:
            case ir.Let() | ir.Assign() if isinstance(statement.symbol.type, TupleType):
                values.setdefault(statement.symbol, []).append(statement.value)
            case _:
                pass
    while True:
        apart = {
            it for it, given in values.items() if all(_is_tuple(each, values) for each in given)
        }
        if len(apart) == len(values):
            break
        values = {it: given for it, given in values.items() if it in apart}
    return {symbol: tuple(_elements(symbol, symbols)) for symbol in values}


def _is_tuple(value: ir.Expression, known: dict[ir.Symbol, list[ir.Expression]]) -> bool:
    match value:
        case ir.TupleValue():
            return True
        case ir.Read(symbol=symbol):
            return symbol in known
        case _:
            return False


def _elements(symbol: ir.Symbol, symbols: Symbols) -> Iterator[ir.Symbol]:
    if not isinstance(symbol.type, TupleType):
        raise TypeError("it is a tuple that is taken apart")
    for place, type_ in enumerate(symbol.type.elements):
        yield replace(symbols.like(symbol, type_), name=f"{symbol.name}_{place}")


class _Apart(Rewriter):
    def __init__(self, parts: dict[ir.Symbol, tuple[ir.Symbol, ...]], symbols: Symbols) -> None:
        self._parts = parts
        self._symbols = symbols

    def expression_parts(self, node: ir.Expression) -> ir.Expression:
        if isinstance(node, ir.Read) and node.symbol in self._parts:
            parts = self._parts[node.symbol]
            return ir.TupleValue(
                span=node.span,
                type=node.type,
                elements=tuple(ir.Read(span=node.span, type=it.type, symbol=it) for it in parts),
            )
        return super().expression_parts(node)

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.TupleElement(operand=ir.TupleValue(elements=elements), index=index):
                return elements[index]
            case _:
                return node

    def statement(self, node: ir.Statement) -> ir.Statement:
        # The symbol that is taken apart stays until the statement is several.
        match node:
            case ir.Let() | ir.Assign():
                return replace(node, value=self.expression(node.value))
            case _:
                return super().statement(node)

    def leave_statement(self, node: ir.Statement) -> tuple[ir.Statement, ...]:
        made: list[ir.Statement]
        match node:
            case ir.Let(symbol=symbol, value=ir.TupleValue(elements=elements)) if (
                symbol in self._parts
            ):
                parts = zip(self._parts[symbol], elements, strict=True)
                made = [ir.Let(span=node.span, symbol=part, value=value) for part, value in parts]
            case ir.LetTuple(symbols=symbols, value=ir.TupleValue(elements=elements)):
                made = [
                    ir.Evaluate(span=node.span, value=value)
                    if symbol is None
                    else ir.Let(span=node.span, symbol=symbol, value=value)
                    for symbol, value in zip(symbols, elements, strict=True)
                    if symbol is not None or effects_of(walk_expression(value)) - {Effect.READS}
                ]
            case ir.Declare(symbol=symbol) if symbol in self._parts:
                made = [ir.Declare(span=node.span, symbol=part) for part in self._parts[symbol]]
            case ir.Assign(symbol=symbol, value=ir.TupleValue(elements=elements)) if (
                symbol in self._parts
            ):
                made = list(self._assigned(self._parts[symbol], elements, node))
            case _:
                return (node,)
        return tuple(below(node.layout, made))

    def _assigned(
        self, parts: tuple[ir.Symbol, ...], values: tuple[ir.Expression, ...], node: ir.Assign
    ) -> Iterator[ir.Statement]:
        """Each element's assignment, all values computed before where one reads what another one changes."""
        changed = [
            (part, value)
            for part, value in zip(parts, values, strict=True)
            if not (isinstance(value, ir.Read) and value.symbol == part)
        ]
        if any(
            _reads(value, other) for part, value in changed for other, _ in changed if other != part
        ):
            held = [(part, self._symbols.like(part)) for part, _ in changed]
            for (_, symbol), (_, value) in zip(held, changed, strict=True):
                yield ir.Let(span=node.span, symbol=replace(symbol, is_mutable=False), value=value)
            changed = [
                (
                    part,
                    ir.Read(
                        span=node.span, type=symbol.type, symbol=replace(symbol, is_mutable=False)
                    ),
                )
                for part, symbol in held
            ]
        for part, value in changed:
            yield ir.Assign(span=node.span, symbol=part, value=value)


def _reads(value: ir.Expression, symbol: ir.Symbol) -> bool:
    return any(isinstance(it, ir.Read) and it.symbol == symbol for it in walk_expression(value))
