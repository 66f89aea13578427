"""A loop over `n` below `a * b` of which `n / b` and `n % b` alone are used becomes two loops."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpiler.analysis.mixed_radix import ratio
from transpiler.analysis.polynomial import constant, made_of
from transpiler.ir import nodes as ir
from transpiler.ir.dump import dump_expression
from transpiler.ir.types import I32
from transpiler.ir.visit import walk_expression
from transpiler.optimise.build import Build
from transpiler.optimise.nests.expressions import IntegerRewriter, expression_of
from transpiler.optimise.nests.nest import Loop, item_expressions, walk_items
from transpiler.optimise.nests.work import rewritten, substituted
from transpiler.optimise.refusals import refuse
from transpiler.tuples import NamedTuple

if TYPE_CHECKING:
    from transpiler.analysis.polynomial import Polynomial
    from transpiler.optimise.nests.indices import Indices
    from transpiler.optimise.nests.nest import Item
    from transpiler.optimise.symbols import Symbols

_ROUNDED = (ir.BinaryOperator.DIVIDE, ir.BinaryOperator.REMAINDER)


class SplitLoop(NamedTuple):
    """A loop split in two, the parameters that have to be positive for it, and the divisor, for people."""

    loop: Loop
    positive: frozenset[ir.Symbol]
    divisor: str


def split_index(loop: Loop, indices: Indices, symbols: Symbols) -> SplitLoop:
    """The loop as two.

    Raises:
        RefusedError: it cannot be.
    """
    index = loop.axis.symbol
    if indices.polynomial(loop.axis.start) != constant(0):
        refuse("the loop does not start at 0", loop.span)
    divisions = divisions_of(index, loop.items, indices)
    divisors = {indices.polynomial(node.right) for node in divisions}
    stop = indices.polynomial(loop.axis.stop)
    inner = next(
        (it for it in divisors if all(ratio(other, it) is not None for other in (*divisors, stop))),
        None,
    )
    if inner is None:
        refuse("its index is not divided by a factor of its bound", loop.span)
    outer = _quotient(stop, inner)
    build = Build(loop.span)
    if not all(indices.argument(atom) for atom in outer.atoms | inner.atoms):
        refuse("the factors of its bound are not arguments", loop.span)
    extents = [expression_of(it, indices, build) for it in (outer, inner)]
    if extents[0] is None or extents[1] is None:
        refuse("the factors of its bound are not arguments", loop.span)
    names = names_of_digits(index, loop.items, indices, inner)
    high, low = (symbols.new(names[it], I32, loop.axis.span) for it in range(2))
    items = without_divisions(index, loop.items, indices, inner, (high, low))
    if any(
        isinstance(node, ir.Read) and node.symbol == index
        for item in walk_items(items)
        for expression in item_expressions(item)
        for node in walk_expression(expression)
    ):
        refuse(f"`{index.name}` is used apart from its quotient and remainder", loop.span)
    zero = build.number(0)
    within = Loop(
        axis=replace(loop.axis, symbol=low, start=zero, stop=extents[1]),
        items=items,
        reductions=(),
        span=loop.span,
    )
    around = replace(
        loop, axis=replace(loop.axis, symbol=high, start=zero, stop=extents[0]), items=(within,)
    )
    positive = frozenset(
        symbol
        for atom in (outer.atoms | inner.atoms)
        if (symbol := indices.symbol(atom)) is not None
    )
    return SplitLoop(around, positive, dump_expression(extents[1]))


def _quotient(product: Polynomial, factor: Polynomial) -> Polynomial:
    """A product without one of its factors."""
    left = ratio(product, factor) or []
    ((_, times),), ((_, unit),) = product.terms, factor.terms
    return made_of({tuple(sorted(left)): times // unit})


def divisions_of(index: ir.Symbol, items: tuple[Item, ...], indices: Indices) -> list[ir.Binary]:
    """The quotients and remainders of an index."""
    return [
        node
        for item in walk_items(items)
        for expression in item_expressions(item)
        for node in walk_expression(expression)
        if isinstance(node, ir.Binary)
        and node.operator in _ROUNDED
        and indices.polynomial(node.left) == indices.of(index)
    ]


def without_divisions(
    index: ir.Symbol,
    items: tuple[Item, ...],
    indices: Indices,
    inner: Polynomial,
    digits: tuple[ir.Symbol, ir.Symbol],
) -> tuple[Item, ...]:
    """The items with two indices, the quotient by `inner` and the remainder, in the place of divisions of one."""
    high, low = (Build(it.span).read(it) for it in digits)

    def change(node: ir.Expression) -> ir.Expression | None:
        if not isinstance(node, ir.Binary) or indices.polynomial(node.left) != indices.of(index):
            return None
        build = Build(node.span)
        divisor = indices.polynomial(node.right)
        if node.operator is ir.BinaryOperator.DIVIDE:
            if divisor == inner:
                return high
            rest = expression_of(_quotient(divisor, inner), indices, build)
            return None if rest is None else build.divide(high, rest)
        if node.operator is ir.BinaryOperator.REMAINDER and divisor == inner:
            return low
        return None

    changed = rewritten(items, IntegerRewriter(change).expression)
    aliases = {
        item.symbol: item.value
        for item in changed
        if isinstance(item, ir.Let) and item.value in {high, low}
    }
    kept = (it for it in changed if not isinstance(it, ir.Let) or it.symbol not in aliases)
    return substituted(tuple(kept), aliases)


def names_of_digits(
    index: ir.Symbol, items: tuple[Item, ...], indices: Indices, inner: Polynomial
) -> tuple[str, str]:
    """What the kernel calls the quotient and the remainder."""
    found = [f"{index.name}_high", f"{index.name}_low"]
    for item in items:
        match item:
            case ir.Let(symbol=symbol, value=ir.Binary(operator=operator, left=left, right=right)):
                if (
                    operator in _ROUNDED
                    and indices.polynomial(left) == indices.of(index)
                    and indices.polynomial(right) == inner
                ):
                    found[_ROUNDED.index(operator)] = symbol.name
            case _:
                pass
    return found[0], found[1]
