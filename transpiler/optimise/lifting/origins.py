"""Loops over a piece of memory start from its beginning, and those that go down go up.

`for i in row * n..(row + 1) * n` has `n` iterations in every program, but other indices in each: it becomes
`for i in 0..n` with `row * n + i` in the place of `i`. So does `for i in (0..n).rev()`, with `n - 1 - i`: what may not
be reordered is not lifted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.ir import nodes as ir
from transpiler.ir.visit import Rewriter
from transpiler.optimise.build import Build
from transpiler.optimise.nests.expressions import Substitution, expression_of
from transpiler.optimise.nests.extents import extent_of
from transpiler.optimise.nests.indices import Indices, named_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from transpiler.optimise.symbols import Symbols


def rebased(kernel: ir.Kernel, symbols: Symbols) -> ir.Kernel:
    """The kernel with loops that count up, from what arguments say."""
    named = named_values(kernel)
    return _Rebased(named, symbols).kernel(kernel)


class _Rebased(Rewriter):
    def __init__(self, named: Mapping[ir.Symbol, ir.Expression], symbols: Symbols) -> None:
        self._names = Indices(named)
        self._symbols = symbols

    def statement(self, node: ir.Statement) -> ir.Statement:
        changed = super().statement(node)
        return self._loop(changed) if isinstance(changed, ir.For) else changed

    def _loop(self, loop: ir.For) -> ir.For:
        goes_down = isinstance(loop.step, ir.Literal) and loop.step.value == -1
        start = self._names.polynomial(loop.start)
        if not goes_down and extent_of(start, self._names) is not None:
            return loop
        build = Build(loop.span)
        length = self._names.polynomial(loop.stop) - start
        count = expression_of(-length if goes_down else length, self._names, build)
        if count is None or extent_of(length, self._names) is None:
            return loop
        index = self._symbols.like(loop.symbol)
        place = build.subtract if goes_down else build.add
        values = {loop.symbol: place(loop.start, build.read(index))}
        return replace(
            loop,
            symbol=index,
            start=build.number(0),
            stop=count,
            step=build.number(1) if goes_down else loop.step,
            body=Substitution(values).block(loop.body),
        )
