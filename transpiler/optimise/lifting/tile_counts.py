"""Loops that count tiles become loops that step by their extent.

`for t in 0..(n + BLOCK - 1) / BLOCK`, whose body has `t` in `t * BLOCK` alone, is `for start in 0..n` in steps of
`BLOCK`: where `n` is not positive, neither runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.extents import tile_extents
from transpiler.analysis.polynomial import Polynomial, constant
from transpiler.analysis.values import is_read, operands
from transpiler.ir import nodes as ir
from transpiler.ir.visit import Rewriter, walk_block, walk_expression
from transpiler.ops.model import RangeRoundedUp
from transpiler.optimise.build import Build
from transpiler.optimise.nests.expressions import expression_of
from transpiler.optimise.nests.indices import Indices, named_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.optimise.symbols import Symbols


def stepped(kernel: ir.Kernel, symbols: Symbols) -> ir.Kernel:
    """The kernel with loops over the starts of tiles in the place of those that count them."""
    return _Stepped(named_values(kernel), tile_extents(kernel), symbols).kernel(kernel)


class _Stepped(Rewriter):
    def __init__(
        self,
        named: Mapping[ir.Symbol, ir.Expression],
        extents: frozenset[str],
        symbols: Symbols,
    ) -> None:
        self._names = Indices(named)
        self._extents = extents
        self._symbols = symbols

    def statement(self, node: ir.Statement) -> ir.Statement:
        changed = super().statement(node)
        return self._loop(changed) if isinstance(changed, ir.For) else changed

    def _loop(self, loop: ir.For) -> ir.For:
        match (loop.start, loop.step):
            case (ir.Literal(value=0), ir.Literal(value=1)):
                pass
            case _:
                return loop
        found = self._rounded_up(self._names.resolved(loop.stop))
        if found is None:
            return loop
        length, extent = found
        start = self._symbols.like(loop.symbol)
        starts = _Starts(loop.symbol, extent, start)
        body = starts.block(loop.body)
        if any(is_read(it, loop.symbol) for it in walk_block(body)):
            return loop
        step = Build(loop.span).read(extent)
        return replace(loop, symbol=start, stop=length, step=step, body=body)

    def _rounded_up(self, stop: ir.Expression) -> tuple[ir.Expression, ir.Symbol] | None:
        """What is divided by the extent of a tile and rounded up, and that extent."""
        build = Build(stop.span)
        match stop:
            case ir.OpCall(op=op) if isinstance(op.range, RangeRoundedUp):
                length, divisor = operands(stop)
            case ir.Binary(operator=ir.BinaryOperator.DIVIDE, left=left, right=divisor):
                # What has names stays as it is named.
                written = Indices({})
                beyond = written.polynomial(divisor) - constant(1)
                whole = written.polynomial(left)
                exact = expression_of(whole - beyond, written, build)
                if exact is None or not _is_rest(beyond, whole):
                    return None
                length = exact
            case _:
                return None
        match divisor:
            case ir.Read(symbol=extent) if (
                extent.kind is ir.SymbolKind.CONST_GENERIC and extent.name in self._extents
            ):
                pass
            case _:
                return None
        reads = (it.symbol for it in walk_expression(length) if isinstance(it, ir.Read))
        return None if any(it.is_mutable for it in reads) else (length, extent)


def _is_rest(beyond: Polynomial, whole: Polynomial) -> bool:
    """Whether each term of `beyond` is one of a sum."""
    return set(beyond.terms) <= set(whole.terms)


class _Starts(Rewriter):
    """Puts `start` in the place of `count * extent`."""

    def __init__(self, count: ir.Symbol, extent: ir.Symbol, start: ir.Symbol) -> None:
        self._pair = {count, extent}
        self._start = start

    def leave_expression(self, node: ir.Expression) -> ir.Expression:
        match node:
            case ir.Binary(
                operator=ir.BinaryOperator.MULTIPLY,
                left=ir.Read(symbol=left),
                right=ir.Read(symbol=right),
            ) if {left, right} == self._pair:
                return ir.Read(span=node.span, type=node.type, symbol=self._start)
            case _:
                return node
